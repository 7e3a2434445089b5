import Endpoint
import Explanation
import Scenarios
import Simulator

/// A question about the order in which events happen.
///
/// In a connection, the events are the remaining messages up to the first refusal. In a calculation, they are steps
/// that depend on each other.
struct OrderQuestion {
  let subject: Subject
  let student: Student

  private static let most = 5

  func question() -> Question? {
    guard !subject.isOver else { return nil }
    let titles = subject.end.calculation.map(chain) ?? messages
    guard titles.count > 2 else { return nil }
    let places = student.shuffled(Array(titles.indices), for: "order/\(subject.scenario.name)")
    let options = places.map { Question.Option(titles[$0]) }
    let order = titles.indices.compactMap { places.firstIndex(of: $0) }
    let letters = options.indices.map(Question.letter)
    let example = (order == Array(options.indices) ? letters.reversed() : letters).joined()
    return Question(
      kind: .order, scenario: subject.scenario.name, text: text, given: [],
      options: options, format: "answer LETTERS, in the order of the steps, as in: answer \(example)",
      hints: hints(titles),
      solution: .order(order), reason: .sentence("The right order is: \(titles.joined(separator: "; ")).")
    )
  }

  private var text: String {
    "In which order will these steps happen\(connection.map { " in the connection '\($0)'" } ?? "")?"
  }

  private func hints(_ titles: [String]) -> [String] {
    let isToy = subject.scenario.calculation != nil
    return [
      isToy
        ? "Most steps need the result of an earlier step."
        : "Both sides send a hello before either sends a certificate.",
      isToy
        ? "Begin with the step that needs only given numbers."
        : "For each message, which message must its sender receive first?",
      "The first step is: \(titles[0]).",
    ]
  }

  /// The next connection with a message; nil if there is only one connection.
  private var connection: String? {
    subject.end.trace.steps.dropFirst(subject.now.trace.steps.count).first { $0.kind == .message }?.connection
  }

  /// The next messages up to the first refusal, which are the same as in a successful connection.
  private var messages: [String] {
    let steps = subject.end.trace.steps.dropFirst(subject.now.trace.steps.count)
    let open = steps.prefix { step in !step.findings.refuses && !step.isAlert }
    let titles = open.filter { $0.connection == connection }.compactMap { step in
      step.message.map { "\(step.from): \($0)" }
    }
    // A message that occurs twice has no single position.
    let unique = titles.filter { title in titles.count { $0 == title } == 1 }
    let start = student.choice(of: max(1, unique.count - Self.most + 1), for: "start/\(subject.scenario.name)")
    return Array(unique.dropFirst(start).prefix(Self.most))
  }

  /// Returns the longest chain of steps that each use the previous result, so that only one order is possible.
  private func chain(_ calculation: Calculation) -> [String] {
    // An equation that occurs twice has no single position.
    let moves = calculation.moves.dropFirst(subject.now.trace.steps.count).filter { move in
      calculation.moves.count { $0.arithmetic.equation == move.arithmetic.equation } == 1
    }
    var chains: [Value.ID: [String]] = [:]
    var longest: [String] = []
    for move in moves {
      guard let value = move.step.values.first, let inputs = Self.inputs(of: value) else { continue }
      let before = inputs.compactMap { chains[$0] }.max { $0.count < $1.count } ?? []
      let chain = before + [move.arithmetic.equation]
      chains[value.id] = chain
      if chain.count > longest.count { longest = chain }
    }
    return Array(longest.suffix(Self.most))
  }

  private static func inputs(of value: Value) -> [Value.ID]? {
    for case .computed(_, let inputs) in value.derivations { return inputs }
    return nil
  }
}
