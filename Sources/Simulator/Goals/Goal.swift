import Endpoint
import Explanation

/// One of the three risks, as what an attacker could do.
public enum Goal: String, Sendable, Hashable, CaseIterable {
  /// A third party learns the content.
  case eavesdropping
  /// A third party changes the content unnoticed.
  case tampering
  /// A third party passes as the server.
  case impersonation

  /// Whether an attacker reaches the goal.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// Nothing was exchanged.
    case notApplicable = "not-applicable"
    /// Nobody could.
    case prevented
    /// Someone tried, and an endpoint noticed.
    case detected
    /// Once a named secret has leaked.
    case later
    /// It happened, or could, unnoticed.
    case possible
  }
}

/// What shows that third parties reach a goal: a value that one of them comes by.
public struct Evidence: Sendable, Hashable {
  /// Who comes by it.
  public let party: Party
  /// The value's name.
  public let value: Value.ID
}

/// What third parties reach in a connection: the three goals, each with why.
struct Risks: Sendable {
  /// The state of each goal.
  var states: [Goal: Goal.State] = [:]
  /// For each goal that is reached later: the leak that opens it.
  var openings: [Goal: Trace.Leak] = [:]
  /// Why each goal is in its state; none of a calculation, whose author says what is at stake.
  var reasons: [Goal: GoalReason] = [:]
  /// For each goal that third parties reach by what they know: the value that shows it.
  var evidence: [Goal: Evidence] = [:]
  /// What was tried, in order.
  var attempts: [Attempt] = []
  /// The kinds of attack that were not tried, though what they take is there.
  var notTried: [UntriedAttack] = []
  /// The keys that would have to be broken, and are beyond these attackers.
  var outOfReach: [UnbrokenKey] = []

  /// The worst of several connections.
  static func worst(of all: [Risks]) -> Risks {
    var worst = Risks()
    for goal in Goal.allCases {
      let state = Goal.State.allCases.last { state in all.contains { $0.states[goal] == state } } ?? .notApplicable
      worst.states[goal] = state
      worst.reasons[goal] = all.isEmpty ? .nothingExchanged : all.first { $0.states[goal] == state }?.reasons[goal]
      worst.openings[goal] = all.lazy.compactMap { $0.openings[goal] }.first
      worst.evidence[goal] = all.lazy.compactMap { $0.evidence[goal] }.first
    }
    worst.attempts = all.flatMap(\.attempts)
    worst.notTried = all.flatMap(\.notTried).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    worst.outOfReach = all.flatMap(\.outOfReach).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    return worst
  }
}

/// A kind of attack whose precondition holds and that is not played. A goal with one left is not shown to be prevented.
public struct UntriedAttack: Sendable, Hashable {
  /// The kind.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// An honest certificate for the attackers' own name, of a CA whose key is not given.
    case honestCertificate = "honest-certificate"
    /// The biases of RC4: RFC 7465.
    case rc4Biases = "rc4-biases"
    /// Collisions of blocks of 64 bits: Sweet32, CVE-2016-2183.
    case blockCollisions = "block-collisions"
    /// Initialization vectors that are known beforehand: BEAST, RFC 4346 section F.3.
    case predictableVectors = "predictable-vectors"
    /// Every key of the cipher, or every ephemeral key on the curve.
    case exhaustiveSearch = "exhaustive-search"
    /// Three handshakes with one master secret: RFC 7627 section 1.
    case tripleHandshake = "triple-handshake"
  }

  /// What it would reach.
  public let goal: Goal
  /// The kind.
  public let kind: Kind
  /// What it is about: a CA, a cipher; empty where there is nothing to say.
  public let subject: String
}

/// A key of less strength than is allowed today, which these attackers do not break all the same.
public struct UnbrokenKey: Sendable, Hashable {
  /// What breaking it would reach.
  public let goal: Goal
  /// The key's name.
  public let name: Value.ID
  /// How it is broken.
  public let method: Method
  /// The work.
  public let strength: SecurityStrength
}

/// Why a goal is in its state: who did, knows or noticed what.
public enum GoalReason: Sendable, Hashable {
  /// Nothing was exchanged.
  case nothingExchanged
  /// What a recording holds was not opened: what was exchanged is not known.
  case notOpened
  /// A recording is read, and nobody can be tried against its ends.
  case onlyRecorded
  /// Plain HTTP protects nothing.
  case plain
  /// The client accepted an interceptor that showed this path, the leaf first.
  case accepted(path: [String])
  /// What arrived was not what was sent, and nobody noticed.
  case unnoticed
  /// The server carried out again what its client had sent once.
  case takenTwice
  /// The server decrypts for whoever asks, which is all that its key has to do in an RSA key exchange.
  case oracle
  /// The client repeats a cookie as often as it is made to, and the server takes padding of any bytes.
  case blockPadding
  /// Violated rules by which an attack was noticed.
  case noticed([Rule])
  /// A party has this value, or comes by it.
  case has(Party, Value.ID)
  /// A party comes by this value by steps of which one was counted, and not carried out here.
  case counted(Party, Value.ID, Obstacle)
  /// An attack that was tried goes through; where a part of it was counted and not carried out, for this reason.
  case tried(Attempt.Means, counted: Obstacle? = nil)
  /// This leak opens it.
  case leak(Trace.Leak)
  /// It takes more than these attackers can do, though nothing else is in the way.
  case beyond(Method.Capability)
  /// Nobody comes by the content, or by the keys.
  case nobody
  /// Every attack that was tried was stopped: how many, and by which rules.
  case stopped(attempts: Int, [Rule])
}
