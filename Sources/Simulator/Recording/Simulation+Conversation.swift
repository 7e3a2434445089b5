import Endpoint
import Explanation
import TLS

// A run from a connection to a real server, whose events have already happened.
extension Simulation {
  /// Creates the run of the connection that `client` made to a real server.
  ///
  /// The connection is the only one of `world`, whose server is modelled on the real one. The world is used for later
  /// analysis, such as a negotiation without App Transport Security.
  ///
  /// The `moments` are the client's effects with their times, and `client` is its final state. The decisions in
  /// `conclusions` follow. If `isServerKnown`, the real server has shown which parameters it accepts.
  public init(
    _ moments: [(at: Instant, effects: [EndpointEffect])], of client: ClientEndpoint, in world: World,
    conclusions: [Decision] = [], isServerKnown: Bool
  ) {
    self.init(world)
    // The world lacks the keys of the real server and its CAs. If the server presented no certificate, the world
    // contains other certificates with arbitrary keys.
    trace = Trace(held: world.held.filter { $0.derivations.contains(.generated(by: .client)) })
    isRecorded = true
    isFinished = true
    begun = world.plans.count
    guard let plan = world.plans.first else { return }
    var account = ConnectionRecord(plan)
    account.client = client
    account.isLive = true
    account.isConcluded = true
    account.isFollowed = true
    accounts = [account]
    for moment in moments {
      clock = moment.at
      tell(moment.effects)
    }
    for decision in conclusions { play(.decision(.client, decision)) }
    if isServerKnown, let blame = accounts.first?.blameAppTransportSecurity() { play(.decision(.client, blame)) }
  }

  private mutating func tell(_ effects: [EndpointEffect]) {
    var values: [Value] = []
    for effect in effects {
      switch effect {
      case .derived(let value): values.append(value)
      case .received(let message):
        settle(&values)
        let transmission = Transmission(message)
        record(transmission, from: .server, values: [])
      case .found(let found):
        let findings = found.map(\.ofRealPeers)
        trace.attach(findings)
        note(findings, by: .client)
      case .decided(let decision):
        settle(&values)
        play(.decision(.client, decision.ofRealPeers))
      case .send(let transmission):
        let shown = values.filter { $0.derivations.contains(.published) || $0.id == transmission.message?.valueID }
        derive(values.filter { !shown.contains($0) })
        record(transmission, from: .client, values: shown.filter(isNew))
        values = []
      case .fetch(let fetch):
        settle(&values)
        trace.record(newStep(.issuerFetched(url: fetch.url), by: party(.client)))
      case .requested: break
      }
    }
    settle(&values)
  }

  /// Adds public values to the step of the message that contained them, and records all other values as computed.
  private mutating func settle(_ values: inout [Value]) {
    trace.attach(values.filter { $0.derivations.contains(.published) && isNew($0) })
    derive(values.filter { !$0.derivations.contains(.published) })
    values = []
  }

  private mutating func derive(_ values: [Value]) {
    let fresh = values.filter { computed[party(.client)]?.contains($0.id) != true }
    if !fresh.isEmpty { play(.derivation(party(.client), fresh)) }
  }

  private mutating func record(_ transmission: Transmission, from end: End, values: [Value]) {
    if let last = accounts.indices.last { accounts[last].record(transmission, from: end) }
    var step = newStep(sending(transmission, from: end), by: party(end))
    step.to = party(end == .client ? .server : .client)
    step.carry(transmission)
    step.values = values
    trace.record(step)
  }
}
