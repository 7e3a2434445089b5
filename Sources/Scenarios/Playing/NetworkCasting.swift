import Cryptography
import Endpoint
import Explanation
import Laboratory
import PKIX
import Simulator
import TLS
import Trust
import URLLoading

// The hosts of a scenario, and the events on the way to them.
extension PlanBuilder {
  /// Creates the network of the scenario.
  func network() throws(Diagnostics) -> World.Network {
    var network = World.Network()
    for server in scenario.servers where network.hosts[server.host] == nil {
      network.hosts[server.host] = try host(server)
    }
    for verb in scenario.network {
      if let rule = try rule(verb) { network.rules.append(rule) }
    }
    network.publications = hierarchy.publications(in: scenario)
    network.status = publishedStatus
    network.publicSCTs = publicSCTs
    network.budget = scenario.attackers.budget
    return network
  }

  /// Returns the network rule of a verb; nil for a verb that does not change any message.
  private func rule(_ verb: NetworkVerb) throws(Diagnostics) -> World.PathRule? {
    switch verb {
    case .eavesdrop, .leak, .quantumComputer: nil
    case .attack(let attack): .init(.attack(attack), to: nil)
    case .intercept(let description): .init(.intercept(try interception(description)), to: description.connection)
    case .refuseTLS(let load, _): .init(.refuseTLS, to: load)
    case .blockRevocation(let load, _): .init(.blockStatus, to: load)
    case .outdateRevocation(let age, let kind): .init(.outdateStatus(by: age, kind), to: nil)
    case .blockIssuers(let load, _): .init(.blockIssuers, to: load)
    case .reroute(let host, let load, _): .init(.reroute(to: host), to: load)
    case .queryOracle(let load, _): .init(.queryOracle, to: load)
    case .forgePadding(let load, _): .init(.forgePadding, to: load)
    }
  }

  private func interception(_ description: InterceptorDescription) throws(Diagnostics) -> World.Interception {
    let generator = generator("interceptor")
    var fronts: [String: ServerEndpoint.Configuration] = [:]
    for server in scenario.servers where fronts[server.host] == nil {
      fronts[server.host] = try front(description, before: server, generator)
    }
    var interception = World.Interception(fronts: fronts, generator: generator)
    interception.isStrip = description.isStrip
    interception.presentsNothing = description.presents.isEmpty
    interception.logs = LogBuilder(scenario: scenario).list(for: Array(description.presents.prefix(1)))
    interception.upstream = try description.content == nil ? upstream(description) : nil
    interception.replacements = description.replacements
    interception.holds = Set(description.holds)
    return interception
  }

  /// Returns the interceptor's side toward the clients of `server`; nil if it cannot connect.
  private func front(
    _ description: InterceptorDescription, before server: ServerDescription, _ generator: RandomGenerator
  ) throws(Diagnostics) -> ServerEndpoint.Configuration? {
    // Without TLS, the interceptor presents no chain, and the server's own chains are unused.
    let presents = description.presents.isEmpty ? server.chains : [description.presents]
    let answers = description.content.map(ServerEndpoint.Answers.own) ?? .elsewhere
    guard
      var front = try? endpoint(
        server, presenting: presents, .interceptor, random: generator.streams(ValueScope()), answers: answers)
    else { return nil }
    if let staple = description.staple { stapling(staple, presents, to: &front.tls) }
    if description.isWithoutKey { front.tls.privateKey = try anotherKey(like: front.tls.privateKey, description.mark) }
    return front
  }

  /// Returns a key of the attackers that has the same kind as `key`.
  private func anotherKey(like key: PrivateKey, _ mark: SourceMark) throws(Diagnostics) -> PrivateKey {
    do throws(RSAError) {
      if case .ed25519 = key { return .ed25519(KeyStore.ed25519Key(owner: "interceptor")) }
      if case .ec(let own) = key { return .ec(KeyStore.ecKey(owner: "interceptor", curve: own.publicKey.curve)) }
      return .rsa(try cast.keys.rsaKey(owner: "interceptor", bits: 2048))
    } catch {
      throw Diagnostics("cannot generate a key for the impostor: \(error)", at: mark)
    }
  }

  /// Returns the interceptor's own client. It offers every suite or those of a system, but applies no rules of a
  /// system.
  private func upstream(
    _ description: InterceptorDescription
  ) throws(Diagnostics) -> World.Interception.Upstream? {
    let os = OSVersion(.iOS, 8)
    guard let url = scenario.connections.first.flatMap({ try? LoadURL($0.url) }) else { return nil }
    var client = ClientEndpoint.Configuration(
      .init(url, os: os, loader: .urlSession),
      tls: ClientConfiguration(
        host: url.host, versions: .tls10 ... .tls13,
        cipherSuites: CipherSuite.implemented13 + CipherSuite.implemented.filter(\.protects),
        random: generator("interceptor").streams(ValueScope()), party: .interceptor),
      trust: TrustBuilder.evaluator(os: os, scenario, hierarchy))
    if let system = description.os { client.tls.offer(ClientOffer.systemDefault(os: system)) }
    client.followsRedirects = false
    client.keepsAlive = scenario.servers.contains { $0.authentication != nil }
    return .init(client, scheme: description.asks)
  }
}

extension CipherSuite {
  /// Whether the suite encrypts and authenticates the server.
  fileprivate var protects: Bool { registration?.cipher != .null && keyExchange != .dhAnonymous }
}

extension World.Unplayable {
  /// Returns the error of the scenario with this connection.
  func diagnostics(in scenario: Scenario) -> Diagnostics {
    func mark(of host: String) -> SourceMark? { scenario.servers.first { $0.host == host }?.mark }
    switch self {
    case .noServer(let host): return Diagnostics("no server has the host '\(host)'")
    case .nothingToSpeakWith(let host):
      return Diagnostics("the server has no protocol version, or no certificate", at: mark(of: host))
    case .applicationProtocol(let chosen, let host):
      return Diagnostics(
        "client and server would negotiate '\(chosen)', which is not supported",
        hint: "put http/1.1 first in the server's list 'alpn'", at: mark(of: host))
    case .nothingPresented:
      let interceptors = scenario.network.compactMap { verb -> InterceptorDescription? in
        if case .intercept(let description) = verb { description } else { nil }
      }
      return Diagnostics(
        "the interceptor presents no certificate", hint: "write presents: [evil], with a certificate of its own",
        at: interceptors.last { $0.presents.isEmpty && !$0.isStrip }?.mark)
    }
  }
}
