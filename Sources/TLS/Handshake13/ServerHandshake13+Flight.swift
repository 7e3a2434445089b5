import Cryptography
import Explanation

/// Answers the client's hello (RFC 8446 sections 4.1.3, 4.1.4, 4.3 and 4.4).
extension ServerHandshake13 {
  mutating func processClientHello(_ message: HandshakeMessage) throws(HandshakeFailure) -> State {
    let offer = try strict(message)
    log.add(.endMessage)
    try log.checkOffer13(offer)
    try configuration.checkName(offer, isTLS13: true, &log)
    if !configuration.otherCredentials.isEmpty { configuration = configuration.showing13(offer) }
    clientAuthenticatesLater = offer.extensions?.contains(.postHandshakeAuth) == true
    if clientAuthenticatesLater { order.terms.insert(.postHandshakeAuthentication) }
    log.derive([names.value(.random, of: .client, offer.random, .published)])
    let choice = try choose(offer, message, after: nil)
    keys.select(choice.suite, choice.hash)
    transcript.settle(choice.suite.prf)
    transcript.append(message)
    let lacksShare = choice.group != nil && choice.share == nil
    guard lacksShare || configuration.sendsCookie else { return try answer(offer, choice, after: nil) }
    return try requestRetry(offer, choice)
  }

  /// The hello with the extensions of TLS 1.3 in their exact form.
  private mutating func strict(_ message: HandshakeMessage) throws(HandshakeFailure) -> ClientHello {
    do {
      let whole = try HandshakeMessage(decoding: message.bytes, under: .form13)
      if case .clientHello(let hello) = whole.body {
        return configuration.decisions.reads?(hello, configuration) ?? hello
      }
    } catch {
      throw log.failure(
        Rule.decodeError.tls13("6.2"), on: .handshake(.clientHello), .decodeError, found: .word(error.description))
    }
    throw log.failure(.internalError, .internalError, found: .word("another message"))
  }

  /// <-------- HelloRetryRequest
  private mutating func requestRetry(_ offer: ClientHello, _ choice: Choice13) throws(HandshakeFailure) -> State {
    deriveRejectedSecrets(offer)
    var extensions = [Extension.supportedVersions([.tls13])]
    if choice.share == nil, let group = choice.group { extensions.append(.tls13(.selectedGroup(group))) }
    if configuration.sendsCookie {
      extensions.append(.tls13(.cookie(configuration.random.bytes(for: ValueName(.cookie), count: 32))))
    }
    let retry = ServerHello(
      serverVersion: .tls12, random: ServerHello.retryRandom, sessionID: offer.sessionID,
      cipherSuite: choice.suite.suite, extensions: extensions)
    transcript.replaceWithHash(choice.hash)
    transcript.settle(choice.suite.prf)
    order.terms.insert(.retry)
    try send(.serverHello(retry))
    if !offer.sessionID.isEmpty { log.add(.sendChangeCipherSpec) }
    if offer.sendsEarlyData { log.add(.skipEarlyData(Self.mostSkipped)) }
    return .awaitingSecondHello(FirstHello(offer: offer, retry: retry))
  }

  /// The number of bytes of rejected early data that the server skips.
  private static let mostSkipped = 16_384 + 256 * 16

  mutating func processSecondHello(
    _ hello: ClientHello, _ message: HandshakeMessage, _ first: FirstHello
  ) throws(HandshakeFailure) -> State {
    let offer = configuration.decisions.reads?(hello, configuration) ?? hello
    log.add(.endMessage)
    try log.checkSecondOffer13(offer, after: first.offer, first.retry)
    try log.checkOffer13(offer)
    let choice = try choose(offer, message, after: first.retry)
    transcript.append(message)
    try log.require13(
      choice.group == nil || choice.share != nil, "4.2.8", on: .clientHello,
      required: .word("a share in \(choice.group.map { "\($0)" } ?? "")"), found: .absent)
    return try answer(offer, choice, after: first)
  }

  /// <-------- ServerHello EncryptedExtensions CertificateRequest* Certificate* CertificateVerify* Finished
  private mutating func answer(
    _ offer: ClientHello, _ choice: Choice13, after first: FirstHello?
  ) throws(HandshakeFailure) -> State {
    let hello = try sendServerHello(offer, choice, after: first)
    if !offer.sessionID.isEmpty, first == nil { log.add(.sendChangeCipherSpec) }
    derive(.clientHandshakeTraffic)
    derive(.serverHandshakeTraffic)
    protect(.server, .handshake)
    let takesEarlyData = first == nil && acceptsEarlyData(offer, choice)
    startReading(offer, choice, takesEarlyData: takesEarlyData)
    let extensions = try sendEncryptedExtensions(offer, takesEarlyData: takesEarlyData)
    let asks = choice.psk == nil && configuration.clientAuthentication != .none
    if choice.psk == nil { order.terms.insert(.authentication) }
    if asks { try send(.certificateRequest13(certificateRequest())) }
    if let scheme = choice.scheme { try sendCertificate(offer, scheme) }
    try sendFinished()
    derive(.clientApplicationTraffic)
    derive(.serverApplicationTraffic)
    derive(.exporter)
    protect(.server, .application(generation: 0))
    if asks { order.terms.insert(.request) }
    let flight = Flight(
      offer: offer, answer: hello, encryptedExtensions: extensions, scheme: choice.scheme, psk: choice.psk?.key,
      requestsCertificate: asks)
    return takesEarlyData ? .awaitingEndOfEarlyData(flight) : flight.next
  }

  private mutating func sendServerHello(
    _ offer: ClientHello, _ choice: Choice13, after first: FirstHello?
  ) throws(HandshakeFailure) -> ServerHello {
    let names = names
    let random = configuration.random.bytes(for: ValueName(.random, of: .server), count: 32)
    let party = configuration.party
    log.derive([names.value(.random, of: .server, random, .generated(by: party), .published)])
    var extensions = [Extension.supportedVersions([.tls13])]
    let shared = try choice.share.map { (entry) throws(HandshakeFailure) in try agree(on: entry, after: first) }
    if let shared { extensions.append(.tls13(.keyShare(shared.entry))) }
    if let psk = choice.psk {
      extensions.append(.tls13(.selectedIdentity(psk.index)))
      derive(psk)
    }
    keys.extract(psk: choice.psk?.key.key, sharedSecret: shared?.secret.bytes)
    let (schedule, afterEarlyData) = (keys.schedule, (first?.offer ?? offer).sendsEarlyData)
    log.derive(
      names.extractedSecrets(
        schedule, psk: choice.psk.map { _ in names.name(.psk) }, sharedSecret: shared?.secret.id,
        afterEarlyData: afterEarlyData))
    let hello = ServerHello(
      serverVersion: .tls12, random: random, sessionID: offer.sessionID, cipherSuite: choice.suite.suite,
      extensions: extensions)
    try send(.serverHello(hello))
    return hello
  }

  /// The server's share and the result of (EC)DHE.
  private mutating func agree(
    on entry: KeyShareEntry, after first: FirstHello?
  ) throws(HandshakeFailure) -> (entry: KeyShareEntry, secret: Value) {
    let (names, party) = (names, configuration.party)
    let share: ServerKeyShare?
    do throws(KeyShareFault) {
      share = try ServerKeyShare(
        to: entry, number: first?.shareNumber, party: party, random: configuration.random, names)
    } catch {
      throw log.failure(
        .badKeyShare.tls13("4.2.8"), on: .handshake(.clientHello), .illegalParameter, required: .word(error.required),
        found: .bytes(error.found))
    }
    guard let share, let secret = share.values.last else {
      throw log.failure(.internalError, .internalError, found: .word("no key in \(entry.group)"))
    }
    log.derive(share.values)
    return (share.entry, secret)
  }

  /// Records the values of a pre-shared key.
  private mutating func derive(_ psk: AcceptedKey) {
    if let session = psk.key.session { log.add(.resumed(.tls13(session))) }
    let (names, party) = (names, configuration.party)
    guard let ticketKey = psk.ticketKey else { return log.derive(names.preSharedKey(psk.key, party: party)) }
    let ticket = names.value(.offeredSessionTicket, psk.key.identity, .published)
    log.derive([
      Value(ticketKey.id, ticketKey.bytes, .generated(by: party)), ticket,
      names.value(.psk, psk.key.key, .computed(.ticketOpening, from: [ticketKey.id, ticket.id])),
    ])
  }

  /// Opens the client's records: early data, or the rest of the handshake after early data that is skipped.
  private mutating func startReading(_ offer: ClientHello, _ choice: Choice13, takesEarlyData: Bool) {
    guard takesEarlyData, let psk = choice.psk?.key else {
      protect(.client, .handshake)
      if offer.sendsEarlyData { log.add(.skipEarlyData(Self.mostSkipped)) }
      deriveRejectedSecrets(offer)
      return
    }
    order.terms.insert(.earlyData)
    let names = names
    let early = EarlyKeys(psk, choice.suite, transcriptHash: helloHash(choice.hash))
    log.derive(early.values(names))
    log.add(.protectReading(early.records))
    if let session = psk.session { log.add(.limitEarlyData(Int(session.maximumEarlyData))) }
  }

  /// Derives the secrets of early data that the server rejects, with which a key log opens it.
  private mutating func deriveRejectedSecrets(_ offer: ClientHello) {
    guard configuration.derivesRejectedSecrets, offer.sendsEarlyData,
      let (psk, suite) = configuration.earlyKey(offer, names)
    else { return }
    let secrets = EarlyKeys(psk, suite, transcriptHash: helloHash(psk.hash)).secrets(names)
    log.derive(secrets)
  }

  /// The hash of the ClientHello, which is the first message of the transcript.
  private func helloHash(_ hash: Hash) -> [UInt8] {
    let bytes = transcript.bytes
    guard bytes.count >= 4 else { return hash.digest(bytes) }
    let length = 4 + (Int(bytes[1]) << 16 | Int(bytes[2]) << 8 | Int(bytes[3]))
    return hash.digest(Array(bytes.prefix(length)))
  }

  /// Whether the server accepts the client's early data (RFC 8446 section 4.2.10).
  ///
  /// It requires the first pre-shared key, the suite and protocol of its session, a fresh ticket, and no replay.
  private mutating func acceptsEarlyData(_ offer: ClientHello, _ choice: Choice13) -> Bool {
    guard offer.sendsEarlyData, let policy = configuration.earlyData, let psk = choice.psk, psk.index == 0,
      psk.isFresh, let session = psk.key.session, session.maximumEarlyData > 0,
      session.parameters.cipherSuite == choice.suite.suite,
      session.parameters.applicationProtocol == configuration.applicationProtocol(offer)
    else { return false }
    guard policy.replayProtection == .singleUse else { return true }
    let isSpent = configuration.sessions?.isSpent(session.id) == true
    log.add(.spent(session.id))
    return configuration.decisions.acceptsEarlyData(isSpent)
  }

  private mutating func sendEncryptedExtensions(
    _ offer: ClientHello, takesEarlyData: Bool
  ) throws(HandshakeFailure) -> [Extension] {
    try log.checkApplicationProtocol(offer, configuration)
    let offered = offer.extensions ?? []
    var extensions: [Extension] = offered.serverName == nil ? [] : [.serverName(nil)]
    if let chosen = configuration.applicationProtocol(offer) { extensions.append(.applicationProtocols([chosen])) }
    if takesEarlyData { extensions.append(.tls13(.earlyData(maximum: nil))) }
    if let limit = offered.recordSizeLimit {
      try log.checkRecordSizeLimit(limit, on: .clientHello)
      if let own = configuration.recordSizeLimit {
        extensions.append(.tls13(.recordSizeLimit(own)))
        log.add(.limitProtectedRecords(.client, Int(own) - 1))
        log.add(.limitProtectedRecords(.server, min(Int(limit) - 1, Record.maximumPlaintext)))
      }
    } else if configuration.agreesToFragmentLength, let code = offered.fragmentLengthCode {
      try log.checkFragmentLength(code, on: .clientHello)
      extensions.append(.maxFragmentLength(code))
    }
    try send(.encryptedExtensions(EncryptedExtensions(extensions: extensions)))
    return extensions
  }

  /// A request for a certificate with a key type that the server can verify.
  private func certificateRequest(context: [UInt8] = []) -> CertificateRequest13 {
    let schemes = configuration.acceptedSchemes13.map(SignatureAndHashAlgorithm.init)
    let names = configuration.acceptedCAs
    return CertificateRequest13(
      context: context,
      extensions: [.signatureAlgorithms(schemes)] + (names.isEmpty ? [] : [.tls13(.certificateAuthorities(names))]))
  }

  /// Sends the server's certificates, and the proof that it has the private key.
  private mutating func sendCertificate(_ offer: ClientHello, _ scheme: SignatureScheme) throws(HandshakeFailure) {
    let credentials = configuration.credentials
    var first: [Extension] = []
    if configuration.staples(offer), let response = credentials.ocspResponse {
      first.append(.tls13(.certificateStatus(CertificateStatus(ocspResponse: response))))
    }
    if offer.extensions?.contains(.signedCertificateTimestamp) == true, let list = credentials.sctList {
      first.append(.signedCertificateTimestamps(list))
    }
    let message = CertificateMessage(
      certificateList: credentials.certificates,
      tls13: .init(extensions: credentials.certificates.indices.map { $0 == 0 ? first : [] }))
    try authenticate(
      message, configuration.privateKey, configuration.privateKeyName, scheme, random: configuration.random,
      compresses: configuration.compressesCertificates
        && offer.extensions?.certificateCompression?.contains(.zlib) == true)
  }
}

/// Handles the client's flight (RFC 8446 section 4.4), in the handshake or after it.
extension ServerHandshake13 {
  mutating func evaluate(
    _ body: HandshakeMessage.Body, _ message: HandshakeMessage, _ flight: Flight
  ) throws(HandshakeFailure) -> State {
    transcript.append(message)
    guard let shown = try certificate(in: body, accepting: []) else { return state }
    try log.checkCertificate13(shown, of: .client, context: flight.context)
    guard shown.certificateList.isEmpty else {
      order.terms.insert(.clientCertificate)
      log.add(
        .evaluateCertificate(
          PeerCredentials(certificates: shown.certificateList, host: nil, cipherSuite: flight.answer.cipherSuite)))
      return .awaitingEvaluation(flight)
    }
    try log.check(
      Rule.clientCertificateRequired.tls13("4.4.2.4"), on: .handshake(.certificate),
      configuration.clientAuthentication != .required || !flight.context.isEmpty, .certificateRequired,
      required: .atLeast(.number(1)), found: .number(0))
    return .awaitingFinished(flight)
  }

  mutating func certificateEvaluated(
    _ answer: CertificateAnswer, _ flight: Flight
  ) throws(HandshakeFailure) -> State {
    switch answer {
    case .refused(let alert):
      throw log.failure(.certificateRefused, on: .handshake(.certificate), alert, found: .word("\(alert)"))
    case .accepted(let key, let purposes):
      guard key.keyKind != nil else { throw log.unusableKey(key) }
      try log.checkPurpose(.signing, of: purposes)
      return .awaitingCertificateVerify(flight, by: key)
    }
  }

  mutating func check(
    _ proof: CertificateVerify, _ message: HandshakeMessage, by key: PublicKey, _ flight: Flight
  ) throws(HandshakeFailure) -> State {
    try verify(
      proof, message, by: key, accepting: configuration.acceptedSchemes13.map(SignatureAndHashAlgorithm.init))
    var flight = flight
    flight.hasClientCertificate = true
    return .awaitingFinished(flight)
  }

  mutating func complete(
    _ finished: Finished, _ message: HandshakeMessage, _ flight: Flight
  ) throws(HandshakeFailure) -> State {
    try verify(finished, message)
    if flight.context.isEmpty {
      derive(.resumption)
      mainTranscript = transcript
      protect(.client, .application(generation: 0))
      try sendTickets(flight)
    }
    log.add(.connected(flight.parameters))
    return .connected(flight)
  }

  /// Requests a certificate after the handshake (RFC 8446 section 4.6.2).
  mutating func requestCertificateLater() throws(HandshakeFailure) {
    requestCount += 1
    let context = configuration.random.bytes(for: ValueName(.requestContext, number: requestCount), count: 16)
    transcript = mainTranscript
    try send(.certificateRequest13(certificateRequest(context: context)))
    laterRequests[context] = transcript
  }

  /// Takes the client's Certificate after the handshake, which names the request that it answers.
  mutating func evaluateLater(
    _ body: HandshakeMessage.Body, _ message: HandshakeMessage, _ flight: Flight
  ) throws(HandshakeFailure) -> State {
    guard case .certificate(let shown) = body, let context = shown.tls13?.context,
      let requested = laterRequests.removeValue(forKey: context)
    else {
      throw log.failure(
        Rule.illegalParameter.tls13("4.4.2"), on: .handshake(message.type), .illegalParameter,
        required: .word("the context of a request"), found: .word(message.type.description))
    }
    transcript = requested
    var later = flight
    later.context = context
    return try evaluate(body, message, later)
  }
}

extension ServerConfiguration {
  /// The schemes with which clients may sign in TLS 1.3.
  var acceptedSchemes13: [SignatureScheme] {
    SignatureScheme.defaults13.filter { $0 == .ed25519 || signatureSchemes.contains($0) }
  }
}
