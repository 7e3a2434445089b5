import Testing

@testable import Cryptography

extension WycheproofFile {
  /// Runs a test of ML-KEM-768: encapsulation, key generation, or decapsulation with a seed or a whole key.
  func mlkem(_ group: Group, _ test: Test) throws -> WycheproofAnswer {
    let (seed, publicKey, privateKey) = (try hex(test.seed), try hex(test.ek), try hex(test.dk))
    let (message, ciphertext, secret) = (try hex(test.m), try hex(test.c), try hex(test.K))
    do throws(MLKEM768.InputError) {
      switch group.type {
      case "MLKEMEncapsTest":
        let result = try MLKEM768.encapsulate(to: publicKey, randomness: message)
        return .init(result.ciphertext == ciphertext && result.sharedSecret == secret)
      case "MLKEMKeyGen":
        let key = try MLKEM768.PrivateKey(seed: seed)
        return .init(key.encapsulationKey == publicKey && key.decapsulationKey == privateKey)
      case "MLKEMTest":
        let key = try MLKEM768.PrivateKey(seed: seed)
        let opened = try key.sharedSecret(of: ciphertext)
        return .init(key.encapsulationKey == publicKey && opened == secret)
      default:
        let key = try MLKEM768.PrivateKey(decapsulationKey: privateKey)
        guard key.decapsulationKey == privateKey else { return .rejected("the hash of the encapsulation key") }
        return .init(try key.sharedSecret(of: ciphertext) == secret)
      }
    } catch {
      return .rejected(error.description)
    }
  }

  private func hex(_ text: String?) throws -> [UInt8] { try bytes(text ?? "") }
}

// No protocol here has keys in this form, so only the tests read and write it.
extension MLKEM768.PrivateKey {
  /// The key as FIPS 203 algorithm 16 returns it: ŝ, the encapsulation key, its hash, and z.
  var decapsulationKey: [UInt8] {
    secret.flatMap { $0.encoded(bits: 12) } + encapsulationKey + Keccak.sha3256(encapsulationKey) + rejectionSeed
  }

  /// Reads such a key. The hash is not compared.
  init(decapsulationKey bytes: [UInt8]) throws(MLKEM768.InputError) {
    guard bytes.count == 2400 else { throw .length(bytes.count, required: 2400) }
    self.init(
      secret: (0..<3).map { Polynomial(decoding: bytes[($0 * 384)..<($0 + 1) * 384], bits: 12) },
      publicKey: try .init(Array(bytes[1152..<2336])), rejectionSeed: Array(bytes.suffix(32)))
  }
}
