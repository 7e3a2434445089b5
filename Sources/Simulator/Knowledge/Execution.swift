import Endpoint
import Explanation

/// A proof of knowledge that is carried out. Every step is computed from earlier steps and compared with the run.
///
/// Only the values that a party holds or sees are copied from the run. All other values are computed again.
public struct Execution: Sendable {
  /// An input of a method.
  public struct Input: Sendable, Hashable {
    /// The name of the input value.
    public let name: Value.ID
    /// The bytes of the input value.
    public let bytes: [UInt8]
  }

  /// The outcome of a step.
  public enum Outcome: Sendable, Hashable {
    /// The party held the value or saw it, or the value leaked. Nothing is computed.
    case held
    /// The computed value equals the value in the run.
    case computed(Computation)
    /// The value was not computed. Later steps use the value in the run.
    case postponed(Obstacle)
    /// The computed value differs from the value in the run.
    case contradicted(Computation)
  }

  /// A step of a proof.
  public struct Step: Sendable, Hashable {
    /// The name of the value that the step obtains.
    public let value: Value.ID
    /// The derivation of the value; nil if the value leaked.
    public let how: Value.Derivation?
    /// The inputs of the method.
    public let inputs: [Input]
    /// The bytes of the value.
    public let bytes: [UInt8]
    /// The outcome of the step.
    public let outcome: Outcome
  }

  /// The maximum number of bits of a search that the user requests: 2^20 trials.
  public static let searchLimit = 20
  /// The maximum number of bits of a search that the user did not request.
  public static let quickSearchLimit = 8

  /// The party that obtains the value.
  public let party: Party
  /// The name of the value that the party obtains.
  public let value: Value.ID
  /// The steps up to the value, or up to the first step that contradicts the run.
  public let steps: [Step]
  /// The whole recording, decrypted with a secret from the proof; nil if the value is not application data.
  public let playback: Playback?

  /// Carries out the proof that `party` obtains `value`; nil if the party cannot obtain the value.
  ///
  /// No search has more than 2^`limit` candidates. The steps of `earlier` proofs in the same run are not repeated. The
  /// proof uses `knowledge`; nil means the party's knowledge at the end of the run.
  public init?(
    of value: Value.ID, as party: Party, in run: any TracedRun, limit: Int = Execution.searchLimit,
    after earlier: [Execution] = [], knowing knowledge: Knowledge? = nil
  ) {
    guard let proof = (knowledge ?? run.knowledge(of: party)).proof(of: value) else { return nil }
    self.party = party
    self.value = value
    let done = earlier.flatMap(\.steps)
    var known: [Value.ID: [UInt8]] = [:]
    var steps: [Step] = []
    for link in proof {
      let step =
        done.first { $0.value == link.value && $0.how == link.how }
        ?? Self.carryOut(link, known: known, in: run, limit: limit)
      known[step.value] = step.bytes
      steps.append(step)
      if case .contradicted = step.outcome { break }
    }
    self.steps = steps
    playback = Playback(of: value, with: known, in: run.trace)
  }

  /// Whether every computed value equals that of the run, and the decrypted recording contains the value.
  public var holds: Bool {
    !steps.contains { if case .contradicted = $0.outcome { true } else { false } } && playback?.isEqual != false
  }

  /// Whether every step was carried out.
  public var isComplete: Bool { obstacle == nil }

  /// The first reason why a step was not carried out.
  public var obstacle: Obstacle? {
    for case .postponed(let obstacle) in steps.map(\.outcome) { return obstacle }
    return nil
  }

  /// The first computation on a quantum computer, which is only counted; nil if the proof needs none.
  public var quantumObstacle: Obstacle? {
    for case .postponed(.quantum(let method, let qubits)) in steps.map(\.outcome) { return .quantum(method, qubits) }
    return nil
  }

  /// The number of candidates that all searches tried.
  public var trials: Int {
    steps.reduce(0) { sum, step in
      if case .computed(let computation) = step.outcome { sum + (computation.trials ?? 0) } else { sum }
    }
  }

  private static func carryOut(
    _ link: Knowledge.ProofStep, known: [Value.ID: [UInt8]], in run: any TracedRun, limit: Int
  ) -> Step {
    let bytes = run.trace.values[link.value]?.bytes ?? []
    guard case .computed(let method, let names) = link.how else {
      return Step(value: link.value, how: link.how, inputs: [], bytes: bytes, outcome: .held)
    }
    let inputs = names.map { Input(name: $0, bytes: known[$0] ?? []) }
    let outcome: Outcome
    do throws(Obstacle) {
      if let empty = inputs.first(where: \.bytes.isEmpty) { throw .missing(empty.name) }
      let computation = try Application(
        method: method, value: link.value, inputs: inputs, known: known, run: run, limit: limit
      ).carriedOut()
      outcome = bytes.isEmpty || computation.result == bytes ? .computed(computation) : .contradicted(computation)
    } catch {
      outcome = .postponed(error)
    }
    return Step(value: link.value, how: link.how, inputs: inputs, bytes: bytes, outcome: outcome)
  }
}
