import Explanation

/// Checks what client authentication refers to: the client's certificate, and the authorities that servers trust.
struct ClientAuthenticationCheck {
  let scenario: Scenario
  let sink: DiagnosticSink

  func run() {
    for server in scenario.servers { check(server) }
    for connection in scenario.connections { check(connection) }
  }

  private func check(_ server: ServerDescription) {
    let node = scenario.tree["servers"]?[server.host] ?? scenario.tree["server"]
    let authorities = scenario.authorities.map(\.name)
    for name in server.clientAuthorities where !authorities.contains(name) {
      sink.error(
        "unknown authority '\(name)'", hint: Spelling.hint(for: name, among: authorities),
        at: node?["clientAuthorities"]?.mark ?? server.mark)
    }
    if server.clientAuthentication != .none, server.clientAuthorities.isEmpty {
      sink.error(
        "the server asks for certificates of clients and trusts nobody's",
        hint: "write clientAuthorities: [\(authorities.first ?? "Root A")]",
        at: node?["clientAuthentication"]?.mark ?? server.mark)
    }
  }

  private func check(_ connection: ConnectionDescription) {
    let names = (scenario.certificates + scenario.authorities).map(\.name)
    for name in connection.client.identity where !names.contains(name) {
      let place = scenario.tree["client"]?["identity"]?.mark ?? connection.mark
      sink.error("unknown certificate '\(name)'", hint: Spelling.hint(for: name, among: names + ["none"]), at: place)
    }
  }
}
