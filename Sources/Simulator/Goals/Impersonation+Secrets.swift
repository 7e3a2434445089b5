import Endpoint
import Explanation
import TLS

// What attackers finish a handshake with: secrets that they know, or that the server computes for them.
extension Impersonation {
  /// Whoever has what the client encrypts has all that the server's key is for in an RSA key exchange: RFC 5246 section
  /// F.1.1.2. How they come by it, the recording shows.
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

  /// What the client would encrypt to an impostor, in a connection of its own.
  private var premasterOnOffer: [UInt8]? {
    if let encryptedPremaster { return encryptedPremaster }
    guard weakness != nil || oracle != .none, let plan = genuine(.rsa) else { return nil }
    var simulation = Simulation(
      World(clock: at, plans: [plan], leaks: [], held: [], names: plan.client.trust.diagnostics.names))
    simulation.run()
    return simulation.trace.values[premasterName]?.bytes
  }

  /// Whether what the client's generator gives can be found in the time of a handshake: a search is over when it opens
  /// the client's Finished.
  private var isGuessable: Bool {
    guard case .computed(let method, let inputs)? = weakness, attackers.can(method.capability) else { return false }
    return (method.bits ?? 0) <= attackers.budget
      && inputs.allSatisfy { knows.contains($0) || ($0.kind, $0.side, $0.number) == (.record, .client, 1) }
  }

  /// A server that tells right padding from wrong decrypts what the client sends to somebody else.
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

  /// A session that goes on asks for no certificate: whoever has its master secret is the server until it is retired (RFC
  /// 5246 section F.1.4).
  func resumed(with known: Set<Value.ID>) -> [Attempt] {
    sessions.compactMap { session in
      guard case .tls12(let own) = session, known.contains(own.masterSecretName),
        let met = impostor(plan.server.tls.certificates, ownKey, resuming: session)
      else { return nil }
      return counting(attempt(.resumed(own.masterSecretName), met), own.masterSecretName)
    }
  }

  /// A server signs two random numbers and its public key (RFC 5246 section 7.4.3). If the client's number repeats, a
  /// recorded ServerKeyExchange fits again, and an attacker with an ephemeral key of that connection can finish.
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

  /// For a new random number of the client the server itself signs. The signature does not cover who finishes: an attacker
  /// on the path who has an ephemeral key while the handshake lasts computes the premaster secret, and both Finished
  /// (D. Adrian and others, CCS 2015: Logjam). After the connection, that is a key that is used again.
  func takenOver(with known: Set<Value.ID>) -> [Attempt] {
    let both = Self.ephemeralKeys(of: .server) + Self.ephemeralKeys(of: .client)
    let keys = (leak == nil ? both : repeatedKeys).map(plan.scope.name)
    guard isSigned, let key = keys.first(where: known.contains) else { return [] }
    return [finished(.takenOver(key), as: plan, with: key)]
  }

  /// Whether the server signs an ephemeral key, with nobody between the two.
  private var isSigned: Bool {
    let signed: [CipherSuite.KeyExchange] = [.dheRSA, .ecdheRSA, .ecdheECDSA]
    return suite?.keyExchange.map(signed.contains) == true && plan.interceptor == nil
  }

  /// The ephemeral keys that an end uses in every connection.
  private var repeatedKeys: [Value.ID] {
    [(Side.server, plan.server.tls.random), (.client, plan.client.tls.random)]
      .map { (ValueName(.ecdhPrivate, of: $0.0), $0.1) }.filter { $0.1.repeats($0.0) }.map(\.0)
  }

  private static func ephemeralKeys(of side: Side) -> [ValueName] {
    [ValueName(.ecdhPrivate, of: side), ValueName(.dhPrivate, of: side)]
  }

  /// The client meets what the server said in `recording`, by an attacker who finishes with `key`.
  private func finished(_ means: Attempt.Means, as recording: World.Plan, with key: Value.ID) -> Attempt {
    counting(attempt(means, server(as: recording)), key)
  }

  /// How many bits of the client's random number are new in each connection; nil for a good generator.
  private var clientRandomBits: Int? {
    switch plan.client.tls.random.overrides[ValueName(.random, of: .client)] {
    case .fixed?: 0
    case .bits(let bits)?: bits
    case .drawn?, nil: nil
    }
  }

  /// A server that says what the genuine one said in `recording`, byte for byte, up to ServerHelloDone.
  private func server(as recording: World.Plan) -> World.Plan {
    var tls = recording.server.tls
    (tls.party, tls.valueScope, tls.now) = (.interceptor, plan.scope, at)
    (tls.sessions, tls.ticketKeys, tls.clientAuthentication) = (nil, [], .none)
    (tls.honoursFallbackSignal, tls.renegotiation) = (false, .refused)
    for index in tls.otherCredentials.indices { staple(to: &tls.otherCredentials[index]) }
    staple(to: &tls.credentials)
    return met(tls, proposing: nil)
  }

  /// The server's own certificates, shown by somebody with another key.
  func genuine(_ exchange: CipherSuite.KeyExchange, premaster: [UInt8]? = nil) -> World.Plan? {
    let isECDSA = exchange == .ecdheECDSA
    guard genuineWithoutKey.contains(exchange), let key = isECDSA ? ownKey : rsaKey,
      let shown = unknownCredentials.first(where: { ($0.privateKey.publicKey.keyKind == .rsa) != isECDSA })
    else { return nil }
    return impostor(shown.certificates, key, only: exchange, premaster: premaster)
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

extension RandomStreams {
  /// Whether the value of this name is the same in every connection.
  fileprivate func repeats(_ name: Value.ID) -> Bool { if case .fixed? = overrides[name] { true } else { false } }
}
