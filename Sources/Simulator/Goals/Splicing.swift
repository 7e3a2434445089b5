import Endpoint
import Explanation
import PKIX
import TLS
import URLLoading

/// Somebody on the path who puts his own words before a client's: he begins a request on a connection of his own, and lets
/// the client's first handshake be the second on it. Played for its end alone.
struct Splicing {
  private var account: ConnectionAccount
  private var splice: Splice
  private var findings: [Finding] = []
  private var queue: [(bytes: [UInt8], from: End)] = []

  /// The most messages of a connection: more than any that ends.
  private static let limit = 500

  /// The client and the server of `plan`, with the attacker between them.
  init(_ plan: World.Plan) {
    var plan = plan
    plan.client.tls.session = nil
    plan.client.tls.narrates = false
    plan.server.tls.narrates = false
    account = ConnectionAccount(plan)
    var own = Connection(Self.attacker(plan))
    splice = Splice(own)
    meet(own.start(), &own)
    guard own.handshake.isConnected else { return }
    meet(own.send(Self.beginning(of: plan.client.request)), &own)
    splice = Splice(own)
    take(account.start(.client), of: .client)
    var count = 0
    while !queue.isEmpty, count < Self.limit {
      count += 1
      let (bytes, end) = queue.removeFirst()
      let receiver: End = end == .client ? .server : .client
      let passed = splice.passOn(bytes, from: end == .client ? .client : .server)
      if !account.isOver(receiver) { take(account.deliver(passed, to: receiver), of: receiver) }
    }
  }

  /// What came of it: the server carries out a request of which the client has said only the end.
  var result: Attempt.Result {
    if account.server.request?.line == Self.line(of: account.plan.client.request) { return .succeeded }
    let rules = findings.deciding
    let own = rules.filter { !Rule.passingOn.contains($0) }
    return rules.isEmpty ? .unanswered : .stopped(own.isEmpty ? rules : own)
  }

  /// A request line of the attacker's, and a header field that swallows the client's.
  private static func beginning(of request: HTTPRequest) -> [UInt8] {
    Array("\(line(of: request)) HTTP/1.1\r\nX-Ignored: ".utf8)
  }

  private static func line(of request: HTTPRequest) -> String {
    "GET \(request.path.prefix { $0 != "?" })?said-by=somebody-else"
  }

  /// A client of the attacker's own that shows nobody's certificate. It says that it knows RFC 5746 where the server does:
  /// else that one would take part in nothing.
  private static func attacker(_ plan: World.Plan) -> ClientConfiguration {
    var tls = plan.client.tls
    (tls.identity, tls.otherIdentities, tls.choosesIdentity) = (nil, [], false)
    tls.renegotiation = plan.server.tls.renegotiation == .insecure ? .insecure : .secure
    tls.random = RandomStreams(seed: .number(0), party: "attacker")
    tls.party = .interceptor
    return tls
  }

  /// What the attacker's own client and the server say to each other.
  private mutating func meet(_ effects: [ConnectionEffect], _ own: inout Connection) {
    for effect in effects {
      switch effect {
      case .send(let message):
        for answer in account.deliver(message.bytes, to: .server) {
          switch answer {
          case .send(let transmission): meet(own.receive(transmission.bytes), &own)
          case .found(let found): findings += found
          case .decided(let decision): findings += decision.findings
          case .received, .derived, .requested, .fetch: break
          }
        }
      case .evaluateCertificate(let credentials):
        // He means to speak with whoever that is.
        guard let leaf = credentials.certificates.first.flatMap({ try? Certificate(der: $0) }) else { return }
        meet(own.certificateEvaluated(.accepted(leaf.publicKey)), &own)
      default: break
      }
    }
  }

  private mutating func take(_ effects: [EndpointEffect], of end: End) {
    for effect in effects {
      switch effect {
      case .send(let transmission): queue.append((transmission.bytes, end))
      case .found(let found): findings += found
      case .decided(let decision): findings += decision.findings
      case .fetch(let fetch):
        let answer = account.plan.answer(to: fetch)
        take(account.fetched(answer, by: end), of: end)
      case .received, .derived, .requested: break
      }
    }
  }
}
