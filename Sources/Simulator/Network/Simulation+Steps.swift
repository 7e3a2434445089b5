import Endpoint
import Explanation
import TLS
import URLLoading

// The effects of endpoints.
extension Simulation {
  /// Adds the effects of an endpoint to the queue. Its decisions are first, and its messages follow those already in
  /// transit.
  mutating func take(_ effects: [EndpointEffect], of end: End) {
    var thoughts: [Item] = []
    var messages: [Item] = []
    var values: [Value] = []
    var secrets: [Value] = []
    var request: HTTPRequest?
    for effect in effects {
      switch effect {
      case .derived(let value):
        let repeats = repeats(of: value, among: values)
        values.append(repeats.reduce(world.weakened(value, in: accounts.last?.plan)) { $0.repeating($1) })
        values += repeats.map { $0.repeating(value) }
        if world.hasQuantumComputer { breakPrivateKey(of: value, in: &values) }
      case .received: break
      case .requested(let received): request = received
      case .fetch(let fetch): thoughts.append(.fetch(end, fetch))
      case .found(let findings):
        // A finding that follows a decision belongs to the decision, and is shown with it.
        if case .decision(let decider, let decision)? = messages.isEmpty ? thoughts.popLast() : nil {
          thoughts.append(.decision(decider, decision.adding(findings)))
        } else {
          trace.attach(findings)
          note(findings, by: end)
        }
      case .decided(let decision) where end == .back && !decision.findings.contains(where: \.refuses):
        // No endpoint waits for a decision of the interceptor's own client.
        note(decision.findings, by: end)
      case .decided(let decision) where messages.isEmpty: thoughts.append(.decision(end, decision))
      case .decided(let decision): messages.append(.decision(end, decision))
      case .send(let transmission):
        let shown = values.filter { $0.isPublic || $0.id == transmission.message?.valueID }
        secrets += values.filter { value in !shown.contains(value) }
        messages.append(.message(transmission, from: end, shown.filter(isNew)))
        values = []
      }
    }
    // A public value belongs to the message that carried it, even if the receiver does not react.
    trace.attach(values.filter { $0.isPublic && isNew($0) })
    secrets += values.filter { !$0.isPublic }
    // If a party has a value, another derivation of it is not a computation: a party already had the values that it
    // encrypts.
    let fresh = secrets.filter { computed[party(end)]?.contains($0.id) != true }
    trace.attach(secrets.filter { value in isNew(value) && !fresh.contains(value) })
    let derivations = fresh.isEmpty ? [] : [Item.derivation(party(end), fresh)]
    // The decisions about a load precede its ClientHello.
    let isOffer = if case .message(let first, _, _)? = messages.first { first.clientHello != nil } else { false }
    queue = (isOffer ? thoughts + derivations : derivations + thoughts) + queue + messages
    if let request, let last = accounts.indices.last { take(accounts[last].ask(request), of: .back) }
  }

  /// Returns the equal values of other connections that follow from the same pre-shared key alone.
  ///
  /// They are the first secrets of the key schedule, and in psk_ke all three (RFC 8446 section 7.1).
  private func repeats(of value: Value, among values: [Value]) -> [Value] {
    let kinds: [ValueKind] = [
      .earlySecret, .derived(.early), .handshakeSecret, .derived(.handshake), .masterSecret,
    ]
    guard kinds.contains(value.id.kind), !value.bytes.isEmpty else { return [] }
    // The second early secret is that of a server that rejects the key of early data.
    let early =
      value.id.kind == .earlySecret
      ? [value.id] : [2, nil].map { value.id.sibling(.earlySecret, number: $0) }
    let derivations =
      early.lazy.compactMap { name in
        (([value] + values).first { $0.id == name } ?? trace.values[name])?.derivations
      }.first ?? []
    // Without a pre-shared key, the first secret is the same for everyone, and no secret.
    let hasKey = derivations.contains { if case .computed(_, let inputs) = $0 { !inputs.isEmpty } else { false } }
    guard hasKey else { return [] }
    return world.plans.map(\.scope).filter { $0 != value.id.scope }.compactMap { scope in
      trace.values[scope.name(value.id.kind)].flatMap { $0.bytes == value.bytes ? $0 : nil }
    }
  }

  /// Returns whether a value or one of its derivations is new.
  func isNew(_ value: Value) -> Bool {
    guard let known = trace.values[value.id] else { return true }
    return !value.derivations.allSatisfy(known.derivations.contains)
  }

  /// Drops messages to an endpoint that reads no more messages. These messages never become steps.
  mutating func dropUnread() {
    guard let account = accounts.last else { return }
    queue.removeAll { item in
      guard case .message(let transmission, let end, _) = item, transmission.message != nil else { return false }
      return account.cutOff.contains(end) || account.isOver(account.peer(of: end)) && !transmission.isAlert
    }
  }

  mutating func note(_ findings: [Finding], by end: End) {
    guard let last = accounts.indices.last else { return }
    accounts[last].note(findings, by: end)
  }

  func party(_ end: End) -> Party { accounts.last?.party(of: end) ?? (end.side == .client ? .client : .server) }

  /// Returns the event in which `end` sends a message.
  func sending(_ transmission: Transmission, from end: End) -> StepEvent {
    let plan = accounts.last?.plan
    if end == .client, let name = plan?.replayed { return .sent(transmission, SentMessage(end.side, recordedIn: name)) }
    var status: ReportedStatus?
    if case .handshake(let message)? = transmission.message?.content,
      case .certificateStatus(let stapled) = message.body
    {
      status = ReportedStatus(response: stapled.ocspResponse, in: world)
    }
    let isHello = transmission.message?.handshakeType == .clientHello
    let origin = end == .client && isHello ? plan?.client.helloOrigin : nil
    let isTLS13 = transmission.offersTLS13 || accounts.last?.endsInTLS13.contains(end) == true
    return .sent(transmission, SentMessage(end.side, origin: origin, status: status, isTLS13: isTLS13))
  }

  func newStep(_ event: StepEvent, by party: Party) -> Step {
    var step = Step(event, at: clock, from: party)
    step.connection = accounts.last?.plan.name
    return step
  }
}

extension Transmission {
  fileprivate var clientHello: ClientHello? {
    guard case .handshake(let message)? = message?.content, case .clientHello(let hello) = message.body else {
      return nil
    }
    return hello
  }

  fileprivate var offersTLS13: Bool { clientHello?.extensions?.supportedVersions?.contains(.tls13) == true }

  /// Whether the message is a ClientHello with early data.
  var sendsEarlyData: Bool { clientHello?.extensions?.contains(.earlyData) == true }

  /// Whether the message is a ServerHello that selects TLS 1.3.
  var choosesTLS13: Bool {
    guard case .handshake(let message)? = message?.content, case .serverHello(let hello) = message.body else {
      return false
    }
    return hello.choosesTLS13
  }
}

extension End {
  fileprivate var speaker: StepEvent.Speaker {
    switch self {
    case .front: .interceptorAsServer
    case .back: .interceptorAsClient
    case .client, .server, .proxy, .relay: .itself
    }
  }
}

extension Value {
  /// Whether every party on the network sees the value.
  fileprivate var isPublic: Bool { derivations.contains(.published) }
}

// The conversion of events to steps.
extension Simulation {
  mutating func play(_ item: Item) {
    switch item {
    case .message(let transmission, let end, let values): play(transmission, from: end, values)
    case .attack(let attack, let transmission, let end, let others, let hasArrived):
      play(attack, on: transmission, from: end, others, hasArrived: hasArrived)
    case .passing(let transmission, let end, let attacks): pass(transmission, from: end, by: attacks)
    case .derivation(let party, let values):
      computed[party, default: []].formUnion(values.map(\.id))
      var step = newStep(.computed(values), by: party)
      step.values = values
      trace.record(step)
    case .decision(let end, let decision):
      var step = newStep(.decided(decision.event, by: end.speaker), by: party(end))
      step.findings = decision.findings
      trace.record(step)
      note(decision.findings, by: end)
    case .fetch(let end, let fetch): play(fetch, by: end)
    case .outdated(let fetch, let age): outdate(fetch, by: age)
    case .fetched(let end, let fetch): answer(fetch, of: end)
    case .oracle(let index): askOracle(index)
    case .padding(let index): forgePadding(index)
    case .leak(let leak): play(leak)
    case .audit(let part, let audit): play(part, of: audit)
    case .rewriting(let before, let after): playRewriting(before, after)
    }
  }

  /// Records that an interceptor changes a response.
  private mutating func playRewriting(_ before: [UInt8], _ after: [UInt8]) {
    var step = newStep(.responseRewritten, by: .interceptor)
    (step.bytes, step.fields) = (after, HTTP.fields(of: after))
    step.interference = Interference(
      .rewritten, message: .httpResponse, bytes: before, fields: HTTP.fields(of: before))
    trace.record(step)
  }

  private mutating func play(_ transmission: Transmission, from end: End, _ values: [Value]) {
    guard let last = accounts.indices.last else { return }
    let receiver = accounts[last].peer(of: end)
    accounts[last].record(transmission, from: end)
    let plan = accounts[last].plan
    let attacks = plan.attacks.filter { attack in
      attack.applies(to: transmission, from: end.side, in: plan.name) && accounts[last].isDue(attack)
    }
    var step = newStep(sending(transmission, from: end), by: party(end))
    step.to = party(receiver)
    step.carrier = accounts[last].carrier
    step.carry(transmission)
    step.values = values
    let arrivals = attacks.map { $0.arrival(of: transmission) }
    step.arrival = arrivals.first { $0 == .none } ?? arrivals.first { $0 == .changed } ?? .whole
    trace.record(step)
    pass(transmission, from: end, by: attacks[...])
  }

  /// Passes a message through these attackers and delivers the result.
  private mutating func pass(_ transmission: Transmission, from end: End, by attacks: ArraySlice<Attack>) {
    guard let last = accounts.indices.last else { return }
    if let attack = attacks.first {
      queue.insert(.attack(attack, transmission, from: end, others: attacks.dropFirst()), at: 0)
    } else {
      let receiver = accounts[last].peer(of: end)
      if receiver == .client, transmission.isApplicationData { accounts[last].noteArrival(transmission.bytes) }
      take(accounts[last].deliver(transmission.bytes, to: receiver), of: receiver)
    }
  }

  private mutating func play(
    _ attack: Attack, on transmission: Transmission, from end: End, _ others: ArraySlice<Attack>, hasArrived: Bool
  ) {
    guard let last = accounts.indices.last else { return }
    let arriving = attack.result(on: transmission, from: end.side, accounts[last].clearMessages)
    metAttacks[attack] = metAttacks[attack] == true || arriving != [transmission] || attack.deed == .observe
    var step = newStep(.attacked(attack, applies: attack.hasTarget(in: transmission)), by: .interceptor)
    if arriving != [transmission], let changed = arriving.first(where: { $0 != transmission }) ?? arriving.last {
      step.to = party(accounts[last].peer(of: end))
      step.bytes = changed.bytes
      step.fields = changed.fields
    }
    step.interference = attack.interference(on: transmission)
    trace.record(step)
    if arriving != [transmission] { accounts[last].wasInterferedWith = true }
    if attack.deed == .cut { cutOff(end) }
    if attack.takesOver { accounts[last].cutOff.formUnion([end, accounts[last].peer(of: end)]) }
    let connection = accounts[last].plan.name
    let missing = arriving.dropFirst(hasArrived ? 1 : 0)
    if others.isEmpty { return missing.forEach { pass($0, from: end, by: []) } }
    // Another attacker acts on a message before the next one arrives. If it forges another message after the same one,
    // that message follows the first forged one, after its receiver has reacted.
    var items = missing.map { message in
      let further = others.filter { other in
        !(attack.forgesNext && other.forgesNext) && other.applies(to: message, from: end.side, in: connection)
      }
      return Item.passing(message, from: end, by: further[...])
    }
    if attack.forgesNext, let next = others.firstIndex(where: \.forgesNext), let last = arriving.last {
      let rest = others[..<next] + others[(next + 1)...]
      items.append(.attack(others[next], last, from: end, others: rest, hasArrived: true))
    }
    queue.insert(contentsOf: items, at: 0)
  }

  /// Cuts the connection of `end`. Its messages no longer arrive, and its peer sees the connection end.
  private mutating func cutOff(_ end: End) {
    guard let last = accounts.indices.last else { return }
    accounts[last].cutOff.insert(end)
    let receiver = accounts[last].peer(of: end)
    take(accounts[last].transportClosed(to: receiver), of: receiver)
  }

  private mutating func play(_ leak: Leak) {
    var knowledge = knowledge(of: .eavesdropper)
    clock = max(clock, leak.at)
    var step = Step(.leaked(leak.content, at: leak.secret == nil ? leak.at : clock), at: clock, from: .eavesdropper)
    step.leaked = [leak.content]
    trace.record(step)
    let learnt = knowledge.update(trace, disclosed: disclosed(to: .eavesdropper))
      .filter { $0 != leak.secret }.compactMap { trace.values[$0]?.obtained(by: knowledge.way(to: $0)) }
    if !learnt.isEmpty { queue.append(.derivation(.eavesdropper, learnt)) }
  }
}

extension Value {
  /// The value with the derivation from an equal value.
  fileprivate func repeating(_ other: Value) -> Value { adding(.computed(.repetition, from: [other.id])) }

  /// The value with this derivation first.
  fileprivate func obtained(by way: Derivation?) -> Value {
    let others = derivations.filter { $0 != way }
    return Value(id, bytes, derivations: [way].compactMap(\.self) + others)
  }
}
