import Simulator

extension ScenarioReader {
  /// So many steps of a calculation leave room for a question on one screen.
  private static let mostSteps = 8

  /// What a student must know of `scenario` to answer `kind`: what differs from the baseline, line by line; of a
  /// calculation what is given, and how it goes on.
  public func situation(of scenario: Scenario, for kind: Question.Kind) -> [(key: String, value: String)] {
    if let calculation = scenario.calculation { return Self.situation(of: calculation, in: scenario, for: kind) }
    let unsaid = ["title", "lesson", "level", "sources", "disputed", "kills", "sibling", "expect", "clock", "seed"]
    let difference = scenario.tree.without(unsaid).difference(from: baseline.root.without(unsaid))
    // What several connections take the place of is not special.
    let entries = (difference?.entries ?? []).filter { $0.key != "request" || !$0.value.isNull }
    let lines = entries.flatMap { entry in Self.lines(entry.key, entry.value.withoutExpectations) }
    // Who is on the network is said even where it is as usual: the title may be about another case.
    guard !lines.contains(where: { $0.key == "network" }), let network = scenario.tree["network"] else { return lines }
    return lines + [("network", network.withoutExpectations.flowText)]
  }

  /// A map by its keys, so that each line is one difference.
  private static func lines(_ key: String, _ node: Node) -> [(key: String, value: String)] {
    guard ["client", "server"].contains(key), let entries = node.entries, !entries.isEmpty else {
      return [(key, node.flowText)]
    }
    return entries.map { ("\(key).\($0.key)", $0.value.flowText) }
  }

  private static func situation(
    of calculation: Calculation, in scenario: Scenario, for kind: Question.Kind
  ) -> [(key: String, value: String)] {
    if kind == .compute { return [] }
    let given = scenario.tree["calculation"]?["given"]?.entries ?? []
    let numbers = given.map { "\($0.key) = \($0.value.flowText)" }.joined(separator: ", ")
    if kind == .order { return [("given", numbers)] }
    let steps = calculation.moves.prefix(mostSteps).map(\.arithmetic.equation).joined(separator: "; ")
    return [("given", numbers), ("steps", steps + (calculation.moves.count > mostSteps ? "; …" : ""))]
  }
}

extension Node {
  /// This node without what any part of it expects.
  fileprivate var withoutExpectations: Node {
    switch self {
    case .scalar: self
    case .list(let items, let mark): .list(items.map(\.withoutExpectations), mark)
    case .map(let entries, let mark):
      .map(
        entries.filter { $0.key != "expect" }.map {
          Entry(key: $0.key, mark: $0.mark, value: $0.value.withoutExpectations)
        }, mark)
    }
  }
}
