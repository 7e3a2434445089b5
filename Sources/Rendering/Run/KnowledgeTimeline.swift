import Endpoint
import Explanation
import Scenarios
import Simulator

/// A timeline of the values that each party learns in each step.
struct KnowledgeTimeline {
  /// Values that one or more parties learn in one step.
  struct Learnt: Sendable, Hashable {
    let parties: [Party]
    let values: [Value.ID]
    /// Whether the parties have all inputs of the values, but do not compute them in this step.
    let isOpen: Bool
  }

  private let history: KnowledgeHistory

  /// Creates the timeline of a whole run, or of its steps up to `last`.
  init(_ simulation: any TracedRun, upTo last: Int = .max) { history = KnowledgeHistory(simulation, upTo: last) }

  /// Returns the values learned in the step with this number, by party. Each value has its derivation.
  func entries(in number: Int) -> [KnowledgeHistory.Learnt] { history.learnt(in: number) }

  /// Returns the values learned in the step with this number, grouped by the parties that learned them.
  func learnt(in number: Int) -> [Learnt] {
    let learnt = history.learnt(in: number)
    return Self.grouped(learnt.filter { !$0.isOpen }) + Self.grouped(learnt.filter(\.isOpen))
  }

  /// Groups values that the same parties learned.
  private static func grouped(_ learnt: [KnowledgeHistory.Learnt]) -> [Learnt] {
    var parties: [Value.ID: [Party]] = [:]
    var order: [Value.ID] = []
    for one in learnt {
      if parties[one.value] == nil { order.append(one.value) }
      parties[one.value, default: []].append(one.party)
    }
    var groups: [Learnt] = []
    for id in order {
      let own = parties[id] ?? []
      if let index = groups.firstIndex(where: { $0.parties == own }) {
        groups[index] = Learnt(parties: own, values: groups[index].values + [id], isOpen: groups[index].isOpen)
      } else {
        groups.append(Learnt(parties: own, values: [id], isOpen: learnt.first?.isOpen ?? false))
      }
    }
    return groups
  }
}
