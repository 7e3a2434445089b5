import Endpoint
import Explanation

/// One of the three risks, as a goal of an attacker.
public enum Goal: String, Sendable, Hashable, CaseIterable {
  /// A third party learns the content.
  case eavesdropping
  /// A third party changes the content unnoticed.
  case tampering
  /// A third party impersonates the server.
  case impersonation

  /// The state of an attacker's goal.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// Nothing was exchanged between the endpoints.
    case notApplicable = "not-applicable"
    /// No attacker could reach the goal.
    case prevented
    /// An attacker tried, and an endpoint noticed.
    case detected
    /// An attacker can reach the goal after a secret has leaked.
    case later
    /// An attacker reached the goal, or could reach it, unnoticed.
    case possible
  }
}

/// Proof that third parties reach a goal: a value that one of them obtains.
public struct Evidence: Sendable, Hashable {
  /// The third party that obtains the value.
  public let party: Party
  /// The name of the value.
  public let value: Value.ID
}

/// The three goals in a connection, each with its state and reason.
struct Risks: Sendable {
  /// The state of each goal.
  var states: [Goal: Goal.State] = [:]
  /// The leak that makes a goal possible, for each goal that is reached later.
  var openings: [Goal: Leak] = [:]
  /// The reason for the state of each goal; empty for a calculation, because its author names the values at risk.
  var reasons: [Goal: GoalReason] = [:]
  /// The value that proves a goal, for each goal that third parties reach by their knowledge.
  var evidence: [Goal: Evidence] = [:]
  /// The attempts of attackers, in order.
  var attempts: [Attempt] = []
  /// The kinds of attack that were not tried, although their preconditions hold.
  var notTried: [UntriedAttack] = []
  /// The keys that these attackers would have to break, but cannot.
  var outOfReach: [UnbrokenKey] = []

  /// Returns the worst risks of several connections.
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

/// A kind of attack that is not simulated although its precondition is met. Such an attack means that the goal is not
/// proved to be prevented.
public struct UntriedAttack: Sendable, Hashable {
  /// The kind of an attack.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The attackers have a certificate for their own name from a CA whose key is unknown in the world.
    case honestCertificate = "honest-certificate"
    /// The attackers use the biases of RC4 (RFC 7465).
    case rc4Biases = "rc4-biases"
    /// The attackers use collisions of 64-bit blocks (Sweet32, CVE-2016-2183).
    case blockCollisions = "block-collisions"
    /// The attackers use predictable initialization vectors (BEAST, RFC 4346 section F.3).
    case predictableVectors = "predictable-vectors"
    /// The attackers search every key of the cipher, or every ephemeral key on the curve.
    case exhaustiveSearch = "exhaustive-search"
    /// The attackers make three handshakes with one master secret (RFC 7627 section 1).
    case tripleHandshake = "triple-handshake"
    /// The attackers send the client's early data first. The server rejects it from the client, which sends its request
    /// again (RFC 8446 section 8).
    case clientRetry = "client-retry"
    /// The attackers use a bug of the client or the server in a way that the simulation does not play.
    case bug
    /// The attackers make the server's signature with the answers of a padding oracle (ROBOT).
    case oracleSignature = "oracle-signature"
    /// Another holder of the external key takes the place of an endpoint (RFC 9257 section 4.1).
    case keyHolder = "key-holder"
  }

  /// The goal that the attack would reach.
  public let goal: Goal
  /// The kind of the attack.
  public let kind: Kind
  /// The subject of the attack, a CA or a cipher; empty if it has none.
  public let subject: String
}

/// A key that is weaker than allowed today, but that these attackers cannot break.
public struct UnbrokenKey: Sendable, Hashable {
  /// The goal that an attacker would reach by breaking the key.
  public let goal: Goal
  /// The name of the key.
  public let name: Value.ID
  /// The method that breaks the key.
  public let method: Method
  /// The strength of the key.
  public let strength: SecurityStrength
}

/// The reason for the state of a goal.
public enum GoalReason: Sendable, Hashable {
  /// Nothing was exchanged between the endpoints.
  case nothingExchanged
  /// The recording was not decrypted, so its content is unknown.
  case notOpened
  /// There is only a recording, so no attack can be tried on its endpoints.
  case onlyRecorded
  /// The connection uses plain HTTP, which protects nothing.
  case plain
  /// The client accepted an interceptor that presented this path, the leaf first.
  case accepted(path: [String])
  /// The received data differs from the sent data, and neither endpoint noticed.
  case unnoticed
  /// The server repeated an action that its client requested once.
  case takenTwice
  /// The server decrypts for any client, and RSA key exchange uses the server's key only to decrypt.
  case oracle
  /// An attacker can make the client repeat a cookie, and the server accepts arbitrary padding.
  case blockPadding
  /// An attack was noticed because these rules were violated.
  case noticed([Rule])
  /// A party has this value, or obtains it.
  case has(Party, Value.ID)
  /// A party obtains this value, but one of the steps was only estimated and not carried out.
  case counted(Party, Value.ID, Obstacle)
  /// An attack succeeds. If a part of it was only estimated and not carried out, `counted` is the reason.
  case tried(Attempt.Means, counted: Obstacle? = nil)
  /// This leak makes the goal possible. If a quantum computation was only counted, `counted` is the computation.
  case leak(Leak, counted: Obstacle? = nil)
  /// The goal would be reached by attackers with a capability that these attackers lack.
  case beyond(Method.Capability)
  /// No third party obtains the content or the keys.
  case nobody
  /// These rules stopped every attempt.
  case stopped(attempts: Int, [Rule])
}
