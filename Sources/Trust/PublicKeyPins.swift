import Explanation
import PKIX

/// Public keys of which the validated path must have one: RFC 7469 section 2.6, and Apple's NSPinnedDomains.
public struct PublicKeyPins: Sendable {
  /// What findings call each pinned key, and its SubjectPublicKeyInfo in DER.
  public let keys: [(name: String, info: [UInt8])]

  /// The keys of these certificates, by the names of the certificates.
  public init(_ certificates: [(name: String, certificate: Certificate)]) {
    keys = certificates.map { ($0.name, $0.certificate.subjectPublicKeyInfo) }
  }

  /// Holds the pins against a path; not against one that is not trusted, since RFC 7469 section 2.6 asks for a
  /// connection without errors.
  func finding(
    on path: [Certificate], isTrusted: Bool, host: String?, _ policy: TrustPolicy
  ) -> Finding {
    let subject = host.map(Finding.Subject.host) ?? .connection
    guard isTrusted else { return policy.enforcement.note(.pinMismatch, on: subject, .notEvaluated) }
    let infos = Set(path.map(\.subjectPublicKeyInfo))
    return policy.enforcement.check(
      .pinMismatch, on: subject, keys.contains { infos.contains($0.info) },
      required: .anyOf(keys.map { "\($0.name).key" }), found: .words(path.map { "\(policy.names($0)).key" }))
  }
}
