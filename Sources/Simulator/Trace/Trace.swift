import Endpoint
import Explanation

/// The recording of everything that happened: messages, decisions, derivations and attacks, in order.
///
/// It is not the transcript, which is the hash of the handshake messages (RFC 5246 section 7.4.9).
public struct Trace: Sendable {
  /// What happened.
  public private(set) var steps: [Step] = []
  /// What parties held before anything happened: private keys.
  public private(set) var held: [Value]
  /// Every value so far by name, with all ways to come by it.
  public private(set) var values: [Value.ID: Value] = [:]
  /// The ends of the messages that each public value came with.
  private var ends: [Value.ID: Set<Party>] = [:]
  /// The names of all values in order of appearance.
  public private(set) var valueNames: [Value.ID] = []
  /// Where each name is among them.
  private var places: [Value.ID: Int] = [:]
  /// The places of the values in the order in which they came to be, or more was told of them.
  public private(set) var mentions: [Int] = []

  /// Whether everyone sees all that is public, as on a blackboard, and not only what it sends or receives.
  public let isShared: Bool

  /// A trace before the first step, where `held` is what parties already have.
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

  /// Whether a party sent or received a message that a value came with, or sees all that is public.
  public func hasMet(_ party: Party, _ id: Value.ID) -> Bool {
    isShared || ends[id]?.contains(party) ?? false
  }

  private mutating func note(_ values: [Value], in step: Step) {
    guard step.kind == .message else { return }
    for value in values {
      ends[value.id, default: []].formUnion([step.from, step.carrier].compactMap(\.self))
      // Of a message that was changed everything may have arrived but the message itself.
      let arrives = step.arrival == .whole || step.arrival == .changed && value.bytes != step.bytes
      if arrives, let to = step.to { ends[value.id, default: []].insert(to) }
    }
  }

  /// Hangs findings on the last step.
  public mutating func attach(_ findings: [Finding]) {
    guard let last = steps.indices.last else { return }
    steps[last].findings += findings.filter { !steps[last].findings.contains($0) }
  }

  /// Hangs values on the last step.
  public mutating func attach(_ values: [Value]) {
    guard let last = steps.indices.last else { return }
    steps[last].values += values
    for value in values { merge(value) }
    note(values, in: steps[last])
  }

  /// A secret that became known to the eavesdropper.
  public struct Leak: Sendable, Hashable {
    /// The secret's name.
    public let secret: Value.ID
    /// When it became known.
    public let at: Instant
  }

  /// What leaked, in order of time.
  public var leaks: [Leak] {
    steps.flatMap { step in step.leaked.map { Leak(secret: $0, at: step.at) } }
  }

  /// Where a value is among `valueNames`; nil for one that has not come to be.
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
