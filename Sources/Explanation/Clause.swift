/// The place in a standard or in a vendor's documentation that is the source of a rule or derivation.
public struct Clause: Sendable, Hashable, CustomStringConvertible {
  /// The document: `RFC 5280`, `Apple`, …
  public let document: String
  /// The section or page: `6.1.3`, `NSExceptionDomains`, …
  public let section: String

  /// A clause of any document.
  public init(document: String, section: String) {
    self.document = document
    self.section = section
  }

  /// A section of an RFC: `.rfc(5280, "6.1.3")`.
  public static func rfc(_ number: Int, _ section: String) -> Clause {
    Clause(document: "RFC \(number)", section: section)
  }

  /// A page or key of Apple's documentation: `.apple("NSExceptionDomains")`.
  public static func apple(_ section: String) -> Clause {
    Clause(document: "Apple", section: section)
  }

  /// The citation: `RFC 5280 section 6.1.3`, `Apple: NSExceptionDomains`.
  public var description: String {
    document.hasPrefix("RFC") ? "\(document) section \(section)" : "\(document): \(section)"
  }
}
