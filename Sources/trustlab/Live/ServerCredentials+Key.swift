import PKIX
import TLS

extension ServerCredentials {
  /// Whether the key is that of the first certificate. What is saved of a real server has no key: what stands in its place
  /// convinces no client.
  var holdsItsKey: Bool {
    certificates.first.flatMap { try? Certificate(der: $0) }.map { $0.publicKey == privateKey.publicKey } ?? true
  }
}
