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
    case connection(String)
    /// Someone sends something; the lanes by their index.
    case message(Step, from: Int, to: Int)
    /// Someone decides, computes or steals something.
    case note(Step, at: Int)
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
    var rows: [Row] = []
    var connection: String?
    for step in simulation.trace.steps {
      if let name = step.connection, name != connection, step.kind != .attack {
        connection = name
        rows.append(.connection(Self.heading(of: name, in: simulation)))
      }
      let from = lanes.firstIndex { $0.party == step.from } ?? 0
      if step.kind == .message, let to = lanes.firstIndex(where: { $0.party == step.to }) {
        rows.append(.message(step, from: from, to: to))
      } else {
        rows.append(.note(step, at: from))
      }
    }
    for outcome in Outcome.connections(of: simulation) {
      let reasons = outcome.verdict.because.map(\.id)
      rows.append(.verdict(outcome, reasons: firstError ? Array(reasons.prefix(1)) : reasons))
    }
    (self.lanes, self.rows) = (lanes, rows)
  }

  private static func lanes(of simulation: Simulation) -> [Lane] {
    var parties: [Party] = [.client, .eavesdropper]
    for plan in simulation.world.plans where !parties.contains(plan.server.tls.party) {
      parties.append(plan.server.tls.party)
    }
    for step in simulation.trace.steps {
      for party in [step.from, step.to].compactMap(\.self) where !parties.contains(party) { parties.append(party) }
    }
    return parties.map { Lane(party: $0, label: label(of: $0, in: simulation)) }
  }

  private static func label(of party: Party, in simulation: Simulation) -> String {
    let plans = simulation.world.plans
    if party == .client {
      let systems = Set(plans.map(\.client.decision.load.os.description))
      return systems.count == 1 ? "client (\(systems.first ?? ""))" : "client"
    }
    return plans.first { $0.server.tls.party == party }?.url.host ?? party.name
  }

  private static func heading(of name: String, in simulation: Simulation) -> String {
    let load = simulation.world.plans.first { $0.name == name }?.client.decision.load
    return "[\(name)]" + (load.map { "  \($0.os.description), \($0.url.description)" } ?? "")
  }
}

extension Step {
  /// What happened, where a lane already says who did it.
  var titleInLane: String {
    let subject = "\(from.name) "
    return kind == .derivation && title.hasPrefix(subject) ? String(title.dropFirst(subject.count)) : title
  }

  /// The values that become public with a message, by name; those of its content are the message itself.
  var shownValues: [Value.ID] {
    isProtected ? [] : values.map(\.id).filter { $0.split(separator: ".").count <= 2 }
  }

  /// Glyph and style of a step: what came of its checks, or what kind of thing happened.
  var mark: Span {
    if kind == .attack { return Span("!", .bad) }
    if findings.contains(where: \.refuses) { return Span("✗", .bad) }
    if findings.contains(where: { $0.outcome == .violated }) { return Span("!", .warning) }
    return Span("✓", .good)
  }
}
