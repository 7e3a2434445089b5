import Cryptography
import Explanation

extension ServerHandshake12 {
  /// Sends the server's first flight (RFC 5246 sections 7.4.1.3 to 7.4.5).
  mutating func processClientHello(_ whole: ClientHello, _ version: ProtocolVersion) throws(HandshakeFailure) -> State {
    let read = version == .sslv3 ? whole.readBySSL3 : whole
    let offer = configuration.decisions.reads?(read, configuration) ?? read
    try log.check(
      .illegalParameter, on: .handshake(.clientHello), offer.compressionMethods.contains(0), .illegalParameter,
      required: .word("compression null"), found: .bytes(offer.compressionMethods))
    try log.checkPointFormats(offer.extensions ?? [], on: .clientHello)
    if configuration.agreesToFragmentLength {
      try log.checkFragmentLength(offer.extensions?.fragmentLengthCode, on: .clientHello)
    }
    try checkRenegotiation(offer)
    try configuration.checkName(offer, &log)
    if !configuration.otherCredentials.isEmpty { configuration = configuration.showing(offer) }
    if let session = try resumable(offer, version) { return try resume(session, offer) }
    let choice = try chooseSuite(offer, version)
    negotiated = choice.negotiated
    transcript.settle(choice.negotiated.prf)
    try log.checkApplicationProtocol(offer, configuration)
    let givesTicket = configuration.givesTicket(offer)
    let sessionID = givesTicket ? [] : newSessionID
    let hellos = try sendServerHello(
      choice.suite.suite, version, offer, sessionID: sessionID, givesTicket: givesTicket)
    let isAuthenticated = choice.suite.keyExchange.isAuthenticated
    if isAuthenticated { try send(.certificate(CertificateMessage(certificateList: configuration.certificates))) }
    if isAuthenticated, configuration.staples(offer), let response = configuration.credentials.ocspResponse {
      try send(.certificateStatus(CertificateStatus(ocspResponse: response)))
    }
    let share = try sendKeyExchange(choice, hellos)
    let exchange = Exchange(hellos: hellos, choice: choice, share: share)
    // An anonymous server must not request a client certificate: RFC 5246 section 7.4.4.
    let asks = configuration.clientAuthentication != .none && isAuthenticated
    if asks { try sendCertificateRequest() }
    try send(.serverHelloDone)
    return asks ? .awaitingClientCertificate(exchange) : .awaitingClientKeyExchange(exchange)
  }

  /// Sends ServerHello, the reply to `offer`.
  mutating func sendServerHello(
    _ suite: CipherSuite, _ version: ProtocolVersion, _ offer: ClientHello, sessionID: [UInt8] = [],
    isResumed: Bool = false, givesTicket: Bool = false
  ) throws(HandshakeFailure) -> Hellos {
    let hello = configuration.serverHello(
      suite, version, offer, sessionID: sessionID, isResumed: isResumed, givesTicket: givesTicket)
    log.derive(boxed.value.randoms(offer, hello))
    log.limitFragments(hello)
    try send(.serverHello(hello))
    return Hellos(offer: offer, answer: hello)
  }

  /// Sends ServerKeyExchange for ECDHE, DHE and DH_anon (RFC 5246 section 7.4.3, RFC 8422 section 5.4).
  private mutating func sendKeyExchange(
    _ choice: Choice, _ hellos: Hellos
  ) throws(HandshakeFailure) -> KeyShare? {
    guard choice.suite.keyExchange.ephemeralKind != nil else { return nil }
    guard let share = choice.keyShare(configuration.random) else {
      throw log.failure(.internalError, .internalError, found: .word("no key in the group"))
    }
    log.derive(share.values(of: .server, party: boxed.value.party, names))
    let parameters = share.serverParameters
    var signature: DigitallySigned?
    if let scheme = choice.signatureScheme {
      let key = configuration.privateKey
      var random = configuration.random.stream("signature")
      signature = DigitallySigned(
        algorithm: choice.signatureAlgorithm,
        signature: try log.representable { () throws in
          let content = try parameters.signedContent(
            clientRandom: hellos.offer.random, serverRandom: hellos.answer.random)
          return try key.sign(content, scheme, random: &random)
        })
    }
    try send(.serverKeyExchange(.ephemeral(ServerKeyExchange.SignedParameters(parameters, signature))))
    return share
  }
}
