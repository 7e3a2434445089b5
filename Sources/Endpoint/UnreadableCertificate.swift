import Explanation
import PKIX
import TLS

/// A peer's certificate that cannot be parsed, with its index and the error.
public struct UnreadableCertificate: Error {
  /// The index of the certificate; 0 is the peer's own.
  public let index: Int
  /// The parse error, which includes the offset.
  public let error: CertificateError

  /// The finding that reports the error under `rule`.
  func finding(_ rule: Rule, _ enforcement: Enforcement) -> Finding {
    enforcement.check(
      rule, on: .certificate(index: index, name: "unreadable"), false,
      required: .word("\(error.field) in DER"), found: .word(error.description))
  }
}

extension PeerCredentials {
  /// The parsed certificates.
  ///
  /// - Throws: `UnreadableCertificate` for the first certificate that cannot be parsed, or if there is no certificate.
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
  /// The same rule for a client's certificate.
  static let unreadableClientCertificate = unreadableCertificate.moved(in: .clientAuth)
}
