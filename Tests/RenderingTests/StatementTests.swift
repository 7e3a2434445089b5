import Foundation
import Scenarios
import Testing

@testable import Rendering

/// The table of Scenarios/README.md that says where each statement of the documents is shown.
@Suite("Where each statement is shown")
struct StatementTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let numbers: String
    let commands: [String]
    var testDescription: String { numbers }
  }

  static let rows: [Row] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Scenarios/README.md")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    let table = text.components(separatedBy: "### Where each statement is shown").last ?? ""
    return table.components(separatedBy: "\n## ").first?.components(separatedBy: "\n").compactMap { line in
      let cells = line.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 5, cells[3].hasPrefix("`") else { return nil }
      let parts = cells[3].components(separatedBy: "`")
      return Row(numbers: cells[1], commands: parts.indices.filter { $0 % 2 == 1 }.map { parts[$0] })
    } ?? []
  }()

  @Test("every statement and claim that is to be shown has its row")
  func complete() {
    let numbers = Self.rows.flatMap { $0.numbers.components(separatedBy: ", ") }
    let due = (Array(8...20) + Array(123...170)).map(String.init)
    let claims = [10, 11, 12, 13, 14, 15, 29, 32, 33].map { "claim \($0)" }
    #expect((due + claims).filter { !numbers.contains($0) } == [])
    #expect(Set(numbers).count == numbers.count)
  }

  @Test("every command of it names a scenario or a word that there is", arguments: rows)
  func exists(row: Row) throws {
    let ids = Set(try ScenarioLibrary.curriculum().ids)
    #expect(!row.commands.isEmpty)
    for command in row.commands {
      let words = command.split(separator: " ", maxSplits: 1).map(String.init)
      let argument = try #require(words.last).trimmingCharacters(in: CharacterSet(charactersIn: "'"))
      switch words[0] {
      case "run": #expect(ids.contains(argument), "\(command)")
      case "explain": #expect(ExplainView.document(for: argument) != nil, "\(command)")
      default: Issue.record("no command of the table: \(command)")
      }
    }
  }
}
