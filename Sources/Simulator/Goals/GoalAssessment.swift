import Endpoint
import Explanation
import TLS

/// Computes the three goals of a connection: from what happened to it, from what third parties come by, and from attacks
/// that are tried.
struct GoalAssessment {
  private let run: any TracedRun
  private let trace: Trace
  /// What begins the names of the connection's values.
  private let prefix: String
  private let isSecure: Bool
  /// The names of the certificates that the client was shown, the leaf first.
  private let path: [String]
  /// The connection; nil for a recording, of which nobody asked who the server is.
  private let account: ConnectionAccount?
  private let world: World?
  /// What attackers did; nil when nobody did more than listen.
  private let deed: Deed?
  /// Whether a recording holds what was not opened.
  private let isUnopened: Bool
  /// Whether the server decrypts for whoever asks.
  private let oracle: Impersonation.Oracle
  /// What had leaked before the connection began, and what leaked after.
  private let before: [Trace.Leak]
  private let after: [Trace.Leak]
  /// What third parties know with what had leaked before, and with what leaked after.
  private let knowledge: [Knowledge]
  private let laterKnowledge: [Knowledge]

  /// What attackers did to a connection in this run, and how it ended.
  private struct Deed {
    /// Whether an attacker met the client in the server's place.
    let isInterception: Bool
    /// Whether something arrived other than it was sent.
    let isInterference: Bool
    /// Violated rules by which an endpoint noticed it.
    let noticed: [Rule]
    /// Whether the client accepted what it got.
    let isAccepted: Bool
    /// Whether one end took as the other's what that one did not send, or sent once and was taken twice.
    let isEffective: Bool
    /// The secrets that the interceptor had from the start.
    let holds: Set<Value.ID>
    /// What begins the names of what the interceptor said to the server.
    let upstream: String?
  }

  /// The goals of a connection of a run.
  init(_ account: ConnectionAccount, path: [String], in simulation: Simulation) {
    let plan = account.plan
    self.account = account
    self.path = path
    isUnopened = false
    oracle = Self.oracle(of: account)
    world = simulation.world
    run = simulation
    trace = simulation.trace
    prefix = plan.prefix
    isSecure = plan.url.isSecure
    before = trace.leaks.filter { $0.at < plan.clock }
    after = trace.leaks.filter { $0.at >= plan.clock }
    deed = plan.isAttacked ? Self.deed(account) : nil
    knowledge = Self.thirdParties(in: trace, deed, with: before)
    laterKnowledge = after.isEmpty ? knowledge : Self.thirdParties(in: trace, deed, with: before + after)
  }

  /// The goals of a recorded session.
  init(_ session: ReplayedSession) {
    account = nil
    world = nil
    run = session
    isUnopened = session.openedCount < session.protectedCount || session.failure?.finding.outcome == .unknown
    trace = session.trace
    prefix = ""
    isSecure = true
    path = []
    oracle = .none
    before = []
    after = trace.leaks
    deed = nil
    knowledge = Self.thirdParties(in: trace, nil, with: [])
    laterKnowledge = after.isEmpty ? knowledge : Self.thirdParties(in: trace, nil, with: after)
  }

  private static func deed(_ account: ConnectionAccount) -> Deed {
    let plan = account.plan
    let isInterception = plan.interceptor != nil && account.hasBegun
    let isInterference = account.wasInterferedWith || plan.replayed != nil
    let isAccepted = account.verdict.word == .accepted
    var noticed = account.noticed
    if !noticed.isEmpty, plan.replayed == nil {
      // What refuses the connection although nobody touches it was not noticed of the attack.
      let otherwise = Rehearsal(plan.untouched).account.noticed
      noticed.removeAll(where: otherwise.contains)
    }
    return Deed(
      isInterception: isInterception, isInterference: isInterference, noticed: noticed, isAccepted: isAccepted,
      isEffective: isInterception ? isAccepted : account.tookFalse, holds: plan.interceptor?.holds ?? [],
      upstream: plan.interceptor?.back?.tls.valuePrefix)
  }

  private static func thirdParties(in trace: Trace, _ deed: Deed?, with leaks: [Trace.Leak]) -> [Knowledge] {
    let parties: [Party] = deed == nil ? [.eavesdropper] : [.eavesdropper, .interceptor]
    return parties.map { party in
      Knowledge(
        of: party, in: trace,
        disclosed: Set(leaks.map(\.secret)).union(party == .interceptor ? deed?.holds ?? [] : []))
    }
  }

  /// All that there is to say of the goals.
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

  /// What came of one goal.
  private struct Finding {
    let goal: Goal
    let state: Goal.State
    let reason: GoalReason
    var opening: Trace.Leak?
    var evidence: Evidence?
    var attempts: [Attempt] = []
  }
}

// Eavesdropping: the content is computed again from what travelled.
extension GoalAssessment {
  /// Why nothing is tried where there is no content to protect, or there are no ends to try somebody against.
  private var untried: GoalReason {
    !content.isEmpty ? .onlyRecorded : isUnopened ? .notOpened : .nothingExchanged
  }

  private func eavesdropping() -> Finding {
    func finding(_ state: Goal.State, _ reason: GoalReason, opening: Trace.Leak? = nil) -> Finding {
      let isReached = state == .possible || state == .later
      return Finding(
        goal: .eavesdropping, state: state, reason: reason, opening: opening,
        evidence: isReached ? evidence(secrets, laterKnowledge) : nil)
    }
    guard !content.isEmpty else {
      if deed?.isInterception == true, let noticed = deed?.noticed, !noticed.isEmpty {
        return finding(.detected, .noticed(noticed))
      }
      return finding(.notApplicable, untried)
    }
    if let evidence = evidence(secrets, knowledge) {
      guard isSecure else { return finding(.possible, .plain) }
      // What follows from declared weaknesses is believed once it was carried out, up to a search's limit.
      let proof = proof(of: evidence, knowledge)
      if let obstacle = proof?.obstacle {
        return finding(.possible, .counted(evidence.party, evidence.value, obstacle))
      }
      if proof?.holds == true { return finding(.possible, .has(evidence.party, evidence.value)) }
    }
    if oracle == .unasked, isRSAKeyExchange, world?.attackers.can(.asksServer) == true {
      return finding(.possible, .oracle)
    }
    if repeatsUnderAnyPadding { return finding(.possible, .blockPadding) }
    if let leak = firstLeakToRead() { return finding(.later, .leak(leak), opening: leak) }
    return finding(.prevented, .nobody)
  }

  /// The proof of what shows that a goal is reached, carried out on what travelled.
  private func proof(of evidence: Evidence, _ thirdParties: [Knowledge]) -> Execution? {
    Execution(
      of: evidence.value, as: evidence.party, in: run, limit: run.searchLimit ?? Execution.quickSearchLimit,
      knowing: thirdParties.first { $0.party == evidence.party })
  }

  /// What the two ends said to each other, or to whoever was between them.
  private var content: [Value.ID] {
    let prefixes = ([prefix] + [deed?.upstream].compactMap(\.self))
      .flatMap { [$0, $0 + Renegotiation.valuePrefix] }
    return trace.valueNames.filter { name in prefixes.contains { name.hasPrefix("\($0)application_data.") } }
  }

  /// The same, and what the client repeats in each of its requests.
  private var secrets: [Value.ID] { content + [prefix + "cookie"] }

  /// The first of these values that a third party comes by.
  private func evidence(_ values: [Value.ID], _ thirdParties: [Knowledge]) -> Evidence? {
    for knowledge in thirdParties {
      if let value = values.first(where: knowledge.knows) { return Evidence(party: knowledge.party, value: value) }
    }
    return nil
  }

  /// The first leak with which a third party comes by any of the content, on bytes as on paper.
  private func firstLeakToRead() -> Trace.Leak? {
    growth().first { _, knowledge in
      guard let evidence = evidence(secrets, knowledge), let proof = proof(of: evidence, knowledge) else {
        return false
      }
      return proof.holds
    }?.leak
  }

  /// What third parties know after each later leak.
  private func growth() -> [(leak: Trace.Leak, knowledge: [Knowledge])] {
    var growing = knowledge
    var leaked = Set(before.map(\.secret))
    return after.map { leak in
      leaked.insert(leak.secret)
      for index in growing.indices {
        let own = growing[index].party == .interceptor ? deed?.holds ?? [] : []
        growing[index].update(trace, disclosed: leaked.union(own))
      }
      return (leak, growing)
    }
  }

  /// Whether whoever is on the path, and has the client ask again and again, finds its cookie: nothing says what the
  /// padding of SSL 3.0 must be (RFC 7568 section 4.1). Where somebody has tried, that decides.
  private var repeatsUnderAnyPadding: Bool {
    guard let account, account.paddingAttack == nil, account.plan.interceptor == nil,
      !account.plan.client.request.cookie.isEmpty,
      world?.attackers.can(Method.blockPadding.capability) == true
    else { return false }
    return ([account] + account.downgraded).contains { account in
      guard let parameters = account.client.parameters else { return false }
      return parameters.version == .sslv3 && parameters.cipherSuite.registration?.cipher.blockLength != nil
    }
  }

  /// Whether the client has encrypted the premaster secret to the server's key.
  private var isRSAKeyExchange: Bool { account?.client.parameters?.cipherSuite.keyExchange == .rsa }

  /// Whether the server of a connection decrypts for whoever asks.
  private static func oracle(of account: ConnectionAccount) -> Impersonation.Oracle {
    if account.oracleAttack?.premasterSecret != nil { return .asked }
    let tls = account.plan.server.tls
    guard account.oracleAttack == nil, tls.enforcement.isOverridden(.paddingOracle) else { return .none }
    return PaddingOracle(tls)?.telltale() == nil ? .none : .unasked
  }
}

// Tampering: one end takes as the other's what that one did not send.
extension GoalAssessment {
  /// Whoever has the keys while the connection stands can forge its records; later it is over.
  private func tampering() -> Finding {
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
      // A search is over within the connection; what takes more than the usual number of candidates is counted.
      let obstacle = proof(of: evidence, knowledge)?.obstacle
      let reason = obstacle.map { GoalReason.counted(evidence.party, evidence.value, $0) }
      return finding(.possible, reason ?? .has(evidence.party, evidence.value), evidence)
    }
    if let success = tried.first(where: \.result.isSuccess) { return finding(.possible, success.reason) }
    return finding(.prevented, tried.isEmpty ? .nobody : .stopped(attempts: tried.count, tried.rules))
  }

  /// Whether the attackers that are tried stand between the two.
  private var isOnPath: Bool { world?.attackers.can(.onPath) == true }

  /// The keys that protect the connection's records.
  private var recordKeys: [Value.ID] { ["server_write_key", "client_write_key"].map { prefix + $0 } }

  /// What was tried on the records that the client read, and with those that it sent.
  private var tamperings: [Attempt] {
    guard let account, let tampering = Tampering(account, attackers: world?.attackers ?? Attackers()) else { return [] }
    return tampering.attempts + [tripleHandshake(account)].compactMap(\.self)
  }

  /// The triple handshake, with the first certificate of attackers that the client accepts; nil if it needs more than the
  /// connection has.
  private func tripleHandshake(_ account: ConnectionAccount) -> Attempt? {
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

  private func attempt(_ means: Attempt.Means, _ result: Attempt.Result, _ at: Instant) -> Attempt {
    Attempt(goal: .tampering, means: means, at: at, leak: nil, result: result, world: nil)
  }
}

// Impersonation: somebody else is accepted as the server.
extension GoalAssessment {
  private func impersonation() -> Finding {
    func finding(
      _ state: Goal.State, _ reason: GoalReason, _ attempts: [Attempt] = [], opening: Trace.Leak? = nil,
      _ evidence: Evidence? = nil
    ) -> Finding {
      Finding(
        goal: .impersonation, state: state, reason: reason, opening: opening, evidence: evidence, attempts: attempts)
    }
    if let deed, deed.isInterception, deed.isAccepted {
      return finding(
        .possible, isSecure ? .accepted(path: path) : .plain,
        isSecure ? [ordered(.succeeded)] : [], evidence(keys(of: path), knowledge))
    }
    let isRefused = deed?.isInterception == true && deed?.noticed.isEmpty == false
    guard let account, isRefused || !content.isEmpty else { return finding(.notApplicable, untried) }
    guard isSecure else { return isOnPath ? finding(.possible, .plain) : finding(.prevented, .beyond(.onPath)) }
    var attempts = isRefused ? [ordered(.stopped(deed?.noticed ?? []))] : []
    for attempt in self.attempts(on: account) {
      attempts.append(attempt)
      guard attempt.result.isSuccess else { continue }
      return finding(.possible, attempt.reason, attempts, evidence(of: attempt.means, knowledge))
    }
    if let attempt = laterAttempt(on: account, &attempts), let leak = attempt.leak {
      return finding(.later, .leak(leak), attempts, opening: leak, evidence(of: attempt.means, laterKnowledge))
    }
    if isRefused { return finding(.detected, .noticed(deed?.noticed ?? []), attempts) }
    return finding(.prevented, .stopped(attempts: attempts.count, attempts.rules), attempts)
  }

  private func ordered(_ result: Attempt.Result) -> Attempt {
    Attempt(
      goal: .impersonation, means: .ordered, at: account?.plan.clock ?? Instant(secondsSince1970: 0), leak: nil,
      result: result, world: nil)
  }

  private func keys(of certificates: [String]) -> [Value.ID] { certificates.map { "\($0).key" }.sorted() }

  /// The value that shows how third parties could use these means.
  private func evidence(of means: Attempt.Means, _ thirdParties: [Knowledge]) -> Evidence? {
    switch means {
    case .shown(_, let value), .forged(_, let value), .knownPremaster(let value), .resumed(let value),
      .repeatedKeyExchange(let value), .takenOver(let value):
      evidence([value], thirdParties)
    case .ordered, .ownRoot, .honest, .honestPrefix, .signedByHonest, .withoutKey, .oracle, .altered, .added, .cutOff, .replayed,
      .spliced, .tripleHandshake:
      nil
    }
  }

  private func attempts(on account: ConnectionAccount) -> some Sequence<Attempt> {
    impersonation(on: account, knowledge, at: account.plan.clock).attempts().lazy.flatMap { $0() }
  }

  /// The first later leak that suffices, tried on its day. What was stopped before it is kept.
  private func laterAttempt(on account: ConnectionAccount, _ attempts: inout [Attempt]) -> Attempt? {
    var known = names(knowledge)
    for (leak, knowledge) in growth() {
      var impersonation = impersonation(on: account, knowledge, at: leak.at)
      impersonation.leak = leak
      for make in impersonation.attempts(withKeys: names(knowledge).subtracting(known)) {
        for attempt in make() {
          attempts.append(attempt)
          if attempt.result.isSuccess { return attempt }
        }
      }
      known = names(knowledge)
    }
    return nil
  }

  /// What was the attackers' own from the start.
  private var own: [Value.ID] {
    trace.held.filter { $0.derivations.contains(.generated(by: .interceptor)) }.map(\.id)
  }

  private func names(_ thirdParties: [Knowledge]) -> Set<Value.ID> { Set(thirdParties.flatMap(\.values)) }

  private func impersonation(
    on account: ConnectionAccount, _ thirdParties: [Knowledge], at time: Instant
  ) -> Impersonation {
    let name = prefix + "premaster_secret"
    var plan = account.plan
    if let later = world?.client(of: plan, at: time) {
      (plan.client.trust, plan.client.challenges) = (later.trust, later.challenges)
    }
    var impersonation = Impersonation(
      plan: plan, holdings: world?.holdings ?? [], knows: names(thirdParties).union(own),
      encryptedPremaster: isRSAKeyExchange ? trace.values[name]?.bytes : nil, weakness: world?.weaknesses[name] ?? account.plan.weaknesses[name],
      oracle: oracle, attackers: world?.attackers ?? Attackers(), at: time,
      searchLimit: run.searchLimit ?? Execution.quickSearchLimit)
    impersonation.suite = account.client.parameters?.cipherSuite
    // What the client would go on with in its next load, of this one or of the one before.
    let kept = account.plan.client.resumesSessions ? account.client.session : nil
    impersonation.sessions = [account.plan.client.tls.session, kept].compactMap(\.self)
      .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    impersonation.uncounted = { value in
      thirdParties.first { $0.knows(value) }.flatMap { knowledge in
        proof(of: Evidence(party: knowledge.party, value: value), thirdParties)?.obstacle
      }
    }
    return impersonation
  }

  /// The kinds of attack that are not played; among them an honest certificate of each CA that the client trusts, where
  /// nobody here has the key of any.
  private var notTried: [UntriedAttack] {
    guard let account, isSecure, !content.isEmpty else { return [] }
    let unasked = impersonation(on: account, knowledge, at: account.plan.clock).unaskedAuthorities
    return UntriedAttacks(account, attackers: world?.attackers ?? Attackers()).all
      + unasked.map { UntriedAttack(goal: .impersonation, kind: .honestCertificate, subject: $0) }
  }

  /// The weak keys of the connection, and of everyone who could certify its host, that these attackers do not break.
  private var outOfReach: [UnbrokenKey] {
    guard let world, let account, isSecure, !content.isEmpty else { return [] }
    func unbroken(_ goal: Goal, _ name: Value.ID) -> UnbrokenKey? {
      guard let method = world.outOfReach[name], let bits = method.modulusBits else { return nil }
      return UnbrokenKey(goal: goal, name: name, method: method, strength: SecurityStrength(ofModulus: bits))
    }
    let ephemeral = [account.plan.server.tls.valuePrefix + "server_dh_private"].filter { trace.values[$0] != nil }
    let own = ephemeral + (isRSAKeyExchange ? [account.plan.server.tls.privateKeyName] : [])
    let keys = world.outOfReach.keys.filter { $0.hasSuffix(".key") }.sorted()
    return own.compactMap { unbroken(.eavesdropping, $0) } + keys.compactMap { unbroken(.impersonation, $0) }
  }
}

extension ConnectionAccount {
  /// The accepted connections that the client makes if an attacker on the path drops its higher offers: RFC 7507 section 1.
  var downgraded: [ConnectionAccount] {
    guard let again = plan.again, let fallback = plan.client.fallback else { return [] }
    return (plan.attempt..<max(plan.attempt, fallback.versions.count)).compactMap { again($0 + 1) }
      .map { Rehearsal($0.untouched).account }.filter { $0.verdict.word == .accepted }
  }
}

extension Method {
  /// The size of the modulus that it breaks; nil for any other method.
  fileprivate var modulusBits: Int? {
    switch self {
    case .factoring(let bits), .discreteLogarithm(let bits): bits
    default: nil
    }
  }
}

extension Attempt.Means {
  /// Whether attackers present a certificate whose key they have.
  fileprivate var presentsOwnCertificate: Bool {
    switch self {
    case .ownRoot, .honest, .signedByHonest, .shown, .forged: true
    default: false
    }
  }
}

extension Attempt {
  /// Why a goal is reached by it.
  fileprivate var reason: GoalReason {
    if case .counted(let obstacle) = result { .tried(means, counted: obstacle) } else { .tried(means) }
  }
}

extension [Attempt] {
  /// The rules that stopped them, each once.
  var rules: [Rule] {
    var rules: [Rule] = []
    for case .stopped(let own) in map(\.result) { for rule in own where !rules.contains(rule) { rules.append(rule) } }
    return rules
  }
}
