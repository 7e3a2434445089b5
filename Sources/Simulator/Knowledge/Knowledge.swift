import Endpoint
import Explanation

/// The knowledge of a party: its values, and every value that can be derived from them.
///
/// A party has the values that it generated, the values that were disclosed to it, and the public values that it sees.
/// An endpoint sees its own connections, and third parties see the whole network. Every other value needs a derivation
/// as proof. Knowledge grows with the trace, so known values are not checked again.
public struct Knowledge: Sendable {
  /// A value in a proof, and its derivation.
  public struct ProofStep: Sendable, Hashable {
    /// The name of the value.
    public let value: Value.ID
    /// The derivation of the value; nil if the value leaked.
    public let how: Value.Derivation?
  }

  /// The party with this knowledge.
  public let party: Party
  /// Whether the party has a quantum computer.
  public private(set) var hasQuantumComputer = false
  /// The names of all known values, in the order in which they became known.
  public private(set) var values: [Value.ID] = []
  private var ways: [Value.ID: ProofStep] = [:]
  /// The places of values that still need an unknown input, by the name of the input.
  private var waiting: [Value.ID: [Int]] = [:]
  /// The number of the trace's mentions that have been processed.
  private var count = 0

  /// Computes the knowledge of `party` from `trace`, after the party obtained everything in `disclosed`.
  public init(of party: Party, in trace: Trace, disclosed: Set<Leak.Content> = []) {
    self.party = party
    update(trace, disclosed: disclosed)
  }

  /// Adds the knowledge from new steps of `trace`, or from new secrets and abilities in `disclosed`.
  ///
  /// - Returns: the names of the newly known values, in the order in which they became known.
  @discardableResult public mutating func update(_ trace: Trace, disclosed: Set<Leak.Content> = []) -> [Value.ID] {
    let before = values.count
    // A quantum computer makes derivations of earlier values possible.
    if !hasQuantumComputer, disclosed.contains(.quantumComputer) { (hasQuantumComputer, count) = (true, 0) }
    let secrets = Set(disclosed.compactMap(\.secret))
    let mentioned = trace.mentions[count...] + secrets.compactMap { trace.place(of: $0) }
    count = trace.mentions.count
    var places = PlacesToLook(mentioned)
    take(from: trace, secrets, places.sorted)
    for place in places.sorted { wait(for: place, in: trace) }
    for id in values[before...] { places.add(waiting.removeValue(forKey: id) ?? []) }
    conclude(trace, &places)
    return Array(values[before...])
  }

  /// Adds the values that the party generated, saw or received.
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

  /// Registers a value, so that it is checked again when one of its unknown inputs becomes known.
  private mutating func wait(for place: Int, in trace: Trace) {
    let id = trace.valueNames[place]
    guard ways[id] == nil, let value = trace.values[id] else { return }
    for case .computed(_, let inputs) in value.derivations {
      for input in inputs where ways[input] == nil { waiting[input, default: []].append(place) }
    }
  }

  /// Adds the derived values, in the order of the trace.
  ///
  /// If a newly known value is the input of an earlier one, another round follows. Each round only checks values with a
  /// new input.
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

  /// Returns whether all inputs of a derivation are known and the party can carry it out.
  private func isPossible(_ how: Value.Derivation) -> Bool {
    guard case .computed(let method, let inputs) = how, hasQuantumComputer || !method.needsQuantumComputer else {
      return false
    }
    // A passive party cannot use a server's responses, and an endpoint needs no attack to obtain its own values.
    let isAble =
      [.eavesdropper, .thief].contains(party) ? method.capability == .passive : party.isThirdParty || !method.isAttack
    return isAble && inputs.allSatisfy { ways[$0] != nil }
  }

  /// Returns whether the party holds the value or can compute it.
  public func knows(_ id: Value.ID) -> Bool { ways[id] != nil }

  /// Returns the derivation of the value; nil if the value leaked or is not known.
  public func way(to id: Value.ID) -> Value.Derivation? { ways[id]?.how }

  /// Returns the proof that the party obtains the value, or nil if it cannot. Every input precedes the value that needs
  /// it.
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

/// Places of a trace that are checked in order, each once in a round.
private struct PlacesToLook {
  /// The unchecked places of this round, in descending order.
  private var ahead: [Int]
  /// All places of this round.
  private var members: Set<Int>
  /// The places to check in the next round.
  private var later: Set<Int> = []
  /// The place that was last checked.
  private var last = -1

  init(_ places: some Sequence<Int>) {
    members = Set(places)
    ahead = members.sorted(by: >)
  }

  /// The places to check in this round, in ascending order.
  var sorted: [Int] { ahead.reversed() }

  /// Returns the next place.
  mutating func next() -> Int? {
    if ahead.isEmpty { (members, ahead, later) = (later, later.sorted(by: >), []) }
    guard let place = ahead.popLast() else { return nil }
    last = place
    return place
  }

  /// Adds places to check. Places before the current one are checked in the next round, others in this round.
  mutating func add(_ places: [Int]) {
    later.formUnion(places.filter { $0 < last })
    let missing = Set(places.filter { $0 > last }).subtracting(members)
    guard !missing.isEmpty else { return }
    members.formUnion(missing)
    ahead = (ahead + missing).sorted(by: >)
  }
}

extension Party {
  /// Whether the party is not an endpoint, so that it sees the whole network and learns every leaked secret.
  public var isThirdParty: Bool { self == .eavesdropper || self == .interceptor }

  /// The party that presents a stolen identity. It is an endpoint of its own connection, and an eavesdropper on all
  /// others.
  public static let thief = Party("thief")

  /// Whether the party sees the whole network and learns every leaked secret, even if it is an endpoint.
  public var hearsNetwork: Bool { isThirdParty || self == .thief }
}
