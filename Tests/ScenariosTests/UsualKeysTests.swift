import Cryptography
import Foundation
import Testing

@testable import Laboratory
@testable import Scenarios

@Suite("The keys that the program contains")
struct UsualKeysTests {
  /// The labels of the RSA keys that the curriculum's certificates have by their names and sizes.
  private static func labels() throws -> Set<String> {
    let entries = try Lab.library().cases.flatMap { $0.dates.flatMap { $0.authorities + $0.certificates } }
    return Set(
      entries.compactMap { entry in
        guard case .rsa(let bits) = entry.key, entry.pem == nil, entry.entropy == nil, entry.sharesPrimeWith == nil,
          entry.crossSigned == nil, entry.spoofedKey == nil, !entry.hasSmoothPrime
        else { return nil }
        return "key/\(entry.name)/rsa-\(bits)"
      })
  }

  @Test("the table contains every key of the curriculum")
  func complete() throws {
    let labels = try Self.labels()
    if ProcessInfo.processInfo.environment["TRUSTLAB_WRITE_KEYS"] != nil { try Self.write() }
    #expect(labels.subtracting(PrecomputedKeys.offsets.keys).sorted() == [])
  }

  @Test("each stored key is the one that the search finds", arguments: PrecomputedKeys.offsets.keys.sorted())
  func search(label: String) throws {
    let offsets = try #require(PrecomputedKeys.offsets[label])
    let bits = try #require(label.split(separator: "-").last.flatMap { Int($0) })
    var random = DeterministicRandom(seed: .number(0), label: label)
    let found = try RSAPrivateKey.generate(bits: bits, random: &random)
    random = DeterministicRandom(seed: .number(0), label: label)
    #expect(try RSAPrivateKey.generate(bits: bits, at: offsets, random: &random).publicKey == found.publicKey)
  }

  /// Writes the table again, with all keys that playing the curriculum creates.
  private static func write() throws {
    for scenario in Lab.cases { _ = try? Lab.player.play(scenario) }
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources/Laboratory/PrecomputedKeys.swift")
    let text = try String(contentsOf: file, encoding: .utf8)
    let head = text.components(separatedBy: "\"\"\"\n")[0]
    let lines = Lab.keys.defaultLines.map { "    \($0)\n" }
    try (head + "\"\"\"\n" + lines.joined() + "    \"\"\"\n}\n").write(to: file, atomically: true, encoding: .utf8)
  }
}
