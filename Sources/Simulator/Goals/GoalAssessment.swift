import Endpoint
import Explanation
import TLS

/// Computes the three goals of a connection.
///
/// The assessment uses the events of the connection, the knowledge of third parties, and the results of simulated
/// attacks.
struct GoalAssessment {
  let run: any TracedRun
  let trace: Trace
  /// The prefix of the names of the connection's values.
  let scope: ValueScope
  let isSecure: Bool
  /// The names of the certificates that the server presented, leaf first.
  let path: [String]
  /// The connection; nil for a recording, which does not show whether the client authenticated the server.
  let account: ConnectionRecord?
  let world: World?
  /// The actions of attackers; nil if attackers only eavesdropped.
  let deed: AttackOutcome?
  /// Whether the connection is a recording with data that was not decrypted.
  let isUnopened: Bool
  /// Whether the server decrypts for any client.
  let oracle: Impersonation.Oracle
  /// The leaks before the connection, and the leaks after its beginning.
  let before: [Leak]
  let after: [Leak]
  /// The knowledge of third parties from the leaks before the connection, and from all leaks.
  let knowledge: [Knowledge]
  let laterKnowledge: [Knowledge]

  /// The actions of attackers on a connection of this run, and their effect.
  struct AttackOutcome {
    /// Whether an attacker was connected to the client in place of the server.
    let isInterception: Bool
    /// Whether a message was changed in transit.
    let isInterference: Bool
    /// The violated rules by which an endpoint noticed the attack.
    let noticed: [Rule]
    /// Whether the client accepted the response.
    let isAccepted: Bool
    /// Whether an endpoint accepted data that its peer did not send, or accepted data twice that was sent once.
    let isEffective: Bool
    /// The secrets that the interceptor had from the start.
    let holds: Set<Value.ID>
    /// The prefix of the names of the values that the interceptor sent to the server.
    let upstream: ValueScope?
  }

  /// Assesses the goals of a connection of a run.
  init(_ account: ConnectionRecord, path: [String], in simulation: Simulation) {
    let plan = account.plan
    self.account = account
    self.path = path
    isUnopened = false
    oracle = Self.oracle(of: account, in: simulation.world)
    world = simulation.world
    run = simulation
    trace = simulation.trace
    scope = plan.scope
    isSecure = plan.url.isSecure
    before = trace.leaks.filter { $0.precedes(plan.clock) }
    after = trace.leaks.filter { !$0.precedes(plan.clock) }
    deed = plan.isAttacked ? Self.deed(account) : nil
    knowledge = Self.thirdParties(in: trace, deed, with: before)
    laterKnowledge = after.isEmpty ? knowledge : Self.thirdParties(in: trace, deed, with: before + after)
  }

  /// Assesses the goals of a recorded session.
  init(_ session: ReplayedSession) {
    account = nil
    world = nil
    run = session
    isUnopened = session.openedCount < session.protectedCount || session.failure?.finding.outcome == .unknown
    trace = session.trace
    scope = ValueScope()
    isSecure = true
    path = []
    oracle = .none
    before = []
    after = trace.leaks
    deed = nil
    knowledge = Self.thirdParties(in: trace, nil, with: [])
    laterKnowledge = after.isEmpty ? knowledge : Self.thirdParties(in: trace, nil, with: after)
  }

  static func deed(_ account: ConnectionRecord) -> AttackOutcome {
    let plan = account.plan
    let isInterception = plan.interceptor != nil && account.hasBegun
    let isInterference = account.wasInterferedWith || plan.replayed != nil
    let isAccepted = account.verdict.word == .accepted
    var noticed = account.noticed
    if !noticed.isEmpty, plan.replayed == nil {
      // A rule that is also violated without the attack does not show that the attack was noticed.
      let otherwise = TrialConnection(plan.untouched).account.noticed
      noticed.removeAll(where: otherwise.contains)
    }
    return AttackOutcome(
      isInterception: isInterception, isInterference: isInterference, noticed: noticed, isAccepted: isAccepted,
      isEffective: isInterception ? isAccepted : account.tookFalse, holds: plan.interceptor?.holds ?? [],
      upstream: plan.interceptor?.back?.tls.valueScope)
  }

  static func thirdParties(in trace: Trace, _ deed: AttackOutcome?, with leaks: [Leak]) -> [Knowledge] {
    let parties: [Party] = deed == nil ? [.eavesdropper] : [.eavesdropper, .interceptor]
    return parties.map { party in
      Knowledge(of: party, in: trace, disclosed: disclosed(to: party, deed, with: leaks.map(\.content)))
    }
  }

  /// Returns the contents of these leaks, and the secrets that an interceptor has from the start.
  static func disclosed(
    to party: Party, _ deed: AttackOutcome?, with leaks: some Sequence<Leak.Content>
  ) -> Set<Leak.Content> {
    let own = party == .interceptor ? deed?.holds ?? [] : []
    return Set(leaks).union(own.map(Leak.Content.secret))
  }

  /// Returns the states, reasons, evidence and attempts of all goals.
  func risks() -> Risks {
    var risks = Risks()
    for finding in [eavesdropping(), tampering(), impersonation()] {
      risks.states[finding.goal] = finding.state
      risks.reasons[finding.goal] = finding.reason
      risks.openings[finding.goal] = finding.opening
      risks.evidence[finding.goal] = finding.evidence
      risks.attempts += finding.attempts
    }
    let states = risks.states
    risks.notTried = notTried.filter { states[$0.goal] == .prevented }
    risks.outOfReach = outOfReach.filter { states[$0.goal] == .prevented || states[$0.goal] == .later }
    return risks
  }

  /// The assessment of one goal.
  struct Finding {
    let goal: Goal
    let state: Goal.State
    let reason: GoalReason
    var opening: Leak?
    var evidence: Evidence?
    var attempts: [Attempt] = []
  }
}

// Tampering: an endpoint accepts data that its peer did not send.
extension GoalAssessment {
  /// Assesses tampering. A third party with the keys can forge records only while the connection lasts.
  func tampering() -> Finding {
    let tried = tamperings
    func finding(_ state: Goal.State, _ reason: GoalReason, _ evidence: Evidence? = nil) -> Finding {
      Finding(goal: .tampering, state: state, reason: reason, evidence: evidence, attempts: tried)
    }
    if let deed, deed.isInterception || deed.isInterference {
      if deed.isEffective {
        guard isSecure else { return finding(.possible, .plain) }
        if deed.isInterception { return finding(.possible, .accepted(path: path)) }
        return finding(.possible, account?.plan.replayed == nil ? .unnoticed : .takenTwice)
      }
      if !deed.noticed.isEmpty { return finding(.detected, .noticed(deed.noticed)) }
    }
    guard !content.isEmpty, account != nil else { return finding(.notApplicable, untried) }
    guard isSecure else { return isOnPath ? finding(.possible, .plain) : finding(.prevented, .beyond(.onPath)) }
    if isOnPath, let evidence = evidence(recordKeys, knowledge) {
      // A search takes less time than the connection. A search with more candidates than usual is counted.
      let obstacle = proof(of: evidence, knowledge)?.obstacle
      let reason = obstacle.map { GoalReason.counted(evidence.party, evidence.value, $0) }
      return finding(.possible, reason ?? .has(evidence.party, evidence.value), evidence)
    }
    if let success = tried.first(where: \.result.isSuccess) { return finding(.possible, success.reason) }
    return finding(.prevented, tried.isEmpty ? .nobody : .stopped(attempts: tried.count, tried.rules))
  }

  /// Whether the simulated attackers are between the client and the server.
  var isOnPath: Bool { world?.attackers.can(.onPath) == true }

  /// The keys that protect the connection's records.
  var recordKeys: [Value.ID] {
    let kinds = account?.client.parameters?.version == .tls13 ? currentKeys : [.writeKey]
    return [Side.server, .client].flatMap { side in kinds.map { scope.name($0, of: side) } }
  }

  /// The keys of TLS 1.3 after the last KeyUpdate, and of early data.
  private var currentKeys: [ValueKind] {
    let kinds = Set(trace.valueNames.map(\.kind))
    let last = (0...Self.mostUpdates).last { kinds.contains(.applicationTrafficSecret($0)) } ?? 0
    return [TrafficEpoch(.client, .application(generation: last)).keyKind, TrafficEpoch(.client, .early).keyKind]
  }

  /// The maximum number of key updates in a played connection.
  private static let mostUpdates = 16

  /// The attempts on the records that the client received and on the records that it sent.
  var tamperings: [Attempt] {
    guard let account, let tampering = Tampering(account, attackers: world?.attackers ?? Attackers()) else { return [] }
    return tampering.attempts + [tripleHandshake(account)].compactMap(\.self)
  }

  /// Returns the triple handshake with the first certificate of attackers that the client accepts.
  ///
  /// The result is nil if the connection does not meet a precondition of the attack.
  func tripleHandshake(_ account: ConnectionRecord) -> Attempt? {
    guard isOnPath, TripleHandshake.isPossible(account.plan) else { return nil }
    var impersonation = impersonation(on: account, knowledge, at: account.plan.clock)
    impersonation.hasRSAKey = true
    var stopped: [Attempt] = []
    for tried in impersonation.attempts().lazy.flatMap({ $0() }) where tried.means.presentsOwnCertificate {
      stopped.append(tried)
      guard tried.result.isSuccess, let met = tried.world?.plans.first else { continue }
      return attempt(.tripleHandshake, TripleHandshake(account.plan, met: met).result, account.plan.clock)
    }
    return attempt(.tripleHandshake, .stopped(stopped.rules), account.plan.clock)
  }

  func attempt(_ means: Attempt.Means, _ result: Attempt.Result, _ at: Instant) -> Attempt {
    Attempt(goal: .tampering, means: means, at: at, leak: nil, result: result, world: nil)
  }
}

extension Method {
  /// The size of the modulus that the method breaks; nil if it breaks no modulus.
  var modulusBits: Int? {
    switch self {
    case .factoring(let bits), .discreteLogarithm(let bits): bits
    default: nil
    }
  }
}

extension Attempt.Means {
  /// Whether the attackers present a certificate whose key they have.
  var presentsOwnCertificate: Bool {
    switch self {
    case .ownRoot, .honest, .signedByHonest, .shown, .forged: true
    default: false
    }
  }
}

extension Attempt {
  /// The reason that this attempt gives for the state of its goal.
  var reason: GoalReason {
    if case .counted(let obstacle) = result { .tried(means, counted: obstacle) } else { .tried(means) }
  }
}

extension [Attempt] {
  /// The rules that stopped the attempts, each listed once.
  var rules: [Rule] {
    var rules: [Rule] = []
    for case .stopped(let own) in map(\.result) { for rule in own where !rules.contains(rule) { rules.append(rule) } }
    return rules
  }
}
