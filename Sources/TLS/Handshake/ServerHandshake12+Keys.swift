import Cryptography
import Explanation

extension ServerHandshake12 {
  /// RFC 5246 section 7.4.7, RFC 8422 section 5.7.
  mutating func agree(_ message: ClientKeyExchange, _ exchange: Exchange) throws(HandshakeFailure) -> State {
    let premaster = try premasterSecret(message, exchange)
    let offer = exchange.offer
    let isExtended = agrees(to: .extendedMasterSecret, offer, exchange.choice.suite)
    let sessionHash = isExtended ? transcript.digest(exchange.choice.suite.prf) : nil
    let schedule = KeySchedule12(
      suite: exchange.choice.suite, premasterSecret: premaster.bytes, clientRandom: offer.random,
      serverRandom: exchange.random, sessionHash: sessionHash)
    let keys = schedule.keyBlock(
      clientRandom: offer.random, serverRandom: exchange.random,
      encryptThenMAC: agrees(to: .encryptThenMAC, offer, exchange.choice.suite))
    let premasterName = String(premaster.id.dropFirst(names.prefix.count))
    log.derive([premaster] + names.values(schedule, keys, premasterName: premasterName, sessionHash: sessionHash))
    let choice = exchange.choice
    let secrets = Secrets(
      schedule: schedule, keys: keys,
      parameters: ConnectionParameters(
        version: choice.version, cipherSuite: choice.suite.suite, group: choice.group,
        signatureAlgorithm: choice.signatureScheme.map(SignatureAndHashAlgorithm.init),
        serverName: offer.extensions?.serverName, hasSecureRenegotiation: offer.knowsRenegotiation,
        hasExtendedMasterSecret: isExtended, applicationProtocol: applicationProtocol(offer),
        hasClientCertificate: exchange.clientKey != nil), sessionID: exchange.sessionID)
    return exchange.clientKey.map { .awaitingCertificateVerify(secrets, by: $0) } ?? .awaitingChangeCipherSpec(secrets)
  }

  /// RFC 5246 section 7.4.9: Finished covers the messages before it; the server's covers the client's.
  mutating func complete(
    _ finished: Finished, _ message: HandshakeMessage, _ secrets: Secrets
  ) throws(HandshakeFailure) -> State {
    let expected = secrets.schedule.verifyData(of: .client, transcript)
    log.derive([names.verifyData(of: .client, expected)])
    try log.checkFinished(finished, expected)
    transcript.append(message)
    if !secrets.parameters.isResumed {
      try sendFinished(secrets)
      if !secrets.sessionID.isEmpty {
        log.add(.established(names.session(secrets.sessionID, secrets.schedule, secrets.parameters)))
      }
    }
    log.add(.connected(secrets.parameters))
    return .connected(secrets.parameters)
  }

  private mutating func premasterSecret(
    _ message: ClientKeyExchange, _ exchange: Exchange
  ) throws(HandshakeFailure) -> Value {
    switch (message, exchange.share) {
    case (.rsa(let encrypted), nil): return try decrypt(encrypted, exchange.offer.clientVersion)
    case (.ecdhe(let publicKey), let share?):
      log.derive([names.value("client_ecdh_public", publicKey, .published)])
      guard let premaster = share.premasterSecret(with: publicKey, of: .server, names) else {
        throw log.failure(
          .badKeyShare, on: .message("ClientKeyExchange"), .illegalParameter,
          required: .word("a point of \(share.group)"), found: .bytes(publicKey))
      }
      return premaster
    default:
      throw log.failure(
        .decodeError, on: .message("ClientKeyExchange"), .decodeError, found: .word("a key exchange of another kind"))
    }
  }

  /// The secret, or a random substitute of the server's own.
  private mutating func decrypt(
    _ encrypted: [UInt8], _ version: ProtocolVersion
  ) throws(HandshakeFailure) -> Value {
    log.derive([names.value("encrypted_premaster_secret", encrypted, .published)])
    guard case .rsa(let key) = configuration.privateKey else {
      throw log.failure(.internalError, .internalError, found: .word("no RSA key"))
    }
    let substitute = configuration.random.bytes(
      for: "substitute_premaster_secret", count: KeySchedule12.masterSecretLength)
    let premaster = try log.decrypt(encrypted, with: key, version: version, orElse: substitute)
    if !premaster.beganRightly { try tell(of: "a block that does not begin with 00 02") }
    if !premaster.isRight {
      return names.value("substitute_premaster_secret", premaster.bytes, .generated(by: configuration.party))
    }
    let from = [names.prefix + "encrypted_premaster_secret", configuration.privateKeyName]
    return names.value(
      "premaster_secret", premaster.bytes, .computed(function: "RSADP, then EME-PKCS1-v1_5 decoding", from: from))
  }

  /// What a server must not do, and one with the bug does: it gives up where others go on, and its alert says why.
  private mutating func tell(of flaw: String) throws(HandshakeFailure) {
    guard configuration.enforcement.isOverridden(.paddingOracle) else { return }
    try log.check(
      .paddingOracle, on: .message("ClientKeyExchange"), false, .decryptError,
      required: .word("the same answer to everything"), found: .word("an alert for \(flaw)"))
    throw log.failure(.premasterMalformed, on: .message("ClientKeyExchange"), .decryptError, found: .word(flaw))
  }
}
