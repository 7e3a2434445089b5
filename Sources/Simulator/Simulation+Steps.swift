import Endpoint
import Explanation

// How what happens becomes a step.
extension Simulation {
  mutating func play(_ item: Item) {
    switch item {
    case .message(let transmission, let end, let values): play(transmission, from: end, values)
    case .attack(let attack, let transmission, let end, let others): play(attack, on: transmission, from: end, others)
    case .derivation(let party, let values):
      computed[party, default: []].formUnion(values.map(\.id))
      var step = newStep(.derivation, party, Story.title(of: values, by: party), Story.narration(of: values, by: party))
      step.values = values
      trace.record(step)
    case .decision(let end, let decision):
      var step = newStep(.decision, party(end), decision.title, decision.narration)
      step.findings = decision.findings
      trace.record(step)
      note(decision.findings, by: end)
    case .fetch(let end, let fetch): play(fetch, by: end)
    case .fetched(let end, let fetch): answer(fetch, of: end)
    case .oracle(let index): askOracle(index)
    case .leak(let leak): play(leak)
    case .rewriting(let before, let after): playRewriting(before, after)
    }
  }

  /// An interceptor changes an answer that passes through its hands.
  private mutating func playRewriting(_ before: [UInt8], _ after: [UInt8]) {
    var step = newStep(
      .attack, .interceptor, "the interceptor rewrites the answer",
      "It has the answer in the clear, and hands on another. Whoever trusts it cannot see that.")
    (step.bytes, step.fields) = (after, HTTP.fields(of: after))
    step.interference = Interference(
      .rewritten, message: "HTTP response", bytes: before, fields: HTTP.fields(of: before))
    trace.record(step)
  }

  private mutating func play(_ transmission: Transmission, from end: End, _ values: [Value]) {
    guard let last = accounts.indices.last else { return }
    let receiver = accounts[last].peer(of: end)
    if end == .client { accounts[last].recording.record(transmission) } else { accounts[last].recording.turn() }
    var step = newStep(.message, party(end), transmission.name, narration(of: transmission, from: end))
    step.to = party(receiver)
    step.isProtected = transmission.isProtected
    step.fields = transmission.fields
    step.bytes = transmission.bytes
    step.plaintext = transmission.plaintext
    step.plaintextFields = transmission.plaintextFields
    step.values = values
    trace.record(step)
    let plan = accounts[last].plan
    pass(
      transmission, from: end,
      by: plan.attacks.filter { $0.applies(to: transmission, from: end.side, in: plan.name) }[...])
  }

  /// Lets a message through the hands of these attackers; what is left of it arrives.
  private mutating func pass(_ transmission: Transmission, from end: End, by attacks: ArraySlice<Attack>) {
    guard let last = accounts.indices.last else { return }
    if let attack = attacks.first {
      queue.insert(.attack(attack, transmission, from: end, others: attacks.dropFirst()), at: 0)
    } else {
      let receiver = accounts[last].peer(of: end)
      take(accounts[last].deliver(transmission.bytes, to: receiver), of: receiver)
    }
  }

  private mutating func play(
    _ attack: Attack, on transmission: Transmission, from end: End, _ others: ArraySlice<Attack>
  ) {
    guard let last = accounts.indices.last else { return }
    let arriving = attack.result(on: transmission)
    var step = newStep(.attack, .interceptor, attack.title(transmission), attack.narration)
    if arriving != [transmission], let changed = arriving.last {
      step.to = party(accounts[last].peer(of: end))
      step.bytes = changed.bytes
      step.fields = changed.fields
    }
    step.interference = attack.interference(on: transmission)
    trace.record(step)
    if arriving != [transmission] { accounts[last].wasInterferedWith = true }
    let connection = accounts[last].plan.name
    // What waits for another attacker goes to the head of the queue: the last first, so that the order stays.
    for message in others.isEmpty ? arriving : arriving.reversed() {
      let further = others.filter { $0.applies(to: message, from: end.side, in: connection) }
      pass(message, from: end, by: further[...])
    }
  }

  private mutating func play(_ leak: World.Leak) {
    let before = Knowledge(of: .eavesdropper, in: trace, disclosed: Set(trace.leaks.map(\.secret)))
    clock = max(clock, leak.at)
    var step = Step(
      .attack, at: clock, from: .eavesdropper, title: "\(leak.secret) leaks",
      narration: Story.leak(leak, at: clock))
    step.leaked = [leak.secret]
    trace.record(step)
    let after = Knowledge(of: .eavesdropper, in: trace, disclosed: Set(trace.leaks.map(\.secret)))
    let learnt = after.values.filter { !before.knows($0) && $0 != leak.secret }.compactMap { trace.values[$0] }
    if !learnt.isEmpty { queue.append(.derivation(.eavesdropper, learnt)) }
  }
}
