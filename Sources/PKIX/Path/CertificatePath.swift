/// A sequence of certificates, each issued by the next.
///
/// The leaf comes first and the trust anchor, if there is one, last.
public struct CertificatePath: Sendable, Hashable {
  /// The reason why a path ends.
  public enum End: Sendable, Hashable {
    /// The last certificate is a trust anchor.
    case anchor
    /// No certificate of the last certificate's issuer is available, or the last certificate is self-issued.
    case noIssuer
    /// There are no trust anchors, so no issuer could lead to one.
    case noAnchors
    /// Every certificate of the last certificate's issuer is already in the path.
    case loop
    /// The path has the maximum number of certificates.
    case tooLong
  }

  /// The certificates, leaf first.
  public let certificates: [Certificate]
  /// The reason why the path ends.
  public let end: End

  /// The certificate that a faulty decision accepted as an anchor (`PathDecisions.isAnchor`).
  public let mistakenAnchor: Certificate?

  /// Creates a path from its certificates.
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

  /// Whether the path contains only the leaf. Path building keeps such a path in addition to others only if the leaf
  /// signed itself.
  var isOfLeafAlone: Bool { end == .noIssuer && certificates.count == 1 }

  /// The trust anchor's certificate.
  public var anchor: Certificate? { isAnchored ? certificates.last : nil }
}

/// The names that identify certificates in messages.
public struct CertificateNames: Sendable {
  private let name: @Sendable (Certificate) -> String

  /// Names from a function.
  public init(_ name: @escaping @Sendable (Certificate) -> String) { self.name = name }

  /// Creates a set of names. Other certificates are identified by their common names.
  public init(_ names: [(name: String, certificate: Certificate)]) {
    let table = Dictionary(names.map { ($0.certificate, $0.name) }) { first, _ in first }
    self.init { table[$0] ?? $0.displayName }
  }

  /// The common names; a certificate without one is identified by its first host name or its subject.
  public static let common = CertificateNames { $0.displayName }

  /// Returns the name of one certificate.
  public func callAsFunction(_ certificate: Certificate) -> String { name(certificate) }
}
