import Explanation
import PKIX
import TLS

/// A certificate of a peer's that is none: which of those that it shows, and why reading ends.
public struct UnreadableCertificate: Error {
  /// Its place; 0 is the peer's own.
  public let index: Int
  /// At which byte reading ends, and what stands there.
  public let error: CertificateError

  /// What is wrong, as a finding under `rule`.
  func finding(_ rule: Rule, _ enforcement: Enforcement) -> Finding {
    enforcement.check(
      rule, on: .certificate(index: index, name: "unreadable"), false,
      required: .word("\(error.field) in DER"), found: .word(error.description))
  }
}

extension PeerCredentials {
  /// The certificates as they came.
  ///
  /// - Throws: `UnreadableCertificate` for the first that is none, or where there is none at all.
  func chain() throws(UnreadableCertificate) -> (leaf: Certificate, all: [Certificate]) {
    let leaf = try Self.read(certificates.first ?? [], at: 0)
    var all = [leaf]
    for (index, der) in certificates.enumerated().dropFirst() { all.append(try Self.read(der, at: index)) }
    return (leaf, all)
  }

  private static func read(_ der: [UInt8], at index: Int) throws(UnreadableCertificate) -> Certificate {
    do throws(CertificateError) { return try Certificate(der: der) } catch {
      throw UnreadableCertificate(index: index, error: error)
    }
  }
}

extension Rule {
  /// The same where the certificate is a client's.
  static let unreadableClientCertificate = unreadableCertificate.held(in: .clientAuth)
}
