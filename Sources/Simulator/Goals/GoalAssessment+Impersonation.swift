import Endpoint
import Explanation
import TLS

// Impersonation: the client accepts an attacker as the server.
extension GoalAssessment {
  func impersonation() -> Finding {
    func finding(
      _ state: Goal.State, _ reason: GoalReason, _ attempts: [Attempt] = [], opening: Leak? = nil,
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
    if isSecure, deed?.isInterference == true, deed?.isAccepted == true, account?.isAnsweredByAttacker == true {
      return finding(.possible, .unnoticed, [ordered(.succeeded)])
    }
    let isRefused = deed?.isInterception == true && deed?.noticed.isEmpty == false
    guard let account, isRefused || !content.isEmpty else { return finding(.notApplicable, untried) }
    guard isSecure else { return isOnPath ? finding(.possible, .plain) : finding(.prevented, .beyond(.onPath)) }
    var attempts = isRefused ? [ordered(.stopped(deed?.noticed ?? []))] : []
    for attempt in self.attempts(on: account) {
      attempts.append(attempt)
      guard attempt.result.isSuccess else { continue }
      return finding(.possible, attempt.reason, attempts, evidence(of: attempt.means, connecting(knowledge)))
    }
    if let attempt = laterAttempt(on: account, &attempts), let leak = attempt.leak {
      return finding(
        .later, .leak(leak, counted: attempt.quantumObstacle), attempts, opening: leak,
        evidence(of: attempt.means, connecting(laterKnowledge)))
    }
    if isRefused { return finding(.detected, .noticed(deed?.noticed ?? []), attempts) }
    return finding(.prevented, .stopped(attempts: attempts.count, attempts.rules), attempts)
  }

  func ordered(_ result: Attempt.Result) -> Attempt {
    Attempt(
      goal: .impersonation, means: .ordered, at: account?.plan.clock ?? Instant(secondsSince1970: 0), leak: nil,
      result: result, world: nil)
  }

  func keys(of certificates: [String]) -> [Value.ID] { certificates.map { ValueScope($0).name(.key) }.sorted() }

  /// Returns the value that proves that third parties could use this attack.
  func evidence(of means: Attempt.Means, _ thirdParties: [Knowledge]) -> Evidence? {
    switch means {
    case .shown(_, let value), .forged(_, let value), .knownPremaster(let value), .resumed(let value),
      .repeatedKeyExchange(let value), .takenOver(let value):
      evidence([value], thirdParties)
    case .ordered, .ownRoot, .honest, .honestPrefix, .signedByHonest, .withoutKey, .oracle, .rerouted, .altered,
      .added, .cutOff, .replayed, .spliced, .tripleHandshake:
      nil
    }
  }

  func attempts(on account: ConnectionRecord) -> some Sequence<Attempt> {
    impersonation(on: account, connecting(knowledge), at: account.plan.clock).attempts().lazy.flatMap { $0() }
  }

  /// Returns the knowledge of third parties that also connect to the server, which then sends them its certificates.
  ///
  /// In TLS 1.3, a party that only listens does not see them. Impersonation needs an attacker on the path anyway.
  private func connecting(_ thirdParties: [Knowledge]) -> [Knowledge] {
    guard isOnPath, let account else { return thirdParties }
    let certificates = account.plan.server.certificates.map(\.id)
    return thirdParties.map { knowledge in
      var connected = knowledge
      connected.update(trace, disclosed: Set(certificates.map(Leak.Content.secret)))
      return connected
    }
  }

  /// Returns the first later leak that makes an attempt succeed. Each attempt is tried on the day of the leak, and
  /// earlier stopped attempts are kept.
  func laterAttempt(on account: ConnectionRecord, _ attempts: inout [Attempt]) -> Attempt? {
    var known = names(connecting(knowledge))
    for (leak, listening) in growth() {
      let knowledge = connecting(listening)
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

  /// The values that the attackers generated before the run.
  var own: [Value.ID] {
    trace.held.filter { $0.derivations.contains(.generated(by: .interceptor)) }.map(\.id)
  }

  func names(_ thirdParties: [Knowledge]) -> Set<Value.ID> { Set(thirdParties.flatMap(\.values)) }

  func impersonation(
    on account: ConnectionRecord, _ thirdParties: [Knowledge], at time: Instant
  ) -> Impersonation {
    let name = scope.name(.premasterSecret)
    var plan = account.plan
    if let later = world?.client(of: plan, at: time) {
      (plan.client.trust, plan.client.challenges) = (later.trust, later.challenges)
    }
    var impersonation = Impersonation(
      plan: plan, holdings: world?.holdings ?? [], knows: names(thirdParties).union(own),
      encryptedPremaster: isRSAKeyExchange ? trace.values[name]?.bytes : nil,
      weakness: world?.weaknesses[name] ?? account.plan.weaknesses[name],
      oracle: oracle, attackers: world?.attackers ?? Attackers(), keys: run.keys, at: time,
      searchLimit: run.searchLimit ?? Execution.quickSearchLimit)
    impersonation.recorded = (world?.plans ?? []).filter { other in
      other.url == plan.url && other.clock <= plan.clock && other.scope != plan.scope && other.interceptor == nil
    }
    impersonation.suite = account.client.parameters?.cipherSuite
    if let agreed = account.client.parameters, agreed.version == .tls13 {
      let kinds: [ValueKind] = [.earlySecret, .derived(.early)] + (agreed.group == nil ? [.handshakeSecret] : [])
      impersonation.earlySecrets = agreed.isResumed ? kinds.map { scope.name($0) } : []
      impersonation.isSignedInTLS13 = !agreed.isResumed
      impersonation.isHybrid = agreed.group == .x25519MLKEM768
    }
    // The sessions that the client would offer in its next load, from this connection or an earlier one.
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

  /// The kinds of attack that are not simulated.
  ///
  /// They include a properly issued certificate of each trusted CA, if the keys of all these CAs are unknown in the
  /// world.
  var notTried: [UntriedAttack] {
    guard let account, isSecure, !content.isEmpty else { return [] }
    let unasked = impersonation(on: account, knowledge, at: account.plan.clock).unaskedAuthorities
    let attackers = world?.attackers ?? Attackers()
    return UntriedAttacks(account, attackers: attackers).all + oracleSignatures(account, attackers)
      + keyHolders(account, attackers)
      + unasked.map { UntriedAttack(goal: .impersonation, kind: .honestCertificate, subject: $0) }
  }

  /// The forged signature of a key exchange, if an endpoint with the server's key is a padding oracle.
  private func oracleSignatures(_ account: ConnectionRecord, _ attackers: Attackers) -> [UntriedAttack] {
    guard let world, attackers.can(.asksServer), !isRSAKeyExchange,
      GoalAssessment.oracle(of: account, in: world) == .unasked
    else { return [] }
    return [UntriedAttack(goal: .impersonation, kind: .oracleSignature, subject: "")]
  }

  /// The attacks of the other holders of the client's external key, if one of them is dishonest (RFC 9257 section 4.1).
  ///
  /// Each can take the place of the server. Without (EC)DHE, each also computes every secret of the connection.
  private func keyHolders(_ account: ConnectionRecord, _ attackers: Attackers) -> [UntriedAttack] {
    guard let psk = account.plan.client.tls.externalPSK else { return [] }
    let clients = (world?.plans ?? []).filter { other in
      other.scope != account.plan.scope && (other.hasOwnClient || account.plan.hasOwnClient)
        && other.client.tls.externalPSK.map(psk.isSame) == true
    }
    let isAlone = account.plan.client.tls.pskModes == [0] && account.plan.server.tls.has(psk)
    let goals = Goal.allCases.filter { goal in
      (isAlone || goal == .impersonation) && (goal == .eavesdropping || attackers.can(.onPath))
    }
    return (account.plan.hosts(sharing: psk) + clients.compactMap(\.name)).flatMap { holder in
      goals.map { UntriedAttack(goal: $0, kind: .keyHolder, subject: holder) }
    }
  }

  /// The weak keys that these attackers cannot break, of the connection and of every CA that could certify its host.
  var outOfReach: [UnbrokenKey] {
    guard let world, let account, isSecure, !content.isEmpty else { return [] }
    func unbroken(_ goal: Goal, _ name: Value.ID) -> UnbrokenKey? {
      guard let method = world.outOfReach[name], let bits = method.modulusBits else { return nil }
      return UnbrokenKey(goal: goal, name: name, method: method, strength: SecurityStrength(ofModulus: bits))
    }
    let ephemeral = [account.plan.server.tls.valueScope.name(.dhPrivate, of: .server)].filter {
      trace.values[$0] != nil
    }
    let own = ephemeral + (isRSAKeyExchange ? [account.plan.server.tls.privateKeyName] : [])
    let keys = world.outOfReach.keys.filter { $0.kind == .key }.sorted()
    return own.compactMap { unbroken(.eavesdropping, $0) } + keys.compactMap { unbroken(.impersonation, $0) }
  }
}
