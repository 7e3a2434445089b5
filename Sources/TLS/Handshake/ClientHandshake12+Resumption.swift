import Cryptography
import Explanation

/// The abbreviated handshake, in which the server finishes first: RFC 5246 section 7.3, figure 2 (drawn at
/// `ReplayHandshake12`).
extension ClientHandshake12 {
  /// The session that the client may propose: one with this host, in a version and suite that it still offers.
  var resumable: Session12? {
    guard let session = configuration.session, configuration.versions.contains(session.parameters.version),
      configuration.cipherSuites.contains(session.parameters.cipherSuite),
      session.parameters.serverName == ServerName.hostName(configuration.host)
    else { return nil }
    return session
  }

  /// RFC 5246 section 7.4.1.3: the suite is that of the session; RFC 7627 section 5.3: so is the way of its secret.
  mutating func resume(_ choice: Choice) throws(HandshakeFailure) -> State {
    guard let session = resumable else {
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

extension ValueNames {
  /// The session of this connection, for later ones.
  func session(_ id: [UInt8], _ schedule: KeySchedule12, _ parameters: ConnectionParameters) -> Session12 {
    Session12(id: id, schedule: schedule, masterSecretName: prefix + "master_secret", parameters: parameters)
  }
}
