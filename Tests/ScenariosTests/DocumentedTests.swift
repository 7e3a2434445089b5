import Foundation
import Scenarios
import Testing

@Suite("Scenarios in the documents")
struct DocumentedTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The YAML blocks of a page that have expectations and need no other file.
  private static func examples(in page: String) throws -> [String] {
    try String(contentsOf: root.appendingPathComponent(page), encoding: .utf8).components(separatedBy: "```yaml\n")
      .dropFirst().compactMap { $0.components(separatedBy: "```").first }
      .filter { $0.contains("expect:") && !$0.contains("pem:") && !$0.contains(".plist") }
  }

  @Test(
    "every scenario of a page has its expected result",
    arguments: [
      ("README.md", 1), ("docs/language.md", 15), ("docs/writing-scenarios.md", 1), ("docs/ci.md", 0),
      ("docs/teaching.md", 0), ("docs/tls.md", 0),
    ])
  func examples(page: String, atLeast: Int) throws {
    let examples = try Self.examples(in: page)
    #expect(examples.count >= atLeast)
    for example in examples {
      for scenario in try Lab.read(example).cases {
        #expect(try Lab.player.play(scenario).judgement.mismatches == [], "\(example)")
      }
    }
  }
}
