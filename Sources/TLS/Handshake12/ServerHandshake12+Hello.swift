import Cryptography
import Explanation

extension ServerHandshake12 {
  /// The server's first flight: RFC 5246 sections 7.4.1.3 to 7.4.5.
  mutating func answer(_ offer: ClientHello) throws(HandshakeFailure) -> State {
    let version = try chooseVersion(offer)
    if version < .tls12 { return try refuseToRun(version, offer) }
    if version > .tls12 {
      throw log.failure(
        .versionNotImplemented, .protocolVersion, required: .word("TLSv1.2"), found: .word(version.description))
    }
    try log.check(
      .illegalParameter, on: .message("ClientHello"), offer.compressionMethods.contains(0), .illegalParameter,
      required: .word("compression null"), found: .bytes(offer.compressionMethods))
    try checkRenegotiation(offer)
    if let session = try resumable(offer) { return try resume(session, offer) }
    let choice = try chooseSuite(offer, version)
    try checkApplicationProtocol(offer)
    let sessionID = newSessionID
    let random = try sendServerHello(choice.suite.suite, version, offer, sessionID: sessionID)
    try send(.certificate(CertificateMessage(certificateList: configuration.certificates)))
    let share = try sendKeyExchange(choice, offer.random, random)
    let exchange = Exchange(offer: offer, choice: choice, random: random, sessionID: sessionID, share: share)
    let asks = configuration.clientAuthentication != .none
    if asks { try sendCertificateRequest() }
    try send(.serverHelloDone)
    return asks ? .awaitingClientCertificate(exchange) : .awaitingClientKeyExchange(exchange)
  }

  /// A server of old versions only answers with one; whether the client takes it is the client's matter.
  private mutating func refuseToRun(
    _ version: ProtocolVersion, _ offer: ClientHello
  ) throws(HandshakeFailure) -> State {
    let suite = configuration.cipherSuites.first(where: offer.cipherSuites.contains)
    try log.check(
      .noCommonSuite, suite != nil, .handshakeFailure, required: .anyOf(configuration.cipherSuites.map(\.name)),
      found: .words(offer.cipherSuites.map(\.name)))
    if let suite { _ = try sendServerHello(suite, version, offer) }
    return .awaitingRefusal
  }

  /// RFC 5746 section 3.6.
  private mutating func checkRenegotiation(_ offer: ClientHello) throws(HandshakeFailure) {
    try log.check(
      .insecureRenegotiation, on: .message("ClientHello"), offer.knowsRenegotiation, .handshakeFailure,
      required: .word("renegotiation_info"), found: offer.knowsRenegotiation ? .flag(true) : .absent)
    let info = offer.extensions?.renegotiationInfo ?? []
    try log.check(
      .illegalParameter, on: .message("ClientHello"), info.isEmpty, .handshakeFailure,
      required: .word("renegotiated_connection empty in a first handshake"), found: .bytes(info))
  }

  /// Whether both sides want an extension that says nothing but yes; `encrypt_then_mac` is for CBC only (RFC 7366
  /// section 3).
  func agrees(to type: ExtensionType, _ offer: ClientHello, _ suite: CipherSuite.Registration) -> Bool {
    guard offer.extensions?.contains(where: { $0.type == type }) == true else { return false }
    switch type {
    case .extendedMasterSecret: return configuration.extendedMasterSecret
    case .encryptThenMAC: return configuration.encryptThenMAC && suite.mac.hash != nil
    default: return false
    }
  }

  /// A resumed session says nothing about names (RFC 6066 section 3) and points again.
  mutating func sendServerHello(
    _ suite: CipherSuite, _ version: ProtocolVersion, _ offer: ClientHello, sessionID: [UInt8] = [],
    isResumed: Bool = false
  ) throws(HandshakeFailure) -> [UInt8] {
    let random = configuration.random.bytes(for: "server_random", count: 32)
    log.derive([
      names.value("client_random", offer.random, .published),
      names.value("server_random", random, .generated(by: configuration.party), .published),
    ])
    let offered = Set((offer.extensions ?? []).map(\.type))
    var answers: [Extension] = []
    if offered.contains(.serverName), !isResumed { answers.append(.serverName(nil)) }
    if suite.usesGroups, offered.contains(.ecPointFormats), !isResumed { answers.append(.ecPointFormats([0])) }
    if let chosen = applicationProtocol(offer) { answers.append(.applicationProtocols([chosen])) }
    for type in [ExtensionType.encryptThenMAC, .extendedMasterSecret] {
      if let row = suite.registration, agrees(to: type, offer, row) { answers.append(.other(type: type, data: [])) }
    }
    if offer.knowsRenegotiation { answers.append(.renegotiationInfo([])) }
    try send(
      .serverHello(
        ServerHello(
          serverVersion: version, random: random, sessionID: sessionID, cipherSuite: suite,
          extensions: answers.isEmpty ? nil : answers)))
    return random
  }

  /// ServerKeyExchange, only for ECDHE: RFC 8422 section 5.4.
  private mutating func sendKeyExchange(
    _ choice: Choice, _ clientRandom: [UInt8], _ serverRandom: [UInt8]
  ) throws(HandshakeFailure) -> KeyShare? {
    guard let group = choice.group, let scheme = choice.signatureScheme else { return nil }
    guard let share = KeyShare(group, of: .server, random: configuration.random) else {
      throw log.failure(.internalError, .internalError, found: .word("group \(group)"))
    }
    log.derive(share.values(of: .server, party: configuration.party, names))
    let parameters = ServerECDHParameters(group: group, publicKey: share.publicKey)
    let key = configuration.privateKey
    var random = configuration.random.stream("signature")
    let signature = try log.representable { () throws in
      try key.sign(
        try parameters.signedContent(clientRandom: clientRandom, serverRandom: serverRandom), scheme,
        random: &random)
    }
    try send(
      .serverKeyExchange(
        .ecdhe(
          ServerKeyExchange.SignedECDHParameters(
            parameters: parameters, algorithm: SignatureAndHashAlgorithm(scheme), signature: signature))))
    return share
  }

  /// Sends a message, which joins the transcript.
  mutating func send(_ body: HandshakeMessage.Body) throws(HandshakeFailure) {
    transcript.append(try log.send(body))
  }
}

extension ClientHello {
  /// RFC 5746 section 3.4: by the extension or by the signalling suite.
  var knowsRenegotiation: Bool {
    extensions?.renegotiationInfo != nil || cipherSuites.contains(.emptyRenegotiationInfo)
  }
}

/// What the server settles out of an offer: RFC 5246 sections 7.4.1.3 and 7.4.3, appendix E.1.
extension ServerHandshake12 {
  /// The newest version in common.
  mutating func chooseVersion(_ offer: ClientHello) throws(HandshakeFailure) -> ProtocolVersion {
    let offered = offer.offeredVersions
    let own = ProtocolVersion.known.filter(configuration.versions.contains)
    let version = newestVersion(offer)
    try log.check(
      .noCommonVersion, version != nil, .protocolVersion, required: .anyOf(own.map(\.description)),
      found: .words(offered.map(\.description)))
    guard let version else {
      throw log.failure(.versionNotImplemented, .protocolVersion, required: .word("TLSv1.2"), found: .absent)
    }
    if offer.cipherSuites.contains(.fallback) {
      try log.check(
        .inappropriateFallback, configuration.versions.upperBound <= offer.clientVersion, .inappropriateFallback,
        required: .atLeast(.word(configuration.versions.upperBound.description)),
        found: .word(offer.clientVersion.description))
    }
    return version
  }

  /// The first suite, by the order of whoever decides it, that everything else suits too.
  mutating func chooseSuite(
    _ offer: ClientHello, _ version: ProtocolVersion
  ) throws(HandshakeFailure) -> Choice {
    let group = firstGroup(offer)
    let scheme = firstScheme(offer)
    let common = commonSuites(offer)
    let missing = missingGroups(offer, group)
    let chosen = firstSuite(offer)
    let needsGroup = chosen == nil && !common.isEmpty
    try log.check(
      .noCommonSuite, !common.isEmpty, .handshakeFailure,
      required: .anyOf(configuration.cipherSuites.map(\.name)), found: .words(offer.cipherSuites.map(\.name)))
    try log.check(
      .noCommonGroup, !needsGroup || missing.isEmpty, .handshakeFailure,
      required: .anyOf(missing.map(\.description)),
      found: .words((offer.extensions?.supportedGroups ?? []).map(\.description)))
    try log.check(
      .noCommonSignatureScheme, !needsGroup || scheme != nil, .handshakeFailure,
      required: .anyOf(configuration.signatureSchemes.map(\.name)),
      found: .words((offer.extensions?.signatureAlgorithms ?? []).map(\.description)))
    guard let chosen, chosen.isImplemented else {
      throw log.failure(
        .suiteNotImplemented, .handshakeFailure, required: .anyOf(CipherSuite.implemented.map(\.name)),
        found: chosen.map { .word($0.name) } ?? .absent)
    }
    return Choice(
      version: version, suite: chosen, group: chosen.suite.usesGroups ? group : nil,
      signatureScheme: chosen.suite.usesGroups ? scheme : nil)
  }

  /// What the server would agree to, whether or not the machines can run it; nil when nothing is in common.
  public func agreement(with offer: ClientHello) -> (version: ProtocolVersion, cipherSuite: CipherSuite)? {
    guard let version = newestVersion(offer), let suite = firstSuite(offer)?.suite,
      !namesProtocols(offer) || applicationProtocol(offer) != nil
    else { return nil }
    return (version, suite)
  }

  /// The protocol inside, by the server's order: RFC 7301 section 3.2. Nil where there is none in common, or one side
  /// names none.
  func applicationProtocol(_ offer: ClientHello) -> ApplicationProtocol? {
    let offered = offer.extensions?.applicationProtocols ?? []
    return configuration.applicationProtocols.first(where: offered.contains)
  }

  /// Whether both sides name protocols, so that they need one in common.
  private func namesProtocols(_ offer: ClientHello) -> Bool {
    !configuration.applicationProtocols.isEmpty && offer.extensions?.applicationProtocols != nil
  }

  mutating func checkApplicationProtocol(_ offer: ClientHello) throws(HandshakeFailure) {
    guard namesProtocols(offer) else { return }
    try log.check(
      .noApplicationProtocol, applicationProtocol(offer) != nil, .noApplicationProtocol,
      required: .anyOf(configuration.applicationProtocols.map(\.description)),
      found: .words((offer.extensions?.applicationProtocols ?? []).map(\.description)))
  }

  private func newestVersion(_ offer: ClientHello) -> ProtocolVersion? {
    let offered = offer.offeredVersions
    return ProtocolVersion.known.filter(configuration.versions.contains).last(where: offered.contains)
  }

  /// The first common suite that group and signature suit too, where it needs them.
  private func firstSuite(_ offer: ClientHello) -> CipherSuite.Registration? {
    let canExchange = missingGroups(offer, firstGroup(offer)).isEmpty && firstScheme(offer) != nil
    return commonSuites(offer).first { !$0.suite.usesGroups || canExchange }
  }

  private func commonSuites(_ offer: ClientHello) -> [CipherSuite.Registration] {
    let (first, second) =
      configuration.preference == .server
      ? (configuration.cipherSuites, offer.cipherSuites) : (offer.cipherSuites, configuration.cipherSuites)
    return first.filter(second.contains).compactMap(\.registration).filter { isServable($0.suite) }
  }

  /// Whether the key exchange is one of TLS 1.2 that the server's key suits.
  private func isServable(_ suite: CipherSuite) -> Bool {
    switch suite.keyExchange {
    case .rsa, .dheRSA, .ecdheRSA, .ecdheECDSA: suite.keyKind == configuration.privateKey.publicKey.keyKind
    case .dhAnonymous, .null: true
    case .tls13, .signalling, nil: false
    }
  }

  /// A client without supported_groups takes any: RFC 8422 section 4.
  private func firstGroup(_ offer: ClientHello) -> NamedGroup? {
    let offered = offer.extensions?.supportedGroups ?? configuration.groups
    return configuration.groups.first { $0.isImplemented && offered.contains($0) }
  }

  /// Groups of which the client should have offered one: the server's, or the one of the key in its certificate, which
  /// the client must be able to use too (RFC 8422 section 5.1). None when all is well.
  private func missingGroups(_ offer: ClientHello, _ group: NamedGroup?) -> [NamedGroup] {
    guard group != nil else { return configuration.groups.isEmpty ? NamedGroup.implemented : configuration.groups }
    guard case .ec(let key) = configuration.privateKey.publicKey, let offered = offer.extensions?.supportedGroups
    else { return [] }
    let keyGroup = NamedGroup(key.curve)
    return offered.contains(keyGroup) ? [] : [keyGroup]
  }

  /// A client without signature_algorithms takes SHA-1 with either kind of key: RFC 5246 section 7.4.1.4.1.
  private func firstScheme(_ offer: ClientHello) -> SignatureScheme? {
    let silent = [SignatureScheme.rsaPKCS1SHA1, .ecdsaSHA1].map(SignatureAndHashAlgorithm.init)
    let offered = offer.extensions?.signatureAlgorithms ?? silent
    let key = configuration.privateKey.publicKey
    return configuration.signatureSchemes.first { scheme in
      scheme.isImplemented && scheme.suits(key) && offered.contains(SignatureAndHashAlgorithm(scheme))
    }
  }
}

extension ClientHello {
  /// The versions on offer: `supported_versions` where it is there (RFC 8446 section 4.2.1), else everything up to
  /// `client_version`.
  var offeredVersions: [ProtocolVersion] {
    if let versions = extensions?.supportedVersions { return versions }
    return ProtocolVersion.known.filter { $0 <= min(clientVersion, .tls12) }
  }
}
