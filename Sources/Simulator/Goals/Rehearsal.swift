import Endpoint
import Explanation

/// A connection that is played for its end alone, without a record of its steps: what comes of an attack that is tried.
struct Rehearsal {
  private(set) var account: ConnectionAccount
  private var queue: [(transmission: Transmission, from: End)] = []

  /// The most messages of a connection: more than any that ends.
  private static let limit = 500

  /// The connection of `plan`, played to its end.
  init(_ plan: World.Plan) {
    var plan = plan
    plan.client.tls.narrates = false
    plan.server.tls.narrates = false
    account = ConnectionAccount(plan)
    take(account.start(.client), of: .client)
    var count = 0
    while count < Self.limit {
      if queue.isEmpty, let passed = account.passThroughProxy() { take(passed.effects, of: passed.end) }
      guard !queue.isEmpty else { break }
      count += 1
      let (transmission, end) = queue.removeFirst()
      let receiver = account.peer(of: end)
      if !account.isOver(receiver) || transmission.isAlert {
        take(account.deliver(transmission.bytes, to: receiver), of: receiver)
      }
    }
  }

  private mutating func take(_ effects: [EndpointEffect], of end: End) {
    for effect in effects {
      switch effect {
      case .send(let transmission): queue.append((transmission, end))
      case .found(let findings): account.note(findings, by: end)
      case .decided(let decision): account.note(decision.findings, by: end)
      case .fetch(let fetch):
        let answer = account.plan.answer(to: fetch)
        take(account.fetched(answer, by: end), of: end)
      case .received, .derived, .requested: break
      }
    }
  }

  /// What the client made of it.
  var result: Attempt.Result {
    let verdict = account.verdict
    switch verdict.word {
    case .accepted: return .succeeded
    case .hangs, .notApplicable: return .unanswered
    case .refused: break
    }
    // What the client was told is what the impostor itself could not do.
    let own = account.impostorsFailures
    let isTold = verdict.because.allSatisfy(Rule.passingOn.contains)
    return .stopped(isTold && !own.isEmpty ? own : verdict.because)
  }
}

extension RecordedFlights {
  /// What `server` makes of them in a connection of an attacker's, who answers nothing of what it says.
  func result(of server: ServerEndpoint.Configuration) -> Attempt.Result {
    var configuration = server
    configuration.tls.narrates = false
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
  /// What was found, decisions or not.
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
