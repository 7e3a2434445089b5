import Cryptography
import Endpoint
import Explanation

/// Computes a calculation line by line.
///
/// For each line, the working determines the party that computes the line, the result, and the parties that then know
/// the result.
struct CalculationWorking {
  private let plan: CalculationPlan
  private let clock: Instant
  private let enforcement: Enforcement
  private var evaluator = Evaluator()
  private var trace = Trace(isShared: true)
  private var moves: [Calculation.Move] = []

  init(_ plan: CalculationPlan, clock: Instant, _ enforcement: Enforcement) {
    self.plan = plan
    self.clock = clock
    self.enforcement = enforcement
  }

  mutating func calculation() throws(CalculationError) -> Calculation {
    var all: [Value] = []
    for given in plan.given { all.append(held(given)) }
    trace = Trace(held: all, isShared: true)
    for (number, line) in plan.lines.enumerated() {
      do throws(ExpressionError) { try work(line) } catch {
        throw CalculationError(line: number, message: error.message, hint: error.hint, offset: error.offset)
      }
    }
    let quantities = evaluator.values.map { (ValueName($0.key), $0.value) }
    return Calculation(
      parties: plan.parties, held: trace.held, quantities: Dictionary(uniqueKeysWithValues: quantities), moves: moves,
      risks: plan.risks)
  }

  private mutating func held(_ given: CalculationPlan.Given) -> Value {
    evaluator.values[given.name] = given.value
    return Value(ValueName(given.name), given.value.bytes, derivations: handedOver(given.name) { _ in true })
  }

  /// Returns the derivations that give `name` to the members that need it and lack it.
  private func handedOver(_ name: String, to lacks: (Party) -> Bool) -> [Value.Derivation] {
    plan.members.filter { $0.values.contains(name) && lacks($0.party) }.map {
      $0.isThird ? .published : .generated(by: $0.party)
    }
  }

  private mutating func work(_ line: CalculationPlan.Line) throws(ExpressionError) {
    guard let name = line.name else { return try check(line) }
    let old = evaluator.values[name]
    let value = try evaluator.value(of: line.expression)
    let doer = try doer(of: line)
    let equation = "\(name) = \(ExpressionText().text(line.expression))"
    let work: CalculationEvent.Work =
      if !doer.lacks.isEmpty {
        .cannotCompute(lacks: doer.lacks)
      } else if old == nil {
        .computes(name: name, value: value.shown)
      } else {
        .tries(name: name, value: value == .none ? nil : value.shown, matches: old == value)
      }
    var step = Step(
      .calculated(.init(equation: equation, work: work, why: line.why)), at: clock, from: doer.party)
    if old == nil || old == value && doer.lacks.isEmpty { step.values = [made(name, value, of: line.expression)] }
    evaluator.values[name] = old ?? value
    record(step, line, expecting: value, name: name)
  }

  private func made(_ name: String, _ value: Quantity, of expression: Expression) -> Value {
    let name = ValueName(name)
    let way = Value.Derivation.computed(
      .expression(ExpressionText().text(expression)), from: expression.names.map(ValueName.init))
    var made = Value(name, value.bytes, way)
    var after = trace
    var step = Step(.computed([made]), at: clock, from: .client)
    step.values = [made]
    after.record(step)
    for way in handedOver(name.description, to: { !Knowledge(of: $0, in: after).knows(name) }) { made.add(way) }
    return made
  }

  private mutating func check(_ line: CalculationPlan.Line) throws(ExpressionError) {
    let holds = try evaluator.holds(line.expression)
    let mutant = try line.mutant.map { expression throws(ExpressionError) in try evaluator.holds(expression) }
    let text = ExpressionText().text(line.expression)
    let names = line.expression.names.map { "\($0) = \(evaluator.values[$0]?.shown ?? "")" }
    let own = mutant.map { decides in enforcement.deciding(line.rule.id) { _ in decides } } ?? enforcement
    let doer = try doer(of: line)
    let instead = mutant.flatMap { holds in
      line.mutant.map { CalculationEvent.Instead(equation: ExpressionText().text($0), holds: holds) }
    }
    let work = CalculationEvent.Work.checks(
      quantities: names, holds: holds, instead: instead, byReader: !doer.lacks.isEmpty)
    var step = Step(.calculated(.init(equation: text, work: work, why: line.why)), at: clock, from: doer.party)
    step.findings = [
      own.check(
        line.rule, on: .message(text), holds, required: .word(text), found: .word(names.joined(separator: ", ")))
    ]
    record(step, line, expecting: nil, name: nil, holds: holds)
  }

  private mutating func record(
    _ step: Step, _ line: CalculationPlan.Line, expecting value: Quantity?, name: String?, holds: Bool = false
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

  /// Returns the party that computes a line, and the values that it lacks.
  ///
  /// If the line does not name a party, the first party that has all values computes the line.
  private func doer(of line: CalculationPlan.Line) throws(ExpressionError) -> (party: Party, lacks: [String]) {
    let names = line.expression.names
    func lacks(_ party: Party) -> [String] {
      let knowledge = Knowledge(of: party, in: trace)
      return names.filter { !knowledge.knows(ValueName($0)) }
    }
    if let by = line.by {
      guard plan.parties.contains(by) else {
        throw ExpressionError(
          message: "unknown party '\(by)'", hint: Spelling.hint(for: by.name, among: plan.parties.map(\.name)),
          offset: 0)
      }
      return (by, lacks(by))
    }
    let all = plan.parties.map { ($0, lacks($0)) }
    if let able = all.first(where: { $0.1.isEmpty }) { return able }
    if line.name == nil, let first = all.min(by: { $0.1.count < $1.1.count }) { return first }
    throw ExpressionError(
      message: "no party has all of these values: \(names.joined(separator: ", "))",
      hint: "give a party the missing values under 'parties', or name a party, such as by: eavesdropper", offset: 0)
  }
}
