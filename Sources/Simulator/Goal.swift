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

/// Computes the three goals of a connection from what was exchanged, attempted, known and accepted.
struct GoalAssessment {
  private let trace: Trace
  /// What begins the names of the connection's values.
  private let prefix: String
  let isSecure: Bool
  private let findings: [Finding]
  /// The names of the keys on the certificate path: whoever has one can pass as the server.
  let pathKeys: Set<Value.ID>
  /// The names of the certificates that the client was shown, the leaf first.
  let path: [String]
  /// Violated rules by which an endpoint noticed an attack.
  let noticed: [Rule]
  /// Whether anyone asked who the server is; of a recording nobody did.
  let isJudged: Bool
  /// What attackers tried; nil when nobody did more than listen.
  private let attempt: Attempt?
  /// Whether a server's answers stand in for its private key.
  let hasOracle: Bool
  /// What had leaked before the connection began, and what leaked after.
  let before: [Trace.Leak]
  private let after: [Trace.Leak]

  /// What attackers tried on a connection, and how it ended.
  private struct Attempt {
    /// Whether an attacker met the client in the server's place.
    let isInterception: Bool
    /// Whether something arrived other than it was sent.
    let isInterference: Bool
    /// Whether an endpoint noticed that something is wrong.
    let isNoticed: Bool
    /// Whether the client accepted what it got.
    let isAccepted: Bool
    /// Whether the server carried a request out.
    let isServed: Bool
    /// The secrets that the interceptor had from the start.
    let holds: Set<Value.ID>
    /// What begins the names of what the interceptor said to the server.
    let upstream: String?
  }

  /// The goals of a connection of a run.
  init(_ account: ConnectionAccount, path: [String], in simulation: Simulation) {
    let plan = account.plan
    trace = simulation.trace
    prefix = plan.prefix
    isSecure = plan.url.isSecure
    findings = account.findings
    self.path = path
    noticed = account.noticed
    pathKeys = Set(path.map { "\($0).key" } + [plan.server.tls.privateKeyName])
    isJudged = true
    before = trace.leaks.filter { $0.at < plan.clock }
    after = trace.leaks.filter { $0.at >= plan.clock }
    hasOracle = account.oracleAttack?.premasterSecret != nil
    attempt =
      plan.isAttacked
      ? Attempt(
        isInterception: plan.interceptor != nil && account.hasBegun,
        isInterference: account.wasInterferedWith || plan.replayed != nil, isNoticed: account.isNoticed,
        isAccepted: account.verdict.word == .accepted, isServed: account.serverVerdict.word == .accepted,
        holds: plan.interceptor?.holds ?? [], upstream: plan.interceptor?.back?.tls.valuePrefix)
      : nil
  }

  /// The goals of a recorded session.
  init(_ session: ReplayedSession) {
    trace = session.trace
    prefix = ""
    isSecure = true
    findings = session.findings
    path = []
    noticed = []
    pathKeys = [session.recording.secrets.serverKeyName]
    isJudged = false
    before = []
    after = trace.leaks
    hasOracle = false
    attempt = nil
  }

  func goals() -> [Goal: Goal.State] {
    [.eavesdropping: eavesdropping, .tampering: tampering, .impersonation: impersonation]
  }

  /// For each goal that is reached later: the leak that opens it.
  func openings() -> [Goal: Trace.Leak] {
    var openings: [Goal: Trace.Leak] = [:]
    if eavesdropping == .later {
      openings[.eavesdropping] = after.indices.first { isRead(with: before + after[...$0]) }.map { after[$0] }
    }
    if impersonation == .later { openings[.impersonation] = after.first { pathKeys.contains($0.secret) } }
    return openings
  }

  /// For each goal that third parties reach by what they know, now or later: who, and which value shows it.
  func evidence() -> [Goal: Evidence] {
    let all = thirdParties(with: before + after)
    func first(_ values: [Value.ID]) -> Evidence? {
      for knowledge in all {
        if let value = values.first(where: knowledge.knows) { return Evidence(party: knowledge.party, value: value) }
      }
      return nil
    }
    var evidence: [Goal: Evidence] = [:]
    if [.possible, .later].contains(eavesdropping) { evidence[.eavesdropping] = first(content) }
    if isSecure, tampering == .possible, attempt?.isInterception != true { evidence[.tampering] = first(recordKeys) }
    if isSecure, [.possible, .later].contains(impersonation) { evidence[.impersonation] = first(pathKeys.sorted()) }
    return evidence
  }

  /// What the two ends said to each other, or to whoever was between them.
  var content: [Value.ID] {
    let prefixes = [prefix] + [attempt?.upstream].compactMap(\.self)
    return trace.valueNames.filter { name in prefixes.contains { name.hasPrefix("\($0)application_data.") } }
  }

  private var isIntercepted: Bool { attempt?.isInterception == true }
  /// Whether the client took an interceptor for the server.
  var isAcceptedInterception: Bool { isIntercepted && attempt?.isAccepted == true }
  /// Whether something arrived other than it was sent.
  var isInterfered: Bool { attempt?.isInterference == true }
  /// The keys that protect the connection's records.
  var recordKeys: [Value.ID] { ["server_write_key", "client_write_key"].map { prefix + $0 } }

  private var eavesdropping: Goal.State {
    guard !content.isEmpty else { return isIntercepted && attempt?.isNoticed == true ? .detected : .notApplicable }
    if isRead(with: before) { return .possible }
    return isRead(with: before + after) ? .later : .prevented
  }

  /// Whether a third party comes by any of the content with these secrets.
  private func isRead(with leaks: [Trace.Leak]) -> Bool {
    thirdParties(with: leaks).contains { knowledge in content.contains(where: knowledge.knows) }
  }

  func thirdParties(with leaks: [Trace.Leak]) -> [Knowledge] {
    let leaked = Set(leaks.map(\.secret))
    let eavesdropper = Knowledge(of: .eavesdropper, in: trace, disclosed: leaked)
    guard let attempt else { return [eavesdropper] }
    return [eavesdropper, Knowledge(of: .interceptor, in: trace, disclosed: leaked.union(attempt.holds))]
  }

  /// Whoever has the keys while the connection stands can forge its records; later it is over.
  private var tampering: Goal.State {
    if let attempt, attempt.isInterception || attempt.isInterference {
      if attempt.isNoticed { return .detected }
      return attempt.isAccepted || attempt.isServed ? .possible : .notApplicable
    }
    guard !content.isEmpty, isJudged else { return .notApplicable }
    guard isSecure else { return .possible }
    let canForge = thirdParties(with: before).contains { knowledge in recordKeys.contains(where: knowledge.knows) }
    return canForge || isUnauthenticated ? .possible : .prevented
  }

  private var impersonation: Goal.State {
    if let attempt, attempt.isInterception {
      if attempt.isAccepted { return .possible }
      return attempt.isNoticed ? .detected : .notApplicable
    }
    guard !content.isEmpty, isJudged else { return .notApplicable }
    // Whoever is quick enough lets the server itself decrypt what a client sends to an impostor.
    guard isSecure, !isUnauthenticated, !hasOracle else { return .possible }
    if thirdParties(with: before).contains(where: { !pathKeys.isDisjoint(with: $0.values) }) { return .possible }
    return pathKeys.isDisjoint(with: after.map(\.secret)) ? .prevented : .later
  }

  /// A server that was accepted although who it is was not settled may be anyone.
  private var isUnauthenticated: Bool { !overridden.isEmpty }

  /// Violated rules about who the server is that someone overrode.
  var overridden: [Rule] {
    findings.filter { finding in
      guard finding.outcome == .violated, case .overridden = finding.weight else { return false }
      return [.chain, .name, .pin].contains(finding.rule.layer)
    }.map(\.rule)
  }
}
