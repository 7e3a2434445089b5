import Cryptography
import Explanation

/// The abbreviated handshake, in which the server finishes first: RFC 5246 section 7.3, figure 2 (drawn at
/// `ReplayHandshake12`).
extension ServerHandshake12 {
  /// The id of a new session; empty where sessions are not remembered.
  var newSessionID: [UInt8] {
    configuration.sessions == nil ? [] : configuration.random.bytes(for: "session_id", count: 32)
  }

  /// The session that the client proposes, where it may go on: the same suite is still on both lists, the host is the
  /// same (RFC 6066 section 3), and whoever must be authenticated is.
  mutating func resumable(_ offer: ClientHello) throws(HandshakeFailure) -> Session12? {
    guard !offer.sessionID.isEmpty, let session = configuration.sessions?[offer.sessionID] else { return nil }
    let old = session.parameters
    let isAuthenticated = configuration.clientAuthentication != .required || old.hasClientCertificate
    guard offer.cipherSuites.contains(old.cipherSuite), configuration.cipherSuites.contains(old.cipherSuite),
      offer.extensions?.serverName == old.serverName, isAuthenticated
    else { return nil }
    let isExtended = agrees(to: .extendedMasterSecret, offer, session.schedule.suite)
    // RFC 7627 section 5.3: a session may not lose its binding; one without gets it by a full handshake.
    try log.check(
      .illegalParameter, on: .message("ClientHello"), isExtended || !old.hasExtendedMasterSecret, .handshakeFailure,
      required: .word("extended_master_secret as in the session"), found: .flag(isExtended))
    return isExtended == old.hasExtendedMasterSecret ? session : nil
  }

  /// <-------- ServerHello [ChangeCipherSpec] Finished
  mutating func resume(_ session: Session12, _ offer: ClientHello) throws(HandshakeFailure) -> State {
    let old = session.parameters
    try checkApplicationProtocol(offer)
    let random = try sendServerHello(
      old.cipherSuite, old.version, offer, sessionID: session.id, isResumed: true)
    let keys = session.schedule.keyBlock(
      clientRandom: offer.random, serverRandom: random,
      encryptThenMAC: agrees(to: .encryptThenMAC, offer, session.schedule.suite))
    log.derive(names.values(session.schedule, keys, resuming: session.masterSecretName))
    let secrets = Secrets(
      schedule: session.schedule, keys: keys,
      parameters: ConnectionParameters(
        version: old.version, cipherSuite: old.cipherSuite, group: nil, signatureAlgorithm: nil,
        serverName: offer.extensions?.serverName, hasSecureRenegotiation: offer.knowsRenegotiation,
        hasExtendedMasterSecret: old.hasExtendedMasterSecret, applicationProtocol: applicationProtocol(offer),
        hasClientCertificate: old.hasClientCertificate, isResumed: true), sessionID: session.id)
    try sendFinished(secrets)
    return .awaitingChangeCipherSpec(secrets)
  }

  /// RFC 5246 section 7.4.9: <-------- [ChangeCipherSpec] Finished
  mutating func sendFinished(_ secrets: Secrets) throws(HandshakeFailure) {
    log.add(.sendChangeCipherSpec)
    log.add(.protectWriting(secrets.keys.server))
    let verifyData = secrets.schedule.verifyData(of: .server, transcript)
    log.derive([names.verifyData(of: .server, verifyData)])
    try send(.finished(Finished(verifyData: verifyData)))
  }
}
