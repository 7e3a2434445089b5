import Endpoint
import Explanation
import Laboratory
import TLS
import URLLoading

/// A renegotiation attack: an attacker on the path inserts data before a client's data.
///
/// The attacker begins a request on its own connection, and makes the client's first handshake a renegotiation of it.
/// The connection is simulated only for its result.
struct RenegotiationInjection {
  private var rehearsal: TrialConnection

  /// Simulates the client and the server of `plan`, with the attacker between them.
  init(_ plan: World.Plan) {
    var plan = plan
    plan.client.tls.session = nil
    rehearsal = TrialConnection(preparing: plan)
    var own = AttackersClient(Self.attacker(plan))
    // The attacker's request line, and a header field that absorbs the client's request line.
    let beginning = "\(plan.client.request.attackersLine) HTTP/1.1\r\nX-Ignored: "
    rehearsal.begin(&own, saying: Array(beginning.utf8))
    guard own.connection.handshake.isConnected else { return }
    var splice = RenegotiationAttacker(own.connection)
    rehearsal.play { bytes, end in splice.passOn(bytes, from: end == .client ? .client : .server) }
  }

  /// The result of the attack. It succeeds if the server processes a request of which the client sent only the end.
  var result: Attempt.Result {
    let account = rehearsal.account
    if account.server.request?.line == account.plan.client.request.attackersLine { return .succeeded }
    let rules = rehearsal.findings.deciding
    let own = rules.filter { !Rule.passingOn.contains($0) }
    return rules.isEmpty ? .unanswered : .stopped(own.isEmpty ? rules : own)
  }

  /// Returns the configuration of the attacker's own client.
  ///
  /// The client supports RFC 5746 if the server does. Otherwise the server would not renegotiate.
  private static func attacker(_ plan: World.Plan) -> ClientConfiguration {
    var tls = plan.client.tls
    tls.renegotiation = plan.server.tls.renegotiation == .insecure ? .insecure : .secure
    tls.random = RandomStreams(seed: .number(0), party: "attacker")
    return tls
  }
}
