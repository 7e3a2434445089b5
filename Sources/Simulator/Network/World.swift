import Endpoint
import Explanation
import Laboratory
import PKIX
import TLS
import Trust
import URLLoading

/// The start of a run: parties, their values, loads and leaks, or a calculation.
public struct World: Sendable {
  /// Data that a CA publishes at a URL: a CRL, an OCSP response, or its certificate.
  ///
  /// A client finds the URL of the certificate under id-ad-caIssuers (RFC 5280 section 4.2.2.1).
  public struct Publication: Sendable, Hashable {
    /// The name of the CA in the scenario.
    public let authority: String
    /// The URL of the published data.
    public let url: String
    /// The published data in DER.
    public let content: [UInt8]

    /// Creates a publication of `authority` at `url`.
    public init(of authority: String, at url: String, _ content: [UInt8]) {
      self.authority = authority
      self.url = url
      self.content = content
    }
  }

  /// The time of the first connection.
  public let clock: Instant
  /// The connections in order.
  public let plans: [Plan]
  /// The leaks in order of time.
  public let leaks: [Leak]
  /// The values that parties hold from the start, which are private keys.
  public let held: [Value]
  /// The derivations by which third parties obtain values from weak random generators, by value name.
  public let weaknesses: [Value.ID: Value.Derivation]
  /// The methods to break keys below NIST's minimum strength, by key name, if they exceed the attackers' budget.
  public var outOfReach: [Value.ID: Method] = [:]
  /// The names of the certificates.
  public var names: CertificateNames
  /// The certificates of all parties, with the known keys.
  public let holdings: [Holding]
  /// The strength of the simulated attackers.
  public let attackers: Attackers
  /// The audits of logs after the connections.
  public var audits: [Audit] = []
  /// The maximum number of bits of a search to assess a goal; nil for quick searches only.
  public var searchLimit: Int?
  /// The keys of attackers, and a cache of signatures.
  public var keys = KeyStore()
  /// The calculation; nil in a world with connections.
  public let calculation: Calculation?

  /// Creates a world with these connections.
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

  /// Creates a world with a calculation in place of connections.
  public init(clock: Instant, calculation: Calculation) {
    self.clock = clock
    self.calculation = calculation
    (plans, leaks, weaknesses, names, holdings) = ([], [], [:], CertificateNames([]), [])
    attackers = Attackers()
    held = calculation.held
  }
}

extension World {
  /// Adds the derivation by which third parties obtain a value from a weak random generator.
  ///
  /// The shared secret of a key agreement is excluded, because it is computed and not generated (RFC 8422 section
  /// 5.10).
  func weakened(_ value: Value, in plan: Plan?) -> Value {
    if let recovery = NonceRecovery.derivation(of: value) { return value.adding(recovery) }
    guard let weakness = weaknesses[value.id] ?? plan?.weaknesses[value.id],
      value.derivations.contains(where: { if case .generated = $0 { true } else { false } })
    else { return value }
    return value.adding(weakness)
  }
}

extension World {
  /// Returns the client of `plan` on the last date of the timeline up to `time`.
  ///
  /// The result is nil if there is no later date, or if a date has several connections to the URL.
  func client(of plan: Plan, at time: Instant) -> ClientEndpoint.Configuration? {
    let dates = Dictionary(grouping: plans.filter { $0.url == plan.url && $0.clock <= time }, by: \.clock)
    guard dates.values.allSatisfy({ $0.count == 1 }), let last = dates.keys.max(), last > plan.clock else { return nil }
    var client = dates[last]?.first?.client
    client?.decide()
    return client
  }
}
