import Testing

@testable import Cryptography

@Suite("Key agreement")
struct KeyAgreementTests {
  struct Vector {
    let curve: KeyAgreementCurve
    let source: String
    let privateKeys: [String]
    let publicKeys: [String]
    let secret: String
  }

  static let published = [
    Vector(
      curve: .x25519, source: "RFC 7748 section 6.1",
      privateKeys: [
        "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
        "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
      ],
      publicKeys: [
        "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
        "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
      ],
      secret: "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"),
    Vector(
      curve: .p384, source: "RFC 5903 section 8.2",
      privateKeys: [
        "099F3C7034D4A2C699884D73A375A67F7624EF7C6B3C0F160647B67414DCE655E35B538041E649EE3FAEF896783AB194",
        "41CB0779B4BDB85D47846725FBEC3C9430FAB46CC8DC5060855CC9BDA0AA2942E0308312916B8ED2960E4BD55A7448FC",
      ],
      publicKeys: [
        """
        04667842D7D180AC2CDE6F74F37551F55755C7645C20EF73E31634FE72B4C55EE6DE3AC808ACB4BDB4C88732AEE95F41AA
        9482ED1FC0EEB9CAFC4984625CCFC23F65032149E0E144ADA024181535A0F38EEB9FCFF3C2C947DAE69B4C634573A81C
        """,
        """
        04E558DBEF53EECDE3D3FCCFC1AEA08A89A987475D12FD950D83CFA41732BC509D0D1AC43A0336DEF96FDA41D0774A3571
        DCFBEC7AACF3196472169E838430367F66EEBE3C6E70C416DD5F0C68759DD1FFF83FA40142209DFF5EAAD96DB9E6386C
        """,
      ],
      secret: "11187331C279962D93D604243FD592CB9D0A926F422E47187521287E7156C5C4D603135569B9E9D09CF5D4A270F59746"),
    Vector(
      curve: .p521, source: "RFC 5903 section 8.3",
      privateKeys: [
        """
        0037ADE9319A89F4DABDB3EF411AACCCA5123C61ACAB57B5393DCE47608172A095AA85A30FE1C2952C6771D937BA9777
        F5957B2639BAB072462F68C27A57382D4A52
        """,
        """
        0145BA99A847AF43793FDD0E872E7CDFA16BE30FDC780F97BCCC3F078380201E9C677D600B343757A3BDBF2A3163E4C2
        F869CCA7458AA4A4EFFC311F5CB151685EB9
        """,
      ],
      publicKeys: [
        """
        040015417E84DBF28C0AD3C278713349DC7DF153C897A1891BD98BAB4357C9ECBEE1E3BF42E00B8E380AEAE57C2D107564
        941885942AF5A7F4601723C4195D176CED3E
        017CAE20B6641D2EEB695786D8C946146239D099E18E1D5A514C739D7CB4A10AD8A788015AC405D7799DC75E7B7D5B6CF2
        261A6A7F1507438BF01BEB6CA3926F9582
        """,
        """
        0400D0B3975AC4B799F5BEA16D5E13E9AF971D5E9B984C9F39728B5E5739735A219B97C356436ADC6E95BB0352F6BE64A6
        C2912D4EF2D0433CED2B6171640012D9460F
        015C68226383956E3BD066E797B623C27CE0EAC2F551A10C2C724D9852077B87220B6536C5C408A1D2AEBB8E86D678AE49
        CB57091F4732296579AB44FCD17F0FC56A
        """,
      ],
      secret: """
        01144C7D79AE6956BC8EDB8E7C787C4521CB086FA64407F97894E5E6B2D79B04D1427E73CA4BAA240A34786859810C06B3
        C715A3A8CC3151F2BEE417996D19F3DDEA
        """),
    Vector(
      curve: .p256, source: "RFC 5903 section 8.1",
      privateKeys: [
        "C88F01F510D9AC3F70A292DAA2316DE544E9AAB8AFE84049C62A9C57862D1433",
        "C6EF9C5D78AE012A011164ACB397CE2088685D8F06BF9BE0B283AB46476BEE53",
      ],
      publicKeys: [
        """
        04DAD0B65394221CF9B051E1FECA5787D098DFE637FC90B9EF945D0C3772581180
        5271A0461CDB8252D61F1C456FA3E59AB1F45B33ACCF5F58389E0577B8990BB3
        """,
        """
        04D12DFB5289C8D4F81208B70270398C342296970A0BCCB74C736FC7554494BF63
        56FBF3CA366CC23E8157854C13C58D6AAC23F046ADA30F8353E74F33039872AB
        """,
      ],
      secret: "D6840F6B42F6EDAFD13116E0E12565202FEF8E9ECE7DCE03812464D04B9442DE"),
  ]

  @Test("both parties obtain the published secret", arguments: published)
  func publishedSecret(vector: Vector) throws {
    for (mine, other) in [(0, 1), (1, 0)] {
      let key = try KeyAgreementPrivateKey(vector.curve, rawRepresentation: bytes(vector.privateKeys[mine]))
      #expect(key.publicKey == (try bytes(vector.publicKeys[mine])))
      #expect(try key.sharedSecret(with: bytes(vector.publicKeys[other])) == bytes(vector.secret))
      #expect(key.rawRepresentation == (try bytes(vector.privateKeys[mine])))
    }
  }

  @Test("the same stream makes the same key", arguments: KeyAgreementCurve.allCases)
  func seeded(curve: KeyAgreementCurve) throws {
    var random = DeterministicRandom(seed: .number(1), label: "client/key share")
    var same = random
    let key = try KeyAgreementPrivateKey(curve, random: &random)
    let copy = try KeyAgreementPrivateKey(curve, random: &same)
    let other = try KeyAgreementPrivateKey(curve, random: &random)
    #expect(key.publicKey == copy.publicKey && key.publicKey != other.publicKey)
    #expect(key.publicKey.count == curve.publicKeySize)
    #expect(try key.sharedSecret(with: other.publicKey) == other.sharedSecret(with: key.publicKey))
  }

  @Test("private keys out of range are refused, and one in range is accepted")
  func privateRange() throws {
    let prefix = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc63255"  // the order ends in 1
    #expect(throws: Never.self) { try KeyAgreementPrivateKey(.p256, rawRepresentation: bytes(prefix + "0")) }
    for bad in [prefix + "1", String(repeating: "0", count: 64), prefix + "000", ""] {
      #expect(throws: KeyAgreementError.invalidPrivateKey) {
        try KeyAgreementPrivateKey(.p256, rawRepresentation: bytes(bad))
      }
    }
  }

  @Test(
    "scalars out of range, and points in other forms, are refused on large curves",
    arguments: [KeyAgreementCurve.p384, .p521])
  func largeCurves(curve: KeyAgreementCurve) throws {
    let vector = try #require(Self.published.first { $0.curve == curve })
    let key = try KeyAgreementPrivateKey(curve, rawRepresentation: bytes(vector.privateKeys[0]))
    let peer = try bytes(vector.publicKeys[1])
    #expect(try key.sharedSecret(with: peer) == bytes(vector.secret))
    let compressed: [UInt8] = [2 + (peer.last ?? 0) % 2] + peer[1...curve.secretSize]
    let offCurve: [UInt8] = peer.dropLast() + [(peer.last ?? 0) ^ 1]
    let hybrid = [6] + peer.dropFirst()
    for bad: [UInt8] in [offCurve, compressed, hybrid, Array(peer.dropLast()), peer + [0], []] {
      #expect(throws: KeyAgreementError.invalidPublicKey) { try key.sharedSecret(with: bad) }
    }
    for fill in [UInt8(0), 0xff] {
      let bad = [UInt8](repeating: fill, count: curve.secretSize)
      #expect(throws: KeyAgreementError.invalidPrivateKey) { try KeyAgreementPrivateKey(curve, rawRepresentation: bad) }
    }
  }

  @Test("points that are off the curve, compressed, hybrid or truncated are refused")
  func badPoints() throws {
    let vector = try #require(Self.published.first { $0.curve == .p256 })
    let key = try KeyAgreementPrivateKey(.p256, rawRepresentation: bytes(vector.privateKeys[0]))
    let peer = try bytes(vector.publicKeys[1])
    #expect(try key.sharedSecret(with: peer) == bytes(vector.secret))
    var offCurve = peer
    offCurve[64] ^= 1
    let compressed = [3] + peer[1...32]
    let hybrid = [7] + peer.dropFirst()
    for bad in [offCurve, compressed, hybrid, Array(peer.dropLast()), peer + [0], [], [0]] {
      #expect(throws: KeyAgreementError.invalidPublicKey) { try key.sharedSecret(with: bad) }
    }
  }

  @Test("a point of small order has no secret on X25519")
  func smallOrder() throws {
    let key = try KeyAgreementPrivateKey(.x25519, rawRepresentation: bytes(Self.published[0].privateKeys[0]))
    for bad in [[UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31)] {
      #expect(throws: KeyAgreementError.zeroSecret) { try key.sharedSecret(with: bad) }
    }
    #expect(throws: KeyAgreementError.invalidPublicKey) { try key.sharedSecret(with: [9]) }
  }
}
