import Laboratory
import Oracles
@testable import Cryptography

/// Keys that several tests use, each made once.
enum Keys {
  static func rsa(_ bits: Int) throws -> RSAPrivateKey { try KeyStore.tests.rsaKey(owner: "test", bits: bits) }
}
