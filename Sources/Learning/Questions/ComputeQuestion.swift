import Cryptography
import Explanation
import Scenarios
import Simulator

/// A question about the result of one calculation step, with the student's own primes.
struct ComputeQuestion {
  let subject: Subject
  let student: Student

  func question() -> Question? {
    guard subject.scenario.calculation != nil, !subject.isOver,
      let calculation = ToyNumbers(subject.scenario, student).calculation
    else { return nil }
    let moves = calculation.moves.filter { number(of: $0, in: calculation) != nil }
    guard !moves.isEmpty else { return nil }
    let move = moves[student.choice(of: moves.count, for: "compute/\(subject.scenario.name)")]
    guard let value = move.step.values.first, let number = number(of: move, in: calculation) else { return nil }
    let given = inputs(of: move).compactMap { name in
      calculation.quantities[name].map { "\(name) = \($0)" }
    }
    return Question(
      kind: .compute, scenario: subject.scenario.name, text: "What is \(move.arithmetic.equation)?", given: given,
      options: [], format: "answer NUMBER, with a whole number, as in 'answer 42'",
      hints: [
        "The answer takes one step of arithmetic: insert the numbers.",
        "With numbers: \(Self.right(move.arithmetic.numbers))",
        move.arithmetic.program.map { "Use python3: \($0)" } ?? "Calculate the result line by line.",
      ], solution: .number(number), reason: .sentence("\(value.id) = \(move.arithmetic.numbers)."))
  }

  /// Returns the text to the right of the first equals sign.
  private static func right(_ numbers: String) -> String {
    numbers.firstIndex(of: "=").map { numbers[numbers.index(after: $0)...].drop { $0 == " " } }.map(String.init)
      ?? numbers
  }

  /// Returns the result of a suitable step, which is a power or an inverse with small numbers.
  private func number(of move: Calculation.Move, in calculation: Calculation) -> Natural? {
    let equation = move.arithmetic.equation
    guard equation.contains(" mod ") || equation.contains("inverse("), !equation.contains("hash("),
      !equation.contains("number("), let value = move.step.values.first,
      case .number(let number) = calculation.quantities[value.id],
      inputs(of: move).allSatisfy({ isSmall(calculation.quantities[$0]) }), isSmall(.number(number))
    else { return nil }
    return number
  }

  private func isSmall(_ quantity: Quantity?) -> Bool {
    guard case .number(let number) = quantity else { return false }
    return number.bitWidth <= 24
  }

  private func inputs(of move: Calculation.Move) -> [Value.ID] {
    for case .computed(_, let inputs) in move.step.values.first?.derivations ?? [] { return inputs }
    return []
  }
}

/// A calculation with the student's own small numbers, if its outcome remains the same with them.
struct ToyNumbers {
  private let scenario: Scenario
  private let student: Student

  init(_ scenario: Scenario, _ student: Student) {
    self.scenario = scenario
    self.student = student
  }

  /// The primes from 41 to 113, with which n has four or five digits.
  private static let primes = [41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113]
  private static let tries = 8

  /// The calculation with the student's own p, q and N3, or the original calculation if they would change the outcome.
  var calculation: Calculation? {
    let given = try? scenario.workedCalculation()
    for attempt in 0..<Self.tries {
      let own = varied(attempt).flatMap { try? $0.workedCalculation() }
      if let own, outcome(of: own) == given.map(outcome) { return own }
    }
    return given
  }

  /// Returns the outcome that must not change: the verdict's findings, and the steps that succeed.
  private func outcome(of calculation: Calculation) -> [String] {
    calculation.moves.flatMap { move in
      ["\(move.step.isImpossible)"] + move.step.findings.map { "\($0.rule.id) \($0.outcome.rawValue)" }
    }
  }

  private func varied(_ attempt: Int) -> Scenario? {
    guard let given = scenario.tree["calculation"]?["given"], given["p"] != nil, given["q"] != nil else { return nil }
    let label = "primes/\(scenario.id)/\(attempt)"
    var numbers = Array(zip(["p", "q"], student.shuffled(Self.primes, for: label)))
    // N3 is a power below n, so it is limited by the smallest product of two of the primes.
    if given["N3"] != nil { numbers.append(("N3", 2 + student.choice(of: 1700, for: "\(label)/N3"))) }
    let entries = numbers.map { name, number in
      Node.Entry(key: name, mark: given.mark, value: .scalar("\(number)", quoted: false, given.mark))
    }
    guard let path = ScenarioPath("calculation.given") else { return nil }
    return try? scenario.changing(path, to: .map(entries, given.mark))
  }
}
