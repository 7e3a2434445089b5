import Endpoint
import Explanation
import Simulator

/// Who sent what to whom, and what was decided: what a picture of a run shows, before it has a form.
struct DiagramModel {
  /// Someone who takes part or watches.
  struct Lane: Hashable {
    let party: Party
    let label: String
  }

  /// What stands below what stands before it.
  enum Row {
    /// A connection begins, where there are several.
    case connection([String])
    /// Someone sends something; the lanes by their index.
    case message(Step, from: Int, to: Int)
    /// Someone decides, computes or steals something.
    case note(Step, at: Int)
    /// What an attacker made of a message arrives, or what was added to it.
    case arrival(Interference, from: Int, to: Int)
    /// What came of a connection.
    case verdict(Outcome, reasons: [String])
  }

  /// The lanes from left to right: the client, who watches, and those it speaks with.
  let lanes: [Lane]
  /// The rows from top to bottom.
  let rows: [Row]

  /// The picture of a run.
  ///
  /// - Parameter firstError: only the first reason of a refusal is shown.
  init(_ simulation: Simulation, firstError: Bool = false) {
    let lanes = Self.lanes(of: simulation)
    var rows: [Row] = simulation.calculation == nil ? [] : [.connection([Calculation.banner])]
    var connection: String?
    let steps = simulation.trace.steps
    func lane(_ party: Party?) -> Int? { lanes.firstIndex { $0.party == party } }
    for (index, step) in steps.enumerated() {
      if let name = step.connection, name != connection {
        connection = name
        rows.append(.connection(Self.heading(of: name, in: simulation)))
      }
      let from = lane(step.isFetch ? .client : step.from) ?? 0
      guard step.kind == .message, !step.isFetch, let to = lane(step.to) else {
        rows.append(.note(step, at: from))
        if let arrival = steps.arrival(at: index), let to = lane(step.to) {
          rows.append(.arrival(arrival, from: from, to: to))
        }
        continue
      }
      let end = steps.isStopped(at: index) ? lane(.interceptor) ?? to : to
      rows.append(.message(step, from: from, to: end))
    }
    // A run that goes on has come to nothing yet.
    for outcome in simulation.isAtEnd ? Outcome.connections(of: simulation) : [] {
      let reasons = outcome.verdict.because.map(\.id)
      rows.append(.verdict(outcome, reasons: firstError ? Array(reasons.prefix(1)) : reasons))
    }
    (self.lanes, self.rows) = (lanes, rows)
  }

  private static func lanes(of simulation: Simulation) -> [Lane] {
    let steps = simulation.trace.steps
    func acts(_ party: Party) -> Bool { steps.contains { $0.from == party || $0.to == party } }
    // Between the ends stands who interferes; who only listens is shown beside only when there is more to say.
    let isAttacked = acts(.interceptor)
    var parties = simulation.calculation?.parties ?? [.client]
    let isCalculation = simulation.calculation != nil
    if !isCalculation, !isAttacked || acts(.eavesdropper) { parties.append(.eavesdropper) }
    if isAttacked, !isCalculation { parties.append(.interceptor) }
    for plan in simulation.plans where !parties.contains(plan.server.tls.party) {
      parties.append(plan.server.tls.party)
    }
    for step in steps where !step.isFetch {
      for party in [step.from, step.to].compactMap(\.self) where !parties.contains(party) { parties.append(party) }
    }
    return parties.map { Lane(party: $0, label: label(of: $0, in: simulation)) }
  }

  private static func label(of party: Party, in simulation: Simulation) -> String {
    let plans = simulation.plans
    if party == .client {
      let systems = Set(plans.map(\.client.decision.load.os.description))
      return systems.count == 1 ? "client (\(systems.first ?? ""))" : "client"
    }
    return plans.first { $0.server.tls.party == party }?.url.host ?? party.name
  }

  /// The connection's name and what it loads, and below it what has changed in the world since the one before.
  static func heading(of name: String, in simulation: Simulation) -> [String] {
    guard let plan = simulation.plans.first(where: { $0.name == name }) else { return ["[\(name)]"] }
    let load = plan.client.decision.load
    let what =
      plan.replayed.map { "the interceptor plays \($0) again" } ?? "\(load.os.description), \(load.url.description)"
    return ["[\(name)]  \(what)"] + plan.changes.map { "now \($0)" }
  }
}
