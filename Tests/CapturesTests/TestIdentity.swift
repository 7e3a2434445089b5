import Cryptography
import Laboratory
import Oracles

/// A server's key, and bytes in place of its certificate.
struct TestIdentity {
  let key: PrivateKey
  let certificate: [UInt8] = [0x30, 0]

  init(isEC: Bool) throws {
    key =
      isEC
      ? .ec(KeyStore.ecKey(owner: "tests", curve: .p256)) : .rsa(try KeyStore.tests.rsaKey(owner: "tests", bits: 1024))
  }
}
