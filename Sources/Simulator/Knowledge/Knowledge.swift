import Endpoint
import Explanation

/// What a party knows: the closure of what it holds over the derivations of all values.
///
/// A party holds what it generated, what was published where it sees it (its own connections; third parties see the whole
/// network), and what was disclosed to it. Everything else follows, with proof. Knowledge grows with the trace: what was
/// known before is not looked at again.
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
  /// The names of all known values, in the order in which they became known.
  public private(set) var values: [Value.ID] = []
  private var ways: [Value.ID: ProofStep] = [:]
  /// The names of the values that were there and are not known, in the order of the trace.
  private var unknown: [Value.ID] = []
  /// How many of the trace's values were looked at.
  private var count = 0

  /// What `party` knows from `trace` when the secrets `disclosed` were given to it.
  public init(of party: Party, in trace: Trace, disclosed: Set<Value.ID> = []) {
    self.party = party
    update(trace, disclosed: disclosed)
  }

  /// Takes in what has happened since: `trace` has gone on, or `disclosed` holds more than before.
  ///
  /// - Returns: the names of the values that were not known before, in the order in which they became known.
  @discardableResult public mutating func update(_ trace: Trace, disclosed: Set<Value.ID> = []) -> [Value.ID] {
    let before = values.count
    unknown += trace.valueNames[count...]
    count = trace.valueNames.count
    take(from: trace, disclosed)
    conclude(trace)
    if values.count > before { unknown.removeAll { ways[$0] != nil } }
    return Array(values[before...])
  }

  /// What the party holds, sees, or is given.
  private mutating func take(from trace: Trace, _ disclosed: Set<Value.ID>) {
    for id in unknown {
      guard let value = trace.values[id] else { continue }
      if value.derivations.contains(.generated(by: party)) {
        learn(id, .generated(by: party))
      } else if value.derivations.contains(.published), party.hearsNetwork || trace.hasMet(party, id) {
        learn(id, .published)
      } else if disclosed.contains(id) {
        learn(id, nil)
      }
    }
  }

  /// What follows from that.
  private mutating func conclude(_ trace: Trace) {
    var grew = true
    while grew {
      grew = false
      for id in unknown where ways[id] == nil {
        guard let how = trace.values[id]?.derivations.first(where: isPossible) else { continue }
        learn(id, how)
        grew = true
      }
    }
  }

  private mutating func learn(_ id: Value.ID, _ how: Value.Derivation?) {
    ways[id] = ProofStep(value: id, how: how)
    values.append(id)
  }

  /// Whether everything that a way computes from is known.
  private func isPossible(_ how: Value.Derivation) -> Bool {
    guard case .computed(let method, let inputs) = how else { return false }
    // Who only listens never comes by what a server answers; and an end needs no attack to have what is its own.
    let isAble =
      [.eavesdropper, .thief].contains(party) ? method.capability == .passive : party.isThirdParty || !method.isAttack
    return isAble && inputs.allSatisfy { ways[$0] != nil }
  }

  /// Whether the party holds the value or can compute it.
  public func knows(_ id: Value.ID) -> Bool { ways[id] != nil }

  /// How the value was come by, in one step; nil where it leaked or is not known.
  public func way(to id: Value.ID) -> Value.Derivation? { ways[id]?.how }

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

extension Party {
  /// Whether it is no end of a connection: it sees the whole network, and what leaks becomes known to it.
  public var isThirdParty: Bool { self == .eavesdropper || self == .interceptor }

  /// Somebody who shows an identity that was stolen: the end of a connection, and one of those who listen to all others.
  public static let thief = Party("thief")

  /// Whether it sees the whole network and learns what leaks, an end of a connection or not.
  public var hearsNetwork: Bool { isThirdParty || self == .thief }
}
