import Explanation
import Simulator
import TLS
import URLLoading

/// Checks that the secrets, certificates, connections and hosts named in `network` exist.
struct NetworkCheck {
  let scenario: Scenario
  let sink: DiagnosticSink

  func run() {
    for verb in scenario.network {
      switch verb {
      case .leak(let secret, _, let mark): checkSecret(secret, at: mark)
      case .intercept(let description): check(description)
      case .reroute(let host, let connection, let mark):
        checkConnection(connection, at: mark)
        let hosts = scenario.servers.map(\.host)
        if !hosts.contains(host) {
          sink.error(
            "no server has the host '\(host)'", hint: Spelling.hint(for: host, among: hosts),
            at: scenario.tree["network"]?.place(of: host) ?? mark)
        }
      case .attack(let attack):
        checkConnection(attack.connection, at: scenario.tree["network"]?.mark ?? scenario.tree.mark)
        AttackCheck(scenario: scenario, attack: attack, sink: sink).run()
      case .queryOracle(let connection, let mark): checkConnection(connection, at: mark)
      case .forgePadding(let connection, let mark):
        checkConnection(connection, at: mark)
        if !scenario.connections.contains(where: { $0.isPart(of: connection) && !$0.client.cookie.isEmpty }) {
          sink.error(
            "the client sends no cookie for the attacker to find", hint: "write client: { cookie: id=k7 }", at: mark)
        }
      case .outdateRevocation:
        if !all.contains(where: \.namesStatus) {
          sink.error(
            "no CA names the location of its revocation data",
            hint: "write authorities: { Issuing: { responder: \"http://ocsp.ca.example/\" } }",
            at: scenario.tree["network"]?.mark ?? scenario.tree.mark)
        }
      case .refuseTLS(let connection, let mark), .blockRevocation(let connection, let mark),
        .blockIssuers(let connection, let mark):
        checkConnection(connection, at: mark)
      case .eavesdrop, .quantumComputer: break
      }
    }
    checkReplays()
    checkHosts()
  }

  /// Checks that every loaded host has a server, unless the network reroutes the load.
  private func checkHosts() {
    let isRerouted = scenario.network.contains { if case .reroute = $0 { true } else { false } }
    let hosts = scenario.servers.map(\.host)
    for connection in scenario.connections where connection.replayed == nil && !isRerouted {
      guard let url = try? LoadURL(connection.url), url.isHTTP, !hosts.contains(url.host)
      else { continue }
      sink.error(
        "no server has the host '\(url.host)'",
        hint: Spelling.nearest(to: url.host, among: hosts).map { "did you mean '\($0)'?" }
          ?? "write server: { host: \(url.host) }, with a certificate for that name",
        at: scenario.place(connection.mark, orOf: "servers", "server"))
    }
  }

  private func checkReplays() {
    var earlier: [String] = []
    for connection in scenario.connections {
      if let replayed = connection.replayed {
        if !earlier.contains(replayed) {
          sink.error(
            "there is no earlier connection '\(replayed)'", hint: Spelling.hint(for: replayed, among: earlier),
            at: connection.mark)
        }
      } else if let name = connection.name {
        earlier.append(name)
      }
    }
  }

  private var all: [CertificateDescription] { scenario.authorities + scenario.certificates }

  private func checkSecret(_ secret: Value.ID, at mark: SourceMark) {
    let keys = all.map { $0.scope.name(.key) }
    let bare = secret.bare
    let place = scenario.tree["network"]?.place(of: secret.description) ?? mark
    if keys.contains(secret) {
      let owner = all.first { $0.scope == secret.scope }?.crossSigned
      if let owner {
        sink.error(
          "there is no \(secret): a cross-certificate has the key of \(owner)", hint: "write \(owner).key",
          at: place)
      }
      return
    }
    if ValueEntry.isValue(bare) {
      if let obstacle = obstacle(to: secret, bare) {
        sink.error(obstacle.message, hint: obstacle.hint, at: place)
      }
      return
    }
    sink.error(
      "unknown secret '\(secret)'",
      hint: ValueEntry.hint(for: secret, among: (keys + ValueEntry.all.map(\.name)).map(\.description)),
      at: place)
  }

  /// Returns the reason why no run of the file has a value with this name; nil if one can.
  private func obstacle(to secret: Value.ID, _ bare: Value.ID) -> (message: String, hint: String)? {
    let names = scenario.connections.compactMap(\.name)
    if secret == bare, !names.isEmpty, names.count == scenario.connections.count, scenario.later.isEmpty,
      ![.sessionTicketKey, .externalPSK].contains(bare.kind), let first = names.first
    {
      return ("there are several connections, and each has its own \(bare)", "write \(first).\(bare)")
    }
    if secret.scope.handshake > 0, !scenario.servers.contains(where: { $0.renegotiates != .never }) {
      return (
        "no connection has a \(secret): no server starts a renegotiation",
        "write server: { renegotiates: on-request }"
      )
    }
    let exchanges = scenario.servers.flatMap(\.cipherSuites).map(\.keyExchange)
    let isRSAOnly = exchanges.allSatisfy { $0 == .rsa }
    let premaster = ValueKind.premasterSecret.word
    if isRSAOnly, ValueKind.keyAgreement.contains(bare.kind) {
      return ("no connection has a \(bare): RSA key exchange has no key agreement", "write \(premaster), or api.key")
    }
    if !exchanges.contains(.rsa), bare.kind == .encryptedPremasterSecret {
      return ("no connection has an \(bare): the server does not support RSA key exchange", "write \(premaster)")
    }
    return nil
  }

  /// Checks that an interceptor has the key of its certificate. The key can be its own, stolen or computed.
  private func check(_ description: InterceptorDescription) {
    checkConnection(description.connection, at: description.mark)
    for secret in description.holds { checkSecret(secret, at: description.mark) }
    for name in description.presents + (description.staple?.names ?? []) where !all.contains(where: { $0.name == name })
    {
      sink.error(
        "unknown certificate '\(name)'", hint: Spelling.hint(for: name, among: all.map(\.name)),
        at: scenario.tree["network"]?.place(of: name) ?? description.mark)
    }
    guard let leaf = description.presents.first, let certificate = all.first(where: { $0.name == leaf }) else { return }
    let isServers = scenario.servers.contains { server in server.chains.contains { $0.first == leaf } }
    if isServers, !certificate.isWeak(against: scenario.attackers), !description.isWithoutKey,
      !description.holds.contains(ValueScope(leaf).name(.key))
    {
      sink.error(
        "the interceptor does not have '\(leaf).key'",
        hint: "write holds: [\(leaf).key] if the key is stolen, "
          + (description.content == nil ? "" : "withoutKey: true if the attacker has only the certificate, ")
          + "or present another certificate",
        at: description.mark)
    }
  }

  private func checkConnection(_ name: String?, at mark: SourceMark) {
    let names = scenario.connections.compactMap(\.name)
    guard let name, !names.contains(name) else { return }
    sink.error(
      "unknown connection '\(name)'", hint: Self.hint(onConnection: name, among: names),
      at: scenario.tree["network"]?.place(of: name) ?? mark)
  }

  /// Returns a hint for a fallback attempt or redirect hop, which belongs to the connection that the file names.
  private static func hint(onConnection name: String, among names: [String]) -> String {
    let last = name.split(separator: ".").last.map(String.init) ?? name
    if last.hasPrefix("attempt") {
      let whole = names.first.map { "in: \($0)" } ?? "no 'in'"
      return "an attack applies to every attempt: write \(whole); 'above: TLSv1.1' limits it to the first attempt"
    }
    if names.isEmpty { return "there is only one connection: leave out 'in'" }
    return Spelling.hint(for: name, among: names)
  }
}
