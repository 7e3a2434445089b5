import Cryptography
import Explanation

extension ServerHandshake12 {
  /// The server's first flight: RFC 5246 sections 7.4.1.3 to 7.4.5.
  mutating func answer(_ offer: ClientHello, _ version: ProtocolVersion) throws(HandshakeFailure) -> State {
    try log.check(
      .illegalParameter, on: .message("ClientHello"), offer.compressionMethods.contains(0), .illegalParameter,
      required: .word("compression null"), found: .bytes(offer.compressionMethods))
    try log.checkPointFormats(offer.extensions ?? [], on: "ClientHello")
    try checkRenegotiation(offer)
    try checkName(offer)
    configuration = configuration.showing(offer)
    if let session = try resumable(offer) { return try resume(session, offer) }
    let choice = try chooseSuite(offer, version)
    negotiated = choice.negotiated
    transcript.settle(choice.suite.prf)
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

  /// Sends ServerHello, and gives its random.
  mutating func sendServerHello(
    _ suite: CipherSuite, _ version: ProtocolVersion, _ offer: ClientHello, sessionID: [UInt8] = [],
    isResumed: Bool = false
  ) throws(HandshakeFailure) -> [UInt8] {
    let hello = configuration.serverHello(suite, version, offer, sessionID: sessionID, isResumed: isResumed)
    log.derive(configuration.randoms(offer, hello))
    try send(.serverHello(hello))
    return hello.random
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
    transcript.append(try log.send(body, under: negotiated))
  }
}

/// What the server settles out of an offer: RFC 5246 sections 7.4.1.3 and 7.4.3, appendix E.1.
extension ServerHandshake12 {
  /// The first suite, by the order of whoever decides it, that everything else suits too.
  mutating func chooseSuite(
    _ offer: ClientHello, _ version: ProtocolVersion
  ) throws(HandshakeFailure) -> Choice {
    let group = configuration.firstGroup(offer)
    let scheme = configuration.firstScheme(offer)
    let common = configuration.commonSuites(offer)
    let missing = configuration.missingGroups(offer, group)
    let chosen = configuration.firstSuite(offer)
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
      negotiated: Negotiated(version: version, suite: chosen), group: chosen.suite.usesGroups ? group : nil,
      signatureScheme: chosen.suite.usesGroups ? scheme : nil)
  }

  mutating func checkApplicationProtocol(_ offer: ClientHello) throws(HandshakeFailure) {
    guard configuration.namesProtocols(offer) else { return }
    try log.check(
      .noApplicationProtocol, configuration.applicationProtocol(offer) != nil, .noApplicationProtocol,
      required: .anyOf(configuration.applicationProtocols.map(\.description)),
      found: .words((offer.extensions?.applicationProtocols ?? []).map(\.description)))
  }
}

extension ServerConfiguration {
  /// What the server would agree to, whether or not the machines can run it; nil when nothing is in common.
  public func agreement(with offer: ClientHello) -> (version: ProtocolVersion, cipherSuite: CipherSuite)? {
    guard otherCredentials.isEmpty else { return showing(offer).agreement(with: offer) }
    guard let version = newestVersion(offer), let suite = firstSuite(offer)?.suite,
      !namesProtocols(offer) || applicationProtocol(offer) != nil
    else { return nil }
    return (version, suite)
  }

  /// The first common suite that group and signature suit too, where it needs them.
  fileprivate func firstSuite(_ offer: ClientHello) -> CipherSuite.Registration? {
    let canExchange = missingGroups(offer, firstGroup(offer)).isEmpty && firstScheme(offer) != nil
    return commonSuites(offer).first { !$0.suite.usesGroups || canExchange }
  }

  fileprivate func commonSuites(_ offer: ClientHello) -> [CipherSuite.Registration] {
    let (first, second) =
      preference == .server ? (cipherSuites, offer.cipherSuites) : (offer.cipherSuites, cipherSuites)
    return first.filter(second.contains).compactMap(\.registration).filter { isServable($0.suite) }
  }

  /// Whether the key exchange is one of TLS 1.2 that the server's key suits.
  private func isServable(_ suite: CipherSuite) -> Bool {
    switch suite.keyExchange {
    case .rsa, .dheRSA, .ecdheRSA, .ecdheECDSA: suite.keyKind == privateKey.publicKey.keyKind
    case .dhAnonymous, .null: true
    case .dheDSS, .ecdhRSA, .ecdhECDSA, .rsaExport, .dheRSAExport, .dheDSSExport: false
    case .tls13, .signalling, nil: false
    }
  }

  /// A client without supported_groups takes any: RFC 8422 section 4.
  fileprivate func firstGroup(_ offer: ClientHello) -> NamedGroup? {
    let offered = offer.extensions?.supportedGroups ?? groups
    return groups.first { $0.isImplemented && offered.contains($0) }
  }

  /// Groups of which the client should have offered one: the server's, or the one of the key in its certificate, which
  /// the client must be able to use too (RFC 8422 section 5.1). None when all is well.
  fileprivate func missingGroups(_ offer: ClientHello, _ group: NamedGroup?) -> [NamedGroup] {
    guard group != nil else { return groups.isEmpty ? NamedGroup.implemented : groups }
    guard case .ec(let key) = privateKey.publicKey, let offered = offer.extensions?.supportedGroups
    else { return [] }
    let keyGroup = NamedGroup(key.curve)
    return offered.contains(keyGroup) ? [] : [keyGroup]
  }

  /// A client without signature_algorithms takes SHA-1 with either kind of key: RFC 5246 section 7.4.1.4.1.
  fileprivate func firstScheme(_ offer: ClientHello) -> SignatureScheme? {
    let silent = [SignatureScheme.rsaPKCS1SHA1, .ecdsaSHA1].map(SignatureAndHashAlgorithm.init)
    let offered = offer.extensions?.signatureAlgorithms ?? silent
    let key = privateKey.publicKey
    return signatureSchemes.first { scheme in
      scheme.isImplemented && scheme.suits(key) && offered.contains(SignatureAndHashAlgorithm(scheme))
    }
  }
}
