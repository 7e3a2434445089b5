import Cryptography
import Explanation

extension ReplayHandshake12 {
  /// RFC 5246 section 7.4.7: from here on the session has its secrets, if they are known.
  mutating func agree(_ message: ClientKeyExchange, _ exchange: Exchange) throws(HandshakeFailure) -> Session {
    let premaster = try premasterSecret(message, exchange)
    let choice = exchange.choice
    let parameters = ConnectionParameters(
      version: choice.hello.serverVersion, cipherSuite: choice.suite, group: exchange.signed?.parameters.group,
      signatureAlgorithm: exchange.signed?.algorithm, serverName: choice.offer.extensions?.serverName,
      hasSecureRenegotiation: choice.agreed(to: .renegotiationInfo),
      hasExtendedMasterSecret: choice.agreed(to: .extendedMasterSecret))
    guard let suite = choice.suite.registration else { return session(parameters, choice, nil, isResumed: false) }
    let sessionHash = parameters.hasExtendedMasterSecret ? transcript.digest(suite.prf) : nil
    let recorded = recordedMasterSecret(choice.offer.random)
    let schedule: KeySchedule12?
    if let secret = premaster?.value.bytes, !secret.isEmpty {
      let computed = KeySchedule12(
        suite: suite, premasterSecret: secret, clientRandom: choice.offer.random, serverRandom: choice.hello.random,
        sessionHash: sessionHash)
      if let recorded, premaster?.isGenuine == true {
        try log.check(
          .recordedSecret, on: .connection, computed.masterSecret == recorded, .internalError,
          required: .bytes(computed.masterSecret), found: .bytes(recorded))
      }
      schedule = computed
    } else {
      schedule = recorded.map { KeySchedule12(suite: suite, masterSecret: $0) }
    }
    let session = session(parameters, choice, schedule, isResumed: false)
    if let schedule { deriveKeys(schedule, session, choice, premaster?.value, sessionHash) }
    return session
  }

  /// RFC 5246 section 7.3: a resumed session has the master secret of the one that it goes on with.
  mutating func resume(_ choice: Choice) throws(HandshakeFailure) -> Session {
    let parameters = ConnectionParameters(
      version: choice.hello.serverVersion, cipherSuite: choice.suite, group: nil, signatureAlgorithm: nil,
      serverName: choice.offer.extensions?.serverName, hasSecureRenegotiation: choice.agreed(to: .renegotiationInfo),
      hasExtendedMasterSecret: choice.agreed(to: .extendedMasterSecret))
    let schedule = choice.suite.registration.flatMap { suite in
      recordedMasterSecret(choice.offer.random).map { KeySchedule12(suite: suite, masterSecret: $0) }
    }
    let session = session(parameters, choice, schedule, isResumed: true)
    if let schedule {
      let block = schedule.keyBlock(clientRandom: choice.offer.random, serverRandom: choice.hello.random)
      for side in Side.allCases {
        let master = names.value("master_secret", schedule.masterSecret, .generated(by: side.party))
        let keys = names.values(schedule, block, premasterName: "premaster_secret", sessionHash: nil)
        derive([master] + keys.filter { $0.id != master.id }, by: side)
      }
    }
    return session
  }

  private func session(
    _ parameters: ConnectionParameters, _ choice: Choice, _ schedule: KeySchedule12?, isResumed: Bool
  ) -> Session {
    let keys = schedule.flatMap { schedule -> KeyBlock? in
      guard schedule.suite.cipher.opensRecords else { return nil }
      return schedule.keyBlock(
        clientRandom: choice.offer.random, serverRandom: choice.hello.random,
        encryptThenMAC: choice.agreed(to: .encryptThenMAC))
    }
    return Session(
      parameters: parameters, schedule: schedule, keys: keys, isResumed: isResumed,
      hasTicket: choice.agreed(to: .sessionTicket))
  }

  /// Both sides have everything from the premaster secret on.
  private mutating func deriveKeys(
    _ schedule: KeySchedule12, _ session: Session, _ choice: Choice, _ premaster: Value?, _ sessionHash: [UInt8]?
  ) {
    let block =
      session.keys ?? schedule.keyBlock(clientRandom: choice.offer.random, serverRandom: choice.hello.random)
    let premasterName = premaster.map { String($0.id.dropFirst(names.prefix.count)) } ?? "premaster_secret"
    let values = names.values(schedule, block, premasterName: premasterName, sessionHash: sessionHash)
    for side in Side.allCases { derive([premaster].compactMap(\.self) + values, by: side) }
  }

  private func recordedMasterSecret(_ clientRandom: [UInt8]) -> [UInt8]? {
    configuration.secrets.masterSecret ?? configuration.secrets.keyLog.masterSecret(clientRandom)
  }

  /// RFC 5246 section 7.4.9: Finished covers the messages before it; the second one's covers the first one's.
  mutating func complete(
    _ finished: Finished, _ message: HandshakeMessage, _ session: Session, _ side: Side
  ) throws(HandshakeFailure) -> State {
    if let schedule = session.schedule {
      let expected = schedule.verifyData(of: side, transcript)
      derive([names.verifyData(of: side, expected)], by: side)
      try log.checkFinished(finished, expected)
    }
    transcript.append(message)
    return following(session, side)
  }

  /// The other side finishes next, unless it has already.
  mutating func following(_ session: Session, _ side: Side) -> State {
    if side == session.first { return .awaitingChangeCipherSpec(session, from: side.peer) }
    log.add(.connected(session.parameters))
    return .connected(session.parameters)
  }

  /// The keys that open what follows a ChangeCipherSpec; nil where they are not known.
  var recordKeys: KeyBlock? {
    if case .awaitingFinished(let session, _) = state { session.keys } else { nil }
  }
}

extension CipherSuite.BulkCipher {
  /// Whether records under this cipher can be opened here.
  var opensRecords: Bool {
    CipherSuite.registry.contains { $0.cipher == self && $0.isImplemented }
  }
}
