import Cryptography
import Endpoint
import Explanation
import Simulator
import URLLoading

/// The proxy of a client's network settings, as a scenario describes it.
public struct ProxyDescription: Sendable {
  /// The host name of the proxy.
  public internal(set) var host = "proxy.example"
  /// The port of the proxy.
  public internal(set) var port: UInt16 = 8080
  /// The proxy's request for credentials; nil if it requires none.
  public internal(set) var authentication: AuthenticationDescription?

  /// Every key of `proxy`.
  static let section = Section<ProxyDescription>(
    "proxy", "The proxy in the client's network settings. It opens tunnels for https, and forwards http requests.",
    [
      .term(
        "host", Kind<String>.text.map { $0.lowercased() }, "the host of the proxy; default: proxy.example", into: \.host
      ),
      .term("port", .port, "its port; default: 8080", into: \.port),
      .term(
        "authentication", .section(AuthenticationDescription.section) { AuthenticationDescription() },
        "the proxy's request for credentials (407, RFC 9110 section 11.7); default: none", into: \.authentication),
    ])

  var sentence: String {
    "It reaches its servers through the proxy \(host):\(port)."
      + (authentication.map { " \($0.sentence.replacing("It asks", with: "The proxy asks"))" } ?? "")
  }
}

extension Kind {
  static var proxy: Kind<ProxyDescription> {
    Kind<ProxyDescription>.section(ProxyDescription.section) { ProxyDescription() }
  }
}

extension PlanBuilder {
  /// Returns the proxy between the client and the server, for a connection with the values of `scope`.
  func proxy(of client: ClientDescription, _ scope: ValueScope) -> ProxyEndpoint.Configuration? {
    client.proxy.map { proxy in
      let authenticator = proxy.authentication.map { authentication in
        var policy = authentication.policy
        policy.isProxy = true
        return HTTPAuthenticator(policy, random: DeterministicRandom(seed: scenario.seed, label: "proxy/nonce"))
      }
      return ProxyEndpoint.Configuration(
        host: proxy.host, port: proxy.port, authenticator: authenticator, valueScope: scope,
        enforcement: cast.enforcement(.server))
    }
  }

  /// Returns the value that the client must know before it can present its identity.
  ///
  /// It is the file that a server issues to the client, or a stolen key.
  func need(of client: ClientDescription) -> IdentityNeed? {
    if client.isThief, let name = client.identity.first {
      return IdentityNeed(ValueScope(name).name(.key), knownTo: .eavesdropper, isStolen: true)
    }
    guard let name = client.identityFile?.certificate,
      scenario.registrations.contains(where: { $0.registration.certificate == name }),
      scenario.connections.contains(where: { $0.registers(name, with: scenario.servers) })
    else { return nil }
    return IdentityNeed(IssuedIdentity.fileName(name), knownTo: .client, isStolen: false)
  }
}

extension ConnectionDescription {
  /// Returns whether the client requests the file of this identity from a server.
  fileprivate func registers(_ name: String, with servers: [ServerDescription]) -> Bool {
    guard let url = try? LoadURL(url), let server = servers.first(where: { $0.host == url.host }) else { return false }
    let line = request?.line ?? "GET \(url.path)"
    return server.registrations[line]?.certificate == name
  }
}
