import Endpoint
import Explanation

/// Who came to know what in each step of a run, worked out once from its first step to its last.
public struct KnowledgeHistory: Sendable {
  /// One value that a party came to know.
  public struct Learnt: Sendable, Hashable {
    /// Who.
    public let party: Party
    /// The value's name.
    public let value: Value.ID
    /// How it was come by; nil when it leaked.
    public let how: Value.Derivation?
    /// Whether the party has what it takes, but has not computed the value in this step.
    public let isOpen: Bool
  }

  private var byStep: [[Learnt]] = []

  /// The whole of a run, or of its steps up to the one of the number `last`.
  public init(_ run: any TracedRun, upTo last: Int = .max) {
    var trace = Trace(held: run.trace.held, isShared: run.trace.isShared)
    var leaked: Set<Value.ID> = []
    // What an interceptor stole before is no news of any step.
    var knowledge = run.parties.map { Knowledge(of: $0, in: trace, disclosed: run.stolen(by: $0)) }
    for step in run.trace.steps.prefix(max(0, last)) {
      trace.record(step)
      leaked.formUnion(step.leaked)
      var learnt: [Learnt] = []
      if !step.values.isEmpty || !step.leaked.isEmpty {
        for index in knowledge.indices {
          let party = knowledge[index].party
          let disclosed = party.hearsNetwork ? leaked.union(run.stolen(by: party)) : []
          for id in knowledge[index].update(trace, disclosed: disclosed) {
            let how = knowledge[index].way(to: id)
            let mayBeOpen = !party.hearsNetwork && run.calculation == nil
            learnt.append(
              Learnt(party: party, value: id, how: how, isOpen: mayBeOpen && Self.isOpen(id, how, to: party, in: step)))
          }
        }
      }
      byStep.append(learnt)
    }
  }

  /// What was learnt in the step of this number, party by party.
  public func learnt(in number: Int) -> [Learnt] { byStep.indices.contains(number - 1) ? byStep[number - 1] : [] }

  /// Whether the value follows from what the party has, without having been computed or sent in this step.
  private static func isOpen(_ id: Value.ID, _ how: Value.Derivation?, to party: Party, in step: Step) -> Bool {
    guard case .computed? = how else { return false }
    return step.from != party || !step.values.contains { $0.id == id }
  }
}
