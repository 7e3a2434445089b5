import Endpoint
import Explanation
import PKIX
import TLS
import URLLoading

extension World {
  /// The hosts of one day, the events on the way to them, and the publications of CAs.
  public struct Network: Sendable {
    /// The hosts, by name.
    public var hosts: [String: Host] = [:]
    /// The rules of the way; of two interceptors the last counts.
    public var rules: [PathRule] = []
    /// The certificates of CAs, for clients that fetch issuers.
    public var publications: [Publication] = []
    /// The revocation status that CAs publish.
    public var status = PublishedStatus()
    /// The SCTs that servers send in the TLS extension, by certificate. They travel in the clear.
    public var publicTimestamps: [Certificate: [UInt8]] = [:]
    /// The most candidates that attackers can try, as a power of two.
    public var budget = Attackers().budget

    /// A network without hosts and rules.
    public init() {}
  }

  /// A host with its server.
  public struct Host: Sendable {
    /// The server, before it has the values of a connection, or the reason that it cannot be played.
    public let server: Result<ServerEndpoint.Configuration, Unplayable>
    /// The generator of its random values.
    public let generator: RandomGenerator
    /// The logs that clients of its certificates know; nil if they demand no SCTs.
    public var logs: LogList?

    /// A host with this server.
    public init(_ server: Result<ServerEndpoint.Configuration, Unplayable>, generator: RandomGenerator) {
      self.server = server
      self.generator = generator
    }
  }

  /// Something that happens on the way of connections.
  public struct PathRule: Sendable {
    /// The load to whose connections it happens; nil for every one.
    public let load: String?
    /// The event.
    public let effect: Effect

    /// The kinds of events.
    public enum Effect: Sendable {
      /// Something is done to messages.
      case attack(Attack)
      /// Every connection that begins with TLS is ended.
      case refuseTLS
      /// Someone is between client and server, or in the server's place.
      case intercept(Interception)
      /// The network leads the client to the server of another host.
      case reroute(to: String)
      /// The certificates of issuers cannot be fetched.
      case blockIssuers
      /// The status of revocation cannot be fetched.
      case blockStatus
      /// The status of revocation is so many seconds old, or one kind of it.
      case outdateStatus(by: Int64, AgedStatus?)
      /// An attacker asks the server about the recorded premaster secret afterwards.
      case queryOracle
      /// An attacker has the client ask again and again, and puts other blocks in the place of the padding.
      case forgePadding
    }

    /// `effect` happens to the connections of `load`.
    public init(_ effect: Effect, to load: String?) {
      self.effect = effect
      self.load = load
    }
  }

  /// An interceptor, before it has met a connection.
  public struct Interception: Sendable {
    /// The servers that clients meet, by the host that each replaces.
    public let fronts: [String: ServerEndpoint.Configuration]
    /// Whether it only keeps a client on HTTP, and ignores one that begins with TLS.
    public var isStrip = false
    /// Whether it presents no certificate, and can meet no TLS.
    public var presentsNothing = false
    /// The client that asks the real server; nil for an interceptor that answers by itself.
    public var upstream: Upstream?
    /// The generator of its random values.
    public let generator: RandomGenerator
    /// The logs that clients of its certificates know; nil if they demand no SCTs.
    public var logs: LogList?
    /// The texts that are replaced in responses.
    public var replacements: [String: String] = [:]
    /// The secrets it has from the start, such as a stolen key.
    public var holds: Set<Value.ID> = []

    /// The client of an interceptor, and how it asks.
    public struct Upstream: Sendable {
      /// The client, before it has a URL.
      public let client: ClientEndpoint.Configuration
      /// The scheme it asks with; nil for the client's own.
      public let scheme: String?

      /// The interceptor's client `client`, which asks with `scheme`.
      public init(_ client: ClientEndpoint.Configuration, scheme: String?) {
        self.client = client
        self.scheme = scheme
      }
    }

    /// An interceptor that meets clients with `fronts`.
    public init(fronts: [String: ServerEndpoint.Configuration], generator: RandomGenerator) {
      self.fronts = fronts
      self.generator = generator
    }
  }

  /// The reason that a connection cannot be played.
  public enum Unplayable: Error, Sendable, Hashable {
    /// No server answers for the host.
    case noServer(host: String)
    /// The server has no version or no certificate to speak with.
    case nothingToSpeakWith(host: String)
    /// The server speaks TLS 1.3 alone, which is not played.
    case onlyTLS13(host: String)
    /// Client and server would agree on this protocol, which is not played.
    case applicationProtocol(ApplicationProtocol, host: String)
    /// The interceptor presents no certificate to a client that begins with TLS.
    case nothingPresented
  }
}

extension World.Network {
  /// The events on the way of one connection.
  public struct Way: Sendable {
    /// The attacks on messages.
    public var attacks: [Attack] = []
    /// The interceptor between the two; nil for none.
    public var interceptor: Interceptor?
    /// Whether an attacker asks the server about the recorded premaster secret afterwards.
    public var asksOracle = false
    /// Whether an attacker puts other blocks in the place of the padding.
    public var forgesPadding = false
    /// Whether the status of revocation cannot be fetched.
    public var blocksStatuses = false
    /// How many seconds old the status is that arrives.
    public var statusAge: Int64 = 0
    /// Which kind of status is that old; nil is every one.
    public var agedStatus: World.AgedStatus?
    /// Whether the certificates of issuers cannot be fetched.
    public var blocksIssuers = false

    /// A way without events.
    public init() {}

    /// The same way for fetches, where only these attackers interfere with the connection itself.
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

  /// The logs that the client of the connection `name` knows, by the certificates that it can be shown.
  func logs(for host: String, _ name: String?) -> LogList? {
    for case .intercept(let interception) in effects(on: name).reversed() where !interception.presentsNothing {
      return interception.logs
    }
    return hosts[host]?.logs
  }

  /// The events on the way of the connection `name` to `url`, whose server is that of `host`.
  func way(to url: LoadURL, at host: String, for name: String?) throws(World.Unplayable) -> Way {
    var way = Way()
    var interception: World.Interception?
    for effect in effects(on: name) {
      switch effect {
      case .attack(let attack): way.attacks.append(attack)
      // The client that refuses TLS does not refuse it to itself.
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
  /// The interceptor of the connection `name` to `url`; nil where it is not there.
  fileprivate func interceptor(
    before host: String, for url: LoadURL, named name: String?
  ) throws(World.Unplayable) -> Interceptor? {
    // Stripping TLS takes a client that begins without it: the bytes of any other pass as they are.
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
  /// The client that asks for the target of `url`.
  fileprivate func client(
    for url: LoadURL, _ generator: RandomGenerator, _ scope: ValueScope
  ) -> ClientEndpoint.Configuration? {
    // RFC 6455 section 3: a WebSocket has schemes of its own.
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
  /// Names its values by `scope`, and draws them for that connection.
  mutating func name(_ scope: ValueScope, _ generator: RandomGenerator) {
    tls.valueScope = scope
    tls.random = generator.streams(scope)
  }
}
