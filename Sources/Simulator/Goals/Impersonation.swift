import Cryptography
import Endpoint
import Explanation
import Laboratory
import PKIX
import TLS
import Trust
import URLLoading

/// Everyone who could stand in for the server of a connection, with every certificate that they can show and every way to
/// finish the handshake with what they know: the same client meets each of them.
struct Impersonation {
  /// The connection, whose ends remember the sessions of those before.
  let plan: World.Plan
  /// Everything there is to show and to sign with.
  let holdings: [Holding]
  /// What third parties know.
  let knows: Set<Value.ID>
  /// The premaster secret that the client draws and encrypts; nil where it agrees on one.
  let encryptedPremaster: [UInt8]?
  /// How what the client draws as premaster secret can be foretold; nil for a good generator.
  let weakness: Value.Derivation?
  /// Whether the server decrypts for whoever asks, and whether somebody has asked.
  let oracle: Oracle
  /// How strong the attackers are.
  let attackers: Attackers
  /// The attackers' own keys, and the signatures made so far.
  let keys: KeyStore
  /// When it is tried.
  let at: Instant
  /// The leak that made it possible; nil where none was needed.
  var leak: Trace.Leak?
  /// The most bits of a search that is carried out.
  var searchLimit = Execution.quickSearchLimit
  /// Earlier connections to the same URL, which attackers have recorded.
  var recorded: [World.Plan] = []
  /// The sessions that the client would propose to go on with in a later load.
  var sessions: [Session] = []
  /// Whether the attackers' own key is an RSA key, for RSA key exchange.
  var hasRSAKey = false
  /// The suite that was agreed on; nil where none was.
  var suite: CipherSuite?
  /// What of the way to a value third parties have only counted; nil where they have it.
  var uncounted: (Value.ID) -> Obstacle? = { _ in nil }

  /// What a server's answers give away.
  enum Oracle: Sendable, Hashable {
    /// Nothing.
    case none
    /// Enough, for whoever asks.
    case unasked
    /// Enough, and it was asked in this run.
    case asked
  }

  /// About how many questions it takes, as a power of two: D. Bleichenbacher, CRYPTO '98, section 3.1.
  static let questionBits = 20
  /// The name that honest authorities certify for attackers.
  static let ownName = "attacker.example"
  /// How long certificates of attackers live: shorter than any system's limit.
  static let lifetime = 90

  /// The attempts, in this order: each is made when somebody wants it.
  func attempts(withKeys keys: Set<Value.ID>? = nil) -> [() -> [Attempt]] {
    // With the key of a delegate, what was revoked before is tried again.
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
      // A premaster secret is worth nothing to an impostor of whom the client draws another.
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
    return all
  }

  /// The chains that attackers can show: the holder of a certificate has all CA certificates above it.
  private var presentations: Presentations { Presentations(holdings) }

  // What they show.

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

  /// The host, and under an excluded subtree also a wildcard that covers it (CVE-2025-61727).
  private func forgedNames(under chain: Presentations.Chain) -> [String] {
    let host = plan.url.host
    guard chain.certificates.contains(where: { $0.nameConstraints?.excluded.isEmpty == false }),
      let dot = host.firstIndex(of: "."), IPAddress(host) == nil
    else { return [host] }
    return [host, "*" + host[dot...]]
  }

  /// What goes through with a value that was only counted was counted itself.
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
    guard let root = try? Authority(root: template, key: rootKey, signing: keys.signatures.sign, random: &random) else {
      return []
    }
    return play(.ownRoot, issue(plan.url.host, by: root).map { [$0, root.certificate] }, ownKey)
  }

  private func honest(_ authority: Holding, _ chain: Presentations.Chain) -> [Attempt] {
    show(.honest(authority: authority.name), Self.ownName, authority, chain)
  }

  /// For a client that compares names as C strings, a name of attackers can begin with the host (CVE-2009-2408).
  private func honestPrefix(_ authority: Holding, _ chain: Presentations.Chain) -> [Attempt] {
    show(.honestPrefix(authority: authority.name), namePrefixedWithHost, authority, chain)
  }

  /// An honest certificate of `authority` for this name.
  private func show(
    _ means: Attempt.Means, _ name: String, _ authority: Holding, _ chain: Presentations.Chain
  ) -> [Attempt] {
    guard let signer = authority.signer else { return [] }
    let own = issue(name, by: signer)
    return play(means, own.map { [$0] + chain.certificates }, ownKey, chain.through, signedBy: signer)
  }

  private var namePrefixedWithHost: String { "\(plan.url.host)\0.\(Self.ownName)" }

  /// Whether the client compares a name up to its first byte 00.
  private var cutsNames: Bool {
    plan.client.trust.diagnostics.decisions.comparedName?(namePrefixedWithHost) == plan.url.host
  }

  /// An honest certificate makes nobody an authority: RFC 5280 section 4.2.1.9.
  private func signedByHonest(_ authority: Holding, _ chain: Presentations.Chain) -> [Attempt] {
    guard let own = authority.signer.flatMap({ issue(Self.ownName, by: $0) }) else { return [] }
    let leaf = issue(plan.url.host, by: Authority(own, key: ownKey, signing: keys.signatures.sign), for: rootKey)
    return play(
      .signedByHonest(authority: authority.name), leaf.map { [$0, own] + chain.certificates }, rootKey, chain.through)
  }

  private func withoutKey(_ exchange: CipherSuite.KeyExchange) -> [Attempt] {
    genuine(exchange).map { [attempt(.withoutKey(exchange), $0)] } ?? []
  }

  func play(
    _ means: Attempt.Means, _ chain: [Certificate]?, _ key: PrivateKey, _ through: String? = nil,
    signedBy signer: Authority? = nil
  ) -> [Attempt] {
    guard let chain, var plan = impostor(chain.map(\.der), key) else { return [] }
    if let signer, let leaf = chain.first { plan.network.status.forgeries = [.own(leaf, by: signer)] }
    var tried = attempt(means, plan)
    tried.through = through
    guard case .stopped(let rules) = tried.result, rules.contains(.revoked) else { return [tried] }
    return [tried] + suppressed(tried, plan)
  }

  /// The same, with the client's questions about revocation suppressed. They travel over plain HTTP (RFC 5280 section 8,
  /// RFC 6960 section 5), and an older response counts until its nextUpdate.
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
      result: attackers.can(means.capability) ? Rehearsal(plan).result : .beyond(means.capability),
      world: World(clock: at, plans: [plan], leaks: [], held: [], names: plan.client.trust.diagnostics.names))
  }
}

extension World.Plan {
  /// The same connection, where attackers on the path keep from the client what is said of revocation.
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
