import SwiftASN1
import Testing

@testable import Cryptography

@Suite("Key types that only certificates have")
struct KeysOfCertificatesTests {
  /// A key and its signature of `sample`.
  struct Vector: Sendable, CustomTestStringConvertible {
    let name: String
    let bits: Int
    let scheme: SignatureScheme
    let key: String
    let signature: String

    var testDescription: String { name }
  }

  /// Made by OpenSSL 3.0 with `openssl ecparam -genkey`, `openssl gendsa` and `openssl dgst -sign`.
  static let vectors: [Vector] = [
    Vector(
      name: "EC P-192", bits: 192, scheme: .ecdsaSHA1,
      key: "3049301306072a8648ce3d020106082a8648ce3d03010103320004f3ad000f1e18798ebbf3e8fac09052c03b4a4c102a"
        + "e7486d2c336def5a5f170fe050d69d5383b16728972eb5a4e8b017",
      signature: "3035021900aa3d441f4483f04c4b28af700431c08767ccb1f3860359bb02186debb0b3de91dc64824cf4de3756205272"
        + "c73c8e7122c698"),
    Vector(
      name: "EC P-224", bits: 224, scheme: .ecdsaSHA224,
      key: "304e301006072a8648ce3d020106052b81040021033a0004a965717ba07f6d6481e7302368225813b04bafb5dd3e10a7"
        + "e8a127827d6496b36c1506ac70e1bae1f67d7d0ee0694bdb681c525440d412bf",
      signature: "303c021c7650692dd2560942485b323b71f70d47ef38471d20797c70f28615cc021c1a106d42824ede080666bf2f1130"
        + "c68df501c74a5ffe477b4ea68527"),
    Vector(
      name: "EC secp256k1", bits: 256, scheme: .ecdsaSHA256,
      key: "3056301006072a8648ce3d020106052b8104000a03420004fdd3fdf7173afb887094d2e1bb1f911c6e55e2f16f4e33a7"
        + "46fcfcd4f581eb8cc3842e0483b7f898fbb7c89374b5b14489e350c6af96718cbaa4321fc4745183",
      signature: "3046022100aab860ec980516024be542201a2e294242d90d33039566d319034f572ecb1789022100b96bcbde1e3b8ca1"
        + "b11b7af57c5b8bcdda5f9dd89b55f2589ac4fccceaf06c84"),
    Vector(
      name: "EC brainpoolP192r1", bits: 192, scheme: .ecdsaSHA1,
      key: "304a301406072a8648ce3d020106092b2403030208010103033200044fa2e04f05a5d13e182b02e1dfa0e9b28c6edd6e"
        + "67ba9c899d2a4be10727004b0fed57495bfe7cb2f2741ba4ba3bb500",
      signature: "30350218305ceedd2784739fae4f137616c571134fdb5c4aea08953d0219009bea4f9f55e67b5c8aca283a3763354d41"
        + "77b4cb3dde5b83"),
    Vector(
      name: "EC brainpoolP224r1", bits: 224, scheme: .ecdsaSHA224,
      key: "3052301406072a8648ce3d020106092b2403030208010105033a000420dc870245ea384d4f3bdff9b043755d9ffa8889"
        + "add0a8dd8782d367a2472a6928149f5b64dfccc84ba9b525853cc603b231adedd30decf8",
      signature: "303c021c74a0cced4a43356d88480b3945c15ecc9de78ed42e240be1be857847021c68eabe28b55da97a4401b10664c5"
        + "afd7eff255fe542c8c34aa1b44aa"),
    Vector(
      name: "EC brainpoolP256r1", bits: 256, scheme: .ecdsaSHA256,
      key: "305a301406072a8648ce3d020106092b24030302080101070342000489a831d3a2e896a474d5725f012e5f334d0323d5"
        + "f4836524f907419265d17fb7522f00dcb114397044fbbdf47fc549b8b7bbbbc78f14f415af4da42615569d33",
      signature: "304402205b4b9fd5cff19ce3e179bcefc8a02a8a69c8cccb0bc84cf38fb8fbd8b3927eb402206886ad783d12bdd5e103"
        + "b09165645697d28f63b7193fbec62e79e3d4f005b44f"),
    Vector(
      name: "EC brainpoolP320r1", bits: 320, scheme: .ecdsaSHA384,
      key: "306a301406072a8648ce3d020106092b240303020801010903520004bcd72739ef1460469d18ee73600a40b400ea48a2"
        + "8b2c319d9271a02a2af67718ac1859d28e0df6a39ffef9e3279e28a0be94e015709ceb3f484b15c545680894d687db2f"
        + "5ffae7f90837c6758f2eee3b",
      signature: "305402286d3337146a6d0ede12eaf206c894acc37d5670dac788d906592179f867e5e22c4a6f41deef024471022856ba"
        + "21f45deeed50693670eac3d54bacad49ad167f4427095ba45fa44580a653a9682f6afa954bf4"),
    Vector(
      name: "EC brainpoolP384r1", bits: 384, scheme: .ecdsaSHA384,
      key: "307a301406072a8648ce3d020106092b240303020801010b0362000486bc584c704e55cdb4f5c95f39490782d7ddd2ed"
        + "ee6c793455d5cec22acd1d571b6defa69125d9533e97e4f39c1dfc161cd6ee1059a9394dc722e7471ec59683425721a4"
        + "f03dadd15f6f3184d4cb1d51fe172fc688407a2eb70bfd8842826cd0",
      signature: "306402302cd4436a53304f45a3a9beaa5d60a2355100bc765ee8baad23a39ebcb2063dbdf0fdc2a0b9ac8e9d8011a0f8"
        + "f43fde3d02304fcbd52613363bc45f6acf400e85e38e0a61382244ea3ec8c5254784639f4119893f4284e5cc5530b2ed"
        + "992e83f42862"),
    Vector(
      name: "EC brainpoolP512r1", bits: 512, scheme: .ecdsaSHA512,
      key: "30819b301406072a8648ce3d020106092b240303020801010d038182000409f4891eeb34b3243eb64a471fdbefddbfcb"
        + "8ebbb1d2bdd094ca02d9008d7f73f86364e7ebfdbd8e8ccaab0a57233ca7af02acaccbd908743899ce89fa36403f454e"
        + "2543f7721cf3c2366140f2beb8f0d3ae2fefcd48d873e4ce0afb02a78a9dccd7e3c24794bed08713f8a5a41daecb6ab7"
        + "f9e93da8f39af950c8f28b477b12",
      signature: "30818402406d6d96a0770b0fe642477b90c7263c7d290feed65d2ba35a81d55676fa247896cd9f94b4dac6e6640354ac"
        + "928d2c3ff8d3ce9bc20ee3bc8044724ed0076ff3af02407f4a2c31c59b306c9a1c9362c53857dd50a0d7cbb7ccc42b3c"
        + "28759f4b58df7bb97a22cf4309a15c009c91b4748c3ce586abc6f75087d5c91ab12a88da62bb0e"),
    Vector(
      name: "DSA", bits: 1024, scheme: .dsaSHA256,
      key: "308201c03082013406072a8648ce3804013082012702818100efaf6bb027e641f0e156d3ac849b8b3af1cdaafa691e47"
        + "f4763725b2c329b2979af5334e65bfb48f96c46eabedb1ec33d0f754c478a2acf0d0b0036a95565e12378afb699257f2"
        + "29dd700b6a71f11436469bebe48cfe339ddc35345478255579fff341e0d0d55d9ccc18953a8e624ba259e3bcec23f4d3"
        + "c6ede9949040afbeeb021d00c0b7d97defa9324181c76da467c851859aa5f71e9e913aa2b64d4e3f02818100a9a1b394"
        + "2c84debf341a409a20818bc8dd8febf2383614e508dc6e8f7548092e25f5e9ca2701ef6a151ca1ce7c0744c26ab1c720"
        + "a09acbca6e024e1b31226615426acd21aec4fd52d20962f68744b684bccf70079c6c67f3b48c5f45a9ac6fc2d2326d65"
        + "b1ebffe70f77e2acd8b7b12529c95e368668053ce2a7bfde5c9ee7570381850002818100822e9fcaf20ebb694c6bbdba"
        + "a565b725f12ac49ad72a22227dc6308e86708693f5ef8d0a1fa67baa75617a1eee84adb99c9ee4890622b7e6bfe0c7cd"
        + "e6f08f3711426ee2bf7db3bd274885ef5cec78af622a925ce72d8f4195964f15225c1e812756675c5faa6bfd02de335d"
        + "fa55d89793fea1ab757c34bc8cd991f352f68dd9",
      signature: "303e021d00bf3b9173b637782b5e68fa3462ea679fc0cb7659a9913c55ea6c06ae021d0086f1c943828fc32117fe24fc"
        + "d1cd5883855186cc1c7b0aba18177774"),
  ]

  @Test("a signature made by openssl verifies only for its message and key", arguments: vectors)
  func verified(_ vector: Vector) throws {
    let (message, signature) = (Array("sample".utf8), try bytes(vector.signature))
    let key = try PublicKey(subjectPublicKeyInfo: bytes(vector.key))
    #expect(key.algorithmName == vector.name && key.bits == vector.bits)
    #expect(try key.subjectPublicKeyInfo == bytes(vector.key) && !vector.scheme.suits(key))
    try key.verify(signature, over: message, vector.scheme)
    #expect(throws: SignatureError.mismatch) { try key.verify(signature, over: message + [0], vector.scheme) }
    var changed = signature
    changed[changed.count - 1] ^= 1
    #expect(throws: SignatureError.mismatch) { try key.verify(changed, over: message, vector.scheme) }
    for malformed in [[], Array(signature.dropLast()), signature + [0]] {
      #expect(throws: SignatureError.malformed) { try key.verify(malformed, over: message, vector.scheme) }
    }
    // r = s = 0, and r = 0: FIPS 186-5 section 6.4.2 requires both from 1 to n − 1.
    for zeros: [Natural] in [[0, 0], [0, 1], [1, 0]] {
      let numbers = KeyDER.sequence { fields in
        for number in zeros { try fields.serialize(number.isZero ? [0][...] : number.bigEndianBytes()[...]) }
      }
      #expect(throws: SignatureError.mismatch) { try key.verify(numbers, over: message, vector.scheme) }
    }
    #expect(throws: SignatureError.keyMismatch(key: vector.name, scheme: "rsa_pkcs1_sha256")) {
      try key.verify(signature, over: message, .rsaPKCS1SHA256)
    }
  }

  @Test("a point off its curve, and a signature number plus the order, are refused")
  func points() throws {
    for vector in Self.vectors where vector.scheme.keyKind == .ecdsa {
      var der = try bytes(vector.key)
      der[der.count - 1] ^= 1
      #expect(throws: KeyError.self, "\(vector.name)") { try PublicKey(subjectPublicKeyInfo: der) }
    }
    for curve in NamedCurve.all {
      // n·G is the point at infinity, and (n − 1)·G + 2·G is G.
      #expect(curve.combination(curve.order, 0, curve.generator) == nil, "\(curve.name)")
      let before = try curve.order.subtracting(1)
      #expect(curve.combination(before, 2, curve.generator) == curve.generator.x, "\(curve.name)")
    }
  }

  @Test("the sizes of a DSA key are limited, and one without parameters is only named")
  func dsa() throws {
    let vector = try #require(Self.vectors.last)
    let der = try bytes(vector.key)
    guard case .dsa = try PublicKey(subjectPublicKeyInfo: der) else { return #expect(Bool(false)) }
    let bare = KeyDER.sequence { fields in
      try fields.appendConstructedNode(identifier: .sequence) { try $0.serialize(DSAPublicKey.algorithm) }
      try fields.serialize(ASN1BitString(bytes: [2, 1, 2]))
    }
    let key = try PublicKey(subjectPublicKeyInfo: bare)
    guard case .unsupported = key else { return #expect(Bool(false)) }
    #expect(key.algorithmName == "DSA" && key.bits == nil)
    #expect(throws: SignatureError.unsupportedKey("DSA")) { try key.verify([], over: [], .dsaSHA256) }
  }

  @Test("an RSA key is recognized by the identifier of X.509 of 1988, too")
  func rsaOfX509() throws {
    let own = try Keys.rsa(1024)
    let der = KeyDER.sequence { fields in
      try fields.appendConstructedNode(identifier: .sequence) { fields in
        try fields.serialize(KeyDER.rsa)
        try fields.serialize(1024)
      }
      try fields.serialize(ASN1BitString(bytes: own.publicKey.pkcs1[...]))
    }
    let key = try PublicKey(subjectPublicKeyInfo: der)
    #expect(key.algorithmName == "RSA" && key.bits == 1024 && key.subjectPublicKeyInfo == der)
    var random = DeterministicRandom(seed: .number(1), label: "signature")
    let signature = try PrivateKey.rsa(own).sign([1], .rsaPKCS1SHA256, random: &random)
    try key.verify(signature, over: [1], .rsaPKCS1SHA256)
  }

  @Test("Ed448 is named with its size, and never verifies")
  func ed448() throws {
    let element: [UInt8] = [0x30, 0x43, 0x30, 5, 6, 3, 0x2B, 0x65, 0x71, 3, 0x3A, 0]
    let key = try PublicKey(subjectPublicKeyInfo: element + [UInt8](repeating: 1, count: 57))
    #expect(key.algorithmName == "Ed448" && key.bits == 456)
    #expect(throws: SignatureError.unsupportedKey("Ed448")) { try key.verify([], over: [], .ed25519) }
  }
}
