import Endpoint
import Explanation
import Simulator

/// Compares an outcome with an expectation.
struct Judge {
  let simulation: Simulation
  /// Whether only the verdicts of the client and the server are compared.
  var comparesOnlyVerdicts = false

  /// Returns the differences between the run on one date and its expectations.
  ///
  /// - Parameter parts: all connections of the run; fallback attempts and redirect hops are separate items.
  func mismatches(
    _ outcomes: [Outcome], parts: [Outcome], on date: Scenario, isOnly: Bool
  ) -> [Judgement.Mismatch] {
    var found: [Judgement.Mismatch] = []
    func add(_ more: [Judgement.Mismatch], prefix: String, _ verdict: Verdict? = nil) {
      found += more.map { .init(path: prefix + $0.path, expected: $0.expected, found: $0.found, verdict: verdict) }
    }
    if !date.isJudgedByParts {
      add(mismatches(Outcome(of: outcomes), date.expectation), prefix: isOnly ? "" : "\(date.clock.day).")
    }
    if !comparesOnlyVerdicts { add(idleAttacks(on: date), prefix: isOnly ? "" : "\(date.clock.day).") }
    for (connection, outcome) in zip(date.connections, outcomes) {
      let named = connection.name.flatMap { date.expectation?.connections[$0] }
      guard let expectation = connection.expectation ?? named else { continue }
      add(mismatches(outcome, expectation), prefix: connection.name.map { "\($0)." } ?? "", outcome.verdict)
    }
    let loads = Set(date.connections.compactMap(\.name))
    for (name, expectation) in date.expectation?.connections.sorted(by: { $0.key < $1.key }) ?? []
    where !loads.contains(name) {
      guard let outcome = Self.part(name, of: parts) else {
        add([.init(path: name, expected: "a connection with this name", found: "there is none")], prefix: "")
        continue
      }
      add(mismatches(outcome, expectation), prefix: "\(name).", outcome.verdict)
    }
    return found
  }

  /// Returns the fallback attempt or redirect hop with this name: `attempt2`, `first.hop1`.
  static func part(_ name: String, of connections: [Outcome]) -> Outcome? {
    if let outcome = connections.first(where: { $0.name == name }) { return outcome }
    // The first attempt has the name of the load itself, or none.
    let words = name.split(separator: ".").map(String.init)
    guard let last = words.last, ["attempt1", "hop1"].contains(last) else { return nil }
    let load = words.dropLast().joined(separator: ".")
    return connections.first { ($0.name ?? "") == load && $0.attempt == 0 && $0.hop == 0 }
  }

  /// Returns a mismatch for each attack that never applied, because the run then does not test the attack.
  private func idleAttacks(on date: Scenario) -> [Judgement.Mismatch] {
    date.network.compactMap { verb in
      // A server always has its ticket key, even without clients.
      let isTicketKey = date.servers.contains { $0.sessions == .tickets }
      if case .leak(let secret, _, _) = verb, simulation.trace.values[secret] == nil,
        !(isTicketKey && secret.kind == .sessionTicketKey)
      {
        return .init(path: "network", expected: "a leak of \(secret)", found: "there is no \(secret)")
      }
      guard case .attack(let attack) = verb else { return nil }
      let isMet = simulation.metAttacks[attack]
      if isMet == true { return nil }
      return .init(
        path: "network", expected: "\(attack.order) to apply to a message", found: attack.missed(isMet: isMet != nil)
      )
    }
  }

  /// Returns all differences from the expectation. Without an expectation, the client is expected to accept.
  func mismatches(_ outcome: Outcome, _ expectation: Expectation?) -> [Judgement.Mismatch] {
    let observation = Observation(outcome: outcome, simulation: simulation)
    let words = comparesOnlyVerdicts ? Expectation.verdictWords : Expectation.words
    let mismatches = words.flatMap { $0.mismatches(expectation ?? Expectation(), observation) }
    return comparesOnlyVerdicts ? mismatches.filter { $0.path.hasSuffix("verdict") } : mismatches
  }

  /// Returns a mismatch for each value that a participant must know and does not, or must not know and does.
  static func mismatches(
    _ knowledge: [Expectation.KnowledgeExpectation], in simulation: Simulation
  ) -> [Judgement.Mismatch] {
    knowledge.flatMap { expected -> [Judgement.Mismatch] in
      let knowledge = simulation.knowledge(of: expected.party)
      let path = "knowledge.\(expected.party)"
      return expected.knows.filter { !knowledge.knows($0) }.map {
        .init(path: "\(path).knows", expected: "\($0)", found: "\(expected.party) cannot learn \($0)")
      }
        + expected.lacks.compactMap { name in
          if knowledge.knows(name) {
            return .init(path: "\(path).lacks", expected: "\(name)", found: "\(expected.party) knows \(name)")
          }
          // If a value does not exist, no party can lack it.
          return simulation.trace.values[name] == nil
            ? .init(path: "\(path).lacks", expected: "\(name)", found: "there is no \(name)") : nil
        }
    }
  }
}

extension Outcome {
  /// The violated rules that were overridden, each listed once.
  public var overridden: [String] {
    var seen: Set<String> = []
    return findings.compactMap { finding in
      guard finding.outcome == .violated, case .overridden = finding.weight else { return nil }
      return seen.insert(finding.rule.id).inserted ? finding.rule.id : nil
    }
  }
}

extension Scenario {
  /// Whether only the case's individual connections have expectations.
  var isJudgedByParts: Bool {
    expectation.map { $0.saysNothing } ?? connections.contains { $0.expectation != nil }
  }
}

/// Compares the bytes of values with the expected bytes.
struct ValueJudge {
  private let trace: Trace
  /// The values of a calculation, by name.
  private let quantities: [Value.ID: Quantity]

  init(_ simulation: Simulation) {
    trace = simulation.trace
    quantities = simulation.calculation?.quantities ?? [:]
  }

  /// Returns the differences between expected and observed values. Numbers are compared by value, in decimal or
  /// hexadecimal notation.
  func mismatches(of values: [Value.ID: String]) -> [Judgement.Mismatch] {
    values.sorted { $0.key < $1.key }.compactMap { name, expected in
      let path = "values.\(name)"
      guard let value = trace.values[name] else {
        return .init(path: path, expected: expected, found: "there is no \(name)")
      }
      switch quantities[name] {
      case .number(let number):
        return Quantities.number(expected) == number
          ? nil : .init(path: path, expected: expected, found: number.description)
      case .text(let text): return text == expected ? nil : .init(path: path, expected: expected, found: text)
      default:
        let found = Hex.string(value.bytes)
        return found == expected.lowercased() || found.isEmpty && expected == "none"
          ? nil : .init(path: path, expected: expected, found: found)
      }
    }
  }

  func mismatches(of names: [Value.ID], areEqual: Bool) -> [Judgement.Mismatch] {
    let path = areEqual ? "equal" : "different"
    let values = names.map { trace.values[$0]?.bytes }
    if let missing = zip(names, values).first(where: { $0.1 == nil })?.0 {
      return [.init(path: path, expected: "\(missing)", found: "there is no \(missing)")]
    }
    let distinct = Set(values.compactMap(\.self)).count
    if areEqual ? distinct <= 1 : distinct == names.count { return [] }
    return [
      .init(
        path: path, expected: names.joined(separator: areEqual ? " = " : " ≠ "),
        found: areEqual ? "\(distinct) different values" : "some are equal")
    ]
  }

  func presence(of name: Value.ID) -> Judgement.Mismatch? {
    trace.values[name] == nil ? nil : .init(path: "absent", expected: "\(name)", found: "there is a \(name)")
  }

  func wireMismatch(_ name: Value.ID) -> Judgement.Mismatch? {
    guard let bytes = trace.values[name]?.bytes, !bytes.isEmpty else {
      return .init(path: "neverOnWire", expected: "\(name)", found: "there is no \(name)")
    }
    let step = trace.steps.first { $0.kind == .message && $0.bytes.contains(bytes) }
    return step.map {
      .init(path: "neverOnWire", expected: "\(name)", found: "a message contains it in step \($0.number)")
    }
  }
}
