import Endpoint
import Explanation
import Scenarios
import Simulator

/// The differences between two runs: settings, steps, values, findings, and the verdict.
public struct DifferenceView: Sendable {
  /// One of the two runs, in its final state.
  public struct Run: Sendable {
    /// The name of the run that the user entered.
    public let name: String
    /// The scenario that was played.
    public let scenario: Scenario
    /// The run in its final state.
    public let simulation: Simulation

    /// Creates a run of `scenario`, which the user calls `name`.
    public init(_ name: String, _ scenario: Scenario, _ simulation: Simulation) {
      self.name = name
      self.scenario = scenario
      self.simulation = simulation
    }
  }

  private let left: Run
  private let right: Run

  /// Creates a view of the changes from `left` to `right`.
  public init(_ left: Run, _ right: Run) {
    self.left = left
    self.right = right
  }

  /// Returns the differences of settings, steps, values, findings and verdict. Each part lists only differences.
  public func document() -> Document {
    var document = Document()
    document.bullet("-", RichText(left.name, .bad))
    document.bullet("+", RichText(right.name, .good))
    for (title, lines) in [
      ("settings", settings), ("steps", steps), ("values", values), ("findings", findings), ("verdict", verdicts),
    ] {
      document.blocks.append(.space)
      document.paragraph(RichText(lines.isEmpty ? "\(title): no difference" : title, .strong))
      for (mark, line) in lines { document.bullet(mark, line, indent: 2) }
    }
    return document
  }

  private typealias Line = (RichText, RichText)
  private static let minus = RichText("-", .bad)
  private static let plus = RichText("+", .good)
  private static let other = RichText("≠", .warning)

  private var settings: [Line] {
    // These texts describe a run and its expectations, and change no setting.
    let words = Scenario.wordsAboutIt
    guard let change = right.scenario.tree.without(words).difference(from: left.scenario.tree.without(words)) else {
      return []
    }
    return change.leaves.map { path, value in
      let before = left.scenario.tree.value(at: path).map { " (was \($0.flowText))" } ?? ""
      return (Self.other, RichText("\(path.description) = \(value.flowText)") + RichText(before, .dim))
    }
  }

  private var steps: [Line] {
    let (old, new) = (left.simulation.trace.steps, right.simulation.trace.steps)
    return Alignment(old.map(Self.key), new.map(Self.key)).pairs.compactMap { before, after in
      switch (before, after) {
      case (let index?, nil): (Self.minus, RichText(StepView.oneLine(of: old[index])))
      case (nil, let index?): (Self.plus, RichText(StepView.oneLine(of: new[index])))
      case (let one?, let other?) where old[one].bytes != new[other].bytes:
        (Self.other, RichText(StepView.oneLine(of: new[other])) + RichText(Self.size(old[one], new[other]), .dim))
      default: nil
      }
    }
  }

  private static func key(_ step: Step) -> String { "\(step.from.name)>\(step.to?.name ?? "")>\(step.title)" }

  private static func size(_ before: Step, _ after: Step) -> String {
    let count = zip(before.bytes, after.bytes).count { $0 != $1 }
    return before.bytes.count == after.bytes.count
      ? "  \(count) of \(after.bytes.count) bytes differ" : "  \(before.bytes.count) → \(after.bytes.count) bytes"
  }

  private var values: [Line] {
    let (old, new) = (left.simulation.trace, right.simulation.trace)
    var lines: [Line] = []
    func add(_ mark: RichText, _ ids: [Value.ID]) {
      if !ids.isEmpty { lines.append((mark, RichText(ids.joined(separator: ", "), .name))) }
    }
    add(Self.minus, old.valueNames.filter { new.values[$0] == nil })
    add(Self.plus, new.valueNames.filter { old.values[$0] == nil })
    add(Self.other, new.valueNames.filter { id in old.values[id].map { $0.bytes != new.values[id]?.bytes } ?? false })
    return lines
  }

  private var findings: [Line] {
    let (old, new) = (left.simulation.outcome.findings, right.simulation.outcome.findings)
    func telling(_ findings: [Finding], besides others: [Finding]) -> [Finding] {
      findings.filter { finding in
        !others.contains { Self.isSame($0, finding) } && (finding.outcome == .violated || isNews(finding, others))
      }
    }
    func isNews(_ finding: Finding, _ others: [Finding]) -> Bool {
      others.contains { $0.rule == finding.rule && $0.subject == finding.subject && $0.outcome == .violated }
    }
    func words(_ findings: [Finding]) -> [RichText] {
      findings.map(Self.words).reduce(into: []) { lines, line in if !lines.contains(line) { lines.append(line) } }
    }
    return words(telling(old, besides: new)).map { (Self.minus, $0) }
      + words(telling(new, besides: old)).map { (Self.plus, $0) }
  }

  private static func isSame(_ left: Finding, _ right: Finding) -> Bool {
    left.rule == right.rule && left.subject == right.subject && left.outcome == right.outcome
      && left.weight == right.weight
  }

  private static func words(_ finding: Finding) -> RichText {
    let standing = finding.outcome == .violated ? ", \(finding.weight.word)" : ""
    return RichText([
      Span(finding.rule.id, .name), Span("  \(finding.subject.description): \(finding.outcome.rawValue)\(standing)"),
    ])
  }

  private var verdicts: [Line] {
    let (old, new) = (left.simulation.outcome, right.simulation.outcome)
    var lines: [Line] = []
    if old.verdict != new.verdict {
      lines += [(Self.minus, old.verdict.line), (Self.plus, new.verdict.line)]
    }
    for goal in Goal.allCases where old.goals[goal] != new.goals[goal] {
      let states = [old, new].map { ($0.goals[goal] ?? .notApplicable).rawValue }
      lines.append((Self.other, "\(goal.rawValue): \(states.joined(separator: " → "))"))
    }
    return lines
  }
}

extension Verdict {
  /// The verdict on one line: `✗ refused by ats  ats.no-forward-secrecy`.
  var line: RichText {
    let layer = layer.map { " by \($0.rawValue)" } ?? ""
    let because = because.map(\.id).joined(separator: ", ")
    return word.glyph
      + RichText([Span(" "), Span(word.rawValue, word.style), Span(layer), Span(because.isEmpty ? "" : "  \(because)")])
  }
}

/// An alignment of two rows of words that pairs as many equal words as possible.
struct Alignment {
  /// The positions in both rows; nil if a word has no equal word in the other row.
  let pairs: [(Int?, Int?)]

  init(_ left: [String], _ right: [String]) {
    // The length of the longest common subsequence from each position on.
    var longest = Array(repeating: Array(repeating: 0, count: right.count + 1), count: left.count + 1)
    for one in left.indices.reversed() {
      for other in right.indices.reversed() {
        longest[one][other] =
          left[one] == right[other]
          ? longest[one + 1][other + 1] + 1 : max(longest[one + 1][other], longest[one][other + 1])
      }
    }
    var pairs: [(Int?, Int?)] = []
    var (one, other) = (0, 0)
    while one < left.count || other < right.count {
      if one < left.count, other < right.count, left[one] == right[other] {
        pairs.append((one, other))
        (one, other) = (one + 1, other + 1)
      } else if other == right.count || (one < left.count && longest[one + 1][other] >= longest[one][other + 1]) {
        pairs.append((one, nil))
        one += 1
      } else {
        pairs.append((nil, other))
        other += 1
      }
    }
    self.pairs = pairs
  }
}
