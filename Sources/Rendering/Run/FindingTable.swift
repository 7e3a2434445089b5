import Explanation

/// The rules and findings of a JSON document, each listed once. All other parts refer to them by index.
struct FindingTable {
  private var rules: [Rule] = []
  private var findings: [Finding] = []
  private var ruleIndexes: [[String]: Int] = [:]
  private var indexes: [Finding: Int] = [:]
  /// The number of findings that determine the verdict. They are the first findings in the table.
  private let verdictCount: Int

  /// Creates a table of the findings that determine a verdict, and of other findings.
  init(verdict: [Finding], others: [Finding]) {
    verdictCount = Set(verdict).count
    for finding in verdict + others { add(finding) }
  }

  private mutating func add(_ finding: Finding) {
    guard indexes[finding] == nil else { return }
    indexes[finding] = findings.count
    findings.append(finding)
    guard ruleIndexes[finding.rule.row] == nil else { return }
    ruleIndexes[finding.rule.row] = rules.count
    rules.append(finding.rule)
  }

  /// The members `rules` and `findings` of the document.
  var members: [JSONValue.Member] {
    [
      .init("rules", .array(rules.map(\.json))),
      .init("findings", .array(findings.indices.map(json))),
    ]
  }

  /// Returns the references to these findings.
  func references(to findings: [Finding]) -> JSONValue {
    .array(findings.compactMap { indexes[$0] }.map { .integer($0) })
  }

  private func json(at index: Int) -> JSONValue {
    let finding = findings[index]
    let rule = JSONValue.Member("rule", .integer(ruleIndexes[finding.rule.row] ?? 0))
    let setAside: [JSONValue.Member] = index < verdictCount ? [] : [.init("setAside", true)]
    return .object([rule] + finding.assessment.filter { $0.value != "" } + finding.consequence + setAside)
  }
}

extension Rule {
  /// The key that distinguishes the rows of a table of rules. A rule has one row for each fix.
  fileprivate var row: [String] { [id, fix] }

  fileprivate var json: JSONValue {
    [
      "id": .string(id), "statement": .string(statement), "clause": .string(clause.description), "fix": .string(fix),
    ]
  }
}
