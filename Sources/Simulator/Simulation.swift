import Endpoint
import Explanation
import TLS

/// A run of a world, one step at a time. A value: to go back, keep the value from before.
public struct Simulation: Sendable {
  /// What the run began with.
  public let world: World
  /// What has happened so far.
  public private(set) var trace: Trace
  /// The connections that have begun, in order, with what is known of them.
  public private(set) var accounts: [ConnectionAccount] = []
  private var queue: [Item] = []
  private var clock: Instant
  private var leaksToCome: [World.Leak]
  private var computed: [Party: Set<Value.ID>] = [:]

  /// Something that will become a step.
  private enum Item {
    case message(Transmission, from: End, [Value])
    case attack(Attack, Transmission, from: End, others: ArraySlice<Attack>)
    case derivation(Party, [Value])
    case decision(End, Decision)
  }

  /// A run that has not begun.
  public init(_ world: World) {
    self.world = world
    trace = Trace(held: world.held)
    clock = world.clock
    leaksToCome = world.leaks
  }

  /// Whether nothing will happen any more.
  public private(set) var isFinished = false

  /// Plays the next step; false when there is none.
  @discardableResult public mutating func step() -> Bool {
    while queue.isEmpty {
      guard prepare() else {
        isFinished = true
        return false
      }
    }
    play(queue.removeFirst())
    dropUnread()
    return true
  }

  /// Plays everything that is left.
  public mutating func run() { while step() {} }

  /// What has come of the run so far.
  public var outcome: Outcome { Outcome(self) }
}

// What happens next.
extension Simulation {
  /// Fills an empty queue: goes on with a connection, ends it, begins the next, or lets a secret leak; false when all is
  /// done.
  private mutating func prepare() -> Bool {
    if let last = accounts.indices.last, !accounts[last].isConcluded {
      if let effects = accounts[last].passOn() {
        take(effects, of: .front)
      } else if !replayFlight(last) {
        accounts[last].isConcluded = true
        if let decision = accounts[last].blameAppTransportSecurity() { queue.append(.decision(.client, decision)) }
      }
      return true
    }
    let plan = accounts.count < world.plans.count ? world.plans[accounts.count] : nil
    if let leak = leaksToCome.first, plan.map({ leak.at < $0.clock }) ?? true {
      leaksToCome.removeFirst()
      play(leak)
      return !queue.isEmpty || prepare()
    }
    guard let plan else { return false }
    begin(plan)
    return true
  }

  private mutating func begin(_ plan: World.Plan) {
    clock = max(clock, plan.clock)
    var account = ConnectionAccount(plan)
    let effects = plan.replayed == nil ? account.start(.client) : []
    accounts.append(account)
    take(effects, of: .client)
  }

  /// An attacker who plays a recording sends the next flight of it when the server has nothing more to say.
  private mutating func replayFlight(_ index: Int) -> Bool {
    guard let name = accounts[index].plan.replayed, !accounts[index].isOver(.server),
      let recording = accounts.first(where: { $0.plan.name == name })?.recording
    else { return false }
    let flight = recording.flight(accounts[index].playedFlights)
    accounts[index].playedFlights += 1
    queue += flight.map { .message($0, from: .client, []) }
    return !flight.isEmpty
  }
}

// Steps.
extension Simulation {
  private mutating func play(_ item: Item) {
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
    }
  }

  private mutating func play(_ transmission: Transmission, from end: End, _ values: [Value]) {
    guard let last = accounts.indices.last else { return }
    let receiver = accounts[last].peer(of: end)
    if end == .client { accounts[last].recording.record(transmission) } else { accounts[last].recording.turn() }
    var step = newStep(.message, party(end), transmission.name, Story.narration(of: transmission, from: end.side))
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
    trace.record(step)
    if arriving != [transmission] { accounts[last].wasInterferedWith = true }
    for message in arriving { pass(message, from: end, by: others) }
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

// What endpoints want.
extension Simulation {
  /// Queues what an endpoint wants: it thinks before it speaks, and its messages follow those already on their way.
  private mutating func take(_ effects: [EndpointEffect], of end: End) {
    var thoughts: [Item] = []
    var messages: [Item] = []
    var values: [Value] = []
    var secrets: [Value] = []
    var request: HTTPRequest?
    for effect in effects {
      switch effect {
      case .derived(let value): values.append(world.weaknesses[value.id].map(value.adding) ?? value)
      case .requested(let asked): request = asked
      case .found(let findings):
        // What is found after a decision belongs to it, and is shown when it is.
        if case .decision(let decider, let decision)? = messages.isEmpty ? thoughts.popLast() : nil {
          thoughts.append(.decision(decider, decision.adding(findings)))
        } else {
          trace.attach(findings)
          note(findings, by: end)
        }
      case .decided(let decision) where end == .back && !decision.findings.contains(where: \.refuses):
        // The interceptor's own client has nothing to decide that anyone waits for.
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
    // What everyone has seen although its receiver answers nothing belongs to the message that brought it.
    trace.attach(values.filter { $0.isPublic && isNew($0) })
    secrets += values.filter { !$0.isPublic }
    let fresh = secrets.filter { computed[party(end)]?.contains($0.id) != true }
    let derivations = fresh.isEmpty ? [] : [Item.derivation(party(end), fresh)]
    queue = derivations + thoughts + queue + messages
    if let request, let last = accounts.indices.last { take(accounts[last].ask(request), of: .back) }
  }

  /// Whether a value, or a way to come by it, has not been seen yet.
  private func isNew(_ value: Value) -> Bool {
    guard let known = trace.values[value.id] else { return true }
    return !value.derivations.allSatisfy(known.derivations.contains)
  }

  /// What is on its way to someone who reads no more never arrives as a step.
  private mutating func dropUnread() {
    guard let account = accounts.last else { return }
    queue.removeAll { item in
      guard case .message(let transmission, let end, _) = item, transmission.message != nil else { return false }
      return account.isOver(account.peer(of: end)) && !(transmission.name == "Alert")
    }
  }

  private mutating func note(_ findings: [Finding], by end: End) {
    guard let last = accounts.indices.last else { return }
    accounts[last].note(findings, by: end)
  }

  private func party(_ end: End) -> Party { accounts.last?.party(of: end) ?? (end.side == .client ? .client : .server) }

  private func newStep(_ kind: Step.Kind, _ party: Party, _ title: String, _ narration: String) -> Step {
    var step = Step(kind, at: clock, from: party, title: title, narration: narration)
    step.connection = accounts.last?.plan.name
    return step
  }
}

extension Value {
  /// Whether everyone who sees the network has it.
  fileprivate var isPublic: Bool { derivations.contains(.published) }
}
