import Endpoint
import Explanation
import PKIX
import TLS
import Trust
import URLLoading

extension World {
  /// A connection that the run will make.
  public struct Plan: Sendable {
    /// The name of the connection; nil if it is the only one.
    public internal(set) var name: String?
    /// The name of the load, on which the names of redirected connections are based.
    private var load: String?
    /// The time of the connection.
    public internal(set) var clock: Instant
    /// The client that starts the load.
    public internal(set) var client: ClientEndpoint.Configuration {
      _read { yield ends.client.value }
      _modify { yield &ends.client.value }
    }
    /// The server that responds to the client.
    public internal(set) var server: ServerEndpoint.Configuration {
      _read { yield ends.server.value }
      _modify { yield &ends.server.value }
    }
    private var ends: (client: Boxed<ClientEndpoint.Configuration>, server: Boxed<ServerEndpoint.Configuration>)
    /// The generator of the client's random values.
    private let generator: RandomGenerator
    /// The hosts, and the rules of the path to them.
    var network: Network {
      _read { yield boxedNetwork.value }
      _modify { yield &boxedNetwork.value }
    }
    private var boxedNetwork: Boxed<Network>
    /// The events on the path of this connection.
    var way: Network.Way
    /// The earlier connection whose client messages an attacker replays in place of a client.
    public var replayed: String?
    /// The changes of the world since the previous connection, in scenario notation.
    public var changes: [String] = []
    /// The proxy through which the client reaches the server; nil for none.
    public var proxy: ProxyEndpoint.Configuration? {
      _read { yield boxedProxy.value }
      _modify { yield &boxedProxy.value }
    }
    private var boxedProxy = Boxed<ProxyEndpoint.Configuration?>(nil)
    /// Whether the scenario describes a client for this connection alone, which may be another device.
    public var hasOwnClient = false
    /// The value that the client needs before it can present its identity; nil for none.
    public var need: IdentityNeed?
    /// The derivations by which third parties obtain values from weak random generators.
    private(set) var weaknesses: [Value.ID: Value.Derivation] = [:]
    /// The number of redirects before this connection.
    public private(set) var hop = 0
    /// The number of failed attempts before this attempt.
    public private(set) var attempt = 0

    /// Plans the connection of `client` to the server that it reaches through `network`.
    ///
    /// - Throws: `Unplayable` if there is no server, or the connection cannot be simulated.
    public init(
      of client: ClientEndpoint.Configuration, named name: String?, at clock: Instant, in network: Boxed<Network>,
      generator: RandomGenerator
    ) throws(Unplayable) {
      let scope = Self.scope(of: name)
      let url = client.load.url
      let host = network.value.destination(of: url.host, for: name)
      guard let found = network.value.hosts[host] else { throw .noServer(host: host) }
      let server = try found.server.get()
      var decided = client
      decided.decide()
      let chosen = server.tls.applicationProtocols.first(where: decided.tls.applicationProtocols.contains)
      // Only HTTP/1.1 is simulated inside TLS, so the connection must not negotiate another protocol.
      if let chosen, chosen != .http11 { throw .applicationProtocol(chosen, host: host) }
      (self.name, load, self.clock, self.generator) = (name, name, clock, generator)
      boxedNetwork = network
      way = try network.value.way(to: url, at: host, for: name)
      let serverScope = way.interceptor?.back?.tls.valueScope ?? scope
      ends = (Boxed(client), Boxed(server.named(serverScope, found.generator)))
      self.client.name(scope, generator)
      self.client.trust.evidence.logs = network.value.logs(for: url.host, name)
      let budget = network.value.budget
      weaknesses = RandomQuality.ways(
        generator.qualities, found.generator.qualities, scope, other: nil, budget: budget)
      if let key = ephemeralKey, key.isInReach(ofBudget: budget) { weaknesses[key.name] = key.derivation }
    }

    /// The URL of the load.
    public var url: LoadURL { client.load.url }
    /// The scope of the values of the connection.
    public var scope: ValueScope { client.tls.valueScope }
    /// The attacks on messages of the connection.
    public var attacks: [Attack] { way.attacks }
    /// The interceptor between client and server; nil for none.
    public var interceptor: Interceptor? { way.interceptor }
    /// Whether an attacker does more than eavesdrop.
    public var isAttacked: Bool {
      interceptor != nil || replayed != nil || way.asksOracle || way.forgesPadding || !attacks.isEmpty
    }
  }
}

// The names of connections and of their parts.
extension World.Plan {
  /// Returns the scope of the values of the connection called `name`.
  public static func scope(of name: String?) -> ValueScope { ValueScope(name ?? "") }

  /// Returns the name of the connection after this many redirects of `load`. The load itself is hop 1.
  public static func name(ofHop hop: Int, of load: String?) -> String { "\(scope(of: load).prefix)hop\(hop + 1)" }

  /// Returns the name of a repeated attempt to make the connection `name`. The connection itself is attempt 1.
  public static func name(ofAttempt attempt: Int, of name: String?) -> String {
    "\(scope(of: name).prefix)attempt\(attempt + 1)"
  }

  /// Returns whether the connection `name` belongs to `load`: the load itself, another attempt, or a hop of its
  /// redirects.
  ///
  /// If `load` is nil, the result is true.
  public static func isPart(_ name: String?, of load: String?) -> Bool {
    load.map { load in name == load || ["attempt", "hop"].contains { name?.hasPrefix("\(load).\($0)") == true } }
      ?? true
  }
}

// Redirects and further attempts.
extension World.Plan {
  /// Returns the connection to the target of `redirection`, as a new load.
  func redirected(to redirection: Redirection, after visited: [String]) throws(World.Unplayable) -> World.Plan {
    let url = redirection.url
    guard ["http", "https"].contains(url.scheme) else { throw .noServer(host: url.host) }
    var client = client
    // The description omits the user and the password: a redirect does not use those of its target.
    client.ask(for: (try? LoadURL(url.description)) ?? url, redirection.request)
    client.visited = visited
    var plan = try asking(client, named: Self.name(ofHop: hop + 1, of: load))
    (plan.hop, plan.load) = (hop + 1, load)
    return plan
  }

  /// Returns the attempt with this number to make the same connection; nil if there is no server.
  func attempted(_ number: Int) -> World.Plan? {
    var client = client
    client.askAgain(number)
    let own = attempt == 0 ? name : name.map { $0.split(separator: ".").dropLast().joined(separator: ".") }
    let first = own.flatMap { $0.isEmpty ? nil : $0 }
    guard var plan = try? asking(client, named: Self.name(ofAttempt: number, of: first)) else { return nil }
    plan.attempt = number
    return plan
  }

  /// Returns the connection of `client` in the same network and through the same proxy.
  private func asking(
    _ client: ClientEndpoint.Configuration, named name: String
  ) throws(World.Unplayable) -> World.Plan {
    var plan = try World.Plan(of: client, named: name, at: clock, in: boxedNetwork, generator: generator)
    plan.proxy = proxy
    plan.proxy?.valueScope = Self.scope(of: name)
    (plan.need, plan.hop) = (need, hop)
    return plan
  }
}

// The connections that assess a goal.
extension World.Plan {
  /// Returns this connection alone, with no connection before or after it.
  func alone(on way: World.Network.Way) -> World.Plan {
    var plan = self
    (plan.way, plan.replayed, plan.need, plan.changes) = (way, nil, nil, [])
    (plan.hop, plan.attempt, plan.weaknesses, plan.network.hosts) = (0, 0, [:], [:])
    return plan
  }

  /// This connection without attackers, both on its own path and on the path of its client's fetches.
  var untouched: World.Plan { alone(on: .init()) }

  /// The client with the CRLs that it can fetch, for each date at which the client evaluates trust.
  var informedClient: ClientEndpoint.Configuration {
    guard !way.blocksStatuses, client.trust.requirements.revocation.mode != .none else { return client }
    let inspections = client.challenges.delegate?.rules.compactMap(\.inspection) ?? []
    let dates = Set([client.trust.requirements.date] + inspections.compactMap(\.settings.verifyDate))
    var client = client
    client.trust.evidence.revocation.lists += dates.sorted().flatMap(network.status.lists)
    return client
  }

  /// Returns the response to a client's fetch, with its publisher; nil if there is none.
  func publication(for fetch: TrustFetch) -> World.Publication? {
    if fetch.content == .issuer { return network.publications.first { $0.url == fetch.url } }
    return network.status.publication(for: fetch, at: clock.adding(seconds: -age(of: fetch)))
  }

  /// Returns the age of the response in seconds, if an attacker returns an older response.
  func age(of fetch: TrustFetch) -> Int64 {
    fetch.content != .issuer && way.agedStatus?.covers(fetch) != false ? way.statusAge : 0
  }

  /// Returns whether the network blocks the response to a fetch.
  func blocks(_ fetch: TrustFetch) -> Bool { fetch.content == .issuer ? way.blocksIssuers : way.blocksStatuses }

  /// Returns the response that a client receives; nil if there is none or the network blocks it.
  func answer(to fetch: TrustFetch) -> [UInt8]? { blocks(fetch) ? nil : publication(for: fetch)?.content }
}

// The memory of the endpoints.
extension World.Plan {
  /// Returns whether the app runs in the same process as during that connection.
  private func isInProcess(of earlier: ConnectionRecord) -> Bool {
    client.challenges.isRelaunched == earlier.plan.client.challenges.isRelaunched
  }

  /// Lets the endpoints remember sessions, credentials and accounts of earlier connections.
  mutating func remember(_ accounts: [ConnectionRecord]) {
    client.tls.now = clock
    server.tls.now = clock
    if client.resumesSessions {
      for account in accounts
      where account.plan.url.host == url.host && account.plan.client.tls.party == client.tls.party
        && isInProcess(of: account)
      {
        if let session = account.client.session { client.tls.session = session }
        if let forgotten = account.client.forgotten, client.tls.session?.id == forgotten.id {
          client.tls.session = nil
        }
      }
    }
    let earlier = accounts.last { $0.plan.server.tls.party == server.tls.party && $0.server.sessions != nil }
    if let sessions = earlier?.server.sessions, server.tls.sessions != nil { server.tls.sessions = sessions }
    // A process has one credential storage: a load finds the credentials that an earlier load stored.
    let storing = accounts.last { $0.plan.client.tls.party == client.tls.party && $0.plan.replayed == nil }
    if let storing, client.challenges.initialStorage == storing.plan.client.challenges.initialStorage {
      let kept = storing.client.conversation.storage
      client.challenges.storage = isInProcess(of: storing) ? kept : kept?.afterRelaunch
    }
    // A load in the same protection space immediately sends the credentials of an earlier challenge.
    client.known = accounts.filter {
      $0.plan.client.tls.party == client.tls.party && $0.plan.replayed == nil && isInProcess(of: $0)
    }.compactMap { KnownAuthorization(of: $0.client) }
    if let authenticator = accounts.last(where: { $0.proxy != nil })?.proxy?.authenticator {
      proxy?.authenticator = authenticator
    }
    // User accounts belong to the server, across clients and connections.
    let same = accounts.last { $0.plan.server.tls.party == server.tls.party && $0.server.authenticator != nil }
    if let authenticator = same?.server.authenticator { server.authenticator = authenticator }
  }
}
