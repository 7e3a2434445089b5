import Cryptography
import Explanation
import Simulator

/// A calculation as it was written, before it is worked out.
struct CalculationDescription {
  /// A value that is there from the start.
  struct Given {
    let name: String
    let value: Quantity
    let mark: SourceMark
  }

  /// A party, and the values it is given.
  struct Member {
    let party: Party
    let values: [(name: String, mark: SourceMark)]
    let mark: SourceMark

    /// What a third party is given, it saw on the network: so did everyone.
    var isThird: Bool { [.eavesdropper, .interceptor].contains(party) }
  }

  /// A line of the calculation: a value that gets a name, or a check.
  struct Line {
    /// The value's name; nil for a check.
    let name: String?
    let expression: Expression
    let by: Party?
    let why: String
    /// The rule that a check is about.
    let rule: Rule
    /// What decides the check in the place of its rule; nil where nothing does.
    let mutant: Expression?
    /// Where the expression stands.
    let node: Node
  }

  let given: [Given]
  let members: [Member]
  let lines: [Line]
  let risks: Calculation.Risks
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
  var given: [CalculationDescription.Given] = []
  var members: [CalculationDescription.Member] = []
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
      .term("eavesdropping", .list(.text), "what nobody else shall read", into: \.eavesdropping),
      .term("tampering", .list(.text), "what was sent and what arrived, which shall be equal", into: \.tampering),
      .term("impersonation", .list(.text), "keys by which their owner is known", into: \.impersonation),
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
        "by", Kind<String>.text.map { Party($0) }, "the party that does it; the first that has all it takes, if left out",
        into: \.party),
      .term("why", .text, "what it is for, in a sentence", into: \.purpose),
    ])
}

extension NodeReader {
  /// A `calculation:` section, worked out at once: what cannot be is wrong in the file.
  func calculation(clock: Instant) -> Calculation? {
    let before = sink.all.count
    var parts = CalculationParts()
    guard read(CalculationParts.section, into: &parts) != nil else { return nil }
    let description = CalculationDescription(
      given: parts.given, members: parts.members, lines: parts.lines.compactMap { $0.line(mutants: parts.mutants) },
      risks: parts.risks)
    for (rule, entry) in parts.mutants
    where !description.lines.contains(where: { $0.name == nil && $0.rule.id == rule }) {
      sink.error("no check is about '\(rule)'", hint: "write a check with rule: \(rule)", at: entry.mark)
    }
    guard sink.all.count == before else { return nil }
    guard !description.lines.isEmpty, description.lines.count <= 100 else {
      fail("a calculation has 1 to 100 steps", hint: "write steps: [n = p * q]")
      return nil
    }
    var working = CalculationWorking(description, clock: clock, sink: sink)
    return working.calculation()
  }

  fileprivate func givenValues() -> [CalculationDescription.Given] {
    named { name, mark, reader in
      guard Quantities.isName(name) else {
        sink.error(
          "'\(name)' is not a name for a value", hint: "a name has letters, digits and _, and begins with a letter",
          at: mark)
        return nil
      }
      return reader.quantity().map { .init(name: name, value: $0, mark: mark) }
    }
  }

  /// An unquoted number is one, everything else is a text.
  private func quantity() -> Quantity? {
    guard let text = text() else { return nil }
    guard case .scalar(_, false, _) = node, text.unicodeScalars.first.map(ExpressionTokens.isDigit) == true,
      let number = Quantities.number(text)
    else { return .text(text) }
    if number.bitWidth <= Quantities.mostBits { return .number(number) }
    fail(Quantities.tooLarge(at: 0).message, hint: "a blackboard has small numbers")
    return nil
  }

  fileprivate func members() -> [CalculationDescription.Member] {
    named { name, mark, reader in
      let values = reader.list { item in item.text().map { (name: $0, mark: item.node.mark) } } ?? []
      return .init(party: Party(name), values: values, mark: mark)
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
  ) -> CalculationDescription.Line? {
    if case .scalar = node {
      return expression(ExpressionReader.step).map { step in
        .init(
          name: step.name, expression: step.value, by: nil, why: "", rule: .equationHolds, mutant: nil, node: node)
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
          name: read.name, expression: read.value, by: parts.party, why: parts.purpose, rule: .equationHolds,
          mutant: nil, node: step.node)
      }
    case (nil, let check?):
      let rule = rule ?? .equationHolds
      return check.expression(ExpressionReader.comparison).map { read in
        .init(
          name: nil, expression: read, by: parts.party, why: parts.purpose, rule: rule,
          mutant: mutants[rule.id]?.expression, node: check.node)
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
