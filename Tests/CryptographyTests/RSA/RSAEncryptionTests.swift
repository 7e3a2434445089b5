import Oracles
import Testing

@testable import Cryptography

@Suite("RSAES-PKCS1-v1_5")
struct RSAEncryptionTests {
  static let replacement = [UInt8](repeating: 0xee, count: 48)

  private func encrypted(_ encoded: [UInt8], for key: RSAPrivateKey) throws -> [UInt8] {
    try key.publicKey.rsaep(Natural(bigEndian: encoded)).bigEndianBytes(count: key.publicKey.byteCount)
  }

  @Test("messages of every valid length are decrypted again, and longer ones are refused")
  func lengths() throws {
    let key = try Keys.rsa(512)
    var random = DeterministicRandom(seed: .number(1), label: "padding")
    for count in 0...53 {
      let message = random.bytes(count)
      let ciphertext = try key.publicKey.encryptPKCS1v15(message, random: &random)
      #expect(ciphertext.count == 64)
      #expect(try key.decryptPKCS1v15(ciphertext) == message)
    }
    #expect(throws: RSAError.messageTooLong(limit: 53, found: 54)) {
      try key.publicKey.encryptPKCS1v15([UInt8](repeating: 0, count: 54), random: &random)
    }
  }

  @Test("the same stream makes the same ciphertext, the next bytes another one")
  func deterministic() throws {
    let key = try Keys.rsa(512)
    var random = DeterministicRandom(seed: .number(1), label: "padding")
    var same = random
    let first = try key.publicKey.encryptPKCS1v15([1], random: &random)
    #expect(try key.publicKey.encryptPKCS1v15([1], random: &same) == first)
    #expect(try key.publicKey.encryptPKCS1v15([1], random: &random) != first)
  }

  @Test("a valid premaster secret is decrypted, and anything else is silently replaced")
  func replacement() throws {
    let key = try Keys.rsa(1024)
    var random = DeterministicRandom(seed: .number(1), label: "premaster_secret")
    let premaster = [3, 3] + random.bytes(46)
    let good = try key.publicKey.encryptPKCS1v15(premaster, random: &random)
    let opened = try key.decryptPKCS1v15(good, orElse: Self.replacement)
    #expect(opened == PKCS1v15Decryption(bytes: premaster, wasWellFormed: true, beganRightly: true))

    let fill = [UInt8](repeating: 0x55, count: 77)
    var zeroInPadding = [0, 2] + fill + [0] + premaster
    for index in 2..<79 {
      zeroInPadding[index] = 0
      try expectReplaced(encrypted(zeroInPadding, for: key), key)
      zeroInPadding[index] = 0x55
    }
    #expect(try key.decryptPKCS1v15(encrypted(zeroInPadding, for: key), orElse: Self.replacement).wasWellFormed)
    try expectReplaced(encrypted([0, 1] + fill + [0] + premaster, for: key), key)
    try expectReplaced(encrypted([1, 2] + fill.dropFirst() + [0, 0] + premaster, for: key), key)
    try expectReplaced(encrypted([0, 2] + fill + [7] + premaster, for: key), key)
    for count in [0, 1, 47, 49, 100] {
      try expectReplaced(key.publicKey.encryptPKCS1v15(random.bytes(count), random: &random), key)
    }
    try expectReplaced([], key)
    try expectReplaced(Array(good.dropLast()), key)
    try expectReplaced([0] + good, key)
    try expectReplaced([UInt8](repeating: 0xff, count: 128), key)
    try expectReplaced(random.bytes(128).map { $0 & 0x7f }, key)
  }

  @Test("decryption always has a result, for any length of key and replacement")
  func longReplacement() throws {
    let key = try Keys.rsa(512)
    let ciphertext = try encrypted([0, 2, 1, 1, 1], for: key)
    for count in [0, 53, 54, 64, 1000] {
      let replacement = [UInt8](repeating: 1, count: count)
      #expect(try key.decryptPKCS1v15(ciphertext, orElse: replacement).bytes == replacement)
    }
  }

  private func expectReplaced(
    _ ciphertext: [UInt8], _ key: RSAPrivateKey, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let result = try key.decryptPKCS1v15(ciphertext, orElse: Self.replacement)
    #expect(
      result.bytes == Self.replacement && !result.wasWellFormed, sourceLocation: sourceLocation)
  }

  @Test("every failure is the same decryption error")
  func oneError() throws {
    let key = try Keys.rsa(512)
    let wrong: [[UInt8]] = [
      [0, 1] + [UInt8](repeating: 1, count: 20) + [0] + [UInt8](repeating: 9, count: 41),
      [0, 2] + [UInt8](repeating: 1, count: 7) + [0] + [UInt8](repeating: 9, count: 54),
      [0, 2] + [UInt8](repeating: 1, count: 62),
    ]
    let right = [0, 2] + [UInt8](repeating: 1, count: 8) + [0] + [UInt8](repeating: 9, count: 53)
    #expect(try key.decryptPKCS1v15(encrypted(right, for: key)) == [UInt8](repeating: 9, count: 53))
    for encoded in wrong {
      #expect(throws: RSAError.decryptionError) { try key.decryptPKCS1v15(encrypted(encoded, for: key)) }
    }
    for ciphertext in [[], [1], [UInt8](repeating: 0xff, count: 64), [UInt8](repeating: 0, count: 65)] {
      #expect(throws: RSAError.decryptionError) { try key.decryptPKCS1v15(ciphertext) }
    }
  }

  @Test(
    "OpenSSL decrypts these ciphertexts, and its own are decrypted here",
    .needs(.openssl))
  func openSSL() throws {
    let key = try Keys.rsa(1024)
    var random = DeterministicRandom(seed: .number(1), label: "padding")
    let message = random.bytes(48)
    let files = [
      "key.pem": Array(try PrivateKey.rsa(key).pem.utf8), "message": message,
      "ciphertext": try key.publicKey.encryptPKCS1v15(message, random: &random),
    ]
    let decrypt = ["pkeyutl", "-decrypt", "-inkey", "key.pem", "-in", "ciphertext"]
    #expect(try OpenSSL.run(decrypt, files: files).output == message)
    let encrypted = try OpenSSL.run(["pkeyutl", "-encrypt", "-inkey", "key.pem", "-in", "message"], files: files)
    #expect(try key.decryptPKCS1v15(encrypted.output) == message)
    let raw = ["rsautl", "-raw", "-decrypt", "-inkey", "key.pem", "-in", "ciphertext"]
    let representative = Natural(bigEndian: files["ciphertext"] ?? [])
    #expect(try OpenSSL.run(raw, files: files).output == key.rsadp(representative).bigEndianBytes(count: 128))
  }
}
