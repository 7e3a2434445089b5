import Oracles
import Testing

@testable import Cryptography

@Suite("RSASSA-PSS")
struct RSAPSSTests {
  static let message = Array("the message".utf8)

  @Test("signatures verify for every modulus size modulo 8, and each byte matters", arguments: 1024...1033)
  func sizes(bits: Int) throws {
    let key = try Keys.rsa(bits)
    var random = DeterministicRandom(seed: .number(1), label: "salt")
    let signature = try key.signPSS(message: Self.message, hash: .sha256, random: &random)
    #expect(signature.count == key.publicKey.byteCount)
    try key.publicKey.verifyPSS(signature, message: Self.message, hash: .sha256)
    #expect(throws: SignatureError.mismatch) { try key.publicKey.verifyPSS(signature, message: [], hash: .sha256) }
    #expect(throws: SignatureError.self) {
      try key.publicKey.verifyPSS(signature, message: Self.message, hash: .sha384)
    }
    for index in signature.indices {
      var changed = signature
      changed[index] ^= 1
      #expect(throws: SignatureError.self) {
        try key.publicKey.verifyPSS(changed, message: Self.message, hash: .sha256)
      }
    }
  }

  @Test("a modulus too short for digest and salt is an error on both sides")
  func shortModulus() throws {
    let key = try Keys.rsa(1024)
    var random = DeterministicRandom(seed: .number(1), label: "salt")
    #expect(throws: RSAError.modulusTooShort(for: .sha512)) {
      try key.signPSS(message: [], hash: .sha512, random: &random)
    }
    let signature = [UInt8](repeating: 1, count: 128)
    #expect(throws: SignatureError.modulusTooShort(for: .sha512)) {
      try key.publicKey.verifyPSS(signature, message: [], hash: .sha512)
    }
    #expect(throws: SignatureError.length(expected: 128, found: 1)) {
      try key.publicKey.verifyPSS([1], message: [], hash: .sha256)
    }
  }

  @Test("OpenSSL verifies these signatures, and its own verify here", .needs(.openssl))
  func openSSL() throws {
    let key = try Keys.rsa(1033)
    var random = DeterministicRandom(seed: .number(1), label: "salt")
    let files = [
      "key.pem": Array(try PrivateKey.rsa(key).pem.utf8), "public.der": key.publicKey.subjectPublicKeyInfo,
      "message": Self.message,
      "signature": try key.signPSS(message: Self.message, hash: .sha384, random: &random),
    ]
    let options = ["dgst", "-sha384", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest"]
    let check = options + ["-keyform", "DER", "-verify", "public.der", "-signature", "signature", "message"]
    #expect(try OpenSSL.run(check, files: files).status == 0)
    let made = try OpenSSL.run(options + ["-sign", "key.pem", "message"], files: files)
    try key.publicKey.verifyPSS(made.output, message: Self.message, hash: .sha384)
  }
}
