import Testing

@testable import Cryptography

@Suite("Keys that are known by their names alone")
struct UnsupportedKeyTests {
  /// The content octets of a curve's object identifier, as `openssl ecparam -name NAME -outform DER` writes them, and what it
  /// is called.
  static let curves: [(identifier: [UInt8], name: String, bits: Int)] = [
    ([0x2B, 0x24, 3, 3, 2, 8, 1, 1, 7], "EC brainpoolP256r1", 256),
    ([0x2B, 0x24, 3, 3, 2, 8, 1, 1, 11], "EC brainpoolP384r1", 384),
    ([0x2B, 0x24, 3, 3, 2, 8, 1, 1, 13], "EC brainpoolP512r1", 512),
    ([0x2B, 0x81, 4, 0, 0x21], "EC P-224", 224), ([0x2B, 0x81, 4, 0, 10], "EC secp256k1", 256),
  ]

  @Test("a curve that is not computed with is named, with its size", arguments: curves.indices)
  func curve(_ index: Int) throws {
    let (identifier, name, bits) = Self.curves[index]
    func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, UInt8(content.count)] + content }
    let algorithm = element(
      0x30, element(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]) + element(0x06, identifier))
    let key = try PublicKey(subjectPublicKeyInfo: element(0x30, algorithm + element(0x03, [0, 4, 1, 2])))
    #expect(key.algorithmName == name && key.bits == bits)
    #expect(throws: SignatureError.unsupportedKey(name)) { try key.verify([], over: [], .ecdsaSHA256) }
  }
}
