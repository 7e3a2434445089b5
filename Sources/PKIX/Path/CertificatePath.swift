/// A row of certificates, each issued by the next: the leaf first, and the trust anchor last where one was reached.
public struct CertificatePath: Sendable, Hashable {
  /// Why a path goes no further.
  public enum End: Sendable, Hashable {
    /// Its last certificate is a trust anchor.
    case anchor
    /// No certificate of the last one's issuer is at hand, or the last is self-issued.
    case noIssuer
    /// There is no trust anchor at all, so that no issuer could lead to one.
    case noAnchors
    /// Every certificate of the last one's issuer is already in the path.
    case loop
    /// The path has as many certificates as path building allows.
    case tooLong
  }

  /// The certificates, the leaf first.
  public let certificates: [Certificate]
  /// Why it goes no further.
  public let end: End

  /// The anchor that the last certificate was taken for without being it: only where a decision is not the correct one
  /// (`PathDecisions.isAnchor`).
  public let mistakenAnchor: Certificate?

  /// A path of these certificates.
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

  /// Whether nothing above the leaf is tried: beside other paths only one is that its leaf's own key signed.
  var isOfLeafAlone: Bool { end == .noIssuer && certificates.count == 1 }

  /// The trust anchor's certificate.
  public var anchor: Certificate? { isAnchored ? certificates.last : nil }
}

/// Names that a reader knows certificates by.
public struct CertificateNames: Sendable {
  private let name: @Sendable (Certificate) -> String

  /// Names given by a function.
  public init(_ name: @escaping @Sendable (Certificate) -> String) { self.name = name }

  /// These names, and common names for other certificates.
  public init(_ names: [(name: String, certificate: Certificate)]) {
    let table = Dictionary(names.map { ($0.certificate, $0.name) }) { first, _ in first }
    self.init { table[$0] ?? $0.displayName }
  }

  /// Common names, and where there is none the first host name or the subject.
  public static let common = CertificateNames { $0.displayName }

  /// The name of one certificate.
  public func callAsFunction(_ certificate: Certificate) -> String { name(certificate) }
}
