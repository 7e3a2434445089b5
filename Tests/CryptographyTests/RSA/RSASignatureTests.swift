import Laboratory
import Oracles
import Testing

@testable import Cryptography

@Suite("RSASSA-PKCS1-v1_5")
struct RSASignatureTests {
  static let message = Array("the message".utf8)

  /// The signature of a message that was encoded in another way.
  private func signed(_ encoded: [UInt8], by key: RSAPrivateKey) throws -> [UInt8] {
    try key.rsasp1(Natural(bigEndian: encoded)).bigEndianBytes(count: key.publicKey.byteCount)
  }

  private func verify(_ signature: [UInt8], by key: RSAPrivateKey, _ hash: Hash = .sha256) throws(SignatureError) {
    try key.publicKey.verifyPKCS1v15(signature, message: Self.message, hash: hash)
  }

  @Test("a signature verifies, and each way to break it has its own reason")
  func reasons() throws {
    let key = try Keys.rsa(1024)
    let signature = try key.signPKCS1v15(message: Self.message, hash: .sha256)
    try verify(signature, by: key)
    let other = Hash.sha256.digest(Array("another".utf8))
    #expect(throws: SignatureError.digest(expected: other, found: Hash.sha256.digest(Self.message))) {
      try key.publicKey.verifyPKCS1v15(signature, message: Array("another".utf8), hash: .sha256)
    }
    #expect(throws: SignatureError.hash(expected: .sha384, found: .sha256)) { try verify(signature, by: key, .sha384) }
    #expect(throws: SignatureError.length(expected: 128, found: 127)) { try verify(signature.dropLast(), by: key) }
    #expect(throws: SignatureError.length(expected: 128, found: 129)) { try verify([0] + signature, by: key) }
    #expect(throws: SignatureError.length(expected: 128, found: 0)) { try verify([], by: key) }
    let range = SignatureError.representativeOutOfRange
    #expect(throws: range) { try verify([UInt8](repeating: 0xff, count: 128), by: key) }
    #expect(throws: range) { try verify(key.publicKey.modulus.bigEndianBytes(), by: key) }
    var changed = signature
    changed[100] ^= 4
    #expect(throws: SignatureError.padding) { try verify(changed, by: key) }
    let stranger = try KeyStore.tests.rsaKey(owner: "stranger", bits: 1024)
    #expect(throws: (any Error).self) { try verify(signature, by: stranger) }
  }

  @Test("encodings that lax parsers accept are refused, and the strict one verifies")
  func laxEncodings() throws {
    let key = try Keys.rsa(1024)
    let digest = Hash.sha256.digest(Self.message)
    let strict = try EMSAPKCS1v15.encode(digest: digest, hash: .sha256, count: 128)
    try verify(signed(strict, by: key), by: key)
    let info = Hash.sha256.digestInfoPrefix + digest
    func padded(_ info: [UInt8], _ count: Int? = nil, first: [UInt8] = [0, 1]) -> [UInt8] {
      let fill = [UInt8](repeating: 0xff, count: count ?? 125 - info.count)
      return first + fill + [0] + info
    }
    // Without the NULL that RFC 8017 section 9.2 note 1 requires.
    let bare = try bytes("302f300b0609608648016503040201") + [4, 32] + digest
    let garbage = padded(info, 8) + [UInt8](repeating: 0x5a, count: 128 - 11 - info.count)
    let wrong: [(SignatureError, [UInt8])] = [
      (.digestInfo, padded(bare)),
      (.digestInfo, garbage),
      (.padding, padded(info, 7) + [UInt8](repeating: 0, count: 118 - info.count)),
      (.padding, padded(info, first: [0, 2])),
      (.digestInfo, padded(digest)),
      (.digestInfo, padded([])),
    ]
    for (reason, encoded) in wrong {
      #expect(encoded.count == 128)
      #expect(throws: reason) { try verify(signed(encoded, by: key), by: key) }
    }
  }

  @Test("Bleichenbacher's forgery of 2006 for exponent 3 fails")
  func forgery() throws {
    var random = DeterministicRandom(seed: .number(1), label: "forgery")
    let key = try RSAPrivateKey.generate(bits: 2048, exponent: 3, random: &random)
    let start =
      [0, 1] + [UInt8](repeating: 0xff, count: 8) + [0] + Hash.sha256.digestInfoPrefix
      + Hash.sha256.digest(Self.message)
    // The cube root of the encoding followed by arbitrary bytes, rounded up; its cube begins like the encoding.
    let target = Natural(bigEndian: start + [UInt8](repeating: 0, count: 256 - start.count))
    var root: Natural = 0
    for bit in (0..<700).reversed() {
      let candidate = root + Natural(bigEndian: [1 << UInt8(bit % 8)] + [UInt8](repeating: 0, count: bit / 8))
      if candidate * candidate * candidate < target { root = candidate }
    }
    root = root + 1
    let forged = try root.bigEndianBytes(count: 256)
    #expect(try key.publicKey.rsavp1(root).bigEndianBytes(count: 256).starts(with: start))
    #expect(throws: SignatureError.digestInfo) { try verify(forged, by: key) }
    try verify(key.signPKCS1v15(message: Self.message, hash: .sha256), by: key)
  }

  @Test("a modulus too short for the hash is an error on both sides")
  func shortModulus() throws {
    let key = try Keys.rsa(512)
    #expect(throws: RSAError.modulusTooShort(for: .sha512)) {
      try key.signPKCS1v15(message: Self.message, hash: .sha512)
    }
    #expect(throws: SignatureError.modulusTooShort(for: .sha512)) {
      try verify([UInt8](repeating: 1, count: 64), by: key, .sha512)
    }
    try verify(key.signPKCS1v15(message: Self.message, hash: .sha256), by: key)
  }

  @Test(
    "OpenSSL verifies these signatures, and its own verify here", .needs(.openssl),
    arguments: [Hash.md5, .sha1, .sha224, .sha256, .sha384, .sha512])
  func openSSL(hash: Hash) throws {
    let key = try Keys.rsa(1024)
    let files = [
      "key.pem": Array(try PrivateKey.rsa(key).pem.utf8), "public.der": key.publicKey.subjectPublicKeyInfo,
      "message": Self.message, "signature": try key.signPKCS1v15(message: Self.message, hash: hash),
    ]
    let verified = try OpenSSL.run(
      [
        "dgst", "-\(hash.rawValue)", "-verify", "public.der", "-keyform", "DER", "-signature", "signature", "message",
      ], files: files)
    #expect(verified.status == 0)
    let signed = try OpenSSL.run(["dgst", "-\(hash.rawValue)", "-sign", "key.pem", "message"], files: files)
    #expect(signed.output == files["signature"])
    try verify(signed.output, by: key, hash)
  }
}
