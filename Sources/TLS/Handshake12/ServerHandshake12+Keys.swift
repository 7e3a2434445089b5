import Cryptography
import Explanation

/// The server's part of client authentication and key exchange (RFC 5246 sections 7.4.4, 7.4.6 and 7.4.8).
extension ServerHandshake12 {
  /// Sends a CertificateRequest that lists every key type that the server's signature algorithms can verify.
  mutating func sendCertificateRequest() throws(HandshakeFailure) {
    let schemes = configuration.signatureSchemes
    let isNamed = negotiated?.namesSignatureAlgorithms ?? true
    try send(
      .certificateRequest(
        CertificateRequestMessage(
          certificateTypes: Set(schemes.map(\.keyKind.certificateType)).sorted(),
          supportedSignatureAlgorithms: isNamed ? schemes.map(SignatureAndHashAlgorithm.init) : nil,
          certificateAuthorities: configuration.acceptedCAs)))
  }

  /// Requests the evaluation of the client's certificates, which happens outside TLS. The client may have sent none.
  mutating func evaluate(_ message: CertificateMessage, _ exchange: Exchange) throws(HandshakeFailure) -> State {
    guard message.certificateList.isEmpty else {
      log.add(
        .evaluateCertificate(
          PeerCredentials(
            certificates: message.certificateList, host: nil, cipherSuite: exchange.choice.suite.suite)))
      return .awaitingEvaluation(exchange)
    }
    try log.check(
      .clientCertificateRequired, on: .handshake(.certificate), configuration.clientAuthentication != .required,
      .handshakeFailure, required: .atLeast(.number(1)), found: .number(0))
    return .awaitingClientKeyExchange(exchange)
  }

  /// Continues the handshake with the result of the certificate evaluation.
  mutating func certificateEvaluated(_ answer: CertificateAnswer, _ exchange: Exchange) throws(HandshakeFailure)
    -> State
  {
    switch answer {
    case .refused(let alert):
      throw log.failure(.certificateRefused, on: .handshake(.certificate), alert, found: .word("\(alert)"))
    case .accepted(let key, let purposes):
      guard key.keyKind != nil else {
        throw log.failure(
          .keyTypeMismatch, on: .handshake(.certificate), .unsupportedCertificate, required: .word("a key that signs"),
          found: .word(key.algorithmName))
      }
      try log.checkPurpose(.signing, of: purposes)
      var exchange = exchange
      exchange.clientKey = key
      return .awaitingClientKeyExchange(exchange)
    }
  }

  /// Verifies the CertificateVerify signature over the earlier messages, then adds this message to the transcript.
  mutating func verify(
    _ proof: CertificateVerify, _ message: HandshakeMessage, by key: PublicKey, _ secrets: Secrets12
  ) throws(HandshakeFailure) -> State {
    log.derive([names.value(.certificateVerifySignature, proof.signed.signature, .published)])
    if let algorithm = proof.signed.algorithm {
      let requested = configuration.signatureSchemes
      try log.check(
        .illegalParameter, on: .handshake(.certificateVerify),
        requested.contains { $0.codePoint == algorithm.rawValue }, .illegalParameter,
        required: .anyOf(requested.map(\.name)), found: .word(algorithm.description))
    }
    let fault = proof.signed.fault(over: transcript.bytes, by: key)
    try log.check(
      .badCertificateVerify, on: .handshake(.certificateVerify), fault == nil, .decryptError,
      required: .word("\(proof.signed.name(by: key)) by the certificate's key"), found: fault.map(Detail.word) ?? .none)
    transcript.append(message)
    return .awaitingChangeCipherSpec(secrets)
  }

  /// Processes the client's key exchange (RFC 5246 section 7.4.7, RFC 8422 section 5.7).
  mutating func processClientKeyExchange(
    _ message: ClientKeyExchange, _ exchange: Exchange
  ) throws(HandshakeFailure) -> State {
    let premaster = try premasterSecret(message, exchange)
    let (hellos, choice) = (exchange.hellos, exchange.choice)
    let sessionHash = hellos.agreed(to: .extendedMasterSecret) ? transcript.digest(choice.negotiated.prf) : nil
    let schedule = hellos.schedule(choice.negotiated, premasterSecret: premaster.bytes, sessionHash: sessionHash)
    let keys = hellos.keys(of: schedule)
    log.derive([premaster] + names.values(schedule, keys, premaster: premaster.id, sessionHash: sessionHash))
    let secrets = Secrets12(
      schedule: schedule, keys: keys,
      parameters: hellos.parameters(
        group: choice.group, signatureAlgorithm: choice.signatureAlgorithm,
        hasClientCertificate: exchange.clientKey != nil),
      sessionID: hellos.answer.sessionID, needsTicket: hellos.agreed(to: .sessionTicket))
    return exchange.clientKey.map { .awaitingCertificateVerify(secrets, by: $0) } ?? .awaitingChangeCipherSpec(secrets)
  }

  /// Checks the client's Finished and sends the server's, which also covers the client's (RFC 5246 section 7.4.9).
  mutating func complete(
    _ finished: Finished, _ message: HandshakeMessage, _ secrets: Secrets12
  ) throws(HandshakeFailure) -> State {
    try verify(finished, message, secrets)
    if !secrets.parameters.isResumed {
      if secrets.needsTicket {
        try sendTicket(secrets.schedule, secrets.parameters, established: configuration.now)
      }
      try sendFinished(secrets)
      if !secrets.sessionID.isEmpty {
        log.add(
          .established(
            .tls12(names.session(secrets.sessionID, secrets.schedule, secrets.parameters, at: configuration.now))))
      }
    }
    log.add(.connected(secrets.parameters))
    return .connected(secrets.parameters)
  }

  private mutating func premasterSecret(
    _ message: ClientKeyExchange, _ exchange: Exchange
  ) throws(HandshakeFailure) -> Value {
    switch (message, exchange.share) {
    case (.rsa(let encrypted), nil): return try decrypt(encrypted, exchange.hellos.offer.clientVersion)
    case (.ecdhe(let publicKey), let share?):
      log.derive([names.value(.ecdhPublic, of: .client, publicKey, .published)])
      return try agree(share, publicKey)
    case (.dhe(let publicKey), let share?):
      log.derive([names.value(.dhPublic, of: .client, publicKey, .published)])
      return try agree(share, publicKey)
    default:
      throw log.failure(
        .decodeError, on: .handshake(.clientKeyExchange), .decodeError, found: .word("a key exchange of another kind"))
    }
  }

  private mutating func agree(_ share: KeyShare, _ publicKey: [UInt8]) throws(HandshakeFailure) -> Value {
    guard let premaster = share.premasterSecret(with: publicKey, of: .server, names) else {
      throw log.failure(
        .badKeyShare, on: .handshake(.clientKeyExchange), .illegalParameter, required: .word(share.requirement),
        found: .bytes(publicKey))
    }
    return premaster
  }

  /// Decrypts the premaster secret, or returns a random substitute.
  private mutating func decrypt(
    _ encrypted: [UInt8], _ version: ProtocolVersion
  ) throws(HandshakeFailure) -> Value {
    log.derive([names.value(.encryptedPremasterSecret, encrypted, .published)])
    guard case .rsa(let key) = configuration.privateKey else {
      throw log.failure(.internalError, .internalError, found: .word("no RSA key"))
    }
    let substitute = configuration.random.bytes(
      for: ValueName(.substitutePremasterSecret), count: KeySchedule12.masterSecretLength)
    let premaster = try log.decrypt(
      encrypted, with: configuration.premasterDecryption ?? key.premasterDecryption, version: version,
      orElse: substitute, configuration.decisions)
    try alertOnPremasterDefect(premaster.flaw)
    let from = [names.name(.encryptedPremasterSecret), configuration.privateKeyName]
    // Both values are computed and one is selected, so that a flaw changes names but not the amount of work.
    let values = [
      names.value(.substitutePremasterSecret, premaster.bytes, .generated(by: configuration.party)),
      names.value(.premasterSecret, premaster.bytes, .computed(.rsaDecryption, from: from)),
    ]
    return values[premaster.matchesPeer ? 1 : 0]
  }

  /// Sends an alert that reveals the defect. A correct server never does. A server with this bug ends the connection
  /// where a correct one continues.
  private mutating func alertOnPremasterDefect(_ flaw: PremasterFlaw?) throws(HandshakeFailure) {
    let asked = flaw ?? .padding
    let isPassed = configuration.enforcement.isOverridden(.paddingOracle) && asked == .blockType
    guard isPassed || configuration.decisions.tells(asked), let flaw else { return }
    try log.refuse(
      .paddingOracle, on: .handshake(.clientKeyExchange), .decryptError,
      required: .word("the same response to every premaster secret"), found: .word("an alert for \(flaw.rawValue)"))
    throw log.failure(
      .premasterMalformed, on: .handshake(.clientKeyExchange), .decryptError, found: .word(flaw.rawValue))
  }

  // The abbreviated handshake, in which the server sends Finished first: RFC 5246 section 7.3, figure 2 (drawn at
  // `ReplayHandshake12`).

  /// The ID of a new session; empty if the server stores no sessions.
  var newSessionID: [UInt8] {
    configuration.sessions == nil ? [] : configuration.random.bytes(for: ValueName(.sessionID), count: 32)
  }

  /// The session that the client asks to resume, if the server may resume it.
  ///
  /// Both sides must still choose the session's version (RFC 7507 section 3) and list its suite. The host must be the
  /// same (RFC 6066 section 3). If the server requires client authentication, the session must include it.
  mutating func resumable(
    _ offer: ClientHello, _ version: ProtocolVersion
  ) throws(HandshakeFailure) -> Session12? {
    guard let session = openedTicket(offer)?.session ?? remembered(offer.sessionID),
      session.parameters.version == version, Session.tls12(session).isFresh(at: configuration.now),
      configuration.now <= session.established.adding(seconds: configuration.sessionLifetime)
    else { return nil }
    let old = session.parameters
    let isAuthenticated = configuration.clientAuthentication != .required || old.hasClientCertificate
    guard offer.cipherSuites.contains(old.cipherSuite), configuration.cipherSuites.contains(old.cipherSuite),
      offer.extensions?.serverName == old.serverName, isAuthenticated
    else { return nil }
    let isExtended = configuration.agrees(to: .extendedMasterSecret, offer, session.schedule.suite)
    // RFC 7627 section 5.3: a session must keep extended_master_secret; a session without it needs a full handshake.
    try log.check(
      .illegalParameter, on: .handshake(.clientHello), isExtended || !old.hasExtendedMasterSecret, .handshakeFailure,
      required: .word("the same use of extended_master_secret as in the session"), found: .flag(isExtended))
    return isExtended == old.hasExtendedMasterSecret ? session : nil
  }

  private func remembered(_ id: [UInt8]) -> Session12? {
    guard !id.isEmpty, case .tls12(let session)? = configuration.sessions?[id] else { return nil }
    return session
  }

  /// <-------- ServerHello NewSessionTicket* [ChangeCipherSpec] Finished
  mutating func resume(_ session: Session12, _ offer: ClientHello) throws(HandshakeFailure) -> State {
    let old = session.parameters
    try log.checkApplicationProtocol(offer, configuration)
    log.add(.resumed(.tls12(session)))
    let opened = openedTicket(offer)
    negotiated = session.schedule.negotiated
    transcript.settle(session.schedule.negotiated.prf)
    let hellos = try sendServerHello(
      old.cipherSuite, old.version, offer, sessionID: session.id, isResumed: true,
      givesTicket: opened?.isRenewed == true)
    let keys = hellos.keys(of: session.schedule)
    if let opened {
      let values = values(of: session.schedule, inside: .offeredSessionTicket, opened.key)
      log.derive(values + names.values(session.schedule, keys))
    } else {
      log.derive(names.values(session.schedule, keys, resuming: session.masterSecretName))
    }
    let secrets = Secrets12(
      schedule: session.schedule, keys: keys,
      parameters: hellos.parameters(hasClientCertificate: old.hasClientCertificate, isResumed: true),
      sessionID: session.id)
    if opened?.isRenewed == true {
      try sendTicket(secrets.schedule, secrets.parameters, established: session.established)
    }
    try sendFinished(secrets)
    return .awaitingChangeCipherSpec(secrets)
  }
}
