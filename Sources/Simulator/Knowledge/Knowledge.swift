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
  /// The places of the values for which one is missing that is not known, by its name.
  private var waiting: [Value.ID: [Int]] = [:]
  /// How many of the trace's mentions were looked at.
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
    let mentioned = trace.mentions[count...] + disclosed.compactMap { trace.place(of: $0) }
    count = trace.mentions.count
    var places = PlacesToLook(mentioned)
    take(from: trace, disclosed, places.sorted)
    for place in places.sorted { wait(for: place, in: trace) }
    for id in values[before...] { places.add(waiting.removeValue(forKey: id) ?? []) }
    conclude(trace, &places)
    return Array(values[before...])
  }

  /// What the party holds, sees, or is given.
  private mutating func take(from trace: Trace, _ disclosed: Set<Value.ID>, _ places: [Int]) {
    for id in places.map({ trace.valueNames[$0] }) where ways[id] == nil {
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

  /// A value is looked at again when something becomes known that it takes.
  private mutating func wait(for place: Int, in trace: Trace) {
    let id = trace.valueNames[place]
    guard ways[id] == nil, let value = trace.values[id] else { return }
    for case .computed(_, let inputs) in value.derivations {
      for input in inputs where ways[input] == nil { waiting[input, default: []].append(place) }
    }
  }

  /// What follows from that: from the first value of the trace to the last, and again while something was learnt that one
  /// before it takes. Only those are looked at for which something is new.
  private mutating func conclude(_ trace: Trace, _ places: inout PlacesToLook) {
    while let place = places.next() {
      let id = trace.valueNames[place]
      guard ways[id] == nil, let how = trace.values[id]?.derivations.first(where: isPossible) else { continue }
      learn(id, how)
      places.add(waiting.removeValue(forKey: id) ?? [])
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

/// Places of a trace that are looked at from the first to the last, each once in a round.
private struct PlacesToLook {
  /// Those of this round that were not looked at, the last of them first.
  private var ahead: [Int]
  /// All of this round.
  private var members: Set<Int>
  /// Those of the next round.
  private var later: Set<Int> = []
  /// The one that was looked at last.
  private var last = -1

  init(_ places: some Sequence<Int>) {
    members = Set(places)
    ahead = members.sorted(by: >)
  }

  /// What is to be looked at in this round.
  var sorted: [Int] { ahead.reversed() }

  /// The next place.
  mutating func next() -> Int? {
    if ahead.isEmpty { (members, ahead, later) = (later, later.sorted(by: >), []) }
    guard let place = ahead.popLast() else { return nil }
    last = place
    return place
  }

  /// These are to be looked at, too: what was passed by in this round in the next one.
  mutating func add(_ places: [Int]) {
    later.formUnion(places.filter { $0 < last })
    let missing = Set(places.filter { $0 > last }).subtracting(members)
    guard !missing.isEmpty else { return }
    members.formUnion(missing)
    ahead = (ahead + missing).sorted(by: >)
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
