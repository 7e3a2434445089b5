import Explanation
import Foundation
import Testing

/// Vectors written as text: lines of a name and hexadecimal digits, in cases that a line `case NAME` begins.
func cases(of text: String) throws -> [[String: [UInt8]]] {
  var cases: [[String: String]] = []
  var last = ""
  for line in text.split(separator: "\n") {
    let words = line.split(separator: " ")
    guard let name = words.first.map(String.init), let current = cases.indices.last ?? (name == "case" ? 0 : nil) else {
      continue
    }
    let value = words.dropFirst().joined()
    if name == "case" {
      cases.append([:])
    } else if name == "+" {
      cases[current][last, default: ""] += value
    } else {
      cases[current][name] = value
      last = name
    }
  }
  return try cases.map { try $0.mapValues { try bytes($0) } }
}

/// The bytes of hexadecimal digits, which a test has written itself.
func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.bytes(hex)) }

/// The published test suites outside of the repository.
enum Suites {
  static let root: String = {
    if let path = ProcessInfo.processInfo.environment["TRUSTLAB_VECTORS"] { return path }
    let file = URL(fileURLWithPath: #filePath)
    return (0..<4).reduce(file) { url, _ in url.deletingLastPathComponent() }.path + "/../shared/data"
  }()

  static func wycheproofPath(_ name: String) -> String { "\(root)/suites/wycheproof/\(name)_test.json" }

  static var hasWycheproof: Bool { FileManager.default.fileExists(atPath: wycheproofPath("aes_gcm")) }
}

/// A file of C2SP's Wycheproof.
struct Wycheproof: Decodable {
  struct Group: Decodable {
    let keySize: Int?
    let tagSize: Int?
    let ivSize: Int?
    let publicKeyDer: String?
    let privateKeyPkcs8: String?
    let tests: [Test]
  }

  struct Test: Decodable {
    let tcId: Int
    let comment: String
    let flags: [String]
    let result: String
    // Which of these a test has depends on the file.
    let key, iv, aad, msg, ct, tag, sig, `public`, `private`, shared, value: String?
  }

  let numberOfTests: Int
  let testGroups: [Group]

  init(_ name: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: Suites.wycheproofPath(name)))
    self = try JSONDecoder().decode(Wycheproof.self, from: data)
  }

  /// What became of the tests of a file.
  struct Tally {
    var accepted = 0
    var rejected = 0
    /// Invalid ones that were taken: there must be none.
    var falseAccepts: [String] = []
    /// Valid ones that were not taken.
    var falseRejects: [String] = []
    /// The flags of tests whose acceptance is left open, and that were not taken.
    var openRejects: Set<String> = []
    /// The flags of tests whose acceptance is left open, and that were taken.
    var openAccepts: Set<String> = []
  }

  /// Holds every test against `accepts`.
  func tally(_ accepts: (Group, Test) throws -> Bool) rethrows -> Tally {
    var tally = Tally()
    for group in testGroups {
      for test in group.tests {
        let accepted = try accepts(group, test)
        if accepted { tally.accepted += 1 } else { tally.rejected += 1 }
        switch (test.result, accepted) {
        case ("invalid", true): tally.falseAccepts.append("\(test.tcId) \(test.comment)")
        case ("valid", false): tally.falseRejects.append("\(test.tcId) \(test.comment)")
        case ("acceptable", false): tally.openRejects.formUnion(test.flags)
        case ("acceptable", true): tally.openAccepts.formUnion(test.flags)
        default: break
        }
      }
    }
    return tally
  }
}
