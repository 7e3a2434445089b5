import Crypto
import Explanation
import Testing

@testable import Cryptography

@Suite("ML-KEM-768")
struct MLKEM768Tests {
  typealias MLKEM768 = Cryptography.MLKEM768

  private static let seed = (0..<64).map { UInt8($0) }
  private static let randomness = (64..<96).map { UInt8($0) }

  @Test("both sides have the same secret, and the lengths are those of FIPS 203 section 8")
  func roundTrip() throws {
    let key = try MLKEM768.PrivateKey(seed: Self.seed)
    let result = try MLKEM768.encapsulate(to: key.encapsulationKey, randomness: Self.randomness)
    #expect(try key.sharedSecret(of: result.ciphertext) == result.sharedSecret)
    #expect(key.encapsulationKey.count == MLKEM768.encapsulationKeyLength)
    #expect(result.ciphertext.count == MLKEM768.ciphertextLength)
    #expect(result.sharedSecret.count == MLKEM768.sharedSecretLength)
  }

  @Test("swift-crypto agrees in both roles, if the system has its ML-KEM")
  func peer() throws {
    guard #available(macOS 26, *) else { return }
    let key = try MLKEM768.PrivateKey(seed: Self.seed)
    let peer = try Crypto.MLKEM768.PrivateKey(seedRepresentation: Self.seed, publicKey: nil)
    #expect(Array(peer.publicKey.rawRepresentation) == key.encapsulationKey)
    let ours = try MLKEM768.encapsulate(to: key.encapsulationKey, randomness: Self.randomness)
    #expect(try peer.decapsulate(ours.ciphertext).withUnsafeBytes { Array($0) } == ours.sharedSecret)
    let theirs = try peer.publicKey.encapsulate()
    #expect(
      try key.sharedSecret(of: Array(theirs.encapsulated)) == theirs.sharedSecret.withUnsafeBytes { Array($0) })
  }

  @Test("a changed ciphertext results in another secret, which is always the same")
  func implicitRejection() throws {
    let key = try MLKEM768.PrivateKey(seed: Self.seed)
    var (ciphertext, secret) = try MLKEM768.encapsulate(to: key.encapsulationKey, randomness: Self.randomness)
    ciphertext[0] ^= 1
    let rejected = try key.sharedSecret(of: ciphertext)
    #expect(rejected != secret)
    #expect(try key.sharedSecret(of: ciphertext) == rejected)
  }

  @Test("inputs of other lengths are refused, and keys whose coefficients are not reduced")
  func refusals() throws {
    let key = try MLKEM768.PrivateKey(seed: Self.seed)
    #expect(throws: MLKEM768.InputError.length(63, required: 64)) {
      try MLKEM768.PrivateKey(seed: Array(Self.seed.dropLast()))
    }
    #expect(throws: MLKEM768.InputError.length(0, required: 1088)) { try key.sharedSecret(of: []) }
    #expect(throws: MLKEM768.InputError.length(33, required: 32)) {
      try MLKEM768.encapsulate(to: key.encapsulationKey, randomness: Self.randomness + [0])
    }
    #expect(throws: MLKEM768.InputError.length(1183, required: 1184)) {
      try MLKEM768.encapsulate(to: Array(key.encapsulationKey.dropLast()), randomness: Self.randomness)
    }
    // The first coefficient is 3329 = 0xd01.
    let unreduced = [0x01, key.encapsulationKey[1] & 0xf0 | 0x0d] + key.encapsulationKey.dropFirst(2)
    #expect(throws: MLKEM768.InputError.modulus) {
      try MLKEM768.encapsulate(to: unreduced, randomness: Self.randomness)
    }
  }
}

@Suite("SHA-3 and SHAKE")
struct KeccakTests {
  /// Outputs of Python's hashlib for the message 0, 1, …, 250, 0, … of each length.
  ///
  /// They are the first bytes of SHA3-256 and SHA3-512, and bytes 392 to 400 of SHAKE128 and SHAKE256.
  static let published: [(Int, String, String, String, String)] = [
    (0, "a7ffc6f8bf1ed766", "a69f73cca23a9ac5", "62b8d654db53d09b", "f5b21932f23861bc"),
    (71, "881ad9ffbd7f090e", "3ccc850d53a1287a", "9ad31f38aa4520bb", "24bb925a40d45d23"),
    (72, "fe58866b2893c6c4", "5d63f2bbe971a983", "bcad14bac23e48de", "c4f0b12f030729ef"),
    (135, "fded8fd9d6551c60", "d942df0df09ac042", "6d4c91dd7e35dbe0", "56a1c698e61bd872"),
    (136, "cf3ccff92480a291", "ad8edff4f1b7aa1c", "0c45fe7ae8df04b8", "c1286f403d45110c"),
    (167, "cac5458d48e6163c", "77aeb7615194d380", "4040b124a2a946ca", "51c389bd87d4d14c"),
    (168, "369a33badfa618d5", "9567f47a24e5c3b9", "5910690ab5fa39c9", "8df4b385229ce31e"),
    (1000, "48e66a01861d0ead", "b8030d306ae990bc", "baf0caa87c4a56e1", "a90c8249d5584e31"),
  ]

  @Test("messages around the ends of the sponge's blocks", arguments: published)
  func lengths(_ count: Int, _ short: String, _ long: String, _ shake128: String, _ shake256: String) {
    let message = (0..<count).map { UInt8($0 % 251) }
    #expect(Hex.string(Keccak.sha3256(message).prefix(8)) == short)
    #expect(Hex.string(Keccak.sha3512(message).prefix(8)) == long)
    var stream = Keccak.shake128(message)
    #expect(Hex.string((0..<400).map { _ in stream.next() }.suffix(8)) == shake128)
    #expect(Hex.string(Keccak.shake256(message, count: 400).suffix(8)) == shake256)
  }
}
