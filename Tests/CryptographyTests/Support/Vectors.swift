import Explanation
import Testing

/// Test vectors in text form: lines with a name and hexadecimal digits, in cases that begin with a line `case NAME`.
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

/// The bytes of hexadecimal digits, which are a literal of the test.
func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.bytes(hex)) }
