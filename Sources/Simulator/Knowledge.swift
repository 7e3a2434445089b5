import Endpoint
import Explanation

/// What a party knows: the closure of what it holds over the derivations of all values.
///
/// A party holds what it generated, what was published where it sees it (its own connections; third parties see the whole
/// network), and what leaked to it. Everything else follows, with proof.
public struct Knowledge: Sendable {
  /// One value of a proof, and the way by which it was come by.
  public struct ProofStep: Sendable, Hashable {
    /// The value.
    public let value: Value.ID
    /// How it was come by; nil when it leaked.
    public let how: Value.Derivation?
  }

  /// Whose knowledge it is.
  public let party: Party
  /// The names of all known values, in the order in which they become known.
  public let values: [Value.ID]
  private let ways: [Value.ID: ProofStep]

  /// What `party` knows from `trace` when the secrets `disclosed` were given to it.
  public init(of party: Party, in trace: Trace, disclosed: Set<Value.ID> = []) {
    self.party = party
    var ways: [Value.ID: ProofStep] = [:]
    var order: [Value.ID] = []
    func learn(_ id: Value.ID, _ how: Value.Derivation?) {
      guard ways[id] == nil else { return }
      ways[id] = ProofStep(value: id, how: how)
      order.append(id)
    }
    let isOnNetwork = [Party.eavesdropper, .interceptor].contains(party)
    var open: [Value] = []
    for id in trace.valueNames {
      guard let value = trace.values[id] else { continue }
      if value.derivations.contains(.generated(by: party)) { learn(id, .generated(by: party)) }
      if value.derivations.contains(.published), isOnNetwork || trace.hasMet(party, id) { learn(id, .published) }
      if disclosed.contains(id) { learn(id, nil) }
      if ways[id] == nil { open.append(value) }
    }
    var grew = true
    while grew {
      grew = false
      for value in open where ways[value.id] == nil {
        guard let how = value.derivations.first(where: { $0.isPossible { ways[$0] != nil } }) else { continue }
        learn(value.id, how)
        grew = true
      }
    }
    self.ways = ways
    values = order
  }

  /// Whether the party holds the value or can compute it.
  public func knows(_ id: Value.ID) -> Bool { ways[id] != nil }

  /// How the party comes by the value: every value it takes, before the one that needs it; nil when it cannot.
  public func proof(of id: Value.ID) -> [ProofStep]? {
    guard ways[id] != nil else { return nil }
    var proof: [ProofStep] = []
    var seen: Set<Value.ID> = []
    func visit(_ id: Value.ID) {
      guard seen.insert(id).inserted, let step = ways[id] else { return }
      if case .computed(_, let inputs) = step.how { for input in inputs { visit(input) } }
      proof.append(step)
    }
    visit(id)
    return proof
  }
}

extension Value.Derivation {
  /// Whether everything it computes from is known.
  fileprivate func isPossible(_ isKnown: (Value.ID) -> Bool) -> Bool {
    guard case .computed(_, let inputs) = self else { return false }
    return inputs.allSatisfy(isKnown)
  }
}
