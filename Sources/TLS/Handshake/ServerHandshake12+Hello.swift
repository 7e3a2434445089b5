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
