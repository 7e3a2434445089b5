import Endpoint
import Explanation

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
  private let before: [Trace.Leak]
  private let after: [Trace.Leak]
  /// What third parties know with what had leaked before, and with what leaked after.
  let knowledge: [Knowledge]
  private let laterKnowledge: [Knowledge]

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

    /// What a third party had from the start.
    func stolen(by party: Party) -> Set<Value.ID> { party == .interceptor ? holds : [] }
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
    pathKeys = Set(path.map { "\($0).key" } + plan.server.tls.allCredentials.map(\.privateKeyName))
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
    knowledge = Self.thirdParties(in: trace, attempt, with: before)
    laterKnowledge = after.isEmpty ? knowledge : Self.thirdParties(in: trace, attempt, with: before + after)
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
    knowledge = Self.thirdParties(in: trace, nil, with: [])
    laterKnowledge = after.isEmpty ? knowledge : Self.thirdParties(in: trace, nil, with: after)
  }

  /// All that there is to say of the goals.
  func risks() -> Risks {
    let states: [Goal: Goal.State] = [
      .eavesdropping: eavesdropping, .tampering: tampering, .impersonation: impersonation,
    ]
    let openings = openings(states)
    return Risks(
      states: states, openings: openings, reasons: reasons(states, openings), evidence: evidence(states))
  }

  /// For each goal that is reached later: the leak that opens it.
  private func openings(_ states: [Goal: Goal.State]) -> [Goal: Trace.Leak] {
    var openings: [Goal: Trace.Leak] = [:]
    if states[.eavesdropping] == .later { openings[.eavesdropping] = firstLeakToRead() }
    if states[.impersonation] == .later { openings[.impersonation] = after.first { pathKeys.contains($0.secret) } }
    return openings
  }

  /// The first leak with which a third party comes by any of the content.
  private func firstLeakToRead() -> Trace.Leak? {
    var growing = knowledge
    var leaked = Set(before.map(\.secret))
    for leak in after {
      leaked.insert(leak.secret)
      for index in growing.indices {
        growing[index].update(trace, disclosed: leaked.union(attempt?.stolen(by: growing[index].party) ?? []))
      }
      if isRead(by: growing) { return leak }
    }
    return nil
  }

  /// For each goal that third parties reach by what they know, now or later: who, and which value shows it.
  private func evidence(_ states: [Goal: Goal.State]) -> [Goal: Evidence] {
    let all = laterKnowledge
    func first(_ values: [Value.ID]) -> Evidence? {
      for knowledge in all {
        if let value = values.first(where: knowledge.knows) { return Evidence(party: knowledge.party, value: value) }
      }
      return nil
    }
    var evidence: [Goal: Evidence] = [:]
    func isReached(_ goal: Goal) -> Bool { states[goal] == .possible || states[goal] == .later }
    if isReached(.eavesdropping) { evidence[.eavesdropping] = first(content) }
    if isSecure, states[.tampering] == .possible, attempt?.isInterception != true {
      evidence[.tampering] = first(recordKeys)
    }
    if isSecure, isReached(.impersonation) { evidence[.impersonation] = first(pathKeys.sorted()) }
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
    if isRead(by: knowledge) { return .possible }
    return isRead(by: laterKnowledge) ? .later : .prevented
  }

  /// Whether one of these third parties comes by any of the content.
  private func isRead(by thirdParties: [Knowledge]) -> Bool {
    thirdParties.contains { knowledge in content.contains(where: knowledge.knows) }
  }

  private static func thirdParties(in trace: Trace, _ attempt: Attempt?, with leaks: [Trace.Leak]) -> [Knowledge] {
    let parties: [Party] = attempt == nil ? [.eavesdropper] : [.eavesdropper, .interceptor]
    return parties.map { party in
      Knowledge(of: party, in: trace, disclosed: Set(leaks.map(\.secret)).union(attempt?.stolen(by: party) ?? []))
    }
  }

  /// Whoever has the keys while the connection stands can forge its records; later it is over.
  private var tampering: Goal.State {
    if let attempt, attempt.isInterception || attempt.isInterference {
      if attempt.isNoticed { return .detected }
      return attempt.isAccepted || attempt.isServed ? .possible : .notApplicable
    }
    guard !content.isEmpty, isJudged else { return .notApplicable }
    guard isSecure else { return .possible }
    let canForge = knowledge.contains { knowledge in recordKeys.contains(where: knowledge.knows) }
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
    if knowledge.contains(where: { !pathKeys.isDisjoint(with: $0.values) }) { return .possible }
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

extension GoalAssessment {
  /// Why each goal is in its state.
  func reasons(_ states: [Goal: Goal.State], _ openings: [Goal: Trace.Leak]) -> [Goal: GoalReason] {
    Dictionary(
      uniqueKeysWithValues: Goal.allCases.map { goal in
        (goal, reason(for: goal, states[goal] ?? .notApplicable, openings[goal]))
      })
  }

  private func reason(for goal: Goal, _ state: Goal.State, _ opening: Trace.Leak?) -> GoalReason {
    switch state {
    case .notApplicable: .nothingExchanged
    case .prevented: .nobody
    case .later: opening.map(GoalReason.leak) ?? .nobody
    case .detected: .noticed(noticed)
    case .possible: possibility(of: goal)
    }
  }

  private func possibility(of goal: Goal) -> GoalReason {
    if !isSecure { return .plain }
    if isAcceptedInterception, goal != .eavesdropping { return .accepted(path: path) }
    if goal == .tampering, isInterfered { return .unnoticed }
    if goal == .impersonation, hasOracle { return .oracle }
    if goal != .eavesdropping, !overridden.isEmpty { return .overridden(overridden) }
    let wanted: [Value.ID]
    switch goal {
    case .eavesdropping: wanted = content
    case .tampering: wanted = recordKeys
    case .impersonation: wanted = pathKeys.sorted()
    }
    for knowledge in knowledge {
      if let value = wanted.first(where: knowledge.knows) { return .has(knowledge.party, value) }
    }
    return .unnoticed
  }
}
