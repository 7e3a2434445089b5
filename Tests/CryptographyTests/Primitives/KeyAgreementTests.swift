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

  @Test("both parties come to the published secret", arguments: published)
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

  @Test("private keys out of range are refused, one inside is taken")
  func privateRange() throws {
    let prefix = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc63255"  // the order ends in 1
    #expect(throws: Never.self) { try KeyAgreementPrivateKey(.p256, rawRepresentation: bytes(prefix + "0")) }
    for bad in [prefix + "1", String(repeating: "0", count: 64), prefix + "000", ""] {
      #expect(throws: KeyAgreementError.invalidPrivateKey) {
        try KeyAgreementPrivateKey(.p256, rawRepresentation: bytes(bad))
      }
    }
  }

  @Test("points off the curve, compressed, hybrid or cut are refused")
  func badPoints() throws {
    let vector = Self.published[1]
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

  @Test("a point of small order makes no secret on X25519")
  func smallOrder() throws {
    let key = try KeyAgreementPrivateKey(.x25519, rawRepresentation: bytes(Self.published[0].privateKeys[0]))
    for bad in [[UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31)] {
      #expect(throws: KeyAgreementError.zeroSecret) { try key.sharedSecret(with: bad) }
    }
    #expect(throws: KeyAgreementError.invalidPublicKey) { try key.sharedSecret(with: [9]) }
  }

  @Test("Wycheproof's X25519", .enabled(if: Suites.hasWycheproof, "needs the test suites"))
  func wycheproofX25519() throws {
    let suite = try Wycheproof("x25519")
    var zeros = 0
    let tally = try suite.tally { _, test in
      let key = try KeyAgreementPrivateKey(.x25519, rawRepresentation: bytes(test.private ?? ""))
      do {
        return try key.sharedSecret(with: bytes(test.public ?? "")) == bytes(test.shared ?? "")
      } catch KeyAgreementError.zeroSecret {
        #expect(test.flags.contains("ZeroSharedSecret"))
        zeros += 1
        return false
      }
    }
    #expect(tally.accepted + tally.rejected == suite.numberOfTests)
    #expect(tally.falseAccepts == [] && tally.falseRejects == [])
    // All that is refused is what makes the secret zero.
    #expect(tally.rejected == zeros && zeros > 0)
  }

  @Test("Wycheproof's ECDH on P-256", .enabled(if: Suites.hasWycheproof, "needs the test suites"))
  func wycheproofP256() throws {
    let suite = try Wycheproof("ecdh_secp256r1")
    let tally = try suite.tally { _, test in
      let scalar = try Natural(bigEndian: bytes(test.private ?? "")).bigEndianBytes(count: 32)
      let key = try KeyAgreementPrivateKey(.p256, rawRepresentation: scalar)
      guard let peer = try? PublicKey(subjectPublicKeyInfo: bytes(test.public ?? "")),
        peer.algorithmName == "EC P-256", let secret = try? key.sharedSecret(with: peer.subjectPublicKey)
      else { return false }
      return secret == (try bytes(test.shared ?? ""))
    }
    #expect(tally.accepted + tally.rejected == suite.numberOfTests)
    #expect(tally.falseAccepts == [])
    #expect(tally.falseRejects == [])
    // What may be taken or not is refused throughout: compressed points, and keys that spell out their curve or break
    // DER, forms that TLS and RFC 5480 do not have.
    #expect(tally.openAccepts == [])
  }
}
