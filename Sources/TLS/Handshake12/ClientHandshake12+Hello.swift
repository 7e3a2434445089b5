import Cryptography
import Explanation

extension ClientHandshake12 {
  /// RFC 5246 section 7.4.1.2.
  mutating func sendClientHello() throws(HandshakeFailure) -> State {
    let random = configuration.random.bytes(for: "client_random", count: 32)
    log.derive([names.value("client_random", random, .generated(by: configuration.party), .published)])
    let hello = ClientHello(
      clientVersion: min(configuration.versions.upperBound, .tls12), random: random, sessionID: resumable?.id ?? [],
      cipherSuites: configuration.cipherSuites, extensions: offeredExtensions)
    try send(.clientHello(hello))
    return .awaitingServerHello(hello)
  }

  private var offeredExtensions: [Extension] {
    var extensions: [Extension] = []
    if let name = ServerName.hostName(configuration.host) { extensions.append(.serverName(name)) }
    if !configuration.groups.isEmpty, configuration.cipherSuites.contains(where: \.usesGroups) {
      extensions += [.supportedGroups(configuration.groups), .ecPointFormats([0])]
    }
    if !configuration.signatureSchemes.isEmpty {
      extensions.append(.signatureAlgorithms(configuration.signatureSchemes.map(SignatureAndHashAlgorithm.init)))
    }
    if !configuration.applicationProtocols.isEmpty {
      extensions.append(.applicationProtocols(configuration.applicationProtocols))
    }
    if configuration.versions.lowerBound > .tls12 { extensions.append(.supportedVersions(offeredVersions)) }
    if configuration.encryptThenMAC { extensions.append(.other(type: .encryptThenMAC, data: [])) }
    if configuration.extendedMasterSecret { extensions.append(.other(type: .extendedMasterSecret, data: [])) }
    return extensions + [.renegotiationInfo([])]
  }

  private var offeredVersions: [ProtocolVersion] {
    ProtocolVersion.known.filter(configuration.versions.contains).reversed()
  }

  /// RFC 5246 section 7.4.1.3: the server may only choose out of the offer.
  mutating func accept(_ hello: ServerHello, of offer: ClientHello) throws(HandshakeFailure) -> State {
    try checkVersion(hello, offer)
    try log.checkChoice(hello, of: offer)
    guard let suite = hello.cipherSuite.registration, suite.isImplemented else {
      throw log.failure(
        .suiteNotImplemented, .handshakeFailure, required: .anyOf(CipherSuite.implemented.map(\.name)),
        found: .word(hello.cipherSuite.name))
    }
    log.derive([names.value("server_random", hello.random, .published)])
    let choice = Choice(offer: offer, hello: hello, suite: suite)
    return choice.resumes ? try resume(choice) : .awaitingCertificate(choice)
  }

  private mutating func checkVersion(_ hello: ServerHello, _ offer: ClientHello) throws(HandshakeFailure) {
    let version = hello.serverVersion
    let accepted = offeredVersions.map(\.description)
    try log.check(
      .noCommonVersion, configuration.versions.contains(version) && version <= offer.clientVersion, .protocolVersion,
      required: .anyOf(accepted), found: .word(version.description))
    if !version.isImplemented {
      throw log.failure(
        .versionNotImplemented, .protocolVersion, required: .word("TLSv1.2"), found: .word(version.description))
    }
  }
}

extension CipherSuite {
  /// Whether the suite's key exchange happens in a named group.
  var usesGroups: Bool {
    switch keyExchange {
    case .ecdheRSA, .ecdheECDSA, .tls13: true
    default: false
    }
  }
}

/// `server_name`: RFC 6066 section 3.
enum ServerName {
  /// The host as it is sent, nil for an address or nothing; a dot at the end is left out.
  static func hostName(_ host: String) -> String? {
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    let isAddress = name.contains(":") || name.utf8.allSatisfy { $0 == 46 || (48...57).contains($0) }
    return name.isEmpty || isAddress ? nil : name
  }
}

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
