import Endpoint
import Explanation
import TLS
import URLLoading

/// Attacks on the path that need no key: an endpoint accepts forged data, or accepts the same data twice.
struct Tampering {
  private let account: ConnectionRecord
  private let attackers: Attackers
  /// The client's state before the response arrived, and the data that then arrived.
  private let point: ConnectionRecord.Checkpoint

  /// Prepares the attacks on this connection; nil if the client received no protected data.
  init?(_ account: ConnectionRecord, attackers: Attackers) {
    guard let point = account.beforeResponse else { return nil }
    self.account = account
    self.attackers = attackers
    self.point = point
  }

  /// The attempts in order.
  var attempts: [Attempt] {
    let cut = cutOff
    return [
      attempt(
        .altered, account.result(of: point.altered, at: point),
        under: Attack(.alter(.flip(bit: point.lastBit)), to: .tls(.applicationData), from: .server, number: 1)),
      attempt(.added, account.result(of: point.preceded, at: point), under: nil),
      attempt(.cutOff, cut.result, under: Attack(.cut, to: .tls(.applicationData), from: .server, number: cut.number)),
    ] + [replayed, spliced].compactMap(\.self)
  }

  /// The renegotiation attack (RFC 5746 section 1): a server treats a client's first handshake as a renegotiation.
  ///
  /// The value is nil if the server does not renegotiate, or if another attacker or a proxy is already between client
  /// and server.
  private var spliced: Attempt? {
    let plan = account.plan
    guard plan.server.tls.renegotiation != .refused, plan.interceptor == nil, plan.replayed == nil, plan.proxy == nil
    else { return nil }
    return attempt(.spliced, RenegotiationInjection(plan).result, under: nil)
  }

  /// The result of cutting the connection. If no cut succeeds, the last one is reported.
  private var cutOff: (result: Attempt.Result, number: Int) {
    let results = point.beginnings.map { account.result(of: $0, ends: true, at: point) }
    let index = results.firstIndex(where: \.isSuccess) ?? results.count - 1
    return (results.indices.contains(index) ? results[index] : .unanswered, index + 1)
  }

  /// The attempt to replay the client's messages to the server.
  ///
  /// The server's random number prevents this (RFC 5246 section F.1.1). A connection through an interceptor is not
  /// replayed.
  private var replayed: Attempt? {
    guard account.plan.interceptor == nil, account.plan.replayed == nil, account.server.request != nil else {
      return nil
    }
    var plans = account.plan.recordedAndReplayed
    // The server remembers the tickets with which early data was sent.
    if let sessions = account.server.sessions { plans[1].server.tls.sessions = sessions }
    var result = account.recording.result(of: plans[1].server)
    if !result.isSuccess, let repeated = repetition(plans[1].server) { result = repeated }
    return Attempt(
      goal: .tampering, means: .replayed, at: account.plan.clock, leak: nil,
      result: attackers.can(.asksServer) ? result : .beyond(.asksServer), world: world(plans))
  }

  /// Returns the result of repeating the replay until a random number with this few bits recurs.
  private func repetition(_ server: ServerEndpoint.Configuration) -> Attempt.Result? {
    let (random, serverRandom) = (account.plan.server.tls.random, ValueName(.random, of: .server))
    guard case .bits(let bits)? = random.overrides[serverRandom], bits <= attackers.budget else { return nil }
    var lucky = server
    lucky.tls.random.overrides[serverRandom] = .fixed(random.bytes(for: serverRandom, count: 32))
    return account.recording.result(of: lucky).isSuccess ? .counted(.questions(bits: bits)) : nil
  }

  private func attempt(_ means: Attempt.Means, _ result: Attempt.Result, under attack: Attack?) -> Attempt {
    // An interceptor or an attack of the scenario would have to act again.
    let plan = account.plan.isAttacked ? nil : attack.map { account.plan.under([$0]) }
    return Attempt(
      goal: .tampering, means: means, at: account.plan.clock, leak: nil,
      result: attackers.can(means.capability) ? result : .beyond(means.capability), world: plan.map { world([$0]) })
  }

  private func world(_ plans: [World.Plan]) -> World {
    World(
      clock: account.plan.clock, plans: plans, leaks: [], held: [], names: account.plan.client.trust.diagnostics.names)
  }
}

extension World.Plan {
  /// Returns this connection with these attacks.
  fileprivate func under(_ attacks: [Attack]) -> World.Plan {
    alone(on: way.met(attacks))
  }

  /// This connection, and a second one to the same server in which an attacker replays the first.
  fileprivate var recordedAndReplayed: [World.Plan] {
    var first = alone(on: way.met())
    first.name = name ?? "recorded"
    var second = alone(on: .init())
    (second.name, second.replayed, second.proxy) = ("replay", first.name, nil)
    second.server.tls.random = second.server.tls.random.another
    (second.client.tls.valueScope, second.server.tls.valueScope) = (ValueScope("replay"), ValueScope("replay"))
    return [first, second]
  }
}
