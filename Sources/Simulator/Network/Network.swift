import Endpoint
import Explanation
import PKIX
import TLS
import URLLoading

extension World {
  /// The hosts of one day, the events on the path to them, and the publications of CAs.
  public struct Network: Sendable {
    /// The hosts, by name.
    public var hosts: [String: Host] = [:]
    /// The rules of the path. If two rules add an interceptor, the last one applies.
    public var rules: [PathRule] = []
    /// The certificates of CAs, for clients that fetch issuers.
    public var publications: [Publication] = []
    /// The revocation status that CAs publish.
    public var status = PublishedStatus()
    /// The SCTs that servers send in the TLS extension, by certificate. They travel in the clear.
    public var publicSCTs: [Certificate: [UInt8]] = [:]
    /// The most candidates that attackers can try, as a power of two.
    public var budget = Attackers().budget

    /// Creates a network without hosts and rules.
    public init() {}
  }

  /// A host with its server.
  public struct Host: Sendable {
    /// The server without the values of a connection, or the reason why it cannot be simulated.
    public let server: Result<ServerEndpoint.Configuration, Unplayable>
    /// The generator of the server's random values.
    public let generator: RandomGenerator
    /// The logs that clients of its certificates know; nil if they require no SCTs.
    public var logs: LogList?

    /// Creates a host with this server.
    public init(_ server: Result<ServerEndpoint.Configuration, Unplayable>, generator: RandomGenerator) {
      self.server = server
      self.generator = generator
    }
  }

  /// An event on the path of connections.
  public struct PathRule: Sendable {
    /// The load whose connections the event affects; nil for every load.
    public let load: String?
    /// The event.
    public let effect: Effect

    /// The kinds of events.
    public enum Effect: Sendable {
      /// An attack on messages.
      case attack(Attack)
      /// Every connection that begins with TLS is cut.
      case refuseTLS
      /// An interceptor is between client and server, or in place of the server.
      case intercept(Interception)
      /// The network leads the client to the server of another host.
      case reroute(to: String)
      /// The certificates of issuers cannot be fetched.
      case blockIssuers
      /// The revocation status cannot be fetched.
      case blockStatus
      /// The revocation status, or one kind of it, is this many seconds old.
      case outdateStatus(by: Int64, AgedStatus?)
      /// An attacker queries the server about the recorded premaster secret after the connection.
      case queryOracle
      /// An attacker makes the client repeat its request, and replaces the padding with other blocks.
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
    /// The servers that clients meet, by the host that each replaces.
    public let fronts: [String: ServerEndpoint.Configuration]
    /// Whether the interceptor only keeps a client on HTTP, and ignores a client that begins with TLS.
    public var isStrip = false
    /// Whether the interceptor has no certificate, and so cannot accept TLS.
    public var presentsNothing = false
    /// The client that connects to the real server; nil for an interceptor that responds by itself.
    public var upstream: Upstream?
    /// The generator of the interceptor's random values.
    public let generator: RandomGenerator
    /// The logs that clients of its certificates know; nil if they require no SCTs.
    public var logs: LogList?
    /// The replacements of text in responses.
    public var replacements: [String: String] = [:]
    /// The secrets that the interceptor has from the start, such as a stolen key.
    public var holds: Set<Value.ID> = []

    /// The client of an interceptor, and the scheme of its requests.
    public struct Upstream: Sendable {
      /// The client without a URL.
      public let client: ClientEndpoint.Configuration
      /// The scheme of its requests; nil for the intercepted client's own scheme.
      public let scheme: String?

      /// Creates the interceptor's client, which makes requests with `scheme`.
      public init(_ client: ClientEndpoint.Configuration, scheme: String?) {
        self.client = client
        self.scheme = scheme
      }
    }

    /// Creates an interceptor that meets clients with `fronts`.
    public init(fronts: [String: ServerEndpoint.Configuration], generator: RandomGenerator) {
      self.fronts = fronts
      self.generator = generator
    }
  }

  /// The reason why a connection cannot be simulated.
  public enum Unplayable: Error, Sendable, Hashable {
    /// No server exists for the host.
    case noServer(host: String)
    /// The server has no version or no certificate to use.
    case nothingToSpeakWith(host: String)
    /// The server supports only TLS 1.3, which is not simulated.
    case onlyTLS13(host: String)
    /// Client and server would agree on this protocol, which is not simulated.
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
    /// The age of the received status in seconds.
    public var statusAge: Int64 = 0
    /// The kind of status that has this age; nil for every kind.
    public var agedStatus: World.AgedStatus?
    /// Whether the certificates of issuers cannot be fetched.
    public var blocksIssuers = false

    /// Creates a path without events.
    public init() {}

    /// The same path for fetches, but with only these attackers on the connection itself.
    func met(_ attacks: [Attack] = [], by interceptor: Interceptor? = nil) -> Way {
      var way = self
      (way.interceptor, way.attacks, way.asksOracle, way.forgesPadding) = (interceptor, attacks, false, false)
      return way
    }
  }

  /// The effects on the connection `name`, in order.
  private func effects(on name: String?) -> [World.PathRule.Effect] {
    rules.filter { World.Plan.isPart(name, of: $0.load) }.map(\.effect)
  }

  /// The host to which a connection to `host` leads.
  func destination(of host: String, for name: String?) -> String {
    effects(on: name).reduce(host) { host, effect in if case .reroute(let other) = effect { other } else { host } }
  }

  /// The logs that the client of the connection `name` knows, for the certificates that it can receive.
  func logs(for host: String, _ name: String?) -> LogList? {
    for case .intercept(let interception) in effects(on: name).reversed() where !interception.presentsNothing {
      return interception.logs
    }
    return hosts[host]?.logs
  }

  /// The events on the path of the connection `name` to `url`, whose server is that of `host`.
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
  /// The interceptor of the connection `name` to `url`; nil if it ignores the connection.
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
  /// The client that requests the target of `url`.
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
  /// The same server in the connection with the values of `scope`.
  func named(_ scope: ValueScope, _ generator: RandomGenerator) -> Self {
    var server = self
    server.tls.valueScope = scope
    server.tls.random = generator.streams(scope)
    return server
  }
}

extension ClientEndpoint.Configuration {
  /// Names the client's values by `scope`, and generates them for that connection.
  mutating func name(_ scope: ValueScope, _ generator: RandomGenerator) {
    tls.valueScope = scope
    tls.random = generator.streams(scope)
  }
}
