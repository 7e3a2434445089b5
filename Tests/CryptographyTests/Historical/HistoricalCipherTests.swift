import Oracles
import Testing

@testable import Cryptography

@Suite("Historical ciphers")
struct HistoricalCipherTests {
  @Test("3DES, the example of NIST SP 800-67 appendix B: three separate blocks")
  func sp80067() throws {
    let key = try bytes("0123456789abcdef23456789abcdef01456789abcdef0123")
    let plaintext = Array("The qufck brown fox jump".utf8)
    let ciphertext = try bytes("a826fd8ce53b855fcce21c8112256fe668d5c05dd9b6b900")
    let zero = [UInt8](repeating: 0, count: 8)
    for start in stride(from: 0, to: 24, by: 8) {
      let (block, sealed) = (Array(plaintext[start..<start + 8]), Array(ciphertext[start..<start + 8]))
      #expect(try TripleDESCBC.encrypt(block, key: key, iv: zero) == sealed)
      #expect(try TripleDESCBC.decrypt(sealed, key: key, iv: zero) == block)
    }
  }

  @Test("DES in CBC mode, the example of FIPS 81 appendix C: three equal keys are one")
  func fips81() throws {
    let key = try bytes("0123456789abcdef0123456789abcdef0123456789abcdef")
    let iv = try bytes("1234567890abcdef")
    let plaintext = Array("Now is the time for all ".utf8)
    let ciphertext = try bytes("e5c7cdde872bf27c43e934008c389c0f683788499a7c05f6")
    #expect(try TripleDESCBC.encrypt(plaintext, key: key, iv: iv) == ciphertext)
    #expect(try TripleDESCBC.decrypt(ciphertext, key: key, iv: iv) == plaintext)
  }

  @Test("the parity bits of a key are ignored, and all others count")
  func parity() throws {
    let (key, zero) = ([UInt8](0..<24), [UInt8](repeating: 0, count: 8))
    let sealed = try TripleDESCBC.encrypt(zero, key: key, iv: zero)
    for index in key.indices {
      for bit in 0..<8 {
        var other = key
        other[index] ^= 1 << UInt8(bit)
        #expect((try TripleDESCBC.encrypt(zero, key: other, iv: zero) == sealed) == (bit == 0))
      }
    }
  }

  @Test("OpenSSL decrypts 3DES ciphertexts of every number of blocks", .needs(.openssl))
  func openSSL() throws {
    var random = DeterministicRandom(seed: .number(3), label: "3DES")
    for count in [0, 1, 2, 17] {
      let (key, iv, plaintext) = (random.bytes(24), random.bytes(8), random.bytes(count * 8))
      let sealed = try TripleDESCBC.encrypt(plaintext, key: key, iv: iv)
      let opened = try OpenSSL.run(
        ["enc", "-d", "-des-ede3-cbc", "-nopad", "-K", hex(key), "-iv", hex(iv), "-in", "sealed"],
        files: ["sealed": sealed])
      #expect(opened.output == plaintext)
      #expect(try TripleDESCBC.decrypt(sealed, key: key, iv: iv) == plaintext)
    }
  }

  /// RFC 6229 section 2: key, offset in the key stream, and 16 bytes of the stream.
  static let streams: [(String, Int, String)] = [
    ("0102030405", 0, "b2396305f03dc027ccc3524a0a1118a8"), ("0102030405", 16, "6982944f18fc82d589c403a47a0d0919"),
    ("0102030405", 240, "28cb1132c96ce286421dcaadb8b69eae"), ("0102030405", 4096, "ff25b58995996707e51fbdf08b34d875"),
    ("0102030405060708090a0b0c0d0e0f10", 0, "9ac7cc9a609d1ef7b2932899cde41b97"),
    ("0102030405060708090a0b0c0d0e0f10", 16, "5248c4959014126a6e8a84f11d1a9e1c"),
    ("0102030405060708090a0b0c0d0e0f10", 240, "065902e4b620f6cc36c8589f66432f2b"),
    ("0102030405060708090a0b0c0d0e0f10", 4096, "a36a4c301ae8ac13610ccbc12256cacc"),
  ]

  @Test("RC4, the key streams of RFC 6229, from any offset on", arguments: streams)
  func rfc6229(key: String, offset: Int, stream: String) throws {
    var cipher = try RC4(key: try bytes(key))
    cipher.skip(offset)
    #expect(try cipher.process([UInt8](repeating: 0, count: 16)) == bytes(stream))
    var whole = try RC4(key: try bytes(key))
    _ = whole.process([UInt8](repeating: 0, count: offset))
    #expect(try whole.process([UInt8](repeating: 0, count: 16)) == bytes(stream))
  }

  /// RFC 2268 section 5: key, effective bits, plaintext, ciphertext.
  static let rc2: [(String, Int, String, String)] = [
    ("0000000000000000", 63, "0000000000000000", "ebb773f993278eff"),
    ("ffffffffffffffff", 64, "ffffffffffffffff", "278b27e42e2f0d49"),
    ("3000000000000000", 64, "1000000000000001", "30649edf9be7d2c2"),
    ("88", 64, "0000000000000000", "61a8a244adacccf0"),
    ("88bca90e90875a", 64, "0000000000000000", "6ccf4308974c267f"),
    ("88bca90e90875a7f0f79c384627bafb2", 64, "0000000000000000", "1a807d272bbe5db1"),
    ("88bca90e90875a7f0f79c384627bafb2", 128, "0000000000000000", "2269552ab0f85ca6"),
    (
      "88bca90e90875a7f0f79c384627bafb216f80a6f85920584c42fceb0be255daf1e", 129, "0000000000000000",
      "5b78d3a43dfff1f1"
    ),
  ]

  @Test("RC2, the vectors of RFC 2268, in both directions", arguments: rc2)
  func rfc2268(key: String, effectiveBits: Int, plaintext: String, ciphertext: String) throws {
    let zero = [UInt8](repeating: 0, count: 8)
    let (key, plaintext, ciphertext) = (try bytes(key), try bytes(plaintext), try bytes(ciphertext))
    #expect(try RC2CBC.encrypt(plaintext, key: key, effectiveBits: effectiveBits, iv: zero) == ciphertext)
    #expect(try RC2CBC.decrypt(ciphertext, key: key, effectiveBits: effectiveBits, iv: zero) == plaintext)
  }

  @Test("RC2 chains its blocks, and refuses keys, vectors and blocks of other sizes")
  func rc2Chains() throws {
    var random = DeterministicRandom(seed: .number(3), label: "RC2")
    let (key, iv, plaintext) = (random.bytes(16), random.bytes(8), random.bytes(40))
    let sealed = try RC2CBC.encrypt(plaintext, key: key, effectiveBits: 128, iv: iv)
    #expect(try RC2CBC.decrypt(sealed, key: key, effectiveBits: 128, iv: iv) == plaintext)
    let rest = Array(sealed[8..<16])
    #expect(
      try RC2CBC.decrypt(rest, key: key, effectiveBits: 128, iv: Array(sealed[..<8])) == Array(plaintext[8..<16]))
    #expect(throws: CipherError.keySize(0)) { try RC2CBC.encrypt([], key: [], effectiveBits: 40, iv: iv) }
    #expect(throws: CipherError.keySize(16)) { try RC2CBC.encrypt([], key: key, effectiveBits: 1025, iv: iv) }
    #expect(throws: CipherError.keySize(16)) { try RC2CBC.decrypt([], key: key, effectiveBits: 0, iv: iv) }
    #expect(throws: CipherError.nonceSize(7)) {
      try RC2CBC.decrypt([], key: key, effectiveBits: 40, iv: Array(iv.dropLast()))
    }
    #expect(throws: CipherError.inputSize(9)) {
      try RC2CBC.decrypt([UInt8](repeating: 0, count: 9), key: key, effectiveBits: 40, iv: iv)
    }
  }

  /// RFC 1320 appendix A.5: message and digest.
  static let md4 = [
    ("", "31d6cfe0d16ae931b73c59d7e0c089c0"), ("a", "bde52cb31de33e46245e05fbdbd6fb24"),
    ("abc", "a448017aaf21d8525fc10ae87aa6729d"), ("message digest", "d9130a8164549fe818874806e1c7014b"),
    ("abcdefghijklmnopqrstuvwxyz", "d79e1c308aa5bbcdeea8ed63df412da9"),
    ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "043f8582f241db351ce627e153e7f0e4"),
    (String(repeating: "1234567890", count: 8), "e33b4ddc9c38f2199c3e7b164fcc0536"),
  ]

  @Test("MD4, the digests of RFC 1320", arguments: md4)
  func rfc1320(message: String, digest: String) throws {
    #expect(try MD4.digest(Array(message.utf8)) == bytes(digest))
  }

  @Test("MD4 pads messages of every length like OpenSSL", .needs(.openssl))
  func md4Lengths() throws {
    for count in [55, 56, 63, 64, 65, 119, 120] {
      let message = [UInt8](repeating: 0x41, count: count)
      let digest = try OpenSSL.run(
        ["dgst", "-provider", "legacy", "-md4", "-binary", "message"], files: ["message": message])
      #expect(MD4.digest(message) == digest.output)
    }
  }

  @Test("keys, vectors and blocks of other sizes are errors", arguments: [0, 1, 7, 9, 16, 23, 25])
  func sizes(count: Int) {
    let odd = [UInt8](repeating: 0, count: count)
    let (key, block) = ([UInt8](repeating: 0, count: 24), [UInt8](repeating: 0, count: 8))
    #expect(throws: CipherError.keySize(count)) { try TripleDESCBC.encrypt(block, key: odd, iv: block) }
    #expect(throws: CipherError.nonceSize(count)) { try TripleDESCBC.decrypt(block, key: key, iv: odd) }
    if count % 8 != 0 {
      #expect(throws: CipherError.inputSize(count)) { try TripleDESCBC.decrypt(odd, key: key, iv: block) }
    }
    #expect(throws: CipherError.keySize(0)) { try RC4(key: []) }
    #expect(throws: CipherError.keySize(257)) { try RC4(key: [UInt8](repeating: 1, count: 257)) }
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      let digits = String(byte, radix: 16)
      return digits.utf8.count == 1 ? "0\(digits)" : digits
    }.joined()
  }
}
