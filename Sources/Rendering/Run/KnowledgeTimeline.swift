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
    let isOpen: Bool
  }

  private let history: KnowledgeHistory

  /// The whole of a run, or of its steps up to `last`.
  init(_ simulation: any TracedRun, upTo last: Int = .max) { history = KnowledgeHistory(simulation, upTo: last) }

  /// What was learnt in the step of this number: party by party, each value with how it was come by.
  func entries(in number: Int) -> [KnowledgeHistory.Learnt] { history.learnt(in: number) }

  /// What was learnt in the step of this number, parties that learnt the same together.
  func learnt(in number: Int) -> [Learnt] {
    let learnt = history.learnt(in: number)
    return Self.grouped(learnt.filter { !$0.isOpen }) + Self.grouped(learnt.filter(\.isOpen))
  }

  /// Values that the same parties learnt, together.
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
