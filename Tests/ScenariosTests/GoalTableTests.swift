import Foundation
import Scenarios
import Simulator
import Testing

/// The table of goals in the guide to scenarios: each cell names a scenario that shows it.
@Suite("The table of goals")
struct GoalTableTests {
  private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("docs/language.md")
  private static let (begin, end) = ("<!-- the table of goals: made from the curriculum -->\n", "<!-- its end -->\n")
  private static let states = [Goal.State.possible, .later, .detected, .prevented]
  private static let capabilities = ["passive", "on-path", "asks-server"]

  /// Outcomes that no scenario can have: an eavesdropper is not detected, changes nothing and impersonates no server.
  /// The records of a closed connection cannot be changed.
  private static func isImpossible(_ goal: Goal, _ state: Goal.State, _ capability: String) -> Bool {
    if goal == .tampering, state == .later { return true }
    return capability == "passive" && (state == .detected || goal != .eavesdropping && state != .prevented)
  }

  /// The expected outcomes of a case, by goal, on all its dates and connections.
  private static func expected(_ scenario: Scenario) -> Set<[String]> {
    var cells: Set<[String]> = []
    for date in scenario.dates {
      let own = ([date.expectation] + date.connections.map(\.expectation)).compactMap(\.self)
      for (goal, state) in own.flatMap({ $0.goals.map { ($0.key, $0.value) } }) {
        cells.insert([goal.rawValue, state.rawValue, date.attackers.capability.rawValue])
      }
    }
    return cells
  }

  /// The scenarios of each cell, in the order of the curriculum.
  private static func cells() -> [[String]: [String]] {
    var cells: [[String]: [String]] = [:]
    for scenario in Lab.cases where scenario.calculation == nil {
      for cell in expected(scenario) where cells[cell]?.last != scenario.id {
        cells[cell, default: []].append(scenario.id)
      }
    }
    return cells
  }

  /// Two scenarios for each cell.
  private static func table(_ cells: [[String]: [String]]) -> String {
    var lines = ["| goal | outcome | passive | on-path | asks-server |", "|---|---|---|---|---|"]
    for goal in Goal.allCases {
      for state in states {
        let row = capabilities.map { capability in
          isImpossible(goal, state, capability)
            ? "cannot be"
            : cells[[goal.rawValue, state.rawValue, capability], default: []].prefix(2).joined(separator: ", ")
        }
        lines.append("| \(goal.rawValue) | \(state.rawValue) | \(row.joined(separator: " | ")) |")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test("the table names scenarios that expect its outcomes, and has no gap")
  func table() throws {
    let text = try String(contentsOf: Self.file, encoding: .utf8)
    let parts = text.components(separatedBy: Self.begin)
    let rest = try #require(parts.last?.components(separatedBy: Self.end))
    try #require(parts.count == 2 && rest.count == 2)
    let cells = Self.cells()
    if ProcessInfo.processInfo.environment["TRUSTLAB_WRITE_GOALS"] != nil {
      let written = parts[0] + Self.begin + Self.table(cells) + Self.end + rest[1]
      return try written.write(to: Self.file, atomically: true, encoding: .utf8)
    }
    let rows = rest[0].split(separator: "\n").dropFirst(2).map { row in
      row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(rows.count == Goal.allCases.count * Self.states.count)
    for row in rows {
      try #require(row.count == 5, "\(row)")
      let (goal, state) = (try #require(Goal(rawValue: row[0])), try #require(Goal.State(rawValue: row[1])))
      for (capability, cell) in zip(Self.capabilities, row.dropFirst(2)) {
        if Self.isImpossible(goal, state, capability) {
          #expect(cell == "cannot be" && cells[[row[0], row[1], capability]] == nil, "\(row)")
          continue
        }
        let named = cell.components(separatedBy: ", ").filter { !$0.isEmpty }
        #expect(!named.isEmpty, "\(row) has no scenario for \(capability)")
        for id in named {
          #expect(
            cells[[row[0], row[1], capability], default: []].contains(id),
            "\(id) does not expect it: TRUSTLAB_WRITE_GOALS=1 swift test --filter GoalTableTests rewrites it")
        }
      }
    }
  }
}
