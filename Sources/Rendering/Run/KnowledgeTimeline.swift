import Endpoint
import Explanation
import Scenarios
import Simulator

/// What each party came to know in each step.
struct KnowledgeTimeline {
  /// What one or several parties came to know at once.
  struct Learnt: Sendable, Hashable {
    let parties: [Party]
    let values: [Value.ID]
    /// Whether they have what they need for it, but have not computed it in this step.
    var isOpen = false
  }

  private var byStep: [[Learnt]] = []

  /// The whole of a run, or of its steps up to `last`.
  init(_ simulation: any TracedRun, upTo last: Int = .max) {
    var trace = Trace(held: simulation.trace.held, isShared: simulation.trace.isShared)
    var known: [Party: Set<Value.ID>] = [:]
    for party in simulation.parties { known[party] = Set(Knowledge(of: party, in: trace).values) }
    for step in simulation.trace.steps.prefix(max(0, last)) {
      trace.record(step)
      var learnt: [(Party, [Value.ID])] = []
      var open: [(Party, [Value.ID])] = []
      for party in simulation.parties where !step.values.isEmpty || !step.leaked.isEmpty {
        let leaked = party == .eavesdropper ? Set(trace.leaks.map(\.secret)) : []
        let knowledge = Knowledge(of: party, in: trace, disclosed: leaked)
        let new = knowledge.values.filter { known[party]?.contains($0) != true }
        known[party, default: []].formUnion(new)
        let isEnd = ![.eavesdropper, .interceptor].contains(party) && simulation.calculation == nil
        let possible = isEnd ? new.filter { Self.isPossible($0, to: party, knowledge, in: step) } : []
        let known = new.filter { !possible.contains($0) }
        if !known.isEmpty { learnt.append((party, known)) }
        if !possible.isEmpty { open.append((party, possible)) }
      }
      byStep.append(
        Self.grouped(learnt) + Self.grouped(open).map { Learnt(parties: $0.parties, values: $0.values, isOpen: true) })
    }
  }

  /// What was learnt in the step of this number, parties that learnt the same together.
  func learnt(in number: Int) -> [Learnt] { byStep.indices.contains(number - 1) ? byStep[number - 1] : [] }

  /// Whether the value follows from what the party has, without having been computed or sent in this step.
  private static func isPossible(_ id: Value.ID, to party: Party, _ knowledge: Knowledge, in step: Step) -> Bool {
    guard case .computed? = knowledge.proof(of: id)?.last?.how else { return false }
    return step.from != party || !step.values.contains { $0.id == id }
  }

  /// Values that the same parties learnt, together.
  private static func grouped(_ learnt: [(party: Party, values: [Value.ID])]) -> [Learnt] {
    var order: [Value.ID] = []
    for id in learnt.flatMap(\.values) where !order.contains(id) { order.append(id) }
    var groups: [Learnt] = []
    for id in order {
      let parties = learnt.filter { $0.values.contains(id) }.map(\.party)
      if let index = groups.firstIndex(where: { $0.parties == parties }) {
        groups[index] = Learnt(parties: parties, values: groups[index].values + [id])
      } else {
        groups.append(Learnt(parties: parties, values: [id]))
      }
    }
    return groups
  }
}
