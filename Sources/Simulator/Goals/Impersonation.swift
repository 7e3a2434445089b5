import Cryptography
import Endpoint
import Explanation
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
  /// When it is tried.
  let at: Instant
  /// The leak that made it possible; nil where none was needed.
  var leak: Trace.Leak?
  /// The most bits of a search that is carried out.
  var searchLimit = Execution.quickSearchLimit

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
  private static let lifetime = 90

  /// The attempts, in this order: each is made when somebody wants it.
  func attempts(withKeys keys: Set<Value.ID>? = nil) -> [() -> Attempt?] {
    let held = holdings.filter { $0.key != nil && (keys ?? knows).contains($0.keyName) }
    let withKeys = held.flatMap { holding in [{ shown(holding) }, { forged(holding) }] }
    if let keys {
      // A premaster secret is worth nothing to an impostor of whom the client draws another.
      let repeats = isRepeated && keys.contains(premasterName)
      return withKeys + [{ resumed(with: keys) }] + (repeats ? [{ knownPremaster() }] : [])
    }
    return withKeys + [{ resumed(with: knows) }, { knownPremaster() }, { asked() }, { ownRoot() }]
      + trusted.flatMap { authority in [{ honest(authority) }, { signedByHonest(authority) }] }
      + genuineWithoutKey.map { exchange in { withoutKey(exchange) } }
  }

  // What they show.

  private func shown(_ holding: Holding) -> Attempt? {
    guard let key = holding.key else { return nil }
    return play(.shown(certificate: holding.name, key: holding.keyName), holding.chain, key)
  }

  private func forged(_ holding: Holding) -> Attempt? {
    guard let key = holding.key, let own = holding.chain.first else { return nil }
    let leaf = issue(plan.url.host, by: Authority(own, key: key))
    return play(.forged(under: holding.name, key: holding.keyName), leaf.map { [$0] + holding.chain }, ownKey)
  }

  private func ownRoot() -> Attempt? {
    let subject = DistinguishedName(commonName: "A root of the attackers")
    var template = CertificateTemplate.authority(
      subject, notBefore: at.adding(days: -1), notAfter: at.adding(days: Self.lifetime))
    template.signatureScheme = scheme(of: rootKey)
    var random = Self.random
    guard let root = try? Authority(root: template, key: rootKey, random: &random) else { return nil }
    return play(.ownRoot, issue(plan.url.host, by: root).map { [$0, root.certificate] }, ownKey)
  }

  private func honest(_ authority: Holding) -> Attempt? {
    play(.honest(authority: authority.name), ownCertificate(by: authority).map { [$0] + authority.chain }, ownKey)
  }

  /// An honest certificate makes nobody an authority: RFC 5280 section 4.2.1.9.
  private func signedByHonest(_ authority: Holding) -> Attempt? {
    guard let own = ownCertificate(by: authority) else { return nil }
    let leaf = issue(plan.url.host, by: Authority(own, key: ownKey), for: rootKey)
    return play(
      .signedByHonest(authority: authority.name), leaf.map { [$0, own] + authority.chain }, rootKey)
  }

  private func withoutKey(_ exchange: CipherSuite.KeyExchange) -> Attempt? {
    genuine(exchange).map { attempt(.withoutKey(exchange), $0) }
  }

  /// Whoever has what the client encrypts has all that the server's key is for in an RSA key exchange: RFC 5246 section
  /// F.1.1.2. How they come by it, the recording shows.
  private func knownPremaster() -> Attempt? {
    guard oracle != .asked, let secret = premasterOnOffer else { return nil }
    let isFound = knows.contains(premasterName) && encryptedPremaster != nil
    guard isFound || isGuessable, let plan = genuine(.rsa, premaster: secret) else { return nil }
    var tried = attempt(.knownPremaster(premasterName), plan)
    if let bits = weakness?.bits, bits > searchLimit, tried.result == .succeeded {
      tried.result = .counted(.tooLarge(bits: bits, limit: searchLimit))
    }
    return tried
  }

  private var premasterName: Value.ID { plan.prefix + "premaster_secret" }

  /// Whether the client encrypts what it encrypted in a connection before.
  private var isRepeated: Bool { if case .computed(.repetition, _)? = weakness { true } else { false } }

  /// What the client would encrypt to an impostor, in a connection of its own.
  private var premasterOnOffer: [UInt8]? {
    if let encryptedPremaster { return encryptedPremaster }
    guard weakness != nil || oracle != .none, let plan = genuine(.rsa) else { return nil }
    var simulation = Simulation(World(clock: at, plans: [plan], leaks: [], held: [], names: plan.client.trust.names))
    simulation.run()
    return simulation.trace.values[premasterName]?.bytes
  }

  /// Whether what the client's generator gives can be found in the time of a handshake: a search is over when it opens
  /// the client's Finished.
  private var isGuessable: Bool {
    guard case .computed(let method, let inputs)? = weakness, attackers.can(method.capability) else { return false }
    return (method.bits ?? 0) <= attackers.budget
      && inputs.allSatisfy { knows.contains($0) || $0.hasSuffix("record.client.1") }
  }

  /// A server that tells right padding from wrong decrypts what the client sends to somebody else.
  private func asked() -> Attempt? {
    guard oracle != .none, let secret = premasterOnOffer, let plan = genuine(.rsa, premaster: secret)
    else { return nil }
    var tried = attempt(.oracle, plan)
    if !attackers.can(.asksServer) {
      tried.result = .beyond(.asksServer)
    } else if oracle == .unasked, tried.result == .succeeded {
      tried.result = .counted(.questions(bits: Self.questionBits))
    }
    return tried
  }

  /// A session that goes on asks for no certificate: whoever has its master secret is the server until it is retired (RFC
  /// 5246 section F.1.4).
  private func resumed(with known: Set<Value.ID>) -> Attempt? {
    guard let session = plan.client.tls.session, case .tls12(let own) = session, known.contains(own.masterSecretName),
      let met = impostor(plan.server.tls.certificates, ownKey, resuming: session)
    else { return nil }
    return attempt(.resumed(own.masterSecretName), met)
  }

  /// The server's own certificates, shown by somebody with another key.
  private func genuine(_ exchange: CipherSuite.KeyExchange, premaster: [UInt8]? = nil) -> World.Plan? {
    let isECDSA = exchange == .ecdheECDSA
    guard genuineWithoutKey.contains(exchange), let key = isECDSA ? ownKey : rsaKey,
      let shown = unknownCredentials.first(where: { ($0.privateKey.publicKey.keyKind == .rsa) != isECDSA })
    else { return nil }
    return impostor(shown.certificates, key, only: exchange, premaster: premaster)
  }

  private func play(_ means: Attempt.Means, _ chain: [Certificate]?, _ key: PrivateKey) -> Attempt? {
    guard let chain, let plan = impostor(chain.map(\.der), key, logging: chain.first) else { return nil }
    return attempt(means, plan)
  }

  private func attempt(_ means: Attempt.Means, _ plan: World.Plan) -> Attempt {
    Attempt(
      goal: .impersonation, means: means, at: at, leak: leak,
      result: attackers.can(means.capability) ? Rehearsal(plan).result : .beyond(means.capability),
      world: World(clock: at, plans: [plan], leaks: [], held: [], names: plan.client.trust.names))
  }
}

// The impostor.
extension Impersonation {
  /// The connection as it was, but for who answers it, and when.
  private func impostor(
    _ certificates: [[UInt8]], _ key: PrivateKey, only exchange: CipherSuite.KeyExchange? = nil,
    premaster: [UInt8]? = nil, resuming session: Session? = nil, logging leaf: Certificate? = nil
  ) -> World.Plan? {
    let versions = ProtocolVersion.known.filter(\.isImplemented)
    guard let oldest = versions.first, let newest = versions.last else { return nil }
    let suites = CipherSuite.implemented.filter { exchange == nil || $0.keyExchange == exchange }
    var decisions = TLSDecisions.standard
    if let premaster { decisions.premaster = { _, _ in premaster } }
    var tls = ServerConfiguration(
      certificates: certificates, privateKey: key, privateKeyName: "interceptor.key", versions: oldest...newest,
      cipherSuites: suites, preference: .client, applicationProtocols: plan.client.tls.applicationProtocols,
      decisions: decisions, now: at, random: RandomStreams(seed: .number(0), party: "impostor"), party: .interceptor,
      valuePrefix: plan.prefix)
    // No attacker minds a client that says it fell back: RFC 7507 binds honest servers.
    tls.honoursFallbackSignal = false
    // Answers are public: whoever shows a certificate can staple the best that was ever given about it.
    tls.credentials.ocspResponse = leaf.flatMap { plan.staples?($0, at) }
    if let session {
      // Whoever has the session needs no key to take its ticket for it.
      tls.ticketKeys = plan.server.tls.ticketKeys
      var sessions = SessionCache()
      sessions.store(session)
      tls.sessions = sessions
    }
    let front = ServerEndpoint.Configuration(
      tls: tls, certificates: [], answers: .own([plan.client.request.line: .content("in the server's place")]))
    return plan.met(
      by: Interceptor(front: front, back: nil, replacements: [:], holds: []), at: at, proposing: session, logging: leaf)
  }

  /// The authorities that the client trusts and that are at hand to certify a name.
  private var trusted: [Holding] {
    var anchors = Set(plan.client.trust.store.anchors.certificates)
    anchors.formUnion(plan.client.challenges.delegate?.anchors ?? [])
    return holdings.filter { $0.key != nil && $0.chain.first.map(anchors.contains) == true }
  }

  /// The ways of key exchange in which the server's certificate can be shown by somebody who lacks its key.
  private var genuineWithoutKey: [CipherSuite.KeyExchange] {
    let kinds = Set(unknownCredentials.compactMap(\.privateKey.publicKey.keyKind))
    return ((kinds.contains(.rsa) ? [.ecdheRSA, .dheRSA, .rsa] : []) + (kinds.contains(.ecdsa) ? [.ecdheECDSA] : []))
      .filter {
        exchange in
        plan.client.tls.cipherSuites.contains { $0.keyExchange == exchange && $0.isImplemented }
      }
  }

  /// What the server shows whose keys nobody else has.
  private var unknownCredentials: [ServerCredentials] {
    plan.server.tls.allCredentials.filter { !knows.contains($0.privateKeyName) }
  }

  private func ownCertificate(by authority: Holding) -> Certificate? {
    guard let key = authority.key, let own = authority.chain.first else { return nil }
    return issue(Self.ownName, by: Authority(own, key: key))
  }

  private func issue(_ host: String, by authority: Authority, for key: PrivateKey? = nil) -> Certificate? {
    let name = IPAddress(host).map { GeneralName.ipAddress($0.bytes) } ?? .dnsName(host)
    var template = CertificateTemplate.server(
      DistinguishedName(commonName: host), names: [name], notBefore: at.adding(days: -1),
      notAfter: at.adding(days: Self.lifetime))
    template.signatureScheme = scheme(of: authority.key)
    var random = Self.random
    return try? authority.issue(template, for: (key ?? ownKey).publicKey, random: &random)
  }

  private func scheme(of key: PrivateKey) -> SignatureScheme {
    key.publicKey.keyKind == .rsa ? .rsaPKCS1SHA256 : .ecdsaSHA256
  }

  /// Keys of the attackers' own: of the kind that the client's suites can use.
  private var ownKey: PrivateKey {
    let takesECDSA = plan.client.tls.cipherSuites.contains { $0.keyExchange == .ecdheECDSA && $0.isImplemented }
    return takesECDSA ? .ec(KeyStore().ecKey(owner: "interceptor", curve: .p256)) : rsaKey ?? rootKey
  }
  private var rootKey: PrivateKey { .ec(KeyStore().ecKey(owner: "interceptor's root", curve: .p256)) }
  private var rsaKey: PrivateKey? {
    (try? KeyStore().rsaKey(owner: "interceptor", bits: 2048)).map(PrivateKey.rsa)
  }
  private static var random: DeterministicRandom { DeterministicRandom(seed: .number(0), label: "attackers") }
}

extension ProxyEndpoint.Configuration {
  /// Somebody in the place of the proxy, who lets everyone through: what is said to a proxy is said in the clear, and nobody
  /// asks who answers.
  fileprivate func replaced(by party: Party) -> Self {
    var replaced = self
    replaced.party = party
    replaced.authenticator = nil
    return replaced
  }
}

extension Value.Derivation {
  /// How many bits are searched; nil where nothing is.
  var bits: Int? { if case .computed(let method, _) = self { method.bits } else { nil } }
}

extension Method {
  /// How many bits are searched; nil where nothing is.
  var bits: Int? {
    switch self {
    case .premasterSearch(let bits), .seedSearch(let bits), .keySearch(let bits), .ephemeralKeySearch(let bits): bits
    default: nil
    }
  }
}

extension World.Plan {
  /// The same client, met by `impostor` in the server's place at another time.
  fileprivate func met(
    by impostor: Interceptor, at time: Instant, proposing session: Session?, logging leaf: Certificate?
  ) -> World.Plan {
    var client = client
    client.tls.now = time
    client.tls.session = session
    client.trust.date = time
    // Whoever gets a certificate signed can have it logged: RFC 6962 section 3.1 takes what chains to a root.
    if let leaf { client.trust.timestamps[leaf] = CertificateTimestamps(embedded: 5) }
    var met = World.Plan(name: name, clock: time, client: client, server: server, interceptor: impostor)
      .fetching(as: self)
    met.proxy = proxy?.replaced(by: impostor.front.tls.party)
    return met
  }
}
