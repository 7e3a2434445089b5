import Testing

@testable import Cryptography

@Suite("ECDSA")
struct ECDSATests {
  /// RFC 6979 appendix A.2.5, message `sample` on P-256: hash, r and s.
  static let rfc6979: [(Hash, String, String)] = [
    (
      .sha1, "61340C88C3AAEBEB4F6D667F672CA9759A6CCAA9FA8811313039EE4A35471D32",
      "6D7F147DAC089441BB2E2FE8F7A3FA264B9C475098FDCF6E00D7C996E1B8B7EB"
    ),
    (
      .sha256, "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
      "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
    ),
    (
      .sha384, "0EAFEA039B20E9B42309FB1D89E213057CBF973DC0CFC8F129EDDDC800EF7719",
      "4861F0491E6998B9455193E34E7B0D284DDD7149A74B95B9261F13ABDE940954"
    ),
    (
      .sha512, "8496A60B5E9B47C825488827E0495B0E3FA109EC4568FD3F8D1097678EB97F00",
      "2362AB1ADBE2B8ADF9CB9EDAB740EA6049C028114F2460F96554F61FAE3302FE"
    ),
  ]

  @Test("the signatures of RFC 6979", arguments: rfc6979)
  func published(hash: Hash, r: String, s: String) throws {
    let scalar = try bytes("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721")
    let key = try #require(ECPrivateKey(.p256, rawRepresentation: scalar))
    let message = Array("sample".utf8)
    let signature = try key.sign(message: message, hash: hash)
    #expect(signature == KeyDER.sequence(of: [Natural(bigEndian: try bytes(r)), Natural(bigEndian: try bytes(s))]))
    try key.publicKey.verify(signature, message: message, hash: hash)
    #expect(throws: SignatureError.mismatch) { try key.publicKey.verify(signature, message: [], hash: hash) }
    #expect(throws: SignatureError.malformed) {
      try key.publicKey.verify(signature + [0], message: message, hash: hash)
    }
  }

  @Test("SHA-224 of RFC 6979, message `test`, verifies too")
  func sha224() throws {
    let scalar = try bytes("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721")
    let key = try #require(ECPrivateKey(.p256, rawRepresentation: scalar))
    let signature = KeyDER.sequence(of: [
      Natural(bigEndian: try bytes("C37EDB6F0AE79D47C3C27E962FA269BB4F441770357E114EE511F662EC34A692")),
      Natural(bigEndian: try bytes("C820053A05791E521FCAAD6042D40AEA1D6B1A540138558F47D0719800E18F2D")),
    ])
    try PublicKey.ec(key.publicKey).verify(signature, over: Array("test".utf8), .ecdsaSHA224)
    #expect(throws: SignatureError.mismatch) { try key.publicKey.verify(signature, message: [], hash: .sha224) }
  }

  @Test("keys are read and written, and OpenSSL agrees with them", arguments: EllipticCurve.allCases)
  func openSSL(curve: EllipticCurve) throws {
    let key = KeyStore().ecKey(owner: "test", curve: curve)
    let copy = try PrivateKey(der: key.pkcs8)
    #expect(copy.publicKey == .ec(key.publicKey))
    let spki = key.publicKey.subjectPublicKeyInfo
    let read = try PublicKey(subjectPublicKeyInfo: spki)
    #expect(read == .ec(key.publicKey) && read.bits == curve.bits && read.subjectPublicKey == key.publicKey.point)
    #expect(read.algorithmName == "EC \(curve.rawValue)" && read.subjectPublicKeyInfo == spki)
    for count in spki.indices {
      #expect(throws: KeyError.self) { try PublicKey(subjectPublicKeyInfo: Array(spki.prefix(count))) }
    }
    let message = Array("message".utf8)
    let files = [
      "key.pem": Array(try copy.pem.utf8), "public.der": spki, "message": message,
      "signature": try key.sign(message: message, hash: .sha384),
    ]
    let check = ["dgst", "-sha384", "-keyform", "DER", "-verify", "public.der", "-signature", "signature", "message"]
    #expect(try OpenSSL.run(check, files: files).status == 0)
    let made = try OpenSSL.run(["dgst", "-sha384", "-sign", "key.pem", "message"], files: files)
    try key.publicKey.verify(made.output, message: message, hash: .sha384)
    #expect(try OpenSSL.run(["ec", "-in", "key.pem", "-pubout", "-outform", "DER"], files: files).output == spki)
    let sec1 = try OpenSSL.run(["ec", "-in", "key.pem"], files: files).output
    #expect(try PrivateKey(pem: String(decoding: sec1, as: UTF8.self)).publicKey == copy.publicKey)
    let pkcs8 = ["pkcs8", "-topk8", "-nocrypt", "-in", "key.pem", "-outform", "DER"]
    #expect(try OpenSSL.run(pkcs8, files: files).output == key.pkcs8)
  }

  @Test("whatever single byte is changed, a private key is refused or the same", arguments: EllipticCurve.allCases)
  func damage(curve: EllipticCurve) throws {
    let key = KeyStore().ecKey(owner: "test", curve: curve)
    for index in key.pkcs8.indices {
      for flip in [0x01, 0x02, 0x80, 0xff] as [UInt8] {
        var changed = key.pkcs8
        changed[index] ^= flip
        guard case .ec(let copy) = try? PrivateKey(der: changed) else { continue }
        #expect(copy.rawRepresentation == key.rawRepresentation && copy.curve == curve, "byte \(index)")
      }
      #expect(throws: KeyError.self) { try PrivateKey(der: Array(key.pkcs8.prefix(index))) }
    }
  }

  @Test("scalars and points that no key has are refused")
  func refusals() throws {
    for curve in EllipticCurve.allCases {
      let order = try curve.order.bigEndianBytes(count: curve.byteCount)
      let last = try curve.order.subtracting(1).bigEndianBytes(count: curve.byteCount)
      #expect(curve.order.isProbablyPrime && ECPrivateKey(curve, rawRepresentation: last) != nil)
      for bad in [order, [], [1], [UInt8](repeating: 0, count: curve.byteCount)] {
        #expect(ECPrivateKey(curve, rawRepresentation: bad) == nil)
      }
      var point = KeyStore().ecKey(owner: "test", curve: curve).publicKey.point
      #expect(ECPublicKey(curve, point: point) != nil)
      point[5] ^= 1
      #expect(ECPublicKey(curve, point: point) == nil && ECPublicKey(curve, point: []) == nil)
    }
  }
}
