import Cryptography
import Explanation
import Simulator

/// What a calculation's values and parties are, with their places in the file.
struct GivenDescription {
  let given: CalculationPlan.Given
  let mark: SourceMark
}

/// A party of a calculation and the values it is given, with their places in the file.
struct MemberDescription {
  let party: Party
  let values: [(name: String, mark: SourceMark)]
}

/// A line of a calculation, and where its expression stands.
struct LineDescription {
  let line: CalculationPlan.Line
  let node: Node
}

extension Node {
  /// Where the scalar of this text stands in the text.
  func mark(at offset: Int) -> SourceMark {
    guard case .scalar(_, let quoted, let mark) = self else { return mark }
    return SourceMark(file: mark.file, line: mark.line, column: mark.column + offset + (quoted ? 1 : 0))
  }
}

/// A calculation while it is read.
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
    "Textbook RSA with toy numbers, step by step: + - * / mod ^, gcd, lcm, inverse(a, n), root(k, x), "
      + "floorRoot(k, x), hash(x), number(text), and == != < <= > >= in checks.",
    [
      .term(
        "given", Kind(.named(.text)) { $0.givenValues() },
        "numbers (3233, 0xca1) and texts that are there from the start, by name", into: \.given),
      .term(
        "parties", Kind(.named(.list(.text))) { $0.members() },
        "who is given which values; what eavesdropper or interceptor is given travels in the clear", into: \.members),
      .term(
        "steps", Kind(.list(.either([.text, .section("step")]))) { $0.list { $0 } },
        "n = p * q, in order; a name that stands for something already is tried to be come by in another way",
        into: \.lines),
      .term(
        "mutant", Kind(.named(.text)) { $0.mutants() },
        "a rule, and the comparison that a faulty program makes in the place of its checks", into: \.mutants),
      .term(
        "risks", .section(risksSection, Calculation.Risks.init),
        "what attackers are after: the goals are computed from it", into: \.risks),
    ])

  private static let risksSection = Section<Calculation.Risks>(
    "risks", "What attackers are after, by the names of values.",
    [
      .term("eavesdropping", .list(.anyValue), "what nobody else shall read", into: \.eavesdropping),
      .term("tampering", .list(.anyValue), "what was sent and what arrived, which shall be equal", into: \.tampering),
      .term("impersonation", .list(.anyValue), "keys by which their owner is known", into: \.impersonation),
    ])
}

/// A step of a calculation while it is read.
struct LineParts {
  var step: NodeReader?
  var check: NodeReader?
  var rule: NodeReader?
  var party: Party?
  var purpose = ""

  static let section = Section<LineParts>(
    "step", "A step of a calculation, with more to say about it.",
    [
      .term("step", .unread(.text), "a name and what it is given: n = p * q", into: \.step),
      .term("check", .unread(.text), "a comparison that must hold: m == N3", into: \.check),
      .term(
        "rule", .unread(.kind("any rule", .choice(RuleCatalogue.ids))),
        "the rule that a check is about; application.equation-fails, if left out", into: \.rule),
      .term(
        "by", Kind<String>.text.map { Party($0) },
        "the party that does it; the first that has all it takes, if left out",
        into: \.party),
      .term("why", .text, "what it is for, in a sentence", into: \.purpose),
    ])
}

extension NodeReader {
  /// A `calculation:` section, and where its lines stand; it is worked out when it is played.
  func calculation() -> (plan: CalculationPlan, lines: [Node])? {
    let before = sink.all.count
    var parts = CalculationParts()
    guard read(CalculationParts.section, into: &parts) != nil else { return nil }
    let lines = parts.lines.compactMap { $0.line(mutants: parts.mutants) }
    for (rule, entry) in parts.mutants where !lines.contains(where: { $0.line.name == nil && $0.line.rule.id == rule })
    {
      sink.error("no check is about '\(rule)'", hint: "write a check with rule: \(rule)", at: entry.mark)
    }
    guard sink.all.count == before else { return nil }
    guard !lines.isEmpty, lines.count <= 100 else {
      fail("a calculation has 1 to 100 steps", hint: "write steps: [n = p * q]")
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
          "'\(name)' is not a name for a value", hint: "a name has letters, digits and _, and begins with a letter",
          at: mark)
        return nil
      }
      return reader.quantity().map { .init(given: .init(name: name, value: $0), mark: mark) }
    }
  }

  /// An unquoted number is one, everything else is a text.
  private func quantity() -> Quantity? {
    guard let text = text() else { return nil }
    guard case .scalar(_, false, _) = node, Quantities.beginsNumber(text),
      let number = Quantities.number(text)
    else { return .text(text) }
    if number.bitWidth <= Quantities.mostBits { return .number(number) }
    fail(Quantities.tooLarge(at: 0).message, hint: "a blackboard has small numbers")
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
      if let rule = parts.rule { rule.fail("a step that checks nothing has no rule", hint: "write it with a check") }
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
      fail("a step has either 'step' or 'check'", hint: "write n = p * q, or check: m == N3")
      return nil
    }
  }

  /// Reads the text here as an expression; a slip is shown where it is in the text.
  private func expression<Result>(_ read: (String) throws(ExpressionError) -> Result) -> Result? {
    guard let text = text() else { return nil }
    do throws(ExpressionError) { return try read(text) } catch {
      sink.error(error.message, hint: error.hint, at: node.mark(at: error.offset))
      return nil
    }
  }
}

/// Checks the names and parties of a calculation: those that lines use must be there, and what is given must be given to
/// someone and used.
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
          "nobody is given '\(name)'", hint: "name who has it: parties: { client: [\(name)] }", at: entry.mark)
      }
      if !used.contains(name) {
        sink.error("the value '\(name)' is not used", hint: "use it in a step, or remove it", at: entry.mark)
      }
    }
  }
}

extension Scenario {
  /// The calculation, worked out; nil where connections are made.
  ///
  /// - Throws: `Diagnostics` that show the line which cannot be worked out.
  public func workedCalculation() throws(Diagnostics) -> Calculation? {
    guard let calculation else { return nil }
    do throws(CalculationError) { return try calculation.worked(at: clock) } catch {
      let node = calculationLines.indices.contains(error.line) ? calculationLines[error.line] : tree
      throw Diagnostics(error.message, hint: error.hint, at: node.mark(at: error.offset))
    }
  }
}
