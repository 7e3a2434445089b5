import Endpoint
import Explanation

/// A proof of knowledge, carried out: every step computed from the ones before it, and held against the run.
///
/// Nothing is narrated: what a party only holds or sees is taken from the run, everything else is computed anew.
public struct Execution: Sendable {
  /// A value that a function takes.
  public struct Input: Sendable, Hashable {
    /// Its name.
    public let name: Value.ID
    /// Its bytes.
    public let bytes: [UInt8]
  }

  /// How a step went.
  public enum Outcome: Sendable, Hashable {
    /// The party holds it, saw it, or it leaked: there is nothing to compute.
    case held
    /// It was computed, and is what the run has.
    case computed(Computation)
    /// It was not computed; what follows takes it from the run.
    case postponed(Obstacle)
    /// It was computed, and is not what the run has.
    case contradicted(Computation)
  }

  /// One step.
  public struct Step: Sendable, Hashable {
    /// The value's name.
    public let value: Value.ID
    /// How it is come by; nil when it leaked.
    public let how: Value.Derivation?
    /// What the method takes.
    public let inputs: [Input]
    /// The value itself.
    public let bytes: [UInt8]
    /// How the step went.
    public let outcome: Outcome
  }

  /// The most bits that a search may have when somebody asks for it: 2^20 trials.
  public static let searchLimit = 20
  /// The most bits that a search may have when nobody asked.
  public static let quickSearchLimit = 8

  /// Who comes by the value.
  public let party: Party
  /// The value's name.
  public let value: Value.ID
  /// The steps, up to the value, or up to the first that contradicts the run.
  public let steps: [Step]
  /// The whole recording, opened with what the proof came by; nil where the value is not application data.
  public let playback: Playback?

  /// Carries out the proof that `party` comes by `value`; nil when it cannot.
  ///
  /// - Parameters:
  ///   - value: the value's name.
  ///   - party: who comes by it.
  ///   - run: where the value came to be.
  ///   - limit: the most bits that a search may have.
  ///   - earlier: proofs in the same run, whose steps need not be carried out again.
  ///   - knowledge: what the party knew when it came by the value; nil where all that it knows in the end counts.
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

  /// Whether every step that was carried out gave what the run has, and the recording says what the value says.
  public var holds: Bool {
    !steps.contains { if case .contradicted = $0.outcome { true } else { false } } && playback?.isEqual != false
  }

  /// Whether every step was carried out.
  public var isComplete: Bool { obstacle == nil }

  /// The first reason for which a step was not carried out.
  public var obstacle: Obstacle? {
    for case .postponed(let obstacle) in steps.map(\.outcome) { return obstacle }
    return nil
  }

  /// How many candidates were tried in all searches together.
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
