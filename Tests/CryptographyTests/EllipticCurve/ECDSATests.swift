import Laboratory
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

  /// RFC 6979 appendices A.2.6 and A.2.7: curve, hash, message, r and s.
  static let longer: [(EllipticCurve, Hash, String, String, String)] = [
    (
      .p384, .sha256, "sample",
      "21B13D1E013C7FA1392D03C5F99AF8B30C570C6F98D4EA8E354B63A21D3DAA33BDE1E888E63355D92FA2B3C36D8FB2CD",
      "F3AA443FB107745BF4BD77CB3891674632068A10CA67E3D45DB2266FA7D1FEEBEFDC63ECCD1AC42EC0CB8668A4FA0AB0"
    ),
    (
      .p384, .sha384, "sample",
      "94EDBB92A5ECB8AAD4736E56C691916B3F88140666CE9FA73D64C4EA95AD133C81A648152E44ACF96E36DD1E80FABE46",
      "99EF4AEB15F178CEA1FE40DB2603138F130E740A19624526203B6351D0A3A94FA329C145786E679E7B82C71A38628AC8"
    ),
    (
      .p384, .sha512, "sample",
      "ED0959D5880AB2D869AE7F6C2915C6D60F96507F9CB3E047C0046861DA4A799CFE30F35CC900056D7C99CD7882433709",
      "512C8CCEEE3890A84058CE1E22DBC2198F42323CE8ACA9135329F03C068E5112DC7CC3EF3446DEFCEB01A45C2667FDD5"
    ),
    (
      .p384, .sha384, "test",
      "8203B63D3C853E8D77227FB377BCF7B7B772E97892A80F36AB775D509D7A5FEB0542A7F0812998DA8F1DD3CA3CF023DB",
      "DDD0760448D42D8A43AF45AF836FCE4DE8BE06B485E9B61B827C2F13173923E06A739F040649A667BF3B828246BAA5A5"
    ),
    (
      .p521, .sha256, "sample",
      "01511BB4D675114FE266FC4372B87682BAECC01D3CC62CF2303C92B3526012659D16876E25C7C1E57648F23B73564D67F61C6F14D527D549"
        + "72810421E7D87589E1A7",
      "004A171143A83163D6DF460AAF61522695F207A58B95C0644D87E52AA1A347916E4F7A72930B1BC06DBE22CE3F58264AFD23704CBB63B29B"
        + "931F7DE6C9D949A7ECFC"
    ),
    (
      .p521, .sha384, "sample",
      "01EA842A0E17D2DE4F92C15315C63DDF72685C18195C2BB95E572B9C5136CA4B4B576AD712A52BE9730627D16054BA40CC0B8D3FF035B12A"
        + "E75168397F5D50C67451",
      "01F21A3CEE066E1961025FB048BD5FE2B7924D0CD797BABE0A83B66F1E35EEAF5FDE143FA85DC394A7DEE766523393784484BDF3E00114A1"
        + "C857CDE1AA203DB65D61"
    ),
    (
      .p521, .sha512, "sample",
      "00C328FAFCBD79DD77850370C46325D987CB525569FB63C5D3BC53950E6D4C5F174E25A1EE9017B5D450606ADD152B534931D7D4E8455CC9"
        + "1F9B15BF05EC36E377FA",
      "00617CCE7CF5064806C467F678D3B4080D6F1CC50AF26CA209417308281B68AF282623EAA63E5B5C0723D8B8C37FF0777B1A20F8CCB1DCCC"
        + "43997F1EE0E44DA4A67A"
    ),
    (
      .p521, .sha256, "test",
      "000E871C4A14F993C6C7369501900C4BC1E9C7B0B4BA44E04868B30B41D8071042EB28C4C250411D0CE08CD197E4188EA4876F279F90B3D8"
        + "D74A3C76E6F1E4656AA8",
      "00CD52DBAA33B063C3A6CD8058A1FB0A46A4754B034FCC644766CA14DA8CA5CA9FDE00E88C1AD60CCBA759025299079D7A427EC3CC5B619B"
        + "FBC828E7769BCD694E86"
    ),
  ]

  @Test("the signatures of RFC 6979 on the longer curves, whose nonces have other bit lengths", arguments: longer)
  func longerCurves(curve: EllipticCurve, hash: Hash, message: String, r: String, s: String) throws {
    let scalar = try bytes(
      curve == .p384
        ? "6B9D3DAD2E1B8C1C05B19875B6659F4DE23C3B667BF297BA9AA47740787137D896D5724E4C70A825F872C9EA60D2EDF5"
        : "00FAD06DAA62BA3B25D2FB40133DA757205DE67F5BB0018FEE8C86E1B68C7E75CAA896EB32F1F47C70855836A6D16FCC1466F6D8FBEC67"
          + "DB89EC0C08B0E996B83538")
    let key = try #require(ECPrivateKey(curve, rawRepresentation: scalar))
    let signature = try key.sign(message: Array(message.utf8), hash: hash)
    #expect(signature == KeyDER.sequence(of: [Natural(bigEndian: try bytes(r)), Natural(bigEndian: try bytes(s))]))
    try key.publicKey.verify(signature, message: Array(message.utf8), hash: hash)
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
    let key = KeyStore.ecKey(owner: "test", curve: curve)
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

  @Test("a private key with any changed byte is refused or the same", arguments: EllipticCurve.allCases)
  func damage(curve: EllipticCurve) throws {
    let key = KeyStore.ecKey(owner: "test", curve: curve)
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

  @Test("scalars and points that are out of range are refused")
  func refusals() throws {
    for curve in EllipticCurve.allCases {
      let order = try curve.order.bigEndianBytes(count: curve.byteCount)
      let last = try curve.order.subtracting(1).bigEndianBytes(count: curve.byteCount)
      #expect(curve.order.isProbablyPrime && ECPrivateKey(curve, rawRepresentation: last) != nil)
      for bad in [order, [], [1], [UInt8](repeating: 0, count: curve.byteCount)] {
        #expect(ECPrivateKey(curve, rawRepresentation: bad) == nil)
      }
      var point = KeyStore.ecKey(owner: "test", curve: curve).publicKey.point
      #expect(ECPublicKey(curve, point: point) != nil)
      point[5] ^= 1
      #expect(ECPublicKey(curve, point: point) == nil && ECPublicKey(curve, point: []) == nil)
    }
  }
}
