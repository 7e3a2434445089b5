import Cryptography
import Endpoint
import Explanation
import Laboratory
import PKIX
import TLS
import Trust
import URLLoading

/// The attackers that could impersonate the server of a connection.
///
/// The attackers try every certificate that they can present, and every way to finish the handshake with their
/// knowledge. The same client connects to each of them.
struct Impersonation {
  /// The connection, whose endpoints remember the sessions of earlier connections.
  let plan: World.Plan
  /// All certificates of the world, with their keys.
  let holdings: [Holding]
  /// The values that third parties know.
  let knows: Set<Value.ID>
  /// The premaster secret that the client generates and encrypts; nil in other key exchanges.
  let encryptedPremaster: [UInt8]?
  /// The derivation that predicts the client's premaster secret; nil if its generator is good.
  let weakness: Value.Derivation?
  /// Whether the server is a padding oracle, and whether it was queried.
  let oracle: Oracle
  /// The strength of the attackers.
  let attackers: Attackers
  /// The attackers' own keys, and a cache of signatures.
  let keys: KeyStore
  /// The time of the attempts.
  let at: Instant
  /// The leak that makes the attempts possible; nil if they need no leak.
  var leak: Leak?
  /// The maximum number of bits of a search that is carried out.
  var searchLimit = Execution.quickSearchLimit
  /// Earlier connections to the same URL, which attackers have recorded.
  var recorded: [World.Plan] = []
  /// The sessions that the client would offer to resume in a later load.
  var sessions: [Session] = []
  /// Whether a certificate authenticates the server in TLS 1.3.
  var isSignedInTLS13 = false
  /// Whether the key exchange of this connection combines ECDHE with ML-KEM.
  var isHybrid = false
  /// The secrets of this connection that follow from its pre-shared key alone; empty without a pre-shared key.
  var earlySecrets: [Value.ID] = []
  /// Whether the attackers' own key is an RSA key, for RSA key exchange.
  var hasRSAKey = false
  /// The negotiated suite; nil if the handshake failed.
  var suite: CipherSuite?
  /// Returns the part of a derivation that was only estimated; nil if third parties have the value.
  var uncounted: (Value.ID) -> Obstacle? = { _ in nil }

  /// The information that a server's reactions reveal.
  enum Oracle: Sendable, Hashable {
    /// The reactions reveal nothing.
    case none
    /// The reactions allow decryption, but the server was not queried.
    case unasked
    /// The reactions allow decryption, and the server was queried in this run.
    case asked
  }

  /// The approximate number of queries, as a power of two (D. Bleichenbacher, CRYPTO '98, section 3.1).
  static let questionBits = 20
  /// The name for which honest CAs issue certificates to attackers.
  static let ownName = "attacker.example"
  /// The lifetime of the attackers' certificates in days, which is below any system's limit.
  static let lifetime = 90

  /// Returns the attempts in order. Each closure makes its attempt only when it is called.
  func attempts(withKeys keys: Set<Value.ID>? = nil) -> [() -> [Attempt]] {
    // If the attackers have the key of a delegate, revoked certificates are worth another attempt.
    let isDelegated = delegates.contains { keys?.contains($0.keyName) == true }
    let held = holdings.filter { $0.key != nil && (isDelegated ? knows : keys ?? knows).contains($0.keyName) }
    var all: [() -> [Attempt]] = []
    for holding in held {
      for chain in presentations.chains(of: holding) {
        all += [{ shown(holding, chain) }, { forged(holding, chain) }]
      }
    }
    all += [
      { resumed(with: keys ?? knows) }, { repeatedKeyExchange(keys ?? knows) }, { takenOver(with: keys ?? knows) },
    ]
    if let keys {
      // A premaster secret does not help an impostor if the client sends a new one.
      if isRepeated, keys.contains(premasterName) { all.append { knownPremaster() } }
      return all
    }
    all += [{ knownPremaster() }, { asked() }, { ownRoot() }]
    for authority in trusted {
      for chain in presentations.chains(ofKeyOf: authority) {
        all += [{ honest(authority, chain) }, { signedByHonest(authority, chain) }]
        if cutsNames { all.append { honestPrefix(authority, chain) } }
      }
    }
    for exchange in genuineWithoutKey { all.append { withoutKey(exchange) } }
    for host in otherHolders { all.append { rerouted(to: host) } }
    return all
  }

  /// The chains that attackers can present. The holder of a certificate has all CA certificates above it.
  private var presentations: Presentations { Presentations(holdings) }

  // The attempts that present a certificate.

  private func shown(_ holding: Holding, _ chain: Presentations.Chain) -> [Attempt] {
    guard let key = holding.key else { return [] }
    let tried = play(.shown(certificate: holding.name, key: holding.keyName), chain.certificates, key, chain.through)
    return tried.map { counting($0, holding.keyName) }
  }

  private func forged(_ holding: Holding, _ chain: Presentations.Chain) -> [Attempt] {
    guard let signer = holding.signer else { return [] }
    let tried = forgedNames(under: chain).flatMap { name in
      play(
        .forged(under: holding.name, key: holding.keyName),
        issue(name, by: signer).map { [$0] + chain.certificates }, ownKey, chain.through, signedBy: signer)
    }
    return tried.map { counting($0, holding.keyName) }
  }

  /// Returns the host name and, if a subtree is excluded, also a wildcard name that covers it (CVE-2025-61727).
  private func forgedNames(under chain: Presentations.Chain) -> [String] {
    let host = plan.url.host
    guard chain.certificates.contains(where: { $0.nameConstraints?.excluded.isEmpty == false }),
      let dot = host.firstIndex(of: "."), IPAddress(host) == nil
    else { return [host] }
    return [host, "*" + host[dot...]]
  }

  /// Returns the attempt, marked as estimated if it succeeds with a value that was only estimated.
  func counting(_ attempt: Attempt, _ value: Value.ID) -> Attempt {
    guard attempt.result == .succeeded, let obstacle = uncounted(value) else { return attempt }
    var counted = attempt
    counted.result = .counted(obstacle)
    return counted
  }

  private func ownRoot() -> [Attempt] {
    let subject = DistinguishedName(commonName: "A root of the attackers")
    var template = CertificateTemplate.authority(
      subject, notBefore: at.adding(days: -1), notAfter: at.adding(days: Self.lifetime))
    template.signatureScheme = scheme(of: rootKey)
    var random = Self.random
    guard
      let root = try? CertificateAuthority(root: template, key: rootKey, signing: keys.signatures.sign, random: &random)
    else {
      return []
    }
    return play(.ownRoot, issue(plan.url.host, by: root).map { [$0, root.certificate] }, ownKey)
  }

  private func honest(_ authority: Holding, _ chain: Presentations.Chain) -> [Attempt] {
    show(.honest(authority: authority.name), Self.ownName, authority, chain)
  }

  /// Returns an attempt with a name that begins with the host. It deceives a client that compares names as C strings
  /// (CVE-2009-2408).
  private func honestPrefix(_ authority: Holding, _ chain: Presentations.Chain) -> [Attempt] {
    show(.honestPrefix(authority: authority.name), namePrefixedWithHost, authority, chain)
  }

  /// Returns an attempt that presents a certificate properly issued by `authority` for this name.
  private func show(
    _ means: Attempt.Means, _ name: String, _ authority: Holding, _ chain: Presentations.Chain
  ) -> [Attempt] {
    guard let signer = authority.signer else { return [] }
    let own = issue(name, by: signer)
    return play(means, own.map { [$0] + chain.certificates }, ownKey, chain.through, signedBy: signer)
  }

  private var namePrefixedWithHost: String { "\(plan.url.host)\0.\(Self.ownName)" }

  /// Whether the client ignores the part of a name after its first zero byte.
  private var cutsNames: Bool {
    plan.client.trust.diagnostics.decisions.comparedName?(namePrefixedWithHost) == plan.url.host
  }

  /// Returns an attempt to sign with the key of a certificate that is not a CA certificate (RFC 5280 section 4.2.1.9).
  private func signedByHonest(_ authority: Holding, _ chain: Presentations.Chain) -> [Attempt] {
    guard let own = authority.signer.flatMap({ issue(Self.ownName, by: $0) }) else { return [] }
    let leaf = issue(
      plan.url.host, by: CertificateAuthority(own, key: ownKey, signing: keys.signatures.sign))
    return play(
      .signedByHonest(authority: authority.name), leaf.map { [$0, own] + chain.certificates }, ownKey, chain.through)
  }

  private func withoutKey(_ exchange: CipherSuite.KeyExchange) -> [Attempt] {
    genuine(exchange).map { [attempt(.withoutKey(exchange), $0)] } ?? []
  }

  func play(
    _ means: Attempt.Means, _ chain: [Certificate]?, _ key: PrivateKey, _ through: String? = nil,
    signedBy signer: CertificateAuthority? = nil
  ) -> [Attempt] {
    guard let chain, var plan = impostor(chain.map(\.der), key) else { return [] }
    if let signer, let leaf = chain.first { plan.network.status.forgeries = [.own(leaf, by: signer)] }
    var tried = attempt(means, plan)
    tried.through = through
    guard case .stopped(let rules) = tried.result, rules.contains(.revoked) else { return [tried] }
    return [tried] + suppressed(tried, plan)
  }

  /// Repeats an attempt with the client's revocation requests suppressed, and returns the new attempts.
  ///
  /// The requests travel over plain HTTP (RFC 5280 section 8, RFC 6960 section 5), and an older response is valid until
  /// its nextUpdate.
  private func suppressed(_ first: Attempt, _ plan: World.Plan) -> [Attempt] {
    guard !plan.way.blocksStatuses else { return [] }
    let status = plan.network.status
    let ages = !status.isPublished || plan.way.statusAge > 0 ? [] : status.ages
    var all: [Attempt] = []
    let signed = !status.isPublished ? [] : delegates.map { Attempt.Suppression.signed(by: $0.name) }
    let suppressions: [Attempt.Suppression] = [.blocked] + ages.map { .outdated(by: $0) } + signed
    for suppression in suppressions {
      var plan = plan.suppressing(suppression)
      if case .signed(let name) = suppression, let delegate = delegates.first(where: { $0.name == name }) {
        plan.network.status.forgeries = [forgery(by: delegate)].compactMap(\.self)
      }
      var tried = attempt(first.means, plan)
      (tried.suppression, tried.through) = (suppression, first.through)
      all.append(tried)
      if tried.result.isSuccess { break }
    }
    return all
  }

  func attempt(_ means: Attempt.Means, _ plan: World.Plan) -> Attempt {
    Attempt(
      goal: .impersonation, means: means, at: at, leak: leak,
      result: attackers.can(means.capability) ? TrialConnection(plan).result : .beyond(means.capability),
      world: World(clock: at, plans: [plan], leaks: [], held: [], names: plan.client.trust.diagnostics.names))
  }
}

extension World.Plan {
  /// Returns this connection with attackers on the path that hide the revocation status from the client.
  fileprivate func suppressing(_ suppression: Attempt.Suppression) -> World.Plan {
    var plan = self
    switch suppression {
    case .blocked:
      plan.way.blocksStatuses = true
    case .signed: break
    case .outdated(let age): (plan.way.statusAge, plan.way.agedStatus) = (age, nil)
    }
    return plan
  }
}
