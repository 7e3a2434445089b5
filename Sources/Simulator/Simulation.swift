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
    case message(Transmission, from: Side, [Value])
    case derivation(Party, [Value])
    case decision(Party, Decision)
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

  /// Fills an empty queue: ends a connection, begins the next, or lets a secret leak; false when all is done.
  private mutating func prepare() -> Bool {
    if let last = accounts.indices.last, !accounts[last].isConcluded {
      accounts[last].isConcluded = true
      if let decision = accounts[last].blameAppTransportSecurity() { queue.append(.decision(.client, decision)) }
      return true
    }
    if accounts.count < world.plans.count {
      var account = ConnectionAccount(world.plans[accounts.count])
      let effects = account.client.start()
      accounts.append(account)
      take(effects, of: .client)
      return true
    }
    return leak()
  }

  private mutating func play(_ item: Item) {
    switch item {
    case .message(let transmission, let side, let values): play(transmission, from: side, values)
    case .derivation(let party, let values):
      computed[party, default: []].formUnion(values.map(\.id))
      var step = newStep(.derivation, party, Story.title(of: values, by: party), Story.narration(of: values, by: party))
      step.values = values
      trace.record(step)
    case .decision(let party, let decision):
      var step = newStep(.decision, party, decision.title, decision.narration)
      step.findings = decision.findings
      trace.record(step)
      note(decision.findings)
    }
  }

  private mutating func play(_ transmission: Transmission, from side: Side, _ values: [Value]) {
    guard let last = accounts.indices.last else { return }
    var step = newStep(.message, party(side), transmission.name, Story.narration(of: transmission, from: side))
    step.to = party(side.peer)
    step.isProtected = transmission.isProtected
    step.fields = transmission.fields
    step.bytes = transmission.bytes
    step.plaintext = transmission.plaintext
    step.plaintextFields = transmission.plaintextFields
    step.values = values
    trace.record(step)
    let effects = accounts[last].deliver(transmission.bytes, to: side.peer)
    take(effects, of: side.peer)
  }

  /// Queues what an endpoint wants: it thinks before it speaks, and its messages follow those already on their way.
  private mutating func take(_ effects: [EndpointEffect], of side: Side) {
    var thoughts: [Item] = []
    var messages: [Item] = []
    var values: [Value] = []
    var secrets: [Value] = []
    for effect in effects {
      switch effect {
      case .derived(let value): values.append(value)
      case .found(let findings):
        // What is found after a decision belongs to it, and is shown when it is.
        if case .decision(let party, let decision)? = messages.isEmpty ? thoughts.popLast() : nil {
          thoughts.append(.decision(party, decision.adding(findings)))
        } else {
          trace.attach(findings)
          note(findings)
        }
      case .decided(let decision) where messages.isEmpty: thoughts.append(.decision(party(side), decision))
      case .decided(let decision): messages.append(.decision(party(side), decision))
      case .send(let transmission):
        let shown = values.filter { $0.isPublic || $0.id == transmission.message?.valueID }
        secrets += values.filter { value in !shown.contains(value) }
        messages.append(.message(transmission, from: side, shown.filter(isNew)))
        values = []
      }
    }
    secrets += values.filter { !$0.isPublic }
    let fresh = secrets.filter { computed[party(side)]?.contains($0.id) != true }
    let derivations = fresh.isEmpty ? [] : [Item.derivation(party(side), fresh)]
    queue = derivations + thoughts + queue + messages
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
      guard case .message(let transmission, let side, _) = item, transmission.message != nil else { return false }
      return account.isOver(side.peer) && !(transmission.name == "Alert")
    }
  }

  private mutating func leak() -> Bool {
    guard !leaksToCome.isEmpty else { return false }
    let leak = leaksToCome.removeFirst()
    let before = Knowledge(of: .eavesdropper, in: trace, disclosed: Set(trace.leaks.map(\.secret)))
    clock = world.clock.adding(seconds: leak.after)
    var step = Step(
      .attack, at: clock, from: .eavesdropper, title: "\(leak.secret) leaks",
      narration: Story.leak(leak, at: clock))
    step.leaked = [leak.secret]
    trace.record(step)
    let after = Knowledge(of: .eavesdropper, in: trace, disclosed: Set(trace.leaks.map(\.secret)))
    let learnt = after.values.filter { !before.knows($0) && $0 != leak.secret }.compactMap { trace.values[$0] }
    if !learnt.isEmpty { queue.append(.derivation(.eavesdropper, learnt)) }
    return true
  }

  private mutating func note(_ findings: [Finding]) {
    guard let last = accounts.indices.last else { return }
    accounts[last].found(findings)
  }

  private func party(_ side: Side) -> Party {
    guard let plan = accounts.last?.plan else { return side == .client ? .client : .server }
    return side == .client ? plan.client.tls.party : plan.server.tls.party
  }

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
