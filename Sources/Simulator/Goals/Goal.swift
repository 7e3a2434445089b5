import Endpoint
import Explanation

/// One of the three risks, as a goal of an attacker.
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
    /// No attacker could reach the goal.
    case prevented
    /// An attacker tried, and an endpoint noticed.
    case detected
    /// An attacker can reach the goal after a named secret has leaked.
    case later
    /// It happened, or could happen, unnoticed.
    case possible
  }
}

/// Proof that third parties reach a goal: a value that one of them obtains.
public struct Evidence: Sendable, Hashable {
  /// The party that obtains the value.
  public let party: Party
  /// The value's name.
  public let value: Value.ID
}

/// The three goals in a connection, each with its state and reason.
struct Risks: Sendable {
  /// The state of each goal.
  var states: [Goal: Goal.State] = [:]
  /// For each goal that is reached later: the leak that makes it possible.
  var openings: [Goal: Trace.Leak] = [:]
  /// The reason for the state of each goal. A calculation has none, because its author names the values at risk.
  var reasons: [Goal: GoalReason] = [:]
  /// For each goal that third parties reach by their knowledge: the value that proves it.
  var evidence: [Goal: Evidence] = [:]
  /// The attempts, in order.
  var attempts: [Attempt] = []
  /// The kinds of attack that were not tried, although their preconditions hold.
  var notTried: [UntriedAttack] = []
  /// The keys that these attackers would have to break and cannot.
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

/// A kind of attack whose precondition holds but which is not simulated. A goal with such an attack is not proved to be
/// prevented.
public struct UntriedAttack: Sendable, Hashable {
  /// The kind of an attack.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A properly issued certificate for the attackers' own name, from a CA whose key the world does not have.
    case honestCertificate = "honest-certificate"
    /// The biases of RC4: RFC 7465.
    case rc4Biases = "rc4-biases"
    /// Collisions of 64-bit blocks: Sweet32, CVE-2016-2183.
    case blockCollisions = "block-collisions"
    /// Predictable initialization vectors: BEAST, RFC 4346 section F.3.
    case predictableVectors = "predictable-vectors"
    /// A search over every key of the cipher, or every ephemeral key on the curve.
    case exhaustiveSearch = "exhaustive-search"
    /// Three handshakes with one master secret: RFC 7627 section 1.
    case tripleHandshake = "triple-handshake"
  }

  /// The goal that the attack would reach.
  public let goal: Goal
  /// The kind of the attack.
  public let kind: Kind
  /// The subject of the attack, a CA or a cipher; empty if it has none.
  public let subject: String
}

/// A key that is weaker than allowed today, but that these attackers still cannot break.
public struct UnbrokenKey: Sendable, Hashable {
  /// The goal that breaking the key would reach.
  public let goal: Goal
  /// The key's name.
  public let name: Value.ID
  /// The method that breaks the key.
  public let method: Method
  /// The key's strength.
  public let strength: SecurityStrength
}

/// The reason for the state of a goal.
public enum GoalReason: Sendable, Hashable {
  /// Nothing was exchanged.
  case nothingExchanged
  /// The recording was not decrypted, so that the content is not known.
  case notOpened
  /// Only a recording exists, so that no attack can be tried on its endpoints.
  case onlyRecorded
  /// Plain HTTP protects nothing.
  case plain
  /// The client accepted an interceptor that presented this path, the leaf first.
  case accepted(path: [String])
  /// The received data differs from the sent data, and neither endpoint noticed.
  case unnoticed
  /// The server repeated an action that its client requested once.
  case takenTwice
  /// The server decrypts for any client, and an RSA key exchange uses its key only to decrypt.
  case oracle
  /// An attacker can make the client repeat a cookie, and the server accepts arbitrary padding.
  case blockPadding
  /// The violated rules by which an attack was noticed.
  case noticed([Rule])
  /// A party has this value, or obtains it.
  case has(Party, Value.ID)
  /// A party obtains this value by steps of which one was counted, not carried out.
  case counted(Party, Value.ID, Obstacle)
  /// An attack succeeds. If a part of it was counted, not carried out, the obstacle is the reason.
  case tried(Attempt.Means, counted: Obstacle? = nil)
  /// This leak makes the goal possible.
  case leak(Trace.Leak)
  /// Only a capability that these attackers lack prevents it.
  case beyond(Method.Capability)
  /// No third party obtains the content or the keys.
  case nobody
  /// Every attempt was stopped by these rules.
  case stopped(attempts: Int, [Rule])
}
