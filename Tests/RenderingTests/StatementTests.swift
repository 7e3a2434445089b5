import Foundation
import Learning
import Scenarios
import Testing

@testable import Rendering

/// The tables of docs/seeds.md: every statement and claim of the five documents, and the commands that show it.
@Suite("Statements of the five documents")
struct StatementTests {
  struct Row: Sendable, CustomTestStringConvertible {
    /// The heading of the first column: `no.` or `claim`.
    let table: String
    let number: Int
    let shownBy: String

    var testDescription: String { "\(table) \(number)" }

    var commands: [String] {
      let parts = shownBy.components(separatedBy: "`")
      return parts.indices.filter { $0 % 2 == 1 }.map { parts[$0] }
    }
  }

  static let rows: [Row] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("docs/seeds.md")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    var table = ""
    return text.components(separatedBy: "\n").compactMap { line in
      let cells = line.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 6 else { return nil }
      guard let number = Int(cells[1]) else {
        if cells[1].contains(where: \.isLetter) { table = cells[1] }
        return nil
      }
      return Row(table: table, number: number, shownBy: cells[4])
    }
  }()

  /// The ids of all scenarios and lessons.
  static let ids: Set<String> = {
    guard let library = try? ScenarioLibrary.curriculum(), let lessons = try? library.lessons() else { return [] }
    return Set(library.ids + lessons.map(\.id))
  }()

  @Test("every statement and every claim has one row", arguments: [("no.", 186), ("claim", 35)])
  func complete(table: String, count: Int) {
    #expect(Self.rows.filter { $0.table == table }.map(\.number).sorted() == Array(1...count))
  }

  @Test("each command of a row names a scenario, a lesson or a word that exists", arguments: rows)
  func exists(row: Row) {
    let gap = "not shown yet: "
    if row.shownBy.hasPrefix(gap) {
      #expect(row.shownBy.count > gap.count, "the gap has no reason")
      return
    }
    #expect((1...3).contains(row.commands.count))
    for command in row.commands {
      let words = command.split(separator: " ").map(String.init)
      let arguments = words.dropFirst()
      let word = arguments.joined(separator: " ").trimmingCharacters(in: CharacterSet(charactersIn: "'"))
      switch words.first ?? "" {
      case "run", "repl", "describe", "test": #expect(Self.ids.contains(arguments.first ?? ""), "\(command)")
      case "explain": #expect(ExplainView.document(for: word) != nil, "\(command)")
      case "ats", "lesson", "list", "matrix", "pki", "search", "verify": break
      default: Issue.record("no command of trustlab: \(command)")
      }
    }
  }
}
