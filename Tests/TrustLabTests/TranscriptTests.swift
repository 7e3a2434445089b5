import Foundation
import Testing

@testable import trustlab

@Suite("Whole sessions")
struct TranscriptTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Transcripts")

  private static let names: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()

  @Test("a session prints the recorded output, byte for byte", arguments: names)
  func recorded(name: String) throws {
    let recorded = try String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8)
    let lines = recorded.split(separator: "\n").filter { $0.hasPrefix("> ") }.map { String($0.dropFirst(2)) }
    let played = Bench.transcript(of: lines)
    if ProcessInfo.processInfo.environment["TRUSTLAB_WRITE_TRANSCRIPTS"] != nil {
      try played.write(to: Self.folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }
    let differing = zip(played.split(separator: "\n"), recorded.split(separator: "\n")).first { $0 != $1 }
    #expect(played == recorded, "\(differing.map { "'\($0.0)' in place of '\($0.1)'" } ?? "another length")")
  }

  @Test("there are five transcripts")
  func count() { #expect(Self.names.count == 5) }
}
