import Testing

@testable import Cryptography

@Suite("RSA keys")
struct RSAKeyTests {
  @Test("a key survives PKCS#8, PKCS#1 and PEM, and still signs and decrypts", arguments: [512, 1024, 1025, 2048])
  func roundTrip(bits: Int) throws {
    var random = DeterministicRandom(seed: .number(1), label: "test")
    let key = try RSAPrivateKey.generate(bits: bits, random: &random)
    #expect(key.publicKey.bits == bits)
    for der in [try key.pkcs8, try key.pkcs1] {
      guard case .rsa(let copy) = try PrivateKey(der: der) else { return }
      #expect(try copy.disclosedComponents() == key.disclosedComponents())
    }
    guard case .rsa(let copy) = try PrivateKey(pem: PrivateKey.rsa(key).pem) else { return }
    for message in [[UInt8]](repeating: [1, 2, 3], count: 3) {
      let signature = try copy.signPKCS1v15(message: message, hash: .sha1)
      try key.publicKey.verifyPKCS1v15(signature, message: message, hash: .sha1)
      let ciphertext = try key.publicKey.encryptPKCS1v15(message, random: &random)
      #expect(try copy.decryptPKCS1v15(ciphertext) == message)
      let spki = PublicKey.rsa(key.publicKey).subjectPublicKeyInfo
      #expect(try PublicKey(subjectPublicKeyInfo: spki) == .rsa(key.publicKey))
    }
  }
}
