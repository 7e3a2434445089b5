import Foundation
import Scenarios
import Testing

@Suite("The guide to writing scenarios")
struct DocumentedTests {
  /// The blocks of YAML that say what must come out, and need no file of the reader's own.
  private static func examples() throws -> [String] {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Scenarios/README.md")
    return try String(contentsOf: file, encoding: .utf8).components(separatedBy: "```yaml\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
      .filter { $0.contains("expect:") && !$0.contains("pem:") }
  }

  @Test("every example of it comes out as it says")
  func examples() throws {
    let examples = try Self.examples()
    #expect(examples.count >= 5)
    for example in examples {
      for scenario in try Lab.read(example).cases {
        #expect(try Lab.player.play(scenario).judgement.mismatches == [], "\(example)")
      }
    }
  }
}
