/// The place in a standard, or in a vendor's documentation, that states a rule or derivation.
public struct Clause: Sendable, Hashable, CustomStringConvertible {
  /// The name of the document, such as `RFC 5280` or `Apple`.
  public let document: String
  /// The section or page, such as `6.1.3` or `NSExceptionDomains`.
  public let section: String

  /// Creates a clause of any document.
  public init(document: String, section: String) {
    self.document = document
    self.section = section
  }

  /// A section of an RFC, such as `.rfc(5280, "6.1.3")`.
  public static func rfc(_ number: Int, _ section: String) -> Clause {
    Clause(document: "RFC \(number)", section: section)
  }

  /// A page or key in Apple's documentation, such as `.apple("NSExceptionDomains")`.
  public static func apple(_ section: String) -> Clause {
    Clause(document: "Apple", section: section)
  }

  /// The citation, such as `RFC 5280 section 6.1.3` or `Apple: NSExceptionDomains`.
  public var description: String {
    document.hasPrefix("RFC") ? "\(document) section \(section)" : "\(document): \(section)"
  }
}
