import Cryptography
import Explanation

/// Handles the server's messages (RFC 5246 sections 7.4.1.3 to 7.4.5).
extension ClientHandshake12 {
  /// Checks that the server chose only from the client's offer (RFC 5246 section 7.4.1.3).
  mutating func accept(_ hello: ServerHello, of offer: ClientHello) throws(HandshakeFailure) -> State {
    try log.checkChoice(hello, of: offer, boundTo: configuration.bound)
    try log.checkFragmentLength(
      hello.extensions?.fragmentLengthCode, required: offer.extensions?.fragmentLengthCode, on: .serverHello)
    log.limitFragments(hello)
    guard let suite = hello.cipherSuite.registration, suite.isImplemented else {
      throw log.failure(
        .suiteNotImplemented, .handshakeFailure, required: .anyOf(CipherSuite.defaults.map(\.name)),
        found: .word(hello.cipherSuite.name))
    }
    log.derive([names.value(.random, of: .server, hello.random, .published)])
    let choice = Choice(hellos: Hellos(offer: offer, answer: hello), suite: suite)
    negotiated = choice.negotiated
    transcript.settle(choice.negotiated.prf)
    if choice.hellos.isResumed == true { return try resume(choice) }
    return suite.keyExchange.isAuthenticated
      ? .awaitingCertificate(choice) : .awaitingServerKeyExchange(TrustedServer(choice: choice, publicKey: nil))
  }

  /// Requests the evaluation of the server's certificates, which happens outside TLS (RFC 5246 section 7.4.2).
  mutating func evaluate(
    _ message: CertificateMessage, _ choice: Choice, _ status: CertificateStatus? = nil
  ) throws(HandshakeFailure) -> State {
    guard !message.certificateList.isEmpty else {
      throw log.failure(
        .illegalParameter, on: .handshake(.certificate), .illegalParameter, required: .atLeast(.number(1)),
        found: .number(0))
    }
    log.add(
      .evaluateCertificate(
        PeerCredentials(
          certificates: message.certificateList, host: configuration.host, cipherSuite: choice.suite.suite,
          ocspResponse: status?.ocspResponse,
          signedCertificateTimestamps: choice.hellos.answer.extensions?.timestamps ?? [])))
    return .awaitingEvaluation(choice)
  }

  /// Continues the handshake with the result of the certificate evaluation.
  mutating func certificateEvaluated(_ answer: CertificateAnswer, _ choice: Choice) throws(HandshakeFailure) -> State {
    switch answer {
    case .refused(let alert):
      throw log.failure(.certificateRefused, on: .handshake(.certificate), alert, found: .word("\(alert)"))
    case .accepted(let key, let purposes):
      guard key.keyKind != nil, key.suits(choice.suite.suite, in: choice.negotiated.version) else {
        throw log.failure(
          .keyTypeMismatch, on: .handshake(.certificate), .unsupportedCertificate,
          required: .word(choice.suite.suite.keyKind?.rawValue ?? ""), found: .word(key.algorithmName))
      }
      if case .ec(let key) = key, !configuration.groups.isEmpty {
        // RFC 8422 section 5.3: the key is on a curve that the client named.
        let group = NamedGroup(key.curve)
        try log.check(
          .keyTypeMismatch, on: .handshake(.certificate), configuration.groups.contains(group), .unsupportedCertificate,
          required: .anyOf(configuration.groups.map(\.description)), found: .word(group.description))
      }
      let purpose = choice.suite.keyExchange == .rsa ? KeyPurposes.decryption : .signing
      try log.checkPurpose(purpose, of: purposes)
      let server = TrustedServer(choice: choice, publicKey: key)
      return choice.suite.keyExchange == .rsa
        ? .awaitingServerHelloDone(Exchange(server: server)) : .awaitingServerKeyExchange(server)
    }
  }

  /// Verifies the signature of ServerKeyExchange (RFC 5246 section 7.4.3, RFC 8422 section 5.4).
  mutating func verify(_ message: ServerKeyExchange, _ server: TrustedServer) throws(HandshakeFailure) -> State {
    guard case .ephemeral(let signed) = message else { throw unexpectedShape(.serverKeyExchange) }
    switch signed.parameters {
    case .ecdh(let parameters):
      log.derive([names.value(.ecdhPublic, of: .server, parameters.publicKey, .published)])
      try log.check(
        .groupNotOffered, on: .handshake(.serverKeyExchange), configuration.groups.contains(parameters.group),
        .illegalParameter, required: .anyOf(configuration.groups.map(\.description)),
        found: .word(parameters.group.description))
    case .dh(let parameters):
      log.derive(names.dhPublic(of: .server, parameters.publicKey, parameters.numbers))
      try log.checkGroup(parameters, atLeast: configuration.minimumDHSize)
    }
    if let signature = signed.signature, let key = server.publicKey {
      if let algorithm = signature.algorithm {
        try log.check(
          .noCommonSignatureScheme, on: .handshake(.serverKeyExchange),
          configuration.signatureSchemes.contains { $0.codePoint == algorithm.rawValue }, .illegalParameter,
          required: .anyOf(configuration.signatureSchemes.map(\.name)), found: .word(algorithm.description))
      }
      try log.checkSignature(
        signature, over: signed.parameters, by: key, clientRandom: server.choice.hellos.offer.random,
        serverRandom: server.choice.hellos.answer.random)
    }
    return .awaitingServerHelloDone(Exchange(server: server, signed: signed))
  }

  /// Lets the app choose an identity for a CertificateRequest, if it wants to (RFC 5246 section 7.4.4).
  mutating func choose(_ exchange: Exchange, _ request: CertificateRequestMessage) -> State {
    guard configuration.choosesIdentity else { return .awaitingServerHelloDone(exchange) }
    log.add(.chooseIdentity(request))
    return .awaitingIdentity(exchange)
  }

  mutating func unexpectedShape(_ type: HandshakeType) -> HandshakeFailure {
    log.failure(.decodeError, on: .handshake(type), .decodeError, found: .word("a key exchange of another kind"))
  }
}

/// Sends the client's second flight and completes the handshake (RFC 5246 sections 7.4.6 to 7.4.9).
extension ClientHandshake12 {
  /// Certificate* ClientKeyExchange CertificateVerify* [ChangeCipherSpec] Finished  -------->
  mutating func finishFlight(_ exchange: Exchange) throws(HandshakeFailure) -> State {
    let proof = try exchange.request.flatMap { (request) throws(HandshakeFailure) in try sendCertificate(request) }
    let premaster = try sendKeyExchange(exchange)
    let choice = exchange.server.choice
    let sessionHash = choice.agreed(to: .extendedMasterSecret) ? transcript.digest(choice.negotiated.prf) : nil
    let schedule = choice.hellos.schedule(
      choice.negotiated, premasterSecret: premaster.bytes, sessionHash: sessionHash)
    let keys = choice.hellos.keys(of: schedule)
    log.derive(
      [premaster] + names.values(schedule, keys, premaster: premaster.id, sessionHash: sessionHash))
    if let proof { try sendCertificateVerify(proof) }
    let secrets = Secrets12(
      schedule: schedule, keys: keys, parameters: parameters(exchange, hasClientCertificate: proof != nil),
      sessionID: choice.hellos.answer.sessionID, needsTicket: choice.agreed(to: .sessionTicket))
    try sendFinished(secrets)
    return .awaitingChangeCipherSpec(secrets)
  }

  /// An identity that the client presented, and the scheme with which its key signs.
  struct IdentityProof {
    let identity: ClientIdentity
    let scheme: SignatureScheme
  }

  /// Sends a certificate that matches the request. A client without one must still send an empty Certificate message.
  mutating func sendCertificate(
    _ request: CertificateRequestMessage
  ) throws(HandshakeFailure) -> IdentityProof? {
    guard negotiated?.version != .sslv3 else {
      // RFC 6101 section 5.6.6: SSL 3.0 sends a warning instead of the message. Other content of the message is not
      // modelled.
      log.add(.sendAlert(Alert(.warning, .noCertificateReserved)))
      return nil
    }
    guard let identity = configuration.identity,
      let scheme = identity.scheme(for: request, among: configuration.signatureSchemes)
    else {
      try send(.certificate(CertificateMessage(certificateList: [])))
      return nil
    }
    let listed = request.certificateAuthorities
    try log.check(
      .authorityNotListed, on: .handshake(.certificateRequest),
      listed.isEmpty || !Set(listed).isDisjoint(with: identity.issuers), .certificateUnknown,
      required: .word("an issuer among \(listed.count) certificate_authorities"), found: .word("none of them"))
    try send(.certificate(CertificateMessage(certificateList: identity.certificates)))
    return IdentityProof(identity: identity, scheme: scheme)
  }

  private mutating func sendKeyExchange(_ exchange: Exchange) throws(HandshakeFailure) -> Value {
    guard let parameters = exchange.signed?.parameters else { return try sendEncryptedPremaster(exchange.server) }
    // The client may use the key that it offered for TLS 1.3. A key in another group has another name.
    let offered = shares.first { $0.suits(parameters) }
    guard
      let share = offered
        ?? KeyShare(matching: parameters, number: shares.isEmpty ? nil : 2, random: configuration.random)
    else { throw log.failure(.internalError, .internalError, found: .word("no key in the server's group")) }
    if offered == nil { log.derive(share.values(of: .client, party: configuration.party, names)) }
    guard let premaster = share.premasterSecret(with: parameters.publicKey, of: .client, names) else {
      throw log.failure(
        .badKeyShare, on: .handshake(.serverKeyExchange), .illegalParameter, required: .word(share.requirement),
        found: .bytes(parameters.publicKey))
    }
    try send(.clientKeyExchange(share.clientKeyExchange))
    return premaster
  }

  /// Sends EncryptedPreMasterSecret (RFC 5246 section 7.4.7.1).
  private mutating func sendEncryptedPremaster(_ server: TrustedServer) throws(HandshakeFailure) -> Value {
    let version = server.choice.hellos.offer.clientVersion
    let premaster = PremasterSecret.drawn(
      from: configuration.random, version: configuration.decisions.premasterVersion?(version) ?? version)
    var padding = configuration.random.stream("premaster_padding")
    guard case .rsa(let key) = server.publicKey,
      let encrypted = try? key.encryptPKCS1v15(premaster, random: &padding)
    else {
      throw log.failure(
        .internalError, on: .handshake(.clientKeyExchange), .internalError,
        required: .word("an RSA key long enough for 48 bytes"),
        found: .word(server.publicKey?.algorithmName ?? ""))
    }
    log.derive([names.value(.encryptedPremasterSecret, encrypted, .published)])
    try send(.clientKeyExchange(.rsa(encryptedPremasterSecret: encrypted)))
    return names.value(.premasterSecret, premaster, .generated(by: configuration.party))
  }

  /// Signs all handshake messages up to this one, so that the signature is valid only for this handshake.
  mutating func sendCertificateVerify(_ proof: IdentityProof) throws(HandshakeFailure) {
    var random = configuration.random.stream("signature")
    let content = transcript.bytes
    let signature = try log.representable { () throws in
      try proof.identity.privateKey.sign(content, proof.scheme, random: &random)
    }
    log.derive([
      names.value(
        .certificateVerifySignature, signature, .published,
        // The signed data begins with the two random values, so only a party that has observed this handshake can
        // compute it.
        .computed(
          .signature(scheme: proof.scheme.name),
          from: [proof.identity.privateKeyName] + names.randoms))
    ])
    try send(
      .certificateVerify(
        CertificateVerify(
          DigitallySigned(
            algorithm: negotiated?.namesSignatureAlgorithms == false ? nil : SignatureAndHashAlgorithm(proof.scheme),
            signature: signature))))
  }

  /// <-------- Finished, and in an abbreviated handshake [ChangeCipherSpec] Finished -------->
  mutating func complete(
    _ finished: Finished, _ message: HandshakeMessage, _ secrets: Secrets12
  ) throws(HandshakeFailure) -> State {
    try verify(finished, message, secrets)
    previous = nil
    if secrets.parameters.isResumed { try sendFinished(secrets) }
    if let session = newSession(secrets) { log.add(.established(session)) }
    log.add(.connected(secrets.parameters))
    return .connected(secrets.parameters)
  }

  /// The session that later connections may resume; nil if the server issues neither a ticket nor a session ID.
  ///
  /// The session is identified by a ticket and an ID that the client assigns (RFC 5077 section 3.4), or by the session
  /// ID of a full handshake.
  private func newSession(_ secrets: Secrets12) -> Session? {
    let established = secrets.established ?? configuration.now
    func session(_ id: [UInt8]) -> Session12 {
      names.session(id, secrets.schedule, secrets.parameters, at: established)
    }
    guard let given = secrets.ticket, !given.ticket.isEmpty else {
      return secrets.parameters.isResumed || secrets.sessionID.isEmpty ? nil : .tls12(session(secrets.sessionID))
    }
    var kept = session(configuration.random.bytes(for: ValueName(.ticketSessionID), count: 32))
    kept.ticket = given.ticket
    let age = configuration.now.secondsSince1970 - established.secondsSince1970
    if given.lifetimeHint > 0 { kept.lifetime = age + Int64(given.lifetimeHint) }
    return .tls12(kept)
  }

  /// Stores the server's ticket, whose content is opaque to the client (RFC 5077 section 3.3).
  mutating func store(_ given: NewSessionTicket, _ secrets: Secrets12) -> Secrets12 {
    log.derive([names.value(.sessionTicket, given.ticket, .published)])
    var secrets = secrets
    (secrets.ticket, secrets.needsTicket) = (given, false)
    return secrets
  }

  /// Creates secrets without key material, for a handshake that completed no key exchange.
  func withoutKeys(_ exchange: Exchange) -> Secrets12 {
    let choice = exchange.server.choice
    let schedule = KeySchedule12(choice.negotiated, masterSecret: [])
    return Secrets12(
      schedule: schedule,
      keys: choice.hellos.keys(of: schedule),
      parameters: parameters(exchange, hasClientCertificate: false), sessionID: [])
  }

  private func parameters(_ exchange: Exchange, hasClientCertificate: Bool) -> ConnectionParameters {
    exchange.server.choice.hellos.parameters(
      group: exchange.signed?.parameters.group, signatureAlgorithm: exchange.signed?.signature?.algorithm,
      hasClientCertificate: hasClientCertificate)
  }
}

/// The abbreviated handshake, in which the server sends Finished first (RFC 5246 section 7.3, figure 2; see
/// `ReplayHandshake12` for a diagram).
extension ClientHandshake12 {
  /// Resumes the session, which must have the same suite (RFC 5246 section 7.4.1.3) and extended_master_secret (RFC
  /// 7627 section 5.3).
  mutating func resume(_ choice: Choice) throws(HandshakeFailure) -> State {
    guard case .tls12(let session)? = configuration.resumable else {
      // Without a session, the ID only makes the offer look like one of TLS 1.2: RFC 8446 appendix D.4.
      throw log.failure(
        .illegalParameter, on: .handshake(.serverHello), .illegalParameter, required: .word("another session ID"),
        found: .bytes(choice.hellos.answer.sessionID))
    }
    let old = session.parameters
    try log.check(
      .illegalParameter, on: .handshake(.serverHello), choice.suite.suite == old.cipherSuite, .illegalParameter,
      required: .word(old.cipherSuite.name), found: .word(choice.suite.suite.name))
    let isExtended = choice.agreed(to: .extendedMasterSecret)
    try log.check(
      .illegalParameter, on: .handshake(.serverHello), isExtended == old.hasExtendedMasterSecret, .handshakeFailure,
      required: .word("the same use of extended_master_secret as in the session"), found: .flag(isExtended))
    try log.check(
      .illegalParameter, on: .handshake(.serverHello), choice.negotiated.version == old.version, .illegalParameter,
      required: .word(old.version.description), found: .word(choice.negotiated.version.description))
    log.add(.resumed(.tls12(session)))
    let schedule = session.schedule
    let keys = choice.hellos.keys(of: schedule)
    log.derive(names.values(schedule, keys, resuming: session.masterSecretName))
    let parameters = choice.hellos.parameters(hasClientCertificate: old.hasClientCertificate, isResumed: true)
    return .awaitingChangeCipherSpec(
      Secrets12(
        schedule: schedule, keys: keys, parameters: parameters, sessionID: session.id,
        needsTicket: choice.agreed(to: .sessionTicket), established: session.established))
  }
}
