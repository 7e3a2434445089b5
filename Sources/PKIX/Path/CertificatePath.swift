/// A sequence of certificates, each issued by the next: the leaf first, the trust anchor last if there is one.
public struct CertificatePath: Sendable, Hashable {
  /// The reason why a path ends.
  public enum End: Sendable, Hashable {
    /// Its last certificate is a trust anchor.
    case anchor
    /// No certificate of the last one's issuer is at hand, or the last is self-issued.
    case noIssuer
    /// There is no trust anchor, so no issuer could lead to one.
    case noAnchors
    /// Every certificate of the last certificate's issuer is already in the path.
    case loop
    /// The path has the maximum number of certificates.
    case tooLong
  }

  /// The certificates, the leaf first.
  public let certificates: [Certificate]
  /// The reason why it ends.
  public let end: End

  /// The certificate that a faulty decision took for an anchor (`PathDecisions.isAnchor`).
  public let mistakenAnchor: Certificate?

  /// Creates a path of these certificates.
  public init(_ certificates: [Certificate], end: End) {
    self.certificates = certificates
    self.end = end
    mistakenAnchor = nil
  }

  init(_ certificates: [Certificate], takingLastFor anchor: Certificate) {
    self.certificates = certificates
    end = .anchor
    mistakenAnchor = anchor
  }

  /// Whether the last certificate is a trust anchor.
  public var isAnchored: Bool { end == .anchor }

  /// Whether the path is the leaf alone. Path building keeps it next to other paths only if the leaf signed itself.
  var isOfLeafAlone: Bool { end == .noIssuer && certificates.count == 1 }

  /// The trust anchor's certificate.
  public var anchor: Certificate? { isAnchored ? certificates.last : nil }
}

/// Names that readers know certificates by.
public struct CertificateNames: Sendable {
  private let name: @Sendable (Certificate) -> String

  /// Names from a function.
  public init(_ name: @escaping @Sendable (Certificate) -> String) { self.name = name }

  /// These names; other certificates get their common name.
  public init(_ names: [(name: String, certificate: Certificate)]) {
    let table = Dictionary(names.map { ($0.certificate, $0.name) }) { first, _ in first }
    self.init { table[$0] ?? $0.displayName }
  }

  /// Common names; without one, the first host name or the subject.
  public static let common = CertificateNames { $0.displayName }

  /// The name of one certificate.
  public func callAsFunction(_ certificate: Certificate) -> String { name(certificate) }
}
