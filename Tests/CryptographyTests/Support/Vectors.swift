import Explanation
import Foundation
import Oracles
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
  static let wycheproof = SharedData.path("suites/wycheproof")
}
