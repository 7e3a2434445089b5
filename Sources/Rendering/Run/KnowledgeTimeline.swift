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
      for party in simulation.parties where !step.values.isEmpty || !step.leaked.isEmpty {
        let leaked = party == .eavesdropper ? Set(trace.leaks.map(\.secret)) : []
        let new = Knowledge(of: party, in: trace, disclosed: leaked).values
          .filter { known[party]?.contains($0) != true }
        known[party, default: []].formUnion(new)
        if !new.isEmpty { learnt.append((party, new)) }
      }
      byStep.append(Self.grouped(learnt))
    }
  }

  /// What was learnt in the step of this number, parties that learnt the same together.
  func learnt(in number: Int) -> [Learnt] { byStep.indices.contains(number - 1) ? byStep[number - 1] : [] }

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
