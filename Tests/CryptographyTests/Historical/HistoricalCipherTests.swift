import Oracles
import Testing

@testable import Cryptography

@Suite("Ciphers of the past")
struct HistoricalCipherTests {
  @Test("3DES, the example of NIST SP 800-67 appendix B: three blocks, each for itself")
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

  @Test("parity bits of a key are not looked at, and all others are")
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

  @Test("OpenSSL decrypts what we encrypt with 3DES, of every number of blocks", .needs(.openssl))
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

  /// RFC 6229 section 2: key, offset in the stream, 16 bytes of it.
  static let streams: [(String, Int, String)] = [
    ("0102030405", 0, "b2396305f03dc027ccc3524a0a1118a8"), ("0102030405", 16, "6982944f18fc82d589c403a47a0d0919"),
    ("0102030405", 240, "28cb1132c96ce286421dcaadb8b69eae"), ("0102030405", 4096, "ff25b58995996707e51fbdf08b34d875"),
    ("0102030405060708090a0b0c0d0e0f10", 0, "9ac7cc9a609d1ef7b2932899cde41b97"),
    ("0102030405060708090a0b0c0d0e0f10", 16, "5248c4959014126a6e8a84f11d1a9e1c"),
    ("0102030405060708090a0b0c0d0e0f10", 240, "065902e4b620f6cc36c8589f66432f2b"),
    ("0102030405060708090a0b0c0d0e0f10", 4096, "a36a4c301ae8ac13610ccbc12256cacc"),
  ]

  @Test("RC4, the streams of RFC 6229, from any place on", arguments: streams)
  func rfc6229(key: String, offset: Int, stream: String) throws {
    var cipher = try RC4(key: try bytes(key))
    cipher.skip(offset)
    #expect(try cipher.process([UInt8](repeating: 0, count: 16)) == bytes(stream))
    var whole = try RC4(key: try bytes(key))
    _ = whole.process([UInt8](repeating: 0, count: offset))
    #expect(try whole.process([UInt8](repeating: 0, count: 16)) == bytes(stream))
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
