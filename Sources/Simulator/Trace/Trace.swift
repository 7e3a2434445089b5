import Endpoint
import Explanation

/// The recording of all events of a run: messages, decisions, derivations and attacks, in order.
///
/// A trace differs from a transcript, which is the sequence of handshake messages (RFC 5246 section 7.4.9).
public struct Trace: Sendable {
  /// The steps in order.
  public private(set) var steps: [Step] = []
  /// The values that parties held from the start, which are private keys.
  public private(set) var held: [Value]
  /// Every value by name, with all derivations that have appeared.
  public private(set) var values: [Value.ID: Value] = [:]
  /// The parties that sent or received each public value.
  private var ends: [Value.ID: Set<Party>] = [:]
  /// The names of all values in order of appearance.
  public private(set) var valueNames: [Value.ID] = []
  /// The place of each name in `valueNames`.
  private var places: [Value.ID: Int] = [:]
  /// The places of values in `valueNames`, in the order in which the values or new derivations of them appeared.
  public private(set) var mentions: [Int] = []

  /// Whether every party sees all public values, as on a blackboard, and not only those that it sends or receives.
  public let isShared: Bool

  /// Creates a trace before its first step, in which parties already have the values `held`.
  public init(held: [Value] = [], isShared: Bool = false) {
    self.held = held
    self.isShared = isShared
    for value in held { merge(value) }
  }

  /// Appends a step and gives it the next number.
  public mutating func record(_ step: Step) {
    var numbered = step
    numbered.number = steps.count + 1
    steps.append(numbered)
    for value in step.values { merge(value) }
    note(step.values, in: step)
  }

  /// Returns whether a party sent or received a message with this value, or sees all public values.
  public func hasMet(_ party: Party, _ id: Value.ID) -> Bool {
    isShared || ends[id]?.contains(party) ?? false
  }

  private mutating func note(_ values: [Value], in step: Step) {
    guard step.kind == .message else { return }
    for value in values {
      ends[value.id, default: []].formUnion([step.from, step.carrier].compactMap(\.self))
      // If an attacker changed a message, all its values may have arrived except the message itself.
      let arrives = step.arrival == .whole || step.arrival == .changed && value.bytes != step.bytes
      if arrives, let to = step.to { ends[value.id, default: []].insert(to) }
    }
  }

  /// Adds findings to the last step.
  public mutating func attach(_ findings: [Finding]) {
    guard let last = steps.indices.last else { return }
    steps[last].findings += findings.filter { !steps[last].findings.contains($0) }
  }

  /// Adds values to the last step.
  public mutating func attach(_ values: [Value]) {
    guard let last = steps.indices.last else { return }
    steps[last].values += values
    for value in values { merge(value) }
    note(values, in: steps[last])
  }

  /// The leaks in order of time.
  public var leaks: [Leak] {
    steps.flatMap { step in step.leaked.map { Leak($0, at: step.at) } }
  }

  /// Returns the place of a value in `valueNames`; nil if the value does not exist yet.
  public func place(of id: Value.ID) -> Int? { places[id] }

  private mutating func merge(_ value: Value) {
    guard var known = values[value.id], let place = places[value.id] else {
      values[value.id] = value
      places[value.id] = valueNames.count
      mentions.append(valueNames.count)
      valueNames.append(value.id)
      return
    }
    mentions.append(place)
    for derivation in value.derivations { known.add(derivation) }
    values[value.id] = known
  }
}
