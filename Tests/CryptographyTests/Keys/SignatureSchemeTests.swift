import Laboratory
import Testing

@testable import Cryptography

@Suite("Signature schemes")
struct SignatureSchemeTests {
  @Test("code points, names and object identifiers each name one scheme")
  func unique() {
    let all = SignatureScheme.all
    #expect(Set(all.map(\.codePoint)).count == all.count && Set(all.map(\.name)).count == all.count)
    for scheme in all {
      #expect(SignatureScheme(codePoint: scheme.codePoint)?.name == scheme.name)
      #expect(SignatureScheme(name: scheme.name) == scheme)
      guard let oid = scheme.oid else { continue }
      #expect(SignatureScheme(oid: oid) == scheme && SignatureScheme(name: scheme.x509Name) == scheme)
    }
    #expect(SignatureScheme(codePoint: 0) == nil && SignatureScheme(oid: []) == nil && SignatureScheme(name: "") == nil)
  }

  @Test(
    "every scheme signs and verifies, that of TLS 1.0 included",
    arguments: SignatureScheme.all + [.rsaPKCS1MD5SHA1])
  func everyScheme(scheme: SignatureScheme) throws {
    var random = DeterministicRandom(seed: .number(1), label: "signature")
    let key: PrivateKey =
      switch scheme.keyKind {
      case .rsa: .rsa(try Keys.rsa(2048))
      case .ecdsa: .ec(KeyStore.ecKey(owner: "test", curve: .p256))
      case .eddsa: .ed25519(Ed25519PrivateKey.generate(random: &random))
      case .dsa: throw SignatureError.unsupportedScheme(scheme.name)
      }
    let signature = try key.sign([1, 2, 3], scheme, random: &random)
    try key.publicKey.verify(signature, over: [1, 2, 3], scheme)
    // PSS is the same, whatever the identifier of the key.
    let other = SignatureScheme.all.filter {
      ($0.hash, $0.padding, $0.keyKind) != (scheme.hash, scheme.padding, scheme.keyKind)
    }
    for scheme in other {
      #expect(throws: SignatureError.self) { try key.publicKey.verify(signature, over: [1, 2, 3], scheme) }
    }
  }

  @Test("TLS distinguishes the schemes of RSASSA-PSS keys from those of other RSA keys")
  func suitable() throws {
    let rsa = try Keys.rsa(1024).publicKey
    let pss = PublicKey.rsa(
      try RSAPublicKey(modulus: rsa.modulus, exponent: rsa.exponent, usage: .pss(nil), encoded: nil))
    let ec = PublicKey.ec(KeyStore.ecKey(owner: "test", curve: .p384).publicKey)
    #expect(SignatureScheme.rsaPSSSHA256.suits(.rsa(rsa)) && !SignatureScheme.rsaPSSSHA256.suits(pss))
    #expect(SignatureScheme.rsaPSSKeySHA256.suits(pss) && !SignatureScheme.rsaPSSKeySHA256.suits(.rsa(rsa)))
    #expect(SignatureScheme.rsaPKCS1SHA256.suits(.rsa(rsa)) && !SignatureScheme.rsaPKCS1SHA256.suits(pss))
    #expect(SignatureScheme.ecdsaSHA256.suits(ec) && !SignatureScheme.ecdsaSHA256.suits(.rsa(rsa)))
  }

  @Test("a scheme for another kind of key is refused with both names")
  func mismatch() throws {
    let rsa = PrivateKey.rsa(try Keys.rsa(512))
    let ec = PrivateKey.ec(KeyStore.ecKey(owner: "test", curve: .p384))
    var random = DeterministicRandom(seed: .number(1), label: "signature")
    let first = SignatureError.keyMismatch(key: "RSA", scheme: "ecdsa_secp256r1_sha256")
    #expect(throws: first) { try rsa.sign([], .ecdsaSHA256, random: &random) }
    #expect(throws: first) { try rsa.publicKey.verify([], over: [], .ecdsaSHA256) }
    let second = SignatureError.keyMismatch(key: "EC P-384", scheme: "rsa_pkcs1_sha256")
    #expect(throws: second) { try ec.sign([], .rsaPKCS1SHA256, random: &random) }
    #expect(throws: second) { try ec.publicKey.verify([], over: [], .rsaPKCS1SHA256) }
  }
}
