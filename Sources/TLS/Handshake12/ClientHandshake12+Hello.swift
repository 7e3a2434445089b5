import Cryptography
import Explanation

extension ClientHandshake12 {
  /// RFC 5246 section 7.4.1.3: the server may only choose out of the offer.
  mutating func accept(_ hello: ServerHello, of offer: ClientHello) throws(HandshakeFailure) -> State {
    try log.checkChoice(hello, of: offer)
    guard let suite = hello.cipherSuite.registration, suite.isImplemented else {
      throw log.failure(
        .suiteNotImplemented, .handshakeFailure, required: .anyOf(CipherSuite.implemented.map(\.name)),
        found: .word(hello.cipherSuite.name))
    }
    log.derive([names.value("server_random", hello.random, .published)])
    let choice = Choice(offer: offer, hello: hello, suite: suite)
    negotiated = choice.negotiated
    transcript.settle(suite.prf)
    return choice.resumes ? try resume(choice) : .awaitingCertificate(choice)
  }
}

/// The abbreviated handshake, in which the server finishes first: RFC 5246 section 7.3, figure 2 (drawn at
/// `ReplayHandshake12`).
extension ClientHandshake12 {
  /// RFC 5246 section 7.4.1.3: the suite is that of the session; RFC 7627 section 5.3: so is the way of its secret.
  mutating func resume(_ choice: Choice) throws(HandshakeFailure) -> State {
    guard case .tls12(let session)? = configuration.resumable else {
      throw log.failure(.internalError, .internalError, found: .word("a session that was not proposed"))
    }
    let old = session.parameters
    try log.check(
      .illegalParameter, on: .message("ServerHello"), choice.suite.suite == old.cipherSuite, .illegalParameter,
      required: .word(old.cipherSuite.name), found: .word(choice.suite.suite.name))
    let isExtended = choice.agreed(to: .extendedMasterSecret)
    try log.check(
      .illegalParameter, on: .message("ServerHello"), isExtended == old.hasExtendedMasterSecret, .handshakeFailure,
      required: .word("extended_master_secret as in the session"), found: .flag(isExtended))
    let schedule = session.schedule
    let keys = schedule.keyBlock(
      clientRandom: choice.offer.random, serverRandom: choice.hello.random,
      encryptThenMAC: choice.agreed(to: .encryptThenMAC))
    log.derive(names.values(schedule, keys, resuming: session.masterSecretName))
    let parameters = ConnectionParameters(
      version: choice.hello.serverVersion, cipherSuite: old.cipherSuite, group: nil, signatureAlgorithm: nil,
      serverName: choice.offer.extensions?.serverName, hasSecureRenegotiation: choice.agreed(to: .renegotiationInfo),
      hasExtendedMasterSecret: isExtended, applicationProtocol: choice.hello.extensions?.applicationProtocols?.first,
      hasClientCertificate: old.hasClientCertificate, isResumed: true)
    return .awaitingChangeCipherSpec(
      Secrets(schedule: schedule, keys: keys, parameters: parameters, sessionID: session.id))
  }

  /// RFC 5246 section 7.4.9: [ChangeCipherSpec] Finished  -------->
  mutating func sendFinished(_ secrets: Secrets) throws(HandshakeFailure) {
    log.add(.sendChangeCipherSpec)
    log.add(.protectWriting(secrets.keys.client))
    let verifyData = secrets.schedule.verifyData(of: .client, transcript)
    log.derive([names.verifyData(of: .client, verifyData)])
    try send(.finished(Finished(verifyData: verifyData)))
  }
}
