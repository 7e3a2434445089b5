import Foundation
import Oracles

/// A file of C2SP's Wycheproof.
struct WycheproofFile: Decodable {
  struct Group: Decodable {
    // Which of these a group has depends on the file.
    let type, sha, mgf, mgfSha, curve, encoding, publicKeyDer, privateKeyPkcs8: String?
    let keySize, tagSize, sLen: Int?
    let tests: [Test]
  }

  struct Test: Decodable {
    let tcId: Int
    let comment: String
    let flags: [String]
    let result: String
    // Which of these a test has depends on the file.
    let key, iv, aad, msg, ct, tag, sig, `public`, `private`, shared, value, ikm, salt, info, okm: String?
    let size: Int?
  }

  let algorithm: String?
  let numberOfTests: Int
  let testGroups: [Group]

  /// The files that are there, by name.
  static let names: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: Suites.wycheproof)) ?? [])
    .filter { $0.hasSuffix(".json") }.sorted()

  init(_ name: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(Suites.wycheproof)/\(name)"))
    self = try JSONDecoder().decode(WycheproofFile.self, from: data)
  }
}

/// What became of a test.
enum WycheproofAnswer {
  case accepted
  /// Not taken; the reason is one of `wycheproofLimits` where the test is valid.
  case rejected(String)
  /// Not for any primitive here.
  case skipped(String)

  init(_ holds: Bool) { self = holds ? .accepted : .rejected("another result") }
}

/// Why some valid tests are not taken: nothing here needs what they try. By the answer's reason.
let wycheproofLimits: [String: String] = [
  "nonce": "AES-GCM takes nonces of at least 12 bytes: every protocol here has 12",
  "modulus": "RSA keys have 512 to 8192 bits: others are told about, not used",
  "exponent": "RSA keys have an odd exponent of at least 3, below the modulus",
]
