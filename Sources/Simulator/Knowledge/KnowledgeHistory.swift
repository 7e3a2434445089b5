import Endpoint
import Explanation

/// A history of the values that each party learned in each step of a run.
///
/// The history is computed once, from the first step to the last.
public struct KnowledgeHistory: Sendable {
  /// A value that a party learned.
  public struct Learnt: Sendable, Hashable {
    /// The party that learned the value.
    public let party: Party
    /// The name of the value.
    public let value: Value.ID
    /// The derivation of the value; nil if the value leaked.
    public let how: Value.Derivation?
    /// Whether the party has all inputs but has not computed the value in this step.
    public let isOpen: Bool
  }

  private var byStep: [[Learnt]] = []

  /// Computes the history of a run, or of its steps up to number `last`.
  public init(_ run: any TracedRun, upTo last: Int = .max) {
    var trace = Trace(held: run.trace.held, isShared: run.trace.isShared)
    var leaked: Set<Leak.Content> = []
    // No step reports secrets that an interceptor stole before the run.
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

  /// Returns the values that were learned in the step with this number, grouped by party.
  public func learnt(in number: Int) -> [Learnt] { byStep.indices.contains(number - 1) ? byStep[number - 1] : [] }

  /// Returns whether the party can derive the value, but did not compute or send it in this step.
  private static func isOpen(_ id: Value.ID, _ how: Value.Derivation?, to party: Party, in step: Step) -> Bool {
    guard case .computed? = how else { return false }
    return step.from != party || !step.values.contains { $0.id == id }
  }
}
