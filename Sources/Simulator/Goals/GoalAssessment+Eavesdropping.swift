import Endpoint
import Explanation
import TLS

// Eavesdropping: the content is computed again from the bytes on the network.
extension GoalAssessment {
  /// The reason why no attack is tried: there is no content to protect or no endpoint to attack.
  var untried: GoalReason {
    !content.isEmpty ? .onlyRecorded : isUnopened ? .notOpened : .nothingExchanged
  }

  func eavesdropping() -> Finding {
    func finding(_ state: Goal.State, _ reason: GoalReason, opening: Leak? = nil) -> Finding {
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
    if !isSecure, evidence(secrets, knowledge) != nil { return finding(.possible, .plain) }
    // A proof from declared weaknesses is accepted only after it was carried out, up to the limit of a search.
    if let proof = proofs(of: secrets, knowledge).first(where: { $0.obstacle != nil || $0.holds }) {
      return finding(
        .possible,
        proof.obstacle.map { .counted(proof.party, proof.value, $0) } ?? .has(proof.party, proof.value))
    }
    if oracle == .unasked, isRSAKeyExchange, world?.attackers.can(.asksServer) == true {
      return finding(.possible, .oracle)
    }
    if repeatsUnderAnyPadding { return finding(.possible, .blockPadding) }
    if let (leak, proof) = firstLeakToRead() {
      return finding(.later, .leak(leak, counted: proof.quantumObstacle), opening: leak)
    }
    return finding(.prevented, .nobody)
  }

  /// Returns the proof of `evidence`, carried out on the recorded bytes.
  func proof(of evidence: Evidence, _ thirdParties: [Knowledge]) -> Execution? {
    Execution(
      of: evidence.value, as: evidence.party, in: run, limit: run.searchLimit ?? Execution.quickSearchLimit,
      knowing: thirdParties.first { $0.party == evidence.party })
  }

  /// Returns the proofs of those of the values that third parties obtain, carried out one after the other.
  private func proofs(of values: [Value.ID], _ thirdParties: [Knowledge]) -> some Sequence<Execution> {
    thirdParties.lazy.flatMap { knowledge in
      values.lazy.filter(knowledge.knows).compactMap { value in
        proof(of: Evidence(party: knowledge.party, value: value), thirdParties)
      }
    }
  }

  /// The content that the two endpoints sent to each other, or to an attacker between them.
  var content: [Value.ID] {
    let connections = [scope] + [deed?.upstream].compactMap(\.self)
    return trace.valueNames.filter { $0.kind == .applicationData && connections.contains($0.scope.connection) }
  }

  /// The content, and the cookie that the client repeats in each request.
  var secrets: [Value.ID] { content + [scope.name(.cookie)] }

  /// Returns evidence for the first of these values that a third party obtains.
  func evidence(_ values: [Value.ID], _ thirdParties: [Knowledge]) -> Evidence? {
    for knowledge in thirdParties {
      if let value = values.first(where: knowledge.knows) { return Evidence(party: knowledge.party, value: value) }
    }
    return nil
  }

  /// Returns the first leak with which a third party can read any content, and the proof. Derivations and recorded
  /// bytes are considered.
  func firstLeakToRead() -> (Leak, Execution)? {
    for (leak, knowledge) in growth() {
      if let proof = proofs(of: secrets, knowledge).first(where: \.holds) { return (leak, proof) }
    }
    return nil
  }

  /// Returns the knowledge of third parties after each later leak.
  func growth() -> [(leak: Leak, knowledge: [Knowledge])] {
    var growing = knowledge
    var leaked = before.map(\.content)
    return after.map { leak in
      leaked.append(leak.content)
      for index in growing.indices {
        growing[index].update(trace, disclosed: Self.disclosed(to: growing[index].party, deed, with: leaked))
      }
      return (leak, growing)
    }
  }

  /// Whether an attacker on the path can find the cookie by making the client repeat its request.
  ///
  /// SSL 3.0 does not define the padding (RFC 7568 section 4.1), and some servers reveal whether it is correct. If the
  /// scenario configures the attack, its result
  /// determines this value.
  var repeatsUnderAnyPadding: Bool {
    guard let account, account.paddingAttack == nil, account.plan.interceptor == nil,
      !account.plan.client.request.cookie.isEmpty,
      world?.attackers.can(Method.blockPadding.capability) == true
    else { return false }
    return ([account] + account.downgraded).contains { account in
      let (client, server) = (account.plan.client.tls, account.plan.server.tls)
      guard let parameters = account.client.parameters, !(client.encryptThenMAC && server.encryptThenMAC),
        parameters.cipherSuite.registration?.cipher.blockLength != nil
      else { return false }
      return parameters.version == .sslv3 || server.decisions.answer != nil || server.decisions.paddingHolds != nil
    }
  }

  /// Whether the client has encrypted the premaster secret to the server's key.
  var isRSAKeyExchange: Bool { account?.client.parameters?.cipherSuite.keyExchange == .rsa }

  /// Returns whether the server of a connection, or another server with its key, is a padding oracle.
  static func oracle(of account: ConnectionRecord, in world: World) -> Impersonation.Oracle {
    if account.oracleAttack?.premasterSecret != nil { return .asked }
    let (own, host) = (account.plan.server.tls, account.plan.url.host)
    // An attacker can also ask a server that no client loads from.
    let others =
      account.plan.network.hosts.filter { $0.key != host }.values.compactMap { $0.endpoint?.tls }
      + world.plans.filter { $0.url.host != host }.map(\.server.tls)
    let servers =
      (account.oracleAttack == nil ? [own] : []) + others.filter { $0.privateKeyName == own.privateKeyName }
    let isOracle = servers.contains { tls in
      tls.enforcement.isOverridden(.paddingOracle) && PaddingOracle(tls)?.telltale() != nil
    }
    return isOracle ? .unasked : .none
  }
}

extension ConnectionRecord {
  /// The connections that the client accepts if an attacker on the path drops its higher offers (RFC 7507 section 1).
  var downgraded: [ConnectionRecord] {
    guard plan.replayed == nil, let fallback = plan.client.fallback else { return [] }
    return (plan.attempt..<max(plan.attempt, fallback.versions.count)).compactMap { planned.attempted($0 + 1) }
      .map { TrialConnection($0.untouched).account }.filter { $0.verdict.word == .accepted }
  }
}
