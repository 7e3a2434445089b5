import Endpoint
import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// Everything a run begins with: who is there, what they hold, what will be loaded and what will leak; or what will be
/// calculated.
public struct World: Sendable {
  /// One connection that will be made.
  public struct Plan: Sendable {
    /// Its name among several; nil when it is the only one.
    public let name: String?
    /// When it is made.
    public let clock: Instant
    /// The client that loads.
    public internal(set) var client: ClientEndpoint.Configuration {
      _read { yield ends.client.value }
      _modify { yield &ends.client.value }
    }
    /// The server that answers.
    public internal(set) var server: ServerEndpoint.Configuration {
      _read { yield ends.server.value }
      _modify { yield &ends.server.value }
    }
    private var ends: (client: Boxed<ClientEndpoint.Configuration>, server: Boxed<ServerEndpoint.Configuration>)
    /// What is done to messages on the network.
    public let attacks: [Attack]
    /// Who stands between the two; nil when nobody does.
    public let interceptor: Interceptor?
    /// The earlier connection whose client's messages an attacker sends again, in the place of a client.
    public let replayed: String?
    /// What has changed in the world since the connection before, in the author's words.
    public let changes: [String]
    /// Whether an attacker asks the server about the recorded premaster secret afterwards.
    public let asksOracle: Bool
    /// The proxy through which the client reaches the server; nil for none.
    public var proxy: ProxyEndpoint.Configuration? {
      _read { yield boxedProxy.value }
      _modify { yield &boxedProxy.value }
    }
    private var boxedProxy = Boxed<ProxyEndpoint.Configuration?>(nil)
    /// What the client must have come by before, or it has no identity to show; nil for nothing.
    public var need: IdentityNeed?
    /// Whether an attacker has the client ask again and again, and puts other blocks in the place of the padding.
    public var forgesPadding = false

    /// What authorities publish of themselves for clients that fetch issuers.
    public var publications: [Publication] = []
    /// What authorities answer about revocation.
    public var statuses: Statuses?
    /// The CRLs of CAs whose certificates say no place for them.
    public var lists: Lists?
    /// Whether the network keeps statuses and CRLs from everyone.
    public var blocksStatuses = false
    /// How many seconds old what arrives of it is, because an attacker hands out what was said before.
    public var statusAge: Int64 = 0
    /// Of which kind it is that is so old; nil is whatever is fetched.
    public var agedStatus: AgedStatus?
    /// The best answer about a certificate that anybody can staple at a time: one that says good, and still counts. Nil where no
    /// responder answers.
    public var staples: Staples?
    /// The greatest age, in seconds, at which a CA's CRL or OCSP response still counts; one for each lifetime.
    public var statusAges: [Int64] = []
    /// The SCTs that servers send in the TLS extension, by certificate. They travel in the clear.
    public var publicTimestamps: [Certificate: [UInt8]] = [:]
    /// Whether the network keeps that from everyone.
    public var blocksIssuers = false

    /// Where a redirect leads, given how many there were.
    var onward: Onward?
    /// Ways by which third parties obtain values of a hop or another attempt that bad generators made.
    public var weaknesses: [Value.ID: Value.Derivation] = [:]
    /// How many redirects have led here.
    public internal(set) var hop = 0
    /// The same load again, with the version of the fallback of this number at most.
    public var again: Again?
    /// How many attempts to make the connection have failed before.
    public internal(set) var attempt = 0

    /// What of all that authorities say about revocation an attacker has kept.
    public enum AgedStatus: String, Sendable, Hashable, CaseIterable {
      /// A responder's answer.
      case answer
      /// A complete list.
      case list
      /// What adds to one.
      case delta

      func covers(_ fetch: TrustFetch) -> Bool {
        switch fetch.content {
        case .issuer: false
        case .answer: self == .answer
        case .list: self == .list
        case .delta: self == .delta
        }
      }
    }

    /// What an authority answers, or publishes, at a time to somebody who fetches it; nil where nobody is there.
    public typealias Statuses = @Sendable (_ fetch: TrustFetch, _ at: Instant) -> Publication?
    /// The complete CRLs of a date.
    public typealias Lists = @Sendable (_ at: Instant) -> [CertificateRevocationList]
    /// An OCSP response that says good of a certificate and still counts at a time, in DER; nil where there is none.
    public typealias Staples = @Sendable (_ certificate: Certificate, _ at: Instant) -> [UInt8]?

    /// Makes the connection of another attempt; nil where there is none.
    public typealias Again = @Sendable (_ attempt: Int) -> Plan?

    /// Where a redirect leads.
    public enum Destination: Sendable {
      /// To this connection.
      case connection(Plan)
      /// To a host for which no server answers.
      case nobody
      /// To a connection that cannot be played, for this reason.
      case unplayable(any Error)
    }

    /// Says where a redirect leads.
    public typealias Onward = @Sendable (_ redirection: Redirection, _ hop: Int) -> Destination

    /// A connection between these two.
    public init(
      name: String?, clock: Instant, client: ClientEndpoint.Configuration, server: ServerEndpoint.Configuration,
      attacks: [Attack] = [], interceptor: Interceptor? = nil, replayed: String? = nil,
      changes: [String] = [],
      asksOracle: Bool = false, onward: Onward? = nil
    ) {
      self.name = name
      self.clock = clock
      ends = (Boxed(client), Boxed(server))
      self.attacks = attacks
      self.interceptor = interceptor
      self.replayed = replayed
      self.changes = changes
      self.asksOracle = asksOracle
      self.onward = onward
    }

    /// What is loaded.
    public var url: LoadURL { client.decision.load.url }
    /// The scope of its values.
    public var scope: ValueScope { client.tls.valueScope }
    /// Whether anyone interferes, rather than listens.
    public var isAttacked: Bool {
      interceptor != nil || replayed != nil || asksOracle || forgesPadding || !attacks.isEmpty
    }
  }

  /// What an authority publishes at a place, or answers there: its certificate (RFC 5280 section 4.2.2.1, id-ad-caIssuers), a
  /// list, an answer.
  public struct Publication: Sendable, Hashable {
    /// The authority, by the author's name.
    public let authority: String
    /// Where it is.
    public let url: String
    /// What is there, in DER.
    public let content: [UInt8]

    /// What `authority` has at `url`.
    public init(of authority: String, at url: String, _ content: [UInt8]) {
      self.authority = authority
      self.url = url
      self.content = content
    }
  }

  /// A secret that becomes known to third parties.
  public struct Leak: Sendable, Hashable {
    /// The secret's name.
    public let secret: Value.ID
    /// When it becomes known.
    public let at: Instant

    /// The secret `secret` leaks at this time.
    public init(secret: Value.ID, at: Instant) {
      self.secret = secret
      self.at = at
    }
  }

  /// When the first connection happens.
  public let clock: Instant
  /// The connections in order.
  public let plans: [Plan]
  /// What leaks, in order of time.
  public let leaks: [Leak]
  /// What parties hold before anything happens: private keys.
  public let held: [Value]
  /// Ways by which third parties come by values that bad generators made, by the value's name.
  public let weaknesses: [Value.ID: Value.Derivation]
  /// How a key below today's least strength is broken, by its name, where that is beyond the attackers' budget.
  public var outOfReach: [Value.ID: Method] = [:]
  /// The names by which certificates are known.
  public var names: CertificateNames
  /// Everyone's certificates, with the keys that there are.
  public let holdings: [Holding]
  /// How strong the attackers are that are tried.
  public let attackers: Attackers
  /// What is asked of logs after the connections.
  public var audits: [Audit] = []
  /// The most bits of a search that is carried out to judge a goal; nil for the quick ones alone.
  public var searchLimit: Int?
  /// What is calculated; nil where connections are made.
  public let calculation: Calculation?

  /// A world with these connections.
  public init(
    clock: Instant, plans: [Plan], leaks: [Leak], held: [Value],
    weaknesses: [Value.ID: Value.Derivation] = [:], names: CertificateNames, holdings: [Holding] = [],
    attackers: Attackers = Attackers()
  ) {
    self.clock = clock
    self.plans = plans
    self.leaks = leaks.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    self.held = held.map { value in weaknesses[value.id].map(value.adding) ?? value }
    self.weaknesses = weaknesses
    self.names = names
    self.holdings = holdings
    self.attackers = attackers
    calculation = nil
  }

  /// A world without connections, in which this is calculated.
  public init(clock: Instant, calculation: Calculation) {
    self.clock = clock
    self.calculation = calculation
    (plans, leaks, weaknesses, names, holdings) = ([], [], [:], CertificateNames([]), [])
    attackers = Attackers()
    held = calculation.held
  }
}

extension World {
  /// A value with the way by which others come by it, where a bad generator drew it. What two ends agreed on was drawn by
  /// none: RFC 8422 section 5.10.
  func weakened(_ value: Value, in plan: Plan?) -> Value {
    if let recovery = NonceRecovery.derivation(of: value) { return value.adding(recovery) }
    guard let weakness = weaknesses[value.id] ?? plan?.weaknesses[value.id],
      value.derivations.contains(where: { if case .generated = $0 { true } else { false } })
    else { return value }
    return value.adding(weakness)
  }
}

extension World {
  /// The client of `plan` on the last date of the timeline by `time`, if each date has one connection to the URL; nil if
  /// there is no later date.
  func client(of plan: Plan, at time: Instant) -> ClientEndpoint.Configuration? {
    let dates = Dictionary(grouping: plans.filter { $0.url == plan.url && $0.clock <= time }, by: \.clock)
    guard dates.values.allSatisfy({ $0.count == 1 }), let last = dates.keys.max(), last > plan.clock else { return nil }
    return dates[last]?.first?.client
  }
}

extension World.Plan {
  /// The same connection, with nobody on its way, nor on the way to what its client fetches.
  var untouched: World.Plan {
    var plan = World.Plan(name: name, clock: clock, client: client, server: server)
    plan.proxy = proxy
    plan.publications = publications
    plan.staples = staples
    plan.statuses = statuses
    plan.lists = lists
    return plan
  }

  /// The client with the CRLs that it can fetch, for each date at which it evaluates.
  var informedClient: ClientEndpoint.Configuration {
    guard let lists, !blocksStatuses, client.trust.requirements.revocation.mode != .none else { return client }
    let inspections = client.challenges.delegate?.rules.compactMap(\.inspection) ?? []
    let dates = Set([client.trust.requirements.date] + inspections.compactMap(\.settings.verifyDate))
    var client = client
    client.trust.evidence.revocation.lists += dates.sorted().flatMap(lists)
    return client
  }

  /// Who answers a client's fetch, and with what; nil where nobody is there.
  func publication(for fetch: TrustFetch) -> World.Publication? {
    if fetch.content == .issuer { return publications.first { $0.url == fetch.url } }
    return statuses?(fetch, clock.adding(seconds: -age(of: fetch)))
  }

  /// How many seconds old what arrives is, because an attacker hands out what was said before.
  func age(of fetch: TrustFetch) -> Int64 {
    fetch.content != .issuer && agedStatus?.covers(fetch) != false ? statusAge : 0
  }

  /// Whether the network lets no answer to it through.
  func blocks(_ fetch: TrustFetch) -> Bool { fetch.content == .issuer ? blocksIssuers : blocksStatuses }

  /// This connection, where fetching is as it was on `other`.
  func fetching(as other: World.Plan) -> World.Plan {
    var plan = self
    plan.publications = other.publications
    plan.blocksIssuers = other.blocksIssuers
    plan.statuses = other.statuses
    plan.lists = other.lists
    plan.blocksStatuses = other.blocksStatuses
    plan.statusAge = other.statusAge
    plan.agedStatus = other.agedStatus
    plan.statusAges = other.statusAges
    plan.publicTimestamps = other.publicTimestamps
    plan.staples = other.staples
    return plan
  }

  /// Whether the app was not launched again since that connection.
  private func isInProcess(of earlier: ConnectionAccount) -> Bool {
    client.challenges.isRelaunched == earlier.plan.client.challenges.isRelaunched
  }

  /// The same connection, where its ends remember sessions of the ones before.
  func remembering(_ accounts: [ConnectionAccount]) -> World.Plan {
    var plan = self
    plan.client.tls.now = clock
    plan.server.tls.now = clock
    if client.resumesSessions {
      for account in accounts
      where account.plan.url.host == url.host && account.plan.client.tls.party == client.tls.party
        && isInProcess(of: account)
      {
        if let session = account.client.session { plan.client.tls.session = session }
        if let forgotten = account.client.forgotten, plan.client.tls.session?.id == forgotten.id {
          plan.client.tls.session = nil
        }
      }
    }
    let earlier = accounts.last { $0.plan.server.tls.party == server.tls.party && $0.server.sessions != nil }
    if let sessions = earlier?.server.sessions, server.tls.sessions != nil { plan.server.tls.sessions = sessions }
    // A process has one storage: what a load has put there the next one finds.
    let storing = accounts.last { $0.plan.client.tls.party == client.tls.party && $0.plan.replayed == nil }
    if let storing, client.challenges.initialStorage == storing.plan.client.challenges.initialStorage {
      let kept = storing.client.conversation.storage
      plan.client.challenges.storage = isInProcess(of: storing) ? kept : kept?.afterRelaunch
    }
    // What a load was asked for the next one says at once, where it is in the same space.
    plan.client.known = accounts.filter {
      $0.plan.client.tls.party == client.tls.party && $0.plan.replayed == nil && isInProcess(of: $0)
    }.compactMap { KnownAuthorization(of: $0.client) }
    if let authenticator = accounts.last(where: { $0.proxy != nil })?.proxy?.authenticator {
      plan.proxy?.authenticator = authenticator
    }
    // Accounts are the server's, whoever asks and on whichever connection.
    let same = accounts.last { $0.plan.server.tls.party == server.tls.party && $0.server.authenticator != nil }
    if let authenticator = same?.server.authenticator { plan.server.authenticator = authenticator }
    return plan
  }
}
