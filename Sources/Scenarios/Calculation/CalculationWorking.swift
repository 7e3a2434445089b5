import Cryptography
import Endpoint
import Explanation
import Simulator

/// Works a calculation out, line by line: who can do it, what comes of it, and who has it then.
struct CalculationWorking {
  private let description: CalculationDescription
  private let members: [CalculationDescription.Member]
  private let clock: Instant
  private let sink: DiagnosticSink
  private var evaluator = Evaluator()
  private var trace = Trace(isShared: true)
  private var moves: [Calculation.Move] = []

  init(_ description: CalculationDescription, clock: Instant, sink: DiagnosticSink) {
    self.description = description
    self.clock = clock
    self.sink = sink
    // Without parties there is one, who has everything.
    let all = description.given.map { (name: $0.name, mark: $0.mark) }
    members =
      description.members.isEmpty
      ? [.init(party: .client, values: all, mark: description.given.first?.mark ?? description.lines[0].node.mark)]
      : description.members
  }

  /// The calculation; nil when a line of it cannot be worked out, which the sink then knows.
  mutating func calculation() -> Calculation? {
    var all: [Value] = []
    for given in description.given { all.append(held(given)) }
    trace = Trace(held: all, isShared: true)
    for line in description.lines {
      do throws(ExpressionError) { try work(line) } catch {
        sink.error(error.message, hint: error.hint, at: line.node.mark(at: error.offset))
        return nil
      }
    }
    checkNames()
    return Calculation(
      parties: members.map(\.party), held: trace.held, quantities: evaluator.values, moves: moves,
      risks: description.risks)
  }

  private mutating func held(_ given: CalculationDescription.Given) -> Value {
    evaluator.values[given.name] = given.value
    return Value(given.name, given.value.bytes, derivations: handedOver(given.name) { _ in true })
  }

  /// The ways by which those who are given `name` have it, as far as they lack it.
  private func handedOver(_ name: String, to lacks: (Party) -> Bool) -> [Value.Derivation] {
    members.filter { member in member.values.contains { $0.name == name } && lacks(member.party) }.map {
      $0.isThird ? .published : .generated(by: $0.party)
    }
  }

  private mutating func work(_ line: CalculationDescription.Line) throws(ExpressionError) {
    guard let name = line.name else { return try check(line) }
    let old = evaluator.values[name]
    let value = try evaluator.value(of: line.expression)
    let doer = try doer(of: line)
    let text = "\(name) = \(ExpressionText().text(line.expression))"
    var step = Step(.derivation, at: clock, from: doer.party, title: "\(doer.party) computes \(text)", narration: "")
    if !doer.lacks.isEmpty {
      step.title = "\(doer.party) cannot compute \(text)"
      step.narration = sentences(line.why, "It lacks \(doer.lacks.joined(separator: ", ")).")
    } else if old == nil {
      step.narration = sentences(line.why, "\(name) is \(value.shown).")
    } else {
      step.title = "\(doer.party) tries \(text)"
      step.narration = sentences(line.why, old == value ? "It is \(name): \(value.shown)." : Self.miss(value, name))
    }
    if old == nil || old == value && doer.lacks.isEmpty { step.values = [made(name, value, of: line.expression)] }
    evaluator.values[name] = old ?? value
    record(step, line, expecting: value, name: name)
  }

  private static func miss(_ value: Quantity, _ name: String) -> String {
    value == .none ? "There is no such number: it is not \(name)." : "That gives \(value.shown), and not \(name)."
  }

  private func made(_ name: String, _ value: Quantity, of expression: Expression) -> Value {
    var made = Value(
      name, value.bytes, .computed(.expression(ExpressionText().text(expression)), from: expression.names))
    var after = trace
    var step = Step(.derivation, at: clock, from: .client, title: "", narration: "")
    step.values = [made]
    after.record(step)
    for way in handedOver(name, to: { !Knowledge(of: $0, in: after).knows(name) }) { made.add(way) }
    return made
  }

  private mutating func check(_ line: CalculationDescription.Line) throws(ExpressionError) {
    let holds = try evaluator.holds(line.expression)
    let mutant = try line.mutant.map { expression throws(ExpressionError) in try evaluator.holds(expression) }
    let text = ExpressionText().text(line.expression)
    let names = line.expression.names.map { "\($0) = \(evaluator.values[$0]?.shown ?? "")" }
    let enforcement = mutant.map { decides in
      Enforcement.standard.deciding(line.rule.id) { _ in decides }
    }
    let doer = try doer(of: line)
    var step = Step(.decision, at: clock, from: doer.party, title: "\(doer.party) checks \(text)", narration: "")
    if !doer.lacks.isEmpty { step.title = "\(text): checked by the reader, who sees all of it" }
    var sentence = "\(names.joined(separator: ", ")): it \(holds ? "holds" : "does not hold")."
    if let mutant, let expression = line.mutant {
      sentence +=
        " But what is checked is \(ExpressionText().text(expression)), which "
        + "\(mutant ? "holds" : "does not hold")."
    }
    step.narration = sentences(line.why, sentence)
    step.findings = [
      (enforcement ?? .standard).check(
        line.rule, on: .message(text), holds, required: .word(text), found: .word(names.joined(separator: ", ")))
    ]
    record(step, line, expecting: nil, name: nil, holds: holds)
  }

  private mutating func record(
    _ step: Step, _ line: CalculationDescription.Line, expecting value: Quantity?, name: String?, holds: Bool = false
  ) {
    let numbers = ExpressionText(values: evaluator.values)
    let left = name.map { "\($0) = " } ?? ""
    var isText = false
    if case .text = value { isText = true }
    let arithmetic = Arithmetic(
      equation: left + ExpressionText().text(line.expression),
      numbers: (value.map { "\($0.shown) = " } ?? "") + numbers.text(line.expression),
      tables: BlackboardTables(line.expression, values: evaluator.values).all,
      program: isText ? nil : numbers.program(line.expression),
      result: value?.description ?? (holds ? "True" : "False"))
    trace.record(step)
    moves.append(.init(step: step, arithmetic: arithmetic))
  }

  private func sentences(_ first: String, _ second: String) -> String {
    first.isEmpty ? second : "\(first) \(second)"
  }

  /// Who does a line, and what it lacks for that: the party that is named, or the first that has all it takes.
  private func doer(of line: CalculationDescription.Line) throws(ExpressionError) -> (party: Party, lacks: [String]) {
    let names = line.expression.names
    func lacks(_ party: Party) -> [String] {
      let knowledge = Knowledge(of: party, in: trace)
      return names.filter { !knowledge.knows($0) }
    }
    if let by = line.by {
      guard members.contains(where: { $0.party == by }) else {
        throw ExpressionError(
          message: "unknown party '\(by)'", hint: Spelling.hint(for: by.name, among: members.map(\.party.name)),
          offset: 0)
      }
      return (by, lacks(by))
    }
    let all = members.map { ($0.party, lacks($0.party)) }
    if let able = all.first(where: { $0.1.isEmpty }) { return able }
    if line.name == nil, let first = all.min(by: { $0.1.count < $1.1.count }) { return first }
    throw ExpressionError(
      message: "no party has all of \(names.joined(separator: ", "))",
      hint: "give one of them what it lacks under 'parties', or say who tries: by: eavesdropper", offset: 0)
  }

  /// Names under `parties` and `risks` must exist, and what is given must be given to someone and used.
  private func checkNames() {
    let known = trace.valueNames
    for (name, mark) in members.flatMap(\.values) + risks where !known.contains(name) {
      sink.error("unknown value '\(name)'", hint: Spelling.hint(for: name, among: known), at: mark)
    }
    let used = Set(
      description.lines.flatMap { $0.expression.names + ($0.mutant?.names ?? []) } + risks.map(\.0))
    for given in description.given {
      if !members.contains(where: { $0.values.contains { $0.name == given.name } }) {
        sink.error(
          "nobody is given '\(given.name)'", hint: "name who has it: parties: { client: [\(given.name)] }",
          at: given.mark)
      }
      if !used.contains(given.name) {
        sink.error("the value '\(given.name)' is not used", hint: "use it in a step, or remove it", at: given.mark)
      }
    }
  }

  private var risks: [(String, SourceMark)] {
    let risks = description.risks
    let mark = description.lines.first?.node.mark ?? members[0].mark
    return (risks.eavesdropping + risks.tampering + risks.impersonation).map { ($0, mark) }
  }
}
