import Cryptography
import Explanation
import Simulator

/// A given value of a calculation, with its place in the file.
struct GivenDescription {
  let given: CalculationPlan.Given
  let mark: SourceMark
}

/// A participant in a calculation: its initial values and their positions in the file.
struct MemberDescription {
  let party: Party
  let values: [(name: String, mark: SourceMark)]
}

/// A line of a calculation and the place of its expression in the file.
struct LineDescription {
  let line: CalculationPlan.Line
  let node: Node
}

extension Node {
  /// The place in the file of the character at `offset` in this scalar.
  func mark(at offset: Int) -> SourceMark {
    guard case .scalar(_, let quoted, let mark) = self else { return mark }
    return SourceMark(file: mark.file, line: mark.line, column: mark.column + offset + (quoted ? 1 : 0))
  }
}

/// A calculation under construction.
struct CalculationParts {
  var given: [GivenDescription] = []
  var members: [MemberDescription] = []
  var lines: [NodeReader] = []
  var mutants: [String: (expression: Expression, mark: SourceMark)] = [:]
  var risks = Calculation.Risks()

  /// The sections of a calculation.
  static let sections = [section.words, LineParts.section.words, risksSection.words]

  static let section = Section<CalculationParts>(
    "calculation",
    "Textbook RSA with toy numbers, step by step. Expressions use + - * / mod ^, gcd, lcm, inverse(a, n), root(k, x), "
      + "floorRoot(k, x), hash(x) and number(text); checks use == != < <= > >=.",
    [
      .term(
        "given", Kind(.named(.text)) { $0.givenValues() },
        "the initial numbers (such as 3233 or 0xca1) and texts, by name", into: \.given),
      .term(
        "parties", Kind(.named(.list(.text))) { $0.members() },
        "the initial values of each party; the values of eavesdropper or interceptor are sent in the clear",
        into: \.members),
      .term(
        "steps", Kind(.list(.either([.text, .section("step")]))) { $0.list { $0 } },
        "the steps in order, such as n = p * q; a step whose name already has a value tries to derive that value again",
        into: \.lines),
      .term(
        "mutant", Kind(.named(.text)) { $0.mutants() },
        "the comparison that a faulty program makes instead of the checks of a rule, by the rule's "
          + "id", into: \.mutants),
      .term(
        "risks", .section(risksSection, Calculation.Risks.init),
        "the values that the attackers target, which determine their goals", into: \.risks),
    ])

  private static let risksSection = Section<Calculation.Risks>(
    "risks", "The names of the values that the attackers target.",
    [
      .term("eavesdropping", .list(.anyValue), "confidential values", into: \.eavesdropping),
      .term("tampering", .list(.anyValue), "values as sent and as received, which must be equal", into: \.tampering),
      .term("impersonation", .list(.anyValue), "keys that identify their owner", into: \.impersonation),
    ])
}

/// A step of a calculation under construction.
struct LineParts {
  var step: NodeReader?
  var check: NodeReader?
  var rule: NodeReader?
  var party: Party?
  var purpose = ""

  static let section = Section<LineParts>(
    "step", "A step of a calculation, as a map of its properties.",
    [
      .term("step", .unread(.text), "the name of a value and the expression that computes it: n = p * q", into: \.step),
      .term("check", .unread(.text), "a comparison that must be true: m == N3", into: \.check),
      .term(
        "rule", .unread(.kind("any rule", .choice(RuleCatalogue.ids))),
        "the rule that a failed check violates; default: application.equation-fails", into: \.rule),
      .term(
        "by", Kind<String>.text.map { Party($0) },
        "the party that calculates the step; default: the first party that has all inputs",
        into: \.party),
      .term("why", .text, "the purpose of the step, in one sentence", into: \.purpose),
    ])
}

extension NodeReader {
  /// Reads a `calculation:` section and the places of its lines. The simulator evaluates the lines.
  func calculation() -> (plan: CalculationPlan, lines: [Node])? {
    let before = sink.all.count
    var parts = CalculationParts()
    guard read(CalculationParts.section, into: &parts) != nil else { return nil }
    let lines = parts.lines.compactMap { $0.line(mutants: parts.mutants) }
    for (rule, entry) in parts.mutants where !lines.contains(where: { $0.line.name == nil && $0.line.rule.id == rule })
    {
      sink.error("no check has the rule '\(rule)'", hint: "write rule: \(rule) in a check", at: entry.mark)
    }
    guard sink.all.count == before else { return nil }
    guard !lines.isEmpty, lines.count <= 100 else {
      fail("a calculation must have 1 to 100 steps", hint: "write steps: [n = p * q]")
      return nil
    }
    let plan = CalculationPlan(
      given: parts.given.map(\.given),
      members: parts.members.map { .init(party: $0.party, values: $0.values.map(\.name)) }, lines: lines.map(\.line),
      risks: parts.risks)
    CalculationCheck(parts: parts, plan: plan, lines: lines, sink: sink).run()
    return (plan, lines.map(\.node))
  }

  fileprivate func givenValues() -> [GivenDescription] {
    named { name, mark, reader in
      guard Quantities.isName(name) else {
        sink.error(
          "'\(name)' is not a valid name for a value", hint: "use letters, digits and _, and begin with a letter",
          at: mark)
        return nil
      }
      return reader.quantity().map { .init(given: .init(name: name, value: $0), mark: mark) }
    }
  }

  /// Reads an unquoted number as a number, and any other scalar as a text.
  private func quantity() -> Quantity? {
    guard let text = text() else { return nil }
    guard case .scalar(_, false, _) = node, Quantities.beginsNumber(text),
      let number = Quantities.number(text)
    else { return .text(text) }
    if number.bitWidth <= Quantities.mostBits { return .number(number) }
    fail(Quantities.tooLarge(at: 0).message, hint: "use small numbers")
    return nil
  }

  fileprivate func members() -> [MemberDescription] {
    named { name, _, reader in
      let values = reader.list { item in item.text().map { (name: $0, mark: item.node.mark) } } ?? []
      return .init(party: Party(name), values: values)
    }
  }

  fileprivate func mutants() -> [String: (expression: Expression, mark: SourceMark)] {
    let all = named { name, mark, reader -> (String, (expression: Expression, mark: SourceMark))? in
      guard RuleCatalogue.rule(name) != nil else {
        sink.error("unknown rule '\(name)'", hint: Spelling.hint(for: name, among: RuleCatalogue.ids), at: mark)
        return nil
      }
      return reader.expression(ExpressionReader.comparison).map { (name, ($0, mark)) }
    }
    return Dictionary(all) { first, _ in first }
  }

  private func line(
    mutants: [String: (expression: Expression, mark: SourceMark)]
  ) -> LineDescription? {
    if case .scalar = node {
      return expression(ExpressionReader.step).map { step in
        .init(
          line: .init(
            name: step.name, expression: step.value, by: nil, why: "", rule: .equationHolds, mutant: nil), node: node)
      }
    }
    var parts = LineParts()
    guard read(LineParts.section, into: &parts) != nil else { return nil }
    let rule = parts.rule?.choice(RuleCatalogue.ids, called: "rule").flatMap(RuleCatalogue.rule)
    switch (parts.step, parts.check) {
    case (let step?, nil):
      if let rule = parts.rule {
        rule.fail("'rule' applies to a check, not to a step", hint: "move the rule to a check")
      }
      return step.expression(ExpressionReader.step).map { read in
        .init(
          line: .init(
            name: read.name, expression: read.value, by: parts.party, why: parts.purpose, rule: .equationHolds,
            mutant: nil), node: step.node)
      }
    case (nil, let check?):
      let rule = rule ?? .equationHolds
      return check.expression(ExpressionReader.comparison).map { read in
        .init(
          line: .init(
            name: nil, expression: read, by: parts.party, why: parts.purpose, rule: rule,
            mutant: mutants[rule.id]?.expression), node: check.node)
      }
    default:
      fail("a step needs either 'step' or 'check'", hint: "write n = p * q, or check: m == N3")
      return nil
    }
  }

  /// Parses the text of this node as an expression. The place of an error is within the text.
  private func expression<Result>(_ read: (String) throws(ExpressionError) -> Result) -> Result? {
    guard let text = text() else { return nil }
    do throws(ExpressionError) { return try read(text) } catch {
      sink.error(error.message, hint: error.hint, at: node.mark(at: error.offset))
      return nil
    }
  }
}

/// Checks the names and participants of a calculation. Lines must use names that exist, and each given value needs a
/// participant and a use.
private struct CalculationCheck {
  let parts: CalculationParts
  let plan: CalculationPlan
  let lines: [LineDescription]
  let sink: DiagnosticSink

  func run() {
    let before = sink.all.count
    checkLines()
    if sink.all.count == before { checkNames() }
  }

  private func checkLines() {
    var known = Set(plan.given.map(\.name))
    for (line, node) in lines.map({ ($0.line, $0.node) }) {
      for expression in [line.expression, line.mutant].compactMap(\.self) {
        guard let (name, offset) = expression.unknown(among: known) else { continue }
        sink.error(
          "unknown name '\(name)'", hint: Spelling.hint(for: name, among: known.sorted()), at: node.mark(at: offset))
      }
      if let by = line.by, !plan.parties.contains(by) {
        sink.error(
          "unknown party '\(by)'", hint: Spelling.hint(for: by.name, among: plan.parties.map(\.name)),
          at: node.mark(at: 0))
      }
      if let name = line.name { known.insert(name) }
    }
  }

  private func checkNames() {
    let known = plan.names
    let place = lines.first?.node.mark
    let risks = (plan.risks.eavesdropping + plan.risks.tampering + plan.risks.impersonation).map(\.description)
    let named = parts.members.flatMap(\.values) + risks.compactMap { name in place.map { (name: name, mark: $0) } }
    for (name, mark) in named where !known.contains(name) {
      sink.error("unknown value '\(name)'", hint: Spelling.hint(for: name, among: known.sorted()), at: mark)
    }
    let used = Set(plan.lines.flatMap { $0.expression.names + ($0.mutant?.names ?? []) } + risks)
    for entry in parts.given {
      let name = entry.given.name
      if !plan.members.contains(where: { $0.values.contains(name) }) {
        sink.error(
          "no party has the given value '\(name)'", hint: "write parties: { client: [\(name)] }", at: entry.mark)
      }
      if !used.contains(name) {
        sink.error("the value '\(name)' is not used", hint: "use it in a step, or remove it", at: entry.mark)
      }
    }
  }
}

extension Scenario {
  /// The result of the calculation; nil if the case makes connections instead.
  ///
  /// - Throws: `Diagnostics` that show the failed line.
  public func workedCalculation(under enforcement: Enforcement = .standard) throws(Diagnostics) -> Calculation? {
    guard let calculation else { return nil }
    do throws(CalculationError) { return try calculation.worked(at: clock, enforcement: enforcement) } catch {
      let node = calculationLines.indices.contains(error.line) ? calculationLines[error.line] : tree
      throw Diagnostics(error.message, hint: error.hint, at: node.mark(at: error.offset))
    }
  }
}
