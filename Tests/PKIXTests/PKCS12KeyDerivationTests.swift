import Cryptography
import Explanation
import Oracles
import Testing

@testable import PKIX

@Suite("PKCS #12 key derivation")
struct PKCS12KeyDerivationTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let passphrase: String
    let salt: String
    let iterations: Int
    let purpose: PKCS12KeyDerivation.Purpose
    let bytes: String
    var testDescription: String { "\(passphrase), \(purpose)" }
  }

  /// Test vectors shared by implementations since the first ones of PKCS #12; `openssl kdf PKCS12KDF` agrees.
  static let vectors = [
    Vector(
      passphrase: "smeg", salt: "0a58cf64530d823f", iterations: 1, purpose: .key,
      bytes: "8aaae6297b6cb04642ab5b077851284eb7128f1a2a7fbca3"),
    Vector(
      passphrase: "smeg", salt: "0a58cf64530d823f", iterations: 1, purpose: .initializationVector,
      bytes: "79993dfe048d3b76"),
    Vector(
      passphrase: "smeg", salt: "3d83c0e4546ac140", iterations: 1, purpose: .macKey,
      bytes: "8d967d88f6caa9d714800ab3d48051d63f73a312"),
    Vector(
      passphrase: "queeg", salt: "05dec959acff72f7", iterations: 1000, purpose: .key,
      bytes: "ed2034e36328830ff09df1e1a07dd357185dac0d4f9eb3d4"),
    Vector(
      passphrase: "queeg", salt: "05dec959acff72f7", iterations: 1000, purpose: .initializationVector,
      bytes: "11dedad7758d4860"),
    Vector(
      passphrase: "queeg", salt: "263216fcc2fab31c", iterations: 1000, purpose: .macKey,
      bytes: "5ec4c7a80df652294c3925b6489a7ab857c83476"),
  ]

  @Test("the shared test vectors with SHA-1", arguments: vectors)
  func shared(vector: Vector) throws {
    let (salt, expected) = (try #require(Hex.bytes(vector.salt)), try #require(Hex.bytes(vector.bytes)))
    let derived = try PKCS12KeyDerivation.bytes(
      vector.purpose, PKCS12KeyDerivation.characters(vector.passphrase), salt: salt, iterations: vector.iterations,
      count: expected.count, hash: .sha1)
    #expect(Hex.string(derived) == vector.bytes)
  }

  @Test(
    "keys are the ones that OpenSSL derives, for every hash and length", .needs(.openssl),
    arguments: [Hash.sha1, .sha224, .sha256, .sha384, .sha512])
  func openSSL(hash: Hash) throws {
    for count in [1, 20, 24, 64, 65, 200] {
      let derived = try PKCS12KeyDerivation.bytes(
        .key, PKCS12KeyDerivation.characters("täst"), salt: Array(1...20), iterations: 3, count: count, hash: hash)
      let answer = Command.output([
        "openssl", "kdf", "-keylen", "\(count)", "-kdfopt", "digest:\(hash.name.replacing("-", with: ""))",
        "-kdfopt", "hexpass:\(Hex.string(PKCS12KeyDerivation.characters("täst")))",
        "-kdfopt", "hexsalt:\(Hex.string(1...20))", "-kdfopt", "iter:3", "-kdfopt", "id:1", "PKCS12KDF",
      ])
      let digits = try #require(answer).replacing(":", with: "")
      #expect(Hex.bytes(digits) == derived)
    }
  }

  @Test("an empty passphrase is two zero bytes, none is no bytes; zero iterations are refused")
  func empty() throws {
    #expect(PKCS12KeyDerivation.characters("") == [0, 0])
    func derived(_ characters: [UInt8]) throws -> [UInt8] {
      try PKCS12KeyDerivation.bytes(.key, characters, salt: [1], iterations: 1, count: 20, hash: .sha1)
    }
    #expect(try derived([]) != derived([0, 0]))
    for (count, iterations) in [(0, 1), (20, 0), (-1, 1), (20, -1)] {
      #expect(throws: CipherError.keySize(count)) {
        try PKCS12KeyDerivation.bytes(.key, [], salt: [], iterations: iterations, count: count, hash: .sha1)
      }
    }
  }
}
