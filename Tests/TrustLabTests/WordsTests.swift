import Foundation
import Rendering
import Testing

@testable import trustlab

@Suite("Words in the shell")
struct WordsTests {
  private static let text = """
    title: A connection with words
    before: Watch the clock.
    after: It was in time.
    disputed: { question: "Does a date matter?", readings: ["A: yes", "B: no"], chosen: "A, as RFC 5280 has it" }
    cases:
      - { name: another, with: { client.os: iOS 17 } }
    """

  private func play(_ lines: [String]) throws -> [String] {
    let path = NSTemporaryDirectory() + "words-\(UUID().uuidString).yaml"
    try Self.text.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    var session = Session(workbench: Bench.workbench, style: TextStyle())
    return ["open \(path)"].map { session.evaluate($0).text } + lines.map { session.evaluate($0).text }
  }

  @Test("the introduction and question precede the run; the explanation and dispute follow it")
  func around() throws {
    let output = try play(["run"])
    #expect(output[0].contains("Watch the clock.") && output[0].contains("? Disputed: Does a date matter?"))
    #expect(output[0].contains("· A: yes") && !output[0].contains("RFC 5280"))
    #expect(output[1].contains("this run  accepted") && output[1].contains("played    A, as RFC 5280 has it"))
    #expect(output[1].contains("It was in time."))
  }

  @Test("a changed run has no explanation, which describes the original")
  func changed() throws {
    let output = try play(["set client.os = iOS 17", "run"])
    #expect(!output[2].contains("It was in time.") && output[2].contains("ACCEPTED"))
  }
}
