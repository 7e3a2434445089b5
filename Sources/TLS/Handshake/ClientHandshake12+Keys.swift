import Cryptography
import Explanation

extension ClientHandshake12 {
  /// The client's second flight: RFC 5246 sections 7.4.6 to 7.4.9.
  mutating func finishFlight(_ exchange: Exchange) throws(HandshakeFailure) -> State {
    let proof = try exchange.request.flatMap { (request) throws(HandshakeFailure) in try sendCertificate(request) }
    let premaster = try sendKeyExchange(exchange)
    let choice = exchange.server.choice
    let sessionHash = choice.agreed(to: .extendedMasterSecret) ? transcript.digest(choice.suite.prf) : nil
    let schedule = KeySchedule12(
      suite: choice.suite, premasterSecret: premaster.bytes, clientRandom: choice.offer.random,
      serverRandom: choice.hello.random, sessionHash: sessionHash)
    let keys = schedule.keyBlock(
      clientRandom: choice.offer.random, serverRandom: choice.hello.random,
      encryptThenMAC: choice.agreed(to: .encryptThenMAC))
    log.derive(
      [premaster] + names.values(schedule, keys, premasterName: "premaster_secret", sessionHash: sessionHash))
    if let proof { try sendCertificateVerify(proof) }
    let secrets = Secrets(
      schedule: schedule, keys: keys, parameters: parameters(exchange, hasClientCertificate: proof != nil),
      sessionID: choice.hello.sessionID)
    try sendFinished(secrets)
    return .awaitingChangeCipherSpec(secrets)
  }

  /// RFC 5246 section 7.4.9: Finished covers the messages before it.
  mutating func complete(
    _ finished: Finished, _ message: HandshakeMessage, _ secrets: Secrets
  ) throws(HandshakeFailure) -> State {
    let expected = secrets.schedule.verifyData(of: .server, transcript)
    log.derive([names.verifyData(of: .server, expected)])
    try log.checkFinished(finished, expected)
    transcript.append(message)
    if secrets.parameters.isResumed {
      try sendFinished(secrets)
    } else if !secrets.sessionID.isEmpty {
      log.add(.established(names.session(secrets.sessionID, secrets.schedule, secrets.parameters)))
    }
    log.add(.connected(secrets.parameters))
    return .connected(secrets.parameters)
  }

  private func parameters(_ exchange: Exchange, hasClientCertificate: Bool) -> ConnectionParameters {
    let choice = exchange.server.choice
    return ConnectionParameters(
      version: choice.hello.serverVersion, cipherSuite: choice.suite.suite, group: exchange.signed?.parameters.group,
      signatureAlgorithm: exchange.signed?.algorithm, serverName: choice.offer.extensions?.serverName,
      hasSecureRenegotiation: choice.agreed(to: .renegotiationInfo),
      hasExtendedMasterSecret: choice.agreed(to: .extendedMasterSecret),
      applicationProtocol: choice.hello.extensions?.applicationProtocols?.first,
      hasClientCertificate: hasClientCertificate)
  }

  private mutating func sendKeyExchange(_ exchange: Exchange) throws(HandshakeFailure) -> Value {
    guard let signed = exchange.signed else { return try sendEncryptedPremaster(exchange.server) }
    guard let share = KeyShare(signed.parameters.group, of: .client, random: configuration.random) else {
      throw log.failure(.internalError, .internalError, found: .word("group \(signed.parameters.group)"))
    }
    log.derive(share.values(of: .client, party: configuration.party, names))
    guard let premaster = share.premasterSecret(with: signed.parameters.publicKey, of: .client, names) else {
      throw log.failure(
        .badKeyShare, on: .message("ServerKeyExchange"), .illegalParameter,
        required: .word("a point of \(share.group)"), found: .bytes(signed.parameters.publicKey))
    }
    try send(.clientKeyExchange(.ecdhe(publicKey: share.publicKey)))
    return premaster
  }

  /// EncryptedPreMasterSecret, RFC 5246 section 7.4.7.1: the version of the offer, then 46 random bytes.
  private mutating func sendEncryptedPremaster(_ server: TrustedServer) throws(HandshakeFailure) -> Value {
    let version = server.choice.offer.clientVersion.rawValue
    let premaster =
      [UInt8(truncatingIfNeeded: version >> 8), UInt8(truncatingIfNeeded: version)]
      + configuration.random.bytes(for: "premaster_secret", count: 46)
    var padding = configuration.random.stream("premaster_padding")
    guard case .rsa(let key) = server.publicKey,
      let encrypted = try? key.encryptPKCS1v15(premaster, random: &padding)
    else {
      throw log.failure(
        .internalError, on: .message("ClientKeyExchange"), .internalError, required: .word("an RSA key for 48 bytes"),
        found: .word(server.publicKey.algorithmName))
    }
    log.derive([names.value("encrypted_premaster_secret", encrypted, .published)])
    try send(.clientKeyExchange(.rsa(encryptedPremasterSecret: encrypted)))
    return names.value("premaster_secret", premaster, .generated(by: configuration.party))
  }

  /// Sends a message, which joins the transcript.
  mutating func send(_ body: HandshakeMessage.Body) throws(HandshakeFailure) {
    transcript.append(try log.send(body))
  }
}
