import Foundation
import Scenarios
import Testing

@testable import trustlab

/// Checks the commands in the documents with the parser.
@Suite("Commands in the documents")
struct DocumentedCommandTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static let pages: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("docs").path)) ?? []
    return ["README.md", "CONTRIBUTING.md"] + names.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
  }()

  /// The calls of the program in blocks and in inline code, without the shell syntax around them.
  static func calls(in text: String) -> [String] {
    var calls: [String] = []
    var isBlock = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") { isBlock.toggle() }
      let pieces = isBlock ? [line] : line.split(separator: "`", omittingEmptySubsequences: false)
      for (index, piece) in pieces.enumerated() where isBlock || index % 2 == 1 {
        let command = piece.trimmingPrefix("$ ").trimmingPrefix("    ")
        if command.hasPrefix("trustlab ") { calls.append(String(command)) }
      }
    }
    return calls
  }

  /// The words of a call up to a pipe, a redirection or a comment; nil for a pattern (`…`, capitals).
  static func words(of call: String) -> [String]? {
    var words: [String] = []
    var word = ""
    var quote: Character?
    for character in call + " " {
      if let open = quote {
        if character == open { quote = nil } else { word.append(character) }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if character == ";" {
        words.append(word)
        word = ""
        break
      } else if character == " " {
        if ["|", ">", "<", "&", "&&", "#", "2>", "\\"].contains(word) { break }
        if !word.isEmpty { words.append(word) }
        word = ""
      } else {
        word.append(character)
      }
    }
    let isPattern = words.contains { word in
      word.contains("…") || word.count > 2 && word.allSatisfy { $0.isUppercase || "=_".contains($0) }
    }
    return isPattern || quote != nil ? nil : Array(words.dropFirst())
  }

  @Test("every call of the program parses", arguments: pages)
  func parses(page: String) throws {
    let text = try String(contentsOf: Self.root.appendingPathComponent(page), encoding: .utf8)
    for call in Self.calls(in: text) {
      guard let words = Self.words(of: call), !words.isEmpty, !words.contains("--help") else { continue }
      do {
        try Failure.checkCommand(words)
        _ = try TrustLab.parseAsRoot(Failure.arranged(words))
      } catch let error as Diagnostics {
        Issue.record("\(call): \(error)")
      } catch {
        // A call without its arguments names the command: 'ats lint'.
        let message = TrustLab.message(for: error)
        #expect(message.contains("Missing") || message.contains("expected argument"), "\(call): \(message)")
      }
    }
  }

  @Test("an invalid call is reported, and a valid one is not")
  func notices() throws {
    #expect(Self.calls(in: "see `trustlab run L1-15`\n```console\n$ trustlab test\nother\n```\n").count == 2)
    #expect(Self.words(of: "trustlab run L1-15 --case \"a b\" | head") == ["run", "L1-15", "--case", "a b"])
    #expect(Self.words(of: "trustlab search WORDS") == nil)
    #expect(throws: (any Error).self) { try TrustLab.parseAsRoot(["run", "L1-15", "--no-such-option"]) }
  }
}
