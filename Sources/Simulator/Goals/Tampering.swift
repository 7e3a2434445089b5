import Endpoint
import Explanation
import TLS
import URLLoading

/// Everyone on the path who could make one end take what the other did not say, or said once: without any key.
struct Tampering {
  private let account: ConnectionAccount
  private let attackers: Attackers
  /// The client as it was before the answer came, and what came then.
  private let point: ConnectionAccount.Juncture

  /// Whoever could do that to this connection; nil where the client read nothing under protection.
  init?(_ account: ConnectionAccount, attackers: Attackers) {
    guard let point = account.beforeResponse else { return nil }
    self.account = account
    self.attackers = attackers
    self.point = point
  }

  /// The attempts, in this order.
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

  /// A server that takes part in another handshake may take a client's first one for the second of somebody else: RFC 5746
  /// section 1. Nothing of that is tried where it takes part in none, or where others stand between the two already.
  private var spliced: Attempt? {
    let plan = account.plan
    guard plan.server.tls.renegotiation != .refused, plan.interceptor == nil, plan.replayed == nil, plan.proxy == nil
    else { return nil }
    return attempt(.spliced, Splicing(plan).result, under: nil)
  }

  /// It is enough that one place to cut does; else the last one tells most.
  private var cutOff: (result: Attempt.Result, number: Int) {
    let results = point.beginnings.map { account.result(of: $0, ends: true, at: point) }
    let index = results.firstIndex(where: \.isSuccess) ?? results.count - 1
    return (results.indices.contains(index) ? results[index] : .unanswered, index + 1)
  }

  /// The server's random number is there so that what a client said once is good for no other connection: RFC 5246
  /// section F.1.1. Nothing is replayed of a connection that was none between its two ends.
  private var replayed: Attempt? {
    guard account.plan.interceptor == nil, account.plan.replayed == nil, account.server.request != nil else {
      return nil
    }
    let plans = account.plan.recordedAndReplayed
    var result = account.recording.result(of: plans[1].server)
    if !result.isSuccess, let repeated = repetition(plans[1].server) { result = repeated }
    return Attempt(
      goal: .tampering, means: .replayed, at: account.plan.clock, leak: nil,
      result: attackers.can(.asksServer) ? result : .beyond(.asksServer), world: world(plans))
  }

  /// A random number of so few bits comes again to whoever asks often enough.
  private func repetition(_ server: ServerEndpoint.Configuration) -> Attempt.Result? {
    let (random, serverRandom) = (account.plan.server.tls.random, ValueName(.random, of: .server))
    guard case .bits(let bits)? = random.overrides[serverRandom], bits <= attackers.budget else { return nil }
    var lucky = server
    lucky.tls.random.overrides[serverRandom] = .fixed(random.bytes(for: serverRandom, count: 32))
    return account.recording.result(of: lucky).isSuccess ? .counted(.questions(bits: bits)) : nil
  }

  private func attempt(_ means: Attempt.Means, _ result: Attempt.Result, under attack: Attack?) -> Attempt {
    // What an interceptor or an attack of the scenario did before would have to be done again.
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
  /// The same connection, in which this is done to messages.
  fileprivate func under(_ attacks: [Attack]) -> World.Plan {
    alone(on: way.met(attacks))
  }

  /// The same connection, and another of the same server in which an attacker plays it again.
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
