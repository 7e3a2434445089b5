import Cryptography
import Explanation

extension ReplayHandshake12 {
  mutating func take(_ offer: ClientHello) -> State {
    derive([names.value(.random, of: .client, offer.random, .generated(by: .client), .published)], by: .client)
    return .offered(offer)
  }

  /// Performs the client's checks of the server's choice (RFC 5246 section 7.4.1.3).
  mutating func accept(_ hello: ServerHello, of offer: ClientHello) throws(HandshakeFailure) -> State {
    derive([names.value(.random, of: .server, hello.random, .generated(by: .server), .published)], by: .server)
    let version = hello.selectedVersion
    try log.check(
      .noCommonVersion, offer.offeredVersions.contains(version), .protocolVersion,
      required: .anyOf(offer.offeredVersions.map(\.description)), found: .word(version.description))
    guard version.isImplemented else { throw notModelled(version) }
    suite = hello.cipherSuite
    try log.checkChoice(hello, of: offer, boundTo: bound)
    negotiated = Negotiated(hello)
    return .answered(Exchange(hellos: Hellos(offer: offer, answer: hello)))
  }

  /// Obtains the public key of the first certificate (RFC 5246 section 7.4.2). The replay does not evaluate
  /// certificates.
  mutating func take(_ message: CertificateMessage, _ exchange: Exchange) throws(HandshakeFailure) -> Exchange {
    guard let leaf = message.certificateList.first else {
      throw log.failure(
        .illegalParameter, on: .handshake(.certificate), .illegalParameter, required: .atLeast(.number(1)),
        found: .number(0))
    }
    let (key, answer) = (configuration.publicKey(leaf), exchange.hellos.answer)
    if let key, let required = answer.cipherSuite.keyKind {
      try log.check(
        .keyTypeMismatch, on: .handshake(.certificate), key.suits(answer.cipherSuite, in: answer.selectedVersion),
        .unsupportedCertificate, required: .word(required.rawValue), found: .word(key.algorithmName))
    }
    if let key, let given = configuration.secrets.serverKey {
      try log.check(
        .foreignKey, on: .handshake(.certificate), given.publicKey == key, .internalError,
        required: .word("the private key of the certificate"),
        found: .word(given.publicKey == key ? "the private key of the certificate" : "another key"))
    }
    var exchange = exchange
    exchange.publicKey = key
    return exchange
  }

  /// Verifies the signature of ServerKeyExchange (RFC 5246 section 7.4.3, RFC 8422 section 5.4).
  mutating func verify(_ message: ServerKeyExchange, _ exchange: Exchange) throws(HandshakeFailure) -> Exchange {
    var exchange = exchange
    let offer = exchange.hellos.offer
    guard case .ephemeral(let signed) = message else {
      note(.badSignature, on: .serverKeyExchange, required: "a key exchange that TrustLab supports")
      return exchange
    }
    deriveShare(signed.parameters.publicKey, signed.parameters, of: .server)
    switch signed.parameters {
    case .ecdh(let parameters):
      if let groups = offer.extensions?.supportedGroups {
        try log.check(
          .groupNotOffered, on: .handshake(.serverKeyExchange), groups.contains(parameters.group), .illegalParameter,
          required: .anyOf(groups.map(\.description)), found: .word(parameters.group.description))
      }
    case .dh(let parameters):
      // Only the client knows its minimum group size.
      try log.checkGroup(parameters, atLeast: 0)
    }
    if let algorithms = offer.extensions?.signatureAlgorithms, let algorithm = signed.signature?.algorithm {
      try log.check(
        .noCommonSignatureScheme, on: .handshake(.serverKeyExchange), algorithms.contains(algorithm),
        .illegalParameter, required: .anyOf(algorithms.map(\.description)), found: .word(algorithm.description))
    }
    if let key = exchange.publicKey, let signature = signed.signature {
      try log.checkSignature(
        signature, over: signed.parameters, by: key, clientRandom: offer.random,
        serverRandom: exchange.hellos.answer.random)
    } else if signed.signature != nil {
      note(.badSignature, on: .serverKeyExchange, required: "the key in the certificate")
    }
    exchange.signed = signed
    return exchange
  }

  /// Records `SIDE_ecdh_public` or `SIDE_dh_public`. Only that side has the private key.
  mutating func deriveShare(_ publicKey: [UInt8], _ parameters: ServerParameters, of side: Side) {
    switch parameters {
    case .ecdh(let parameters):
      derive(
        [
          names.value(.ecdhPrivate, of: side, [], .generated(by: side.party)),
          names.ecdhPublic(of: side, publicKey, parameters.group),
        ], by: side)
    case .dh(let parameters):
      derive(
        [names.value(.dhPrivate, of: side, [], .generated(by: side.party))]
          + names.dhPublic(of: side, publicKey, parameters.numbers), by: side)
    }
  }

  /// Records a rule that could not be checked.
  mutating func note(_ rule: Rule, on message: HandshakeType, required: String) {
    log.add(
      .found(
        configuration.enforcement.note(
          rule, on: .handshake(message), .notEvaluated, required: .word(required), found: .absent)))
  }
}

extension Side {
  /// The party that corresponds to the side.
  var party: Party { self == .client ? .client : .server }
}

extension ReplayHandshake12 {
  /// A premaster secret, and whether it is the client's. A server that cannot decrypt the client's continues with
  /// another.
  struct Premaster {
    let value: Value
    var matchesPeer = true
    /// Whether the server's own key decrypted the secret, so that the secret belongs to this session.
    var isDecrypted = false
  }

  /// The premaster secret that both sides share. Its bytes are empty if they are unknown.
  mutating func premasterSecret(
    _ message: ClientKeyExchange, _ exchange: Exchange
  ) throws(HandshakeFailure) -> Premaster? {
    let offer = exchange.hellos.offer
    switch message {
    case .rsa(let encrypted):
      derive([names.value(.encryptedPremasterSecret, encrypted, .published)], by: .client)
      if let key = ownKey(exchange) { return try decrypt(encrypted, key, offer.clientVersion) }
      let recorded = recordedPremasterSecret(offer.random, encrypted: encrypted)
      return Premaster(value: encryptedPremaster(recorded ?? []))
    case .ecdhe(let publicKey), .dhe(let publicKey):
      guard let parameters = exchange.signed?.parameters else { return nil }
      deriveShare(publicKey, parameters, of: .client)
      let recorded = recordedPremasterSecret(offer.random, encrypted: nil)
      let ways = Side.allCases.map { side in
        switch parameters {
        case .ecdh(let parameters): names.ecdhAgreement(of: side, parameters.group)
        case .dh: names.dhAgreement(of: side)
        }
      }
      return Premaster(value: Value(names.name(.premasterSecret), recorded ?? [], derivations: ways))
    default:
      let recorded = recordedPremasterSecret(offer.random, encrypted: nil)
      return Premaster(
        value: names.value(.premasterSecret, recorded ?? [], .generated(by: .client), .generated(by: .server)))
    }
  }

  /// The given private key; nil if it does not belong to the certificate.
  ///
  /// The server would not decrypt with another key, so the result would say nothing about the two sides.
  private func ownKey(_ exchange: Exchange) -> RSAPrivateKey? {
    guard let given = configuration.secrets.serverKey, case .rsa(let key) = given else { return nil }
    return exchange.publicKey == nil || exchange.publicKey == given.publicKey ? key : nil
  }

  private func encryptedPremaster(_ bytes: [UInt8]) -> Value {
    names.value(
      .premasterSecret, bytes, .generated(by: .client),
      .computed(
        .rsaDecryption,
        from: [names.name(.encryptedPremasterSecret), configuration.secrets.serverKeyName]))
  }

  /// Decrypts the premaster secret with the server's own key (RFC 5246 section 7.4.7.1).
  ///
  /// If the decrypted data is not a premaster secret, the server silently continues with a random one, and the first
  /// protected record fails.
  private mutating func decrypt(
    _ encrypted: [UInt8], _ key: RSAPrivateKey, _ version: ProtocolVersion
  ) throws(HandshakeFailure) -> Premaster {
    let substitute = [UInt8](repeating: 0, count: KeySchedule12.masterSecretLength)
    let premaster = try log.decrypt(encrypted, with: key.premasterDecryption, version: version, orElse: substitute)
    guard premaster.matchesPeer else {
      let value = names.value(.substitutePremasterSecret, premaster.bytes, .generated(by: .server))
      return Premaster(value: value, matchesPeer: false, isDecrypted: true)
    }
    return Premaster(value: encryptedPremaster(premaster.bytes), isDecrypted: true)
  }

  /// Computes the secrets of the session if they are known (RFC 5246 section 7.4.7).
  mutating func agree(_ message: ClientKeyExchange, _ exchange: Exchange) throws(HandshakeFailure) -> Session {
    let premaster = try premasterSecret(message, exchange)
    let hellos = exchange.hellos
    let parameters = hellos.parameters(
      group: exchange.signed?.parameters.group, signatureAlgorithm: exchange.signed?.signature?.algorithm,
      hasClientCertificate: exchange.hasClientCertificate)
    guard let negotiated else { return session(parameters, hellos, nil, isProven: false) }
    let sessionHash = parameters.hasExtendedMasterSecret ? transcript.digest(negotiated.prf) : nil
    let recorded = recordedMasterSecret(hellos)
    var isProven = premaster?.isDecrypted == true
    let schedule: KeySchedule12?
    if let secret = premaster?.value.bytes, !secret.isEmpty {
      let computed = hellos.schedule(negotiated, premasterSecret: secret, sessionHash: sessionHash)
      if let recorded, premaster?.matchesPeer == true, configuration.doubtsSecrets {
        isProven = isProven || computed.masterSecret == recorded
      } else if let recorded, premaster?.matchesPeer == true {
        try log.check(
          .recordedSecret, on: .connection, computed.masterSecret == recorded, .internalError,
          required: .bytes(computed.masterSecret), found: .bytes(recorded))
      }
      schedule = computed
    } else {
      schedule = recorded.map { KeySchedule12(negotiated, masterSecret: $0) }
    }
    let session = session(parameters, hellos, schedule, isProven: isProven)
    if let schedule { deriveKeys(schedule, hellos, premaster?.value, sessionHash) }
    return session
  }

  /// Resumes a session, which has the master secret of the earlier session (RFC 5246 section 7.3).
  mutating func resume(_ hellos: Hellos) throws(HandshakeFailure) -> Session {
    // Only the recording of the session's first connection shows whether the client authenticated.
    let parameters = hellos.parameters(hasClientCertificate: false, isResumed: true)
    let schedule = negotiated.flatMap { negotiated in
      recordedMasterSecret(hellos).map { KeySchedule12(negotiated, masterSecret: $0) }
    }
    let session = session(parameters, hellos, schedule, isProven: false)
    if let schedule {
      let block = hellos.keys(of: schedule)
      for side in Side.allCases {
        let master = names.value(.masterSecret, schedule.masterSecret, .generated(by: side.party))
        let keys = names.values(schedule, block, premaster: names.name(.premasterSecret), sessionHash: nil)
        derive([master] + keys.filter { $0.id != master.id }, by: side)
      }
    }
    return session
  }

  private func session(
    _ parameters: ConnectionParameters, _ hellos: Hellos, _ schedule: KeySchedule12?, isProven: Bool
  ) -> Session {
    return Session(
      parameters: parameters, schedule: schedule, keys: schedule.map(hellos.keys), clientRandom: hellos.offer.random,
      isProven: isProven)
  }

  /// Records the values that both sides compute from the premaster secret.
  private mutating func deriveKeys(
    _ schedule: KeySchedule12, _ hellos: Hellos, _ premaster: Value?, _ sessionHash: [UInt8]?
  ) {
    let block = hellos.keys(of: schedule)
    let premasterName = premaster?.id ?? names.name(.premasterSecret)
    let values = names.values(schedule, block, premaster: premasterName, sessionHash: sessionHash)
    for side in Side.allCases { derive([premaster].compactMap(\.self) + values, by: side) }
  }

  /// The given master secret of the session. A secret without a session belongs to the first handshake on the
  /// connection.
  private func recordedMasterSecret(_ hellos: Hellos) -> [UInt8]? {
    let single = isRenegotiation ? nil : configuration.secrets.masterSecret
    return single
      ?? configuration.secrets.keyLog.masterSecret(hellos.offer.random, sessionID: hellos.answer.sessionID)
  }

  private func recordedPremasterSecret(_ clientRandom: [UInt8], encrypted: [UInt8]?) -> [UInt8]? {
    let single = isRenegotiation ? nil : configuration.secrets.premasterSecret
    return single ?? configuration.secrets.keyLog.premasterSecret(clientRandom, encrypted: encrypted)
  }

  /// Checks that Finished covers the messages before it (RFC 5246 section 7.4.9). The second Finished also covers the
  /// first.
  mutating func complete(
    _ finished: Finished, _ message: HandshakeMessage, _ session: Session, _ side: Side
  ) throws(HandshakeFailure) -> State {
    if let schedule = session.schedule {
      let expected = schedule.verifyData(of: side, transcript)
      derive([names.verifyData(of: side, expected, schedule)], by: side)
      try log.checkFinished(finished, expected)
      verifyData[side] = expected
    } else {
      note(.finishedMismatch, on: .finished, required: ValueKind.masterSecret.word)
    }
    transcript.append(message)
    return following(session)
  }

  /// The state after one side's Finished: the other side sends Finished next, unless it already has.
  mutating func following(_ session: Session) -> State {
    guard order.isComplete else { return .keyed(session) }
    previous = nil
    log.add(.connected(session.parameters))
    return .connected(session.parameters)
  }

  /// The length of the MAC of records with cleartext content; nil for suites other than NULL suites.
  var clearRecordMACLength: Int? {
    guard let registration = suite?.registration, registration.isImplemented, registration.cipher == .null else {
      return nil
    }
    return registration.mac.hash?.digestSize
  }

  /// The keys that protect records after ChangeCipherSpec; nil if they are unknown.
  var recordKeys: KeyBlock? {
    if case .keyed(let session) = state { session.keys } else { nil }
  }

  /// The `client_random` of this session if its secret may belong to another session; otherwise nil.
  var doubtfulSession: [UInt8]? {
    guard configuration.doubtsSecrets, case .keyed(let session) = state, !session.isProven else {
      return nil
    }
    return session.clientRandom
  }
}
