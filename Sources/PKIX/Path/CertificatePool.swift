/// Certificates that can be asked for by subject: those a server presented, or the anchors of a trust store.
public struct CertificatePool: Sendable {
  /// The certificates in order, each once.
  public let certificates: [Certificate]
  private let members: Set<Certificate>
  private let bySubject: [[UInt8]: [Certificate]]

  /// A pool of these certificates.
  public init(_ certificates: [Certificate]) {
    var members: Set<Certificate> = []
    self.certificates = certificates.filter { members.insert($0).inserted }
    self.members = members
    bySubject = Dictionary(grouping: self.certificates) { $0.subject.comparisonKey }
  }

  /// Whether this certificate, byte by byte, is in the pool.
  public func contains(_ certificate: Certificate) -> Bool { members.contains(certificate) }

  /// The certificates with this subject, in order.
  public func certificates(named subject: DistinguishedName) -> [Certificate] {
    bySubject[subject.comparisonKey] ?? []
  }

  /// The certificates whose subject is the issuer of `certificate`, in order.
  public func issuers(of certificate: Certificate) -> [Certificate] {
    bySubject[certificate.issuer.comparisonKey] ?? []
  }
}
