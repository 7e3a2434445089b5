import Laboratory
@testable import Cryptography

/// Keys that several tests use, each made once.
enum Keys {
  static func rsa(_ bits: Int) throws -> RSAPrivateKey { try KeyStore().rsaKey(owner: "test", bits: bits) }
}
