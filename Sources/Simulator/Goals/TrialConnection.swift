import Endpoint
import Explanation

/// A connection that is simulated only for its result, without a record of its steps.
///
/// The result determines whether an attack succeeds.
struct TrialConnection {
  /// A change that an attacker on the path makes to the bytes from one endpoint.
  typealias Rewriting = (_ bytes: [UInt8], _ from: End) -> [UInt8]

  private(set) var account: ConnectionRecord
  /// All findings of the endpoints, in order.
  private(set) var findings: [Finding] = []
  private var queue: [(transmission: Transmission, from: End)] = []

  /// The maximum number of messages of a connection, which is more than any finite connection has.
  private static let limit = 500

  /// Simulates the connection of `plan` to its end.
  init(_ plan: World.Plan) {
    self.init(preparing: plan)
    play()
  }

  /// Prepares the connection of `plan`, before its first message.
  init(preparing plan: World.Plan) {
    var plan = plan
    plan.client.tls.recordsTrace = false
    plan.server.tls.recordsTrace = false
    account = ConnectionRecord(plan)
  }

  /// Connects an attacker's own client to the server and sends `bytes`.
  mutating func begin(_ client: inout AttackersClient, saying bytes: [UInt8]) {
    client.start(with: &account.server)
    client.send(bytes, to: &account.server)
    findings += client.findings
  }

  /// Simulates the connection to its end.
  mutating func play(_ rewriting: Rewriting = { bytes, _ in bytes }) {
    take(account.start(.client), of: .client)
    var count = 0
    while count < Self.limit {
      if queue.isEmpty, let passed = account.passThroughProxy() { take(passed.effects, of: passed.end) }
      guard !queue.isEmpty else { break }
      count += 1
      let (transmission, end) = queue.removeFirst()
      let receiver = account.peer(of: end)
      if !account.isOver(receiver) || transmission.isAlert {
        take(account.deliver(rewriting(transmission.bytes, end), to: receiver), of: receiver)
      }
    }
  }

  private mutating func take(_ effects: [EndpointEffect], of end: End) {
    for effect in effects {
      switch effect {
      case .send(let transmission): queue.append((transmission, end))
      case .found(let found): note(found, by: end)
      case .decided(let decision): note(decision.findings, by: end)
      case .fetch(let fetch):
        take(account.fetched(account.plan.answer(to: fetch), by: end), of: end)
      case .received, .derived, .requested: break
      }
    }
  }

  private mutating func note(_ found: [Finding], by end: End) {
    findings += found
    account.note(found, by: end)
  }

  /// The result of the connection for the client.
  var result: Attempt.Result {
    let verdict = account.verdict
    switch verdict.word {
    case .accepted: return .succeeded
    case .hangs, .notApplicable: return .unanswered
    case .refused: break
    }
    // An alert informs the client only about a failure of the impostor.
    let own = account.impostorsFailures
    let isTold = verdict.because.allSatisfy(Rule.passingOn.contains)
    return .stopped(isTold && !own.isEmpty ? own : verdict.because)
  }
}

extension RecordedFlights {
  /// Returns the reaction of `server` to flights replayed by an attacker, who ignores the server's messages.
  func result(of server: ServerEndpoint.Configuration) -> Attempt.Result {
    var configuration = server
    configuration.tls.recordsTrace = false
    var endpoint = ServerEndpoint(configuration, isSecure: true)
    var findings: [Finding] = []
    var count = 0
    while !endpoint.isOver, case let flight = flight(count), !flight.isEmpty {
      for transmission in flight { findings += endpoint.receive(transmission.bytes).findings }
      count += 1
    }
    if endpoint.request != nil { return .succeeded }
    return findings.deciding.isEmpty ? .unanswered : .stopped(findings.deciding)
  }
}

extension [EndpointEffect] {
  /// All findings, in decisions or separate.
  var findings: [Finding] {
    flatMap { effect -> [Finding] in
      switch effect {
      case .found(let findings): findings
      case .decided(let decision): decision.findings
      case .send, .received, .derived, .fetch, .requested: []
      }
    }
  }
}
