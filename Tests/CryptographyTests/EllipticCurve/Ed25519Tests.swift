import Oracles
import Testing

@testable import Cryptography

@Suite("Ed25519")
struct Ed25519Tests {
  /// RFC 8032 section 7.1, tests 1 and 2: secret, public key, message, signature.
  static let rfc8032 = [
    (
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        + "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    ),
    (
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    ),
  ]

  @Test("the signatures of RFC 8032", arguments: rfc8032)
  func published(secret: String, point: String, message: String, signature: String) throws {
    let key = try #require(Ed25519PrivateKey(rawRepresentation: try bytes(secret)))
    #expect(key.publicKey.point == (try bytes(point)))
    let message = try bytes(message)
    #expect(try key.sign(message: message) == (try bytes(signature)))
    try key.publicKey.verify(try bytes(signature), message: message)
    #expect(throws: SignatureError.mismatch) { try key.publicKey.verify(try bytes(signature), message: message + [0]) }
  }

  @Test("keys are read and written, and OpenSSL agrees with them", .needs(.openssl))
  func openSSL() throws {
    var random = DeterministicRandom(seed: .number(1), label: "Ed25519")
    let key = PrivateKey.ed25519(Ed25519PrivateKey.generate(random: &random))
    let copy = try PrivateKey(der: try key.pkcs8)
    #expect(copy.publicKey == key.publicKey)
    #expect(try copy.pkcs8 == key.pkcs8)
    let spki = try OpenSSL.run(
      ["pkey", "-inform", "DER", "-in", "key", "-pubout", "-outform", "DER"], files: ["key": try key.pkcs8])
    #expect(spki.status == 0 && spki.output == key.publicKey.subjectPublicKeyInfo)
    #expect(try PublicKey(subjectPublicKeyInfo: spki.output) == key.publicKey)
    #expect(Ed25519PrivateKey(rawRepresentation: [1, 2, 3]) == nil)
  }
}
