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

  /// RFC 5246 section 7.4.7.1: whatever is wrong, the server goes on with a random premaster secret, and neither its
  /// messages nor its state tell. Only the finding does, to whoever reads the trace.
  private mutating func decrypt(
    _ encrypted: [UInt8], _ version: ProtocolVersion
  ) throws(HandshakeFailure) -> Value {
    log.derive([names.value("encrypted_premaster_secret", encrypted, .published)])
    let substitute = configuration.random.bytes(for: "substitute_premaster_secret", count: 48)
    guard case .rsa(let key) = configuration.privateKey,
      let decryption = try? key.decryptPKCS1v15(encrypted, orElse: substitute)
    else {
      throw log.failure(.internalError, .internalError, found: .word("RSADP failed"))
    }
    let premaster = PremasterSecret.checked(decryption.bytes, version: version, orElse: substitute)
    let isRight = decryption.wasWellFormed && premaster.hasVersion
    try log.check(
      .premasterMalformed, on: .message("ClientKeyExchange"), isRight, .decryptError,
      required: .word("48 bytes that begin with \(version)"),
      found: .word(isRight ? "as required" : decryption.wasWellFormed ? "another version" : "wrong padding or length"))
    if !decryption.beganRightly { try tell(of: "a block that does not begin with 00 02") }
    if !isRight {
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

/// The check of the version in a decrypted premaster secret: RFC 5246 section 7.4.7.1.
struct PremasterSecret {
  let bytes: [UInt8]
  let hasVersion: Bool

  /// The decrypted secret when it begins with `version`, else the substitute, selected without a branch.
  static func checked(
    _ decrypted: [UInt8], version: ProtocolVersion, orElse substitute: [UInt8]
  ) -> PremasterSecret {
    var difference: UInt8 = decrypted.count == substitute.count ? 0 : 1
    let expected = [UInt8(truncatingIfNeeded: version.rawValue >> 8), UInt8(truncatingIfNeeded: version.rawValue)]
    for (found, wanted) in zip(decrypted, expected) { difference |= found ^ wanted }
    let mask = UInt8(truncatingIfNeeded: (Int(difference) - 1) >> 8)  // all ones when nothing differs
    let bytes = zip(decrypted, substitute).map { ($0 & mask) | ($1 & ~mask) }
    return PremasterSecret(bytes: bytes, hasVersion: difference == 0)
  }
}
