import Endpoint
import Explanation
import Laboratory
import TLS
import URLLoading

/// An attacker on the path that puts its own words before a client's: it begins a request on a connection of its own, and
/// lets the client's first handshake be the second on it. Played for its end alone.
struct Splicing {
  private var rehearsal: Rehearsal

  /// The client and the server of `plan`, with the attacker between them.
  init(_ plan: World.Plan) {
    var plan = plan
    plan.client.tls.session = nil
    rehearsal = Rehearsal(preparing: plan)
    var own = AttackersClient(Self.attacker(plan))
    // A request line of the attacker's, and a header field that swallows the client's.
    let beginning = "\(plan.client.request.attackersLine) HTTP/1.1\r\nX-Ignored: "
    rehearsal.begin(&own, saying: Array(beginning.utf8))
    guard own.connection.handshake.isConnected else { return }
    var splice = Splice(own.connection)
    rehearsal.play { bytes, end in splice.passOn(bytes, from: end == .client ? .client : .server) }
  }

  /// The outcome: the server carries out a request of which the client has said only the end.
  var result: Attempt.Result {
    let account = rehearsal.account
    if account.server.request?.line == account.plan.client.request.attackersLine { return .succeeded }
    let rules = rehearsal.findings.deciding
    let own = rules.filter { !Rule.passingOn.contains($0) }
    return rules.isEmpty ? .unanswered : .stopped(own.isEmpty ? rules : own)
  }

  /// The attacker's own client. It says that it knows RFC 5746 if the server does: else the server renegotiates nothing.
  private static func attacker(_ plan: World.Plan) -> ClientConfiguration {
    var tls = plan.client.tls
    tls.renegotiation = plan.server.tls.renegotiation == .insecure ? .insecure : .secure
    tls.random = RandomStreams(seed: .number(0), party: "attacker")
    return tls
  }
}
