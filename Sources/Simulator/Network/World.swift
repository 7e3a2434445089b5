import Endpoint
import Explanation
import Laboratory
import PKIX
import TLS
import Trust
import URLLoading

/// Everything a run begins with: who is there, what they hold, what will be loaded and what will leak; or what will be
/// calculated.
public struct World: Sendable {
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
  /// The keys of attackers, and the signatures made so far.
  public var keys = KeyStore()
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
    var client = dates[last]?.first?.client
    client?.decide()
    return client
  }
}
