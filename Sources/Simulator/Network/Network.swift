import Endpoint
import Explanation
import PKIX
import TLS
import URLLoading

extension World {
  /// The hosts of one day, the events on the path to them, and the data that CAs publish.
  public struct Network: Sendable {
    /// The hosts, by name.
    public var hosts: [String: Host] = [:]
    /// The rules for the path. If two rules add an interceptor, the last one applies.
    public var rules: [PathRule] = []
    /// The certificates of CAs, for clients that fetch issuers.
    public var publications: [Publication] = []
    /// The revocation status that CAs publish.
    public var status = PublishedStatus()
    /// The SCTs that servers send in the TLS extension, by certificate. They are sent unencrypted.
    public var publicSCTs: [Certificate: [UInt8]] = [:]
    /// The maximum number of candidates that attackers can try, as a power of two.
    public var budget = Attackers().budget

    /// Creates a network without hosts or rules.
    public init() {}
  }

  /// A host with its server.
  public struct Host: Sendable {
    /// The server without the values of a connection, or the reason why the server cannot be simulated.
    public let server: Result<ServerEndpoint.Configuration, Unplayable>
    /// The random generator of the server.
    public let generator: RandomGenerator
    /// The logs that clients know for the server's certificates; nil if the clients require no SCTs.
    public var logs: LogList?

    /// The server; nil if it cannot be simulated.
    var endpoint: ServerEndpoint.Configuration? { try? server.get() }

    /// Creates a host with this server.
    public init(_ server: Result<ServerEndpoint.Configuration, Unplayable>, generator: RandomGenerator) {
      self.server = server
      self.generator = generator
    }
  }

  /// An event on the path of connections.
  public struct PathRule: Sendable {
    /// The name of the load that the event affects; nil for every load.
    public let load: String?
    /// The event on the path.
    public let effect: Effect

    /// The kinds of events on the path.
    public enum Effect: Sendable {
      /// An attack on messages.
      case attack(Attack)
      /// An attacker cuts every connection that begins with TLS.
      case refuseTLS
      /// An interceptor is between client and server, or in place of the server.
      case intercept(Interception)
      /// The network routes the client to the server of another host.
      case reroute(to: String)
      /// The client cannot fetch the certificates of issuers.
      case blockIssuers
      /// The client cannot fetch the revocation status.
      case blockStatus
      /// The revocation status, or one kind of it, is outdated by this many seconds.
      case outdateStatus(by: Int64, AgedStatus?)
      /// An attacker queries the server about the recorded premaster secret, after the connection.
      case queryOracle
      /// An attacker makes the client repeat its request and replaces the padding with other blocks.
      case forgePadding
    }

    /// Creates a rule by which `effect` applies to the connections of `load`.
    public init(_ effect: Effect, to load: String?) {
      self.effect = effect
      self.load = load
    }
  }

  /// An interceptor that is not yet part of a connection.
  public struct Interception: Sendable {
    /// The servers that clients connect to, by the host that each server replaces.
    public let fronts: [String: ServerEndpoint.Configuration]
    /// Whether the interceptor only keeps a client on HTTP and ignores a client that begins with TLS.
    public var isStrip = false
    /// Whether the interceptor has no certificate and therefore cannot accept TLS.
    public var presentsNothing = false
    /// The client that connects to the real server; nil for an interceptor that responds without it.
    public var upstream: Upstream?
    /// The random generator of the interceptor.
    public let generator: RandomGenerator
    /// The logs that clients know for the interceptor's certificates; nil if the clients require no SCTs.
    public var logs: LogList?
    /// The texts that are replaced in responses, with their replacements.
    public var replacements: [String: String] = [:]
    /// The secrets that the interceptor has from the start, such as a stolen key.
    public var holds: Set<Value.ID> = []

    /// The client of an interceptor, and the scheme of its requests.
    public struct Upstream: Sendable {
      /// The client without a URL.
      public let client: ClientEndpoint.Configuration
      /// The URL scheme of the requests; nil for the intercepted client's own scheme.
      public let scheme: String?

      /// Creates the interceptor's client, which makes requests with `scheme`.
      public init(_ client: ClientEndpoint.Configuration, scheme: String?) {
        self.client = client
        self.scheme = scheme
      }
    }

    /// Creates an interceptor with the servers `fronts`.
    public init(fronts: [String: ServerEndpoint.Configuration], generator: RandomGenerator) {
      self.fronts = fronts
      self.generator = generator
    }
  }

  /// The reason why a connection cannot be simulated.
  public enum Unplayable: Error, Sendable, Hashable {
    /// There is no server for the host.
    case noServer(host: String)
    /// The server has no version or no certificate that it can use.
    case nothingToSpeakWith(host: String)
    /// The client and the server would negotiate this protocol, which is not simulated.
    case applicationProtocol(ApplicationProtocol, host: String)
    /// The interceptor has no certificate for a client that begins with TLS.
    case nothingPresented
  }
}

extension World.Network {
  /// The events on the path of one connection.
  public struct Way: Sendable {
    /// The attacks on messages.
    public var attacks: [Attack] = []
    /// The interceptor between client and server; nil for none.
    public var interceptor: Interceptor?
    /// Whether an attacker queries the server about the recorded premaster secret after the connection.
    public var asksOracle = false
    /// Whether an attacker replaces the padding with other blocks.
    public var forgesPadding = false
    /// Whether the revocation status cannot be fetched.
    public var blocksStatuses = false
    /// The age in seconds of the status that the client receives.
    public var statusAge: Int64 = 0
    /// The kind of status that is outdated; nil for every kind.
    public var agedStatus: World.AgedStatus?
    /// Whether the certificates of issuers cannot be fetched.
    public var blocksIssuers = false

    /// Creates a path without any events.
    public init() {}

    /// Returns this path for fetches, with only these attackers on the connection itself.
    func met(_ attacks: [Attack] = [], by interceptor: Interceptor? = nil) -> Way {
      var way = self
      (way.interceptor, way.attacks, way.asksOracle, way.forgesPadding) = (interceptor, attacks, false, false)
      return way
    }
  }

  /// Returns the effects on the connection called `name`, in order.
  private func effects(on name: String?) -> [World.PathRule.Effect] {
    rules.filter { World.Plan.isPart(name, of: $0.load) }.map(\.effect)
  }

  /// Returns the host whose server receives a connection to `host`.
  func destination(of host: String, for name: String?) -> String {
    effects(on: name).reduce(host) { host, effect in if case .reroute(let other) = effect { other } else { host } }
  }

  /// Returns the logs that the client of the connection called `name` knows, for the certificates that it can receive.
  func logs(for host: String, _ name: String?) -> LogList? {
    for case .intercept(let interception) in effects(on: name).reversed() where !interception.presentsNothing {
      return interception.logs
    }
    return hosts[host]?.logs
  }

  /// Returns the events on the path of the connection `name` to `url`, whose server is that of `host`.
  func way(to url: LoadURL, at host: String, for name: String?) throws(World.Unplayable) -> Way {
    var way = Way()
    var interception: World.Interception?
    for effect in effects(on: name) {
      switch effect {
      case .attack(let attack): way.attacks.append(attack)
      // With an http client, the interceptor's own connection to the server may still use TLS.
      case .refuseTLS: if url.isSecure { way.attacks.append(Attack(.cut, to: .handshake(.serverHello), from: .server)) }
      case .intercept(let other): interception = other
      case .reroute: break
      case .blockIssuers: way.blocksIssuers = true
      case .blockStatus: way.blocksStatuses = true
      case .outdateStatus(let age, let kind): (way.statusAge, way.agedStatus) = (age, kind)
      case .queryOracle: way.asksOracle = true
      case .forgePadding: way.forgesPadding = true
      }
    }
    way.interceptor = try interception?.interceptor(before: host, for: url, named: name)
    return way
  }
}

extension World.Interception {
  /// Returns the interceptor of the connection `name` to `url`; nil if it ignores the connection.
  fileprivate func interceptor(
    before host: String, for url: LoadURL, named name: String?
  ) throws(World.Unplayable) -> Interceptor? {
    // TLS stripping requires a client that begins without TLS. The interceptor forwards the bytes of other clients
    // unchanged.
    if url.isSecure, isStrip { return nil }
    if url.isSecure, presentsNothing { throw .nothingPresented }
    guard let front = fronts[host] else { throw .nothingToSpeakWith(host: host) }
    let scope = World.Plan.scope(of: name)
    return Interceptor(
      front: front.named(scope, generator), back: upstream?.client(for: url, generator, scope),
      replacements: replacements, holds: holds)
  }
}

extension World.Interception.Upstream {
  /// Returns the client that requests the target of `url`.
  fileprivate func client(
    for url: LoadURL, _ generator: RandomGenerator, _ scope: ValueScope
  ) -> ClientEndpoint.Configuration? {
    // RFC 6455 section 3: a WebSocket has its own schemes.
    let scheme = scheme.map { url.isWebSocket ? ($0 == "https" ? "wss" : "ws") : $0 } ?? url.scheme
    guard let asked = try? LoadURL("\(scheme)://\(url.host)\(url.path)") else { return nil }
    var client = client
    client.ask(for: asked)
    client.name(scope.upstream, generator)
    return client
  }
}

extension ServerEndpoint.Configuration {
  /// Returns this server in the connection with the values of `scope`.
  func named(_ scope: ValueScope, _ generator: RandomGenerator) -> Self {
    var server = self
    server.tls.valueScope = scope
    server.tls.random = generator.streams(scope)
    return server
  }
}

extension ClientEndpoint.Configuration {
  /// Names the client's random values by `scope` and generates them for that connection.
  mutating func name(_ scope: ValueScope, _ generator: RandomGenerator) {
    tls.valueScope = scope
    tls.random = generator.streams(scope)
  }
}
