import Endpoint
import Explanation
import TLS

// The secrets with which attackers finish a handshake: they know these secrets, or the server computes them.
extension Impersonation {
  /// Returns attempts with a known premaster secret. In RSA key exchange, no other proof of the server's key is needed.
  ///
  /// See RFC 5246 section F.1.1.2. The recording shows how the attackers learn the secret.
  func knownPremaster() -> [Attempt] {
    guard oracle != .asked, let secret = premasterOnOffer else { return [] }
    let isFound = knows.contains(premasterName) && encryptedPremaster != nil
    guard isFound || isGuessable, let plan = genuine(.rsa, premaster: secret) else { return [] }
    var tried = attempt(.knownPremaster(premasterName), plan)
    if let bits = weakness?.bits, bits > searchLimit, tried.result == .succeeded {
      tried.result = .counted(.tooLarge(bits: bits, limit: searchLimit))
    }
    return [tried]
  }

  var premasterName: Value.ID { plan.scope.name(.premasterSecret) }

  /// Whether the client encrypts the same premaster secret in every connection.
  var isRepeated: Bool { plan.client.tls.random.repeats(ValueName(.premasterSecret)) }

  /// The premaster secret that the client would encrypt to an impostor, in a connection of its own.
  private var premasterOnOffer: [UInt8]? {
    if let encryptedPremaster { return encryptedPremaster }
    guard weakness != nil || oracle != .none, let plan = genuine(.rsa) else { return nil }
    var simulation = Simulation(
      World(clock: at, plans: [plan], leaks: [], held: [], names: plan.client.trust.diagnostics.names))
    simulation.run()
    return simulation.trace.values[premasterName]?.bytes
  }

  /// Whether attackers can find the output of the client's generator during a handshake.
  ///
  /// The search ends when a candidate decrypts the client's Finished.
  private var isGuessable: Bool {
    guard case .computed(let method, let inputs)? = weakness, attackers.can(method.capability) else { return false }
    return (method.bits ?? 0) <= attackers.budget
      && inputs.allSatisfy { knows.contains($0) || ($0.kind, $0.side, $0.number) == (.record, .client, 1) }
  }

  /// Returns an attempt that uses a padding oracle of the server. It decrypts the secret that the client sends to the
  /// attackers.
  func asked() -> [Attempt] {
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

  /// Returns attempts that resume a session, because a resumption requires no certificate.
  ///
  /// An attacker with the session's secret can impersonate the server until the session expires (RFC 5246 section F.1.4,
  /// RFC 8446 section 2.2).
  func resumed(with known: Set<Value.ID>) -> [Attempt] {
    let tried = sessions.compactMap { session -> Attempt? in
      guard let secret = secrets(of: session).first(where: known.contains),
        let met = impostor(plan.server.tls.certificates, ownKey, resuming: session)
      else { return nil }
      return counting(attempt(.resumed(secret), met), secret)
    }
    return tried + agreed(with: known)
  }

  /// The secrets that are enough to resume the session.
  ///
  /// In TLS 1.3, the server sends the ticket encrypted. But the client sends it in the clear to the impostor, and the
  /// key of the server's tickets opens it (RFC 8446 section 4.2.11).
  private func secrets(of session: Session) -> [Value.ID] {
    switch session {
    case .tls12(let own): [own.masterSecretName]
    case .tls13(let own):
      [own.pskName] + plan.server.tls.ticketKeys.filter { $0.secret(in: own.id) != nil }.map(\.id)
        + (plan.client.tls.session == session ? earlySecrets : [])
    }
  }

  /// Returns the attempt with a key that the client and the server have agreed on outside TLS.
  ///
  /// The first secrets of the schedule follow from this key alone, and replace it (RFC 8446 section 7.1).
  private func agreed(with known: Set<Value.ID>) -> [Attempt] {
    guard let psk = plan.client.tls.externalPSK,
      let secret = ([psk.id] + (plan.client.tls.session == nil ? earlySecrets : [])).first(where: known.contains),
      let met = impostor(plan.server.tls.certificates, ownKey, sharing: psk)
    else { return [] }
    return [counting(attempt(.resumed(secret), met), secret)]
  }

  /// The hosts that the client does not want, whose servers have its external key.
  ///
  /// A device that is client and server with one key is such a host, too (N. Drucker and S. Gueron, 2019: Selfie).
  var otherHolders: [String] {
    guard let psk = plan.client.tls.externalPSK, plan.interceptor == nil, plan.proxy == nil else { return [] }
    return plan.hosts(sharing: psk)
  }

  /// Returns the attempt to forward the client's bytes to the server of `host`. An external key authenticates every
  /// server that has it, and not the name (RFC 8446 section E.1, RFC 9257 section 4.1).
  func rerouted(to host: String) -> [Attempt] {
    guard let other = plan.network.hosts[host], let server = other.endpoint else { return [] }
    var met = plan.alone(on: plan.way.met())
    met.server = server.named(plan.scope, other.generator)
    met.network.hosts = [host: other]
    var tried = attempt(.rerouted(host: host), met)
    // A network that already routes the client there needs no attacker.
    let isRouted = plan.network.destination(of: plan.url.host, for: plan.name) == host
    if isRouted { tried.result = TrialConnection(met).result }
    return [tried]
  }

  /// Returns attempts that replay a recorded ServerKeyExchange, which is valid again if the client's random number
  /// repeats.
  ///
  /// The server's signature covers both random numbers and its public key (RFC 5246 section 7.4.3). An attacker that
  /// has the ephemeral key of the recorded connection can finish the handshake.
  func repeatedKeyExchange(_ known: Set<Value.ID>) -> [Attempt] {
    let names = Self.ephemeralKeys(of: .server) + repeatedKeys
    let recordings = ([plan] + recorded).flatMap { plan in names.map { (plan: plan, key: plan.scope.name($0)) } }
    guard isSigned, let (recording, key) = recordings.first(where: { known.contains($0.key) }),
      let bits = clientRandomBits, bits <= attackers.budget
    else { return [] }
    var tried = finished(.repeatedKeyExchange(key), as: recording, with: key)
    if bits > 0, tried.result == .succeeded { tried.result = .counted(.connections(bits: bits)) }
    return [tried]
  }

  /// Returns attempts in which the real server signs the client's new random number, and the attackers finish the
  /// handshake.
  ///
  /// An attacker on the path that has an ephemeral key during the handshake can compute the keys and both Finished
  /// messages (D. Adrian and others, CCS 2015: Logjam). In TLS 1.3, it forwards the server's messages up to Finished. After
  /// the connection, only a reused key allows this.
  func takenOver(with known: Set<Value.ID>) -> [Attempt] {
    let both = Self.ephemeralKeys(of: .server) + Self.ephemeralKeys(of: .client)
    let keys = (leak == nil ? both : repeatedKeys).map(plan.scope.name)
    guard isSigned || hasSecretsInTLS13(known), let key = keys.first(where: known.contains) else { return [] }
    return [finished(.takenOver(key), as: plan, with: key)]
  }

  /// Whether the attackers compute the secrets of TLS 1.3 while the server signs the handshake.
  ///
  /// A key is not enough: after a HelloRetryRequest, the client's first key has no use, and a hybrid group needs two keys.
  /// The part of ML-KEM is new in each connection.
  private func hasSecretsInTLS13(_ known: Set<Value.ID>) -> Bool {
    isSignedInTLS13 && plan.interceptor == nil && known.contains(plan.scope.name(.sharedSecret))
      && (leak == nil || !isHybrid)
  }

  /// Whether the server signs an ephemeral key and no interceptor is between client and server.
  private var isSigned: Bool {
    let signed: [CipherSuite.KeyExchange] = [.dheRSA, .ecdheRSA, .ecdheECDSA]
    return suite?.keyExchange.map(signed.contains) == true && plan.interceptor == nil
  }

  /// The ephemeral keys that an endpoint uses in every connection.
  private var repeatedKeys: [Value.ID] {
    [(Side.server, plan.server.tls.random), (.client, plan.client.tls.random)]
      .filter { $0.1.repeats(ValueName(.ecdhPrivate, of: $0.0)) }
      .flatMap { Self.ephemeralKeys(of: $0.0) }.filter { $0.kind == .ecdhPrivate }
  }

  /// The second key, which only a client has after a HelloRetryRequest, comes first (RFC 8446 section 4.1.4).
  private static func ephemeralKeys(of side: Side) -> [ValueName] {
    [2, nil].flatMap { number in
      [ValueKind.ecdhPrivate, .dhPrivate].map { ValueName($0, of: side, number: number) }
    }
  }

  /// Returns the client's connection to an attacker that replays the server's messages of `recording` and finishes with
  /// `key`.
  private func finished(_ means: Attempt.Means, as recording: World.Plan, with key: Value.ID) -> Attempt {
    counting(attempt(means, server(as: recording)), key)
  }

  /// The number of bits of the client's random number that differ between connections; nil for a good generator.
  private var clientRandomBits: Int? {
    switch plan.client.tls.random.overrides[ValueName(.random, of: .client)] {
    case .fixed?: 0
    case .bits(let bits)?: bits
    case .drawn?, nil: nil
    }
  }

  /// Returns a server that sends the real server's messages of `recording`, byte for byte, up to ServerHelloDone.
  private func server(as recording: World.Plan) -> World.Plan {
    var tls = recording.server.tls
    (tls.party, tls.valueScope, tls.now) = (.interceptor, plan.scope, at)
    (tls.sessions, tls.ticketKeys, tls.clientAuthentication) = (nil, [], .none)
    (tls.honoursFallbackSignal, tls.renegotiation) = (false, .refused)
    for index in tls.otherCredentials.indices { staple(to: &tls.otherCredentials[index]) }
    staple(to: &tls.credentials)
    return met(tls, proposing: nil)
  }

  /// Returns the client's connection to an attacker that presents the server's own certificates with another key.
  func genuine(_ exchange: CipherSuite.KeyExchange, premaster: [UInt8]? = nil) -> World.Plan? {
    let shown = unknownCredentials.first { credentials in
      exchange == .tls13 || (credentials.privateKey.publicKey.keyKind == .rsa) != (exchange == .ecdheECDSA)
    }
    guard genuineWithoutKey.contains(exchange), let shown,
      let key = shown.privateKey.publicKey.keyKind == .rsa ? rsaKey : ownKey
    else { return nil }
    return impostor(shown.certificates, key, only: exchange, premaster: premaster)
  }
}

extension World.Plan {
  /// Returns the hosts other than the requested one whose servers have this external key.
  func hosts(sharing psk: ExternalPSK) -> [String] {
    network.hosts.keys.sorted().filter { $0 != url.host && network.hosts[$0]?.endpoint?.tls.has(psk) == true }
  }
}

extension Value.Derivation {
  /// The number of bits to search; nil for a derivation without a search.
  var bits: Int? { if case .computed(let method, _) = self { method.bits } else { nil } }
}

extension Method {
  /// The number of bits to search; nil for a method without a search.
  var bits: Int? {
    switch self {
    case .premasterSearch(let bits), .seedSearch(let bits), .keySearch(let bits): bits
    case .ephemeralKeySearch(let bits): WeakGenerator.ephemeralSearchCost(bits)
    default: nil
    }
  }
}

extension RandomStreams {
  /// Returns whether the value with this name is the same in every connection.
  fileprivate func repeats(_ name: Value.ID) -> Bool { if case .fixed? = overrides[name] { true } else { false } }
}
