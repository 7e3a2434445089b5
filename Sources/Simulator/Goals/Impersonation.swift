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
  /// The sessions that the client would propose to go on with in a later load.
  var sessions: [Session] = []
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
  private static let lifetime = 90

  /// The attempts, in this order: each is made when somebody wants it.
  func attempts(withKeys keys: Set<Value.ID>? = nil) -> [() -> [Attempt]] {
    let held = holdings.filter { $0.key != nil && (keys ?? knows).contains($0.keyName) }
    var all: [() -> [Attempt]] = []
    for holding in held {
      for chain in presentations.chains(of: holding) {
        all += [{ shown(holding, chain) }, { forged(holding, chain) }]
      }
    }
    all += [{ resumed(with: keys ?? knows) }, { repeatedKeyExchange(keys ?? knows) }]
    if let keys {
      // A premaster secret is worth nothing to an impostor of whom the client draws another.
      if isRepeated, keys.contains(premasterName) { all.append { knownPremaster() } }
      return all
    }
    all += [{ knownPremaster() }, { asked() }, { ownRoot() }]
    for authority in trusted {
      for chain in presentations.chains(ofKeyOf: authority) {
        all += [{ honest(authority, chain) }, { signedByHonest(authority, chain) }]
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
    guard let key = holding.key, let own = holding.chain.first else { return [] }
    let leaf = issue(plan.url.host, by: Authority(own, key: key))
    let tried = play(
      .forged(under: holding.name, key: holding.keyName), leaf.map { [$0] + chain.certificates }, ownKey, chain.through)
    return tried.map { counting($0, holding.keyName) }
  }

  /// What goes through with a value that was only counted was counted itself.
  private func counting(_ attempt: Attempt, _ value: Value.ID) -> Attempt {
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
    guard let root = try? Authority(root: template, key: rootKey, random: &random) else { return [] }
    return play(.ownRoot, issue(plan.url.host, by: root).map { [$0, root.certificate] }, ownKey)
  }

  private func honest(_ authority: Holding, _ chain: Presentations.Chain) -> [Attempt] {
    let own = ownCertificate(by: authority)
    return play(.honest(authority: authority.name), own.map { [$0] + chain.certificates }, ownKey, chain.through)
  }

  /// An honest certificate makes nobody an authority: RFC 5280 section 4.2.1.9.
  private func signedByHonest(_ authority: Holding, _ chain: Presentations.Chain) -> [Attempt] {
    guard let own = ownCertificate(by: authority) else { return [] }
    let leaf = issue(plan.url.host, by: Authority(own, key: ownKey), for: rootKey)
    return play(
      .signedByHonest(authority: authority.name), leaf.map { [$0, own] + chain.certificates }, rootKey, chain.through)
  }

  private func withoutKey(_ exchange: CipherSuite.KeyExchange) -> [Attempt] {
    genuine(exchange).map { [attempt(.withoutKey(exchange), $0)] } ?? []
  }

  /// Whoever has what the client encrypts has all that the server's key is for in an RSA key exchange: RFC 5246 section
  /// F.1.1.2. How they come by it, the recording shows.
  private func knownPremaster() -> [Attempt] {
    guard oracle != .asked, let secret = premasterOnOffer else { return [] }
    let isFound = knows.contains(premasterName) && encryptedPremaster != nil
    guard isFound || isGuessable, let plan = genuine(.rsa, premaster: secret) else { return [] }
    var tried = attempt(.knownPremaster(premasterName), plan)
    if let bits = weakness?.bits, bits > searchLimit, tried.result == .succeeded {
      tried.result = .counted(.tooLarge(bits: bits, limit: searchLimit))
    }
    return [tried]
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
  private func asked() -> [Attempt] {
    guard oracle != .none, let secret = premasterOnOffer, let plan = genuine(.rsa, premaster: secret)
    else { return [] }
    var tried = attempt(.oracle, plan)
    if !attackers.can(.asksServer) {
      tried.result = .beyond(.asksServer)
    } else if oracle == .unasked, tried.result == .succeeded {
      tried.result = .counted(.questions(bits: Self.questionBits))
    }
    return [tried]
  }

  /// A session that goes on asks for no certificate: whoever has its master secret is the server until it is retired (RFC
  /// 5246 section F.1.4).
  private func resumed(with known: Set<Value.ID>) -> [Attempt] {
    sessions.compactMap { session in
      guard case .tls12(let own) = session, known.contains(own.masterSecretName),
        let met = impostor(plan.server.tls.certificates, ownKey, resuming: session)
      else { return nil }
      return counting(attempt(.resumed(own.masterSecretName), met), own.masterSecretName)
    }
  }

  /// A server signs two random numbers and its public key (RFC 5246 section 7.4.3). If the client's number repeats, a
  /// recorded ServerKeyExchange fits again, and an attacker with an ephemeral key of that connection can finish.
  private func repeatedKeyExchange(_ known: Set<Value.ID>) -> [Attempt] {
    let signed: [CipherSuite.KeyExchange] = [.dheRSA, .ecdheRSA, .ecdheECDSA]
    guard let exchange = suite?.keyExchange, signed.contains(exchange), plan.interceptor == nil,
      let key = ephemeralKeys.first(where: known.contains), let bits = clientRandomBits, bits <= attackers.budget
    else { return [] }
    var tried = counting(attempt(.repeatedKeyExchange(key), replayingServer), key)
    if bits > 0, tried.result == .succeeded { tried.result = .counted(.connections(bits: bits)) }
    return [tried]
  }

  /// The keys of which one is enough to agree with the client as in the recorded connection: the server's, or the
  /// client's if that repeats, too.
  private var ephemeralKeys: [Value.ID] {
    let own = ["server_ecdh_private", "server_dh_private"]
    let repeated = ["client_ecdh_private"].filter { plan.client.tls.random.overrides[$0]?.repeats == true }
    return (own + repeated).map { plan.prefix + $0 }
  }

  /// How many bits of the client's random number are new in each connection; nil for a good generator.
  private var clientRandomBits: Int? {
    switch plan.client.tls.random.overrides["client_random"] {
    case .fixed?: 0
    case .bits(let bits)?: bits
    case .drawn?, nil: nil
    }
  }

  /// A server that says what the genuine one said in the recorded connection, byte for byte, up to ServerHelloDone.
  private var replayingServer: World.Plan {
    var tls = plan.server.tls
    (tls.party, tls.valuePrefix, tls.now) = (.interceptor, plan.prefix, at)
    (tls.sessions, tls.ticketKeys, tls.clientAuthentication) = (nil, [], .none)
    (tls.honoursFallbackSignal, tls.renegotiation) = (false, .refused)
    for index in tls.otherCredentials.indices { staple(to: &tls.otherCredentials[index]) }
    staple(to: &tls.credentials)
    return met(tls, proposing: nil, logging: nil)
  }

  /// The server's own certificates, shown by somebody with another key.
  private func genuine(_ exchange: CipherSuite.KeyExchange, premaster: [UInt8]? = nil) -> World.Plan? {
    let isECDSA = exchange == .ecdheECDSA
    guard genuineWithoutKey.contains(exchange), let key = isECDSA ? ownKey : rsaKey,
      let shown = unknownCredentials.first(where: { ($0.privateKey.publicKey.keyKind == .rsa) != isECDSA })
    else { return nil }
    return impostor(shown.certificates, key, only: exchange, premaster: premaster)
  }

  private func play(
    _ means: Attempt.Means, _ chain: [Certificate]?, _ key: PrivateKey, _ through: String? = nil
  ) -> [Attempt] {
    guard let chain, let plan = impostor(chain.map(\.der), key, logging: chain.first) else { return [] }
    var tried = attempt(means, plan)
    tried.through = through
    guard case .stopped(let rules) = tried.result, rules.contains(.revoked) else { return [tried] }
    return [tried] + suppressed(tried, plan)
  }

  /// The same, with the client's questions about revocation suppressed. They travel over plain HTTP (RFC 5280 section 8,
  /// RFC 6960 section 5), and an older response counts until its nextUpdate.
  private func suppressed(_ first: Attempt, _ plan: World.Plan) -> [Attempt] {
    guard !plan.blocksStatuses else { return [] }
    let ages = plan.statuses == nil || plan.statusAge > 0 ? [] : plan.statusAges
    var all: [Attempt] = []
    let suppressions: [Attempt.Suppression] = [.blocked] + ages.map { .outdated(by: $0) }
    for suppression in suppressions {
      var tried = attempt(first.means, plan.suppressing(suppression))
      (tried.suppression, tried.through) = (suppression, first.through)
      all.append(tried)
      if tried.result.isSuccess { break }
    }
    return all
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
    staple(to: &tls.credentials)
    if let session {
      // Whoever has the session needs no key to take its ticket for it.
      tls.ticketKeys = plan.server.tls.ticketKeys
      var sessions = SessionCache()
      sessions.store(session)
      tls.sessions = sessions
    }
    return met(tls, proposing: session, logging: leaf)
  }

  /// The client of the connection, met by a server like this.
  private func met(_ tls: ServerConfiguration, proposing session: Session?, logging leaf: Certificate?) -> World.Plan {
    let front = ServerEndpoint.Configuration(
      tls: tls, certificates: [], answers: .own([plan.client.request.line: .content("in the server's place")]))
    return plan.met(
      by: Interceptor(front: front, back: nil, replacements: [:], holds: []), at: at, proposing: session, logging: leaf)
  }

  /// Responses and SCTs are public: an attacker with a certificate can send the best that were ever issued for it.
  private func staple(to credentials: inout ServerCredentials) {
    guard let leaf = credentials.certificates.first.flatMap({ try? Certificate(der: $0) }) else { return }
    let genuine = plan.server.tls.allCredentials.first { $0.certificates.first == credentials.certificates.first }
    credentials.ocspResponse = plan.staples?(leaf, at) ?? (at == plan.clock ? genuine?.ocspResponse : nil)
    credentials.timestampList = plan.publicTimestamps[leaf] ?? genuine?.timestampList
  }

  /// The CAs at hand that certify attackers' own names for them: those that the client trusts, those whose keys the app
  /// pins, and those below a trusted root whose key nobody here has.
  private var trusted: [Holding] {
    let (anchors, pins) = (self.anchors, plan.client.pinnedKeys)
    let keyless = holdings.filter { $0.key == nil }.compactMap(\.chain.first).filter(anchors.contains)
    var seen: Set<Value.ID> = []
    return holdings.filter { holding in
      guard holding.key != nil, let own = holding.chain.first else { return false }
      let isBelow = holding.chain.last.map { last in keyless.contains { $0.subject == last.issuer } } ?? false
      let isWanted =
        anchors.contains(own)
        || own.basicConstraints?.isAuthority == true
          && (isBelow || pins.contains(PublicKeyPins.Pin.fingerprint(of: own)))
      return isWanted && seen.insert(holding.keyName).inserted
    }
  }

  /// Everything that the client, or its app, takes for a trust anchor.
  private var anchors: Set<Certificate> {
    Set(plan.client.trust.store.anchors.certificates).union(plan.client.challenges.delegate?.anchors ?? [])
  }

  /// The trust anchors at hand that nobody here can have certify anything, and nobody below them; by name.
  var unaskedAuthorities: [String] {
    guard trusted.isEmpty else { return [] }
    let anchors = self.anchors
    return holdings.filter { $0.key == nil && $0.chain.first.map(anchors.contains) == true }.map(\.name)
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

extension World.Plan {
  /// The same connection, where attackers on the path keep from the client what is said of revocation.
  fileprivate func suppressing(_ suppression: Attempt.Suppression) -> World.Plan {
    var plan = self
    switch suppression {
    case .blocked:
      plan.blocksStatuses = true
      plan.client.trust.revocation.isReachable = false
    case .outdated(let age): (plan.statusAge, plan.agedStatus) = (age, nil)
    }
    return plan
  }
}

extension RandomStreams.Override {
  /// Whether what was drawn once comes again, always or after a number of connections.
  fileprivate var repeats: Bool { if case .drawn = self { false } else { true } }
}
