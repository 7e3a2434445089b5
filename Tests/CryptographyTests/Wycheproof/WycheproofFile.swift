import Oracles

/// A file of C2SP's Wycheproof.
struct WycheproofFile: Decodable {
  struct Group: Decodable {
    // The file determines which of these a group has.
    let type, sha, mgf, mgfSha, curve, encoding, publicKeyDer, privateKeyPkcs8: String?
    let keySize, tagSize, sLen: Int?
    let tests: [Test]
  }

  struct Test: Decodable {
    let tcId: Int
    let comment: String?
    let flags: [String]?
    let result: String
    // The file determines which of these a test has.
    let key, iv, aad, msg, ct, tag, sig, `public`, `private`, shared, value, ikm, salt, info, okm: String?
    let seed, ek, dk, m, c, K: String?
    let size: Int?
  }

  let algorithm: String?
  let numberOfTests: Int
  let testGroups: [Group]

  /// The folders of the files: the primitives of TLS 1.2, and those that TLS 1.3 adds.
  static let folders = ["suites/wycheproof", "tls13/wycheproof"]

  /// The paths of the available files.
  static let names: [String] = folders.flatMap { folder in
    SharedData.names(in: folder).filter { $0.hasSuffix(".json") }.map { "\(folder)/\($0)" }
  }

  init(_ name: String) throws { self = try SharedData.decode(name) }
}

/// The result of a test.
enum WycheproofAnswer {
  case accepted
  /// Rejected; if the test is valid, the reason is one of `wycheproofLimits`.
  case rejected(String)
  /// Not applicable to any primitive here.
  case skipped(String)

  init(_ holds: Bool) { self = holds ? .accepted : .rejected("another result") }
}

/// The reasons why some valid tests are rejected: no protocol here needs their values. The key is the result's reason.
let wycheproofLimits: [String: String] = [
  "nonce": "AES-GCM accepts nonces of at least 12 bytes: every protocol here uses 12",
  "modulus": "RSA keys have 512 to 8192 bits: others are described, not used",
  "exponent": "RSA keys have an odd exponent of at least 3, below the modulus",
]
