import Cryptography
import Explanation

/// Handles the server's hello messages (RFC 8446 sections 4.1.3 and 4.1.4).
extension ClientHandshake13 {
  /// Answers a HelloRetryRequest with another ClientHello.
  mutating func retry(
    _ offer: Offer, _ retry: ServerHello, _ message: HandshakeMessage
  ) throws(HandshakeFailure) -> State {
    let (suite, hash) = try select(retry, offer.hello)
    try log.checkRetry13(retry, of: offer.hello)
    keys.select(suite, hash)
    log.add(.endMessage)
    order.terms.insert(.retry)
    transcript.replaceWithHash(hash)
    transcript.settle(suite.prf)
    transcript.append(message)
    let hello = try secondHello(offer.hello, after: retry, hash)
    if configuration.usesCompatibilityMode, !offer.hello.sendsEarlyData { log.add(.sendChangeCipherSpec) }
    if offer.hello.sendsEarlyData {
      log.add(.answeredEarlyData(false))
      log.add(.stopProtecting)
    }
    try send(.clientHello(hello))
    return .awaitingServerHello(Offer(hello: hello, retry: retry))
  }

  /// The ClientHello that follows a HelloRetryRequest (RFC 8446 section 4.1.2).
  private mutating func secondHello(
    _ first: ClientHello, after retry: ServerHello, _ hash: Hash
  ) throws(HandshakeFailure) -> ClientHello {
    if let group = retry.extensions?.selectedGroup {
      guard let share = ClientKeyShare(group, number: shares.isEmpty ? nil : 2, random: configuration.random)
      else { throw log.failure(.internalError, .internalError, found: .word("no key in \(group)")) }
      shares = [share]
      let (names, party) = (names, configuration.party)
      log.derive(share.values(party: party, names))
    }
    var hello = first
    let entries = shares.compactMap(\.entry)
    hello.extensions = first.extensions?.compactMap { item -> Extension? in
      switch item {
      case .tls13(.keyShares) where retry.extensions?.selectedGroup != nil: .tls13(.keyShares(entries))
      case .tls13(.earlyData), .tls13(.preSharedKeys), .padding: nil
      default: item
      }
    }
    if let cookie = retry.extensions?.cookie {
      // BoringSSL, the TLS stack of Apple's systems, sends the cookie after supported_versions.
      let place = hello.extensions?.firstIndex { $0.type == .supportedVersions }
      hello.extensions?.insert(.tls13(.cookie(cookie)), at: place.map { $0 + 1 } ?? 0)
    }
    if configuration.layout.isPadded { hello = hello.padded }
    // RFC 8446 section 4.1.4: a key whose hash the suite does not use is left out.
    let psks = configuration.preSharedKeys.filter { $0.hash == hash }
    let (transcript, now) = (transcript, configuration.now)
    return try log.representable { () throws in try hello.offering(psks, at: now, after: transcript) }
  }

  /// The suite of the server's hello, which the client must have offered.
  private mutating func select(
    _ hello: ServerHello, _ offer: ClientHello
  ) throws(HandshakeFailure) -> (CipherSuite.Registration, Hash) {
    try log.checkChoice13(hello, of: offer)
    guard let suite = hello.cipherSuite.registration, let hash = suite.hash13 else {
      throw log.failure(
        .suiteNotImplemented, .handshakeFailure, required: .anyOf(CipherSuite.implemented13.map(\.name)),
        found: .word(hello.cipherSuite.name))
    }
    return (suite, hash)
  }

  /// Accepts the server's choice, and protects both directions from now on.
  mutating func accept(
    _ hello: ServerHello, _ message: HandshakeMessage, _ offer: Offer
  ) throws(HandshakeFailure) -> State {
    let (suite, hash) = try select(hello, offer.hello)
    try log.checkKeyExchange13(hello, of: offer.hello, after: offer.retry)
    let names = names
    log.derive([names.value(.random, of: .server, hello.random, .published)])
    keys.select(suite, hash)
    if offer.retry == nil { transcript.settle(suite.prf) }
    transcript.append(message)
    let psk = try selectedKey(hello, hash)
    let shared = try sharedSecret(with: hello)
    let party = configuration.party
    if let psk { log.derive(names.preSharedKey(psk, party: party)) }
    keys.extract(psk: psk?.key, sharedSecret: shared?.bytes)
    let (schedule, afterEarlyData) = (keys.schedule, configuration.offersEarlyData)
    log.derive(
      names.extractedSecrets(
        schedule, psk: psk.map { _ in names.name(.psk) }, sharedSecret: shared?.id, afterEarlyData: afterEarlyData))
    derive(.clientHandshakeTraffic)
    derive(.serverHandshakeTraffic)
    protect(.server, .handshake)
    if psk == nil { order.terms.insert(.authentication) }
    if !offer.hello.sendsEarlyData { protect(.client, .handshake) }
    return .awaitingEncryptedExtensions(Choice(offer: offer.hello, answer: hello, psk: psk))
  }

  /// The pre-shared key that the server selected (RFC 8446 section 4.2.11); its hash must be that of the suite.
  private mutating func selectedKey(_ hello: ServerHello, _ hash: Hash) throws(HandshakeFailure) -> PreSharedKey? {
    guard let index = hello.extensions?.selectedIdentity else { return nil }
    let offered = configuration.preSharedKeys
    guard offered.indices.contains(Int(index)) else {
      throw log.failure(.illegalParameter.tls13("4.2.11"), on: .handshake(.serverHello), .illegalParameter)
    }
    let psk = offered[Int(index)]
    try log.require13(
      psk.hash == hash, "4.2.11", on: .serverHello, required: .word("a suite with \(psk.hash)"),
      found: .word(hello.cipherSuite.name))
    if let session = psk.session { log.add(.resumed(.tls13(session))) }
    return psk
  }

  /// The result of (EC)DHE; nil if the server uses only the pre-shared key.
  private mutating func sharedSecret(with hello: ServerHello) throws(HandshakeFailure) -> Value? {
    guard let entry = hello.extensions?.keyShare else { return nil }
    guard let share = shares.first(where: { $0.entry?.group == entry.group }) else {
      throw log.failure(.internalError, .internalError, found: .word("no key in \(entry.group)"))
    }
    let names = names
    do throws(KeyShareFault) {
      let values = try share.agree(on: entry.keyExchange, names)
      log.derive(values)
      return values.last
    } catch {
      throw log.failure(
        .badKeyShare.tls13("4.2.8"), on: .handshake(.serverHello), .illegalParameter,
        required: .word(error.required), found: .bytes(error.found))
    }
  }
}

/// Handles the server's parameters and its authentication (RFC 8446 sections 4.3 and 4.4).
extension ClientHandshake13 {
  mutating func take(
    _ answer: EncryptedExtensions, _ message: HandshakeMessage, _ choice: Choice
  ) throws(HandshakeFailure) -> State {
    transcript.append(message)
    let extensions = answer.extensions
    try log.checkExtensions13(extensions, in: .encryptedExtensions, of: choice.offer, on: .encryptedExtensions)
    try log.checkApplicationProtocol13(extensions.applicationProtocols, of: choice.offer)
    try log.checkFragmentLength(
      extensions.fragmentLengthCode, required: choice.offer.extensions?.fragmentLengthCode, on: .encryptedExtensions)
    try limitRecords(extensions)
    if extensions.contains(.earlyData) {
      try log.require13(
        choice.answer.extensions?.selectedIdentity == 0, "4.2.10", on: .encryptedExtensions,
        required: .word("early data only with the first pre-shared key"),
        found: (choice.answer.extensions?.selectedIdentity).map { .number(Int($0)) } ?? .absent)
      if let session = choice.psk?.session { try checkEarlyData(of: session.parameters, choice.answer, extensions) }
      order.terms.insert(.earlyData)
    }
    var choice = choice
    choice.encryptedExtensions = extensions
    if let isAccepted = choice.acceptsEarlyData {
      log.add(.answeredEarlyData(isAccepted))
      if !isAccepted { protect(.client, .handshake) }
    }
    return choice.psk == nil ? .awaitingCertificate(choice) : .awaitingFinished(choice)
  }

  /// Checks that the server keeps the suite and the protocol with which the client sent early data (RFC 8446 section
  /// 4.2.10).
  private mutating func checkEarlyData(
    of session: ConnectionParameters, _ answer: ServerHello, _ extensions: [Extension]
  ) throws(HandshakeFailure) {
    try log.require13(
      answer.cipherSuite == session.cipherSuite, "4.2.10", on: .encryptedExtensions,
      required: .word("early data only with \(session.cipherSuite.name)"), found: .word(answer.cipherSuite.name))
    let (old, new) = (session.applicationProtocol, extensions.applicationProtocols?.first)
    try log.require13(
      old == new, "4.2.10", on: .encryptedExtensions,
      required: old.map { .word("early data only with \($0)") } ?? .absent,
      found: new.map { .word($0.description) } ?? .absent)
  }

  /// Limits the records in both directions if the server agrees to record_size_limit (RFC 8449 section 4).
  private mutating func limitRecords(_ extensions: [Extension]) throws(HandshakeFailure) {
    guard let limit = extensions.recordSizeLimit else { return }
    try log.checkRecordSizeLimit(limit, on: .encryptedExtensions)
    log.add(.limitProtectedRecords(.client, Int(limit) - 1))
    if let own = configuration.recordSizeLimit { log.add(.limitProtectedRecords(.server, Int(own) - 1)) }
  }

  mutating func take(
    _ request: CertificateRequest13, _ message: HandshakeMessage, _ choice: Choice
  ) throws(HandshakeFailure) -> State {
    transcript.append(message)
    try log.checkRequest13(request, isLater: false)
    order.terms.insert(.request)
    self.request = request
    return .awaitingCertificate(choice)
  }

  /// Requests the evaluation of the server's certificates, which happens outside TLS (RFC 8446 section 4.4.2.4).
  mutating func evaluate(
    _ body: HandshakeMessage.Body, _ message: HandshakeMessage, _ choice: Choice
  ) throws(HandshakeFailure) -> State {
    transcript.append(message)
    let offered = choice.offer.extensions?.certificateCompression ?? []
    guard let shown = try certificate(in: body, accepting: offered) else { return state }
    try log.checkCertificate13(shown, of: .server, context: [], offer: choice.offer.extensions ?? [])
    let entry = shown.tls13?.extensions.first ?? []
    log.add(
      .evaluateCertificate(
        PeerCredentials(
          certificates: shown.certificateList, host: configuration.host, cipherSuite: choice.answer.cipherSuite,
          ocspResponse: entry.ocspResponse, signedCertificateTimestamps: entry.timestamps)))
    return .awaitingEvaluation(choice)
  }

  /// Continues the handshake with the result of the certificate evaluation.
  mutating func certificateEvaluated(
    _ answer: CertificateAnswer, _ choice: Choice
  ) throws(HandshakeFailure) -> State {
    switch answer {
    case .refused(let alert):
      throw log.failure(.certificateRefused, on: .handshake(.certificate), alert, found: .word("\(alert)"))
    case .accepted(let key, let purposes):
      guard key.keyKind != nil else { throw log.unusableKey(key) }
      try log.checkPurpose(.signing, of: purposes)
      return .awaitingCertificateVerify(choice, by: key)
    }
  }

  mutating func check(
    _ proof: CertificateVerify, _ message: HandshakeMessage, by key: PublicKey, _ choice: Choice
  ) throws(HandshakeFailure) -> State {
    try verify(
      proof, message, by: key, accepting: choice.offer.extensions?.signatureAlgorithms ?? [])
    var choice = choice
    choice.signatureAlgorithm = proof.signed.algorithm
    return .awaitingFinished(choice)
  }

  /// Checks the server's Finished, after which its data is authentic.
  mutating func complete(
    _ finished: Finished, _ message: HandshakeMessage, _ choice: Choice
  ) throws(HandshakeFailure) -> State {
    try verify(finished, message)
    derive(.clientApplicationTraffic)
    derive(.serverApplicationTraffic)
    derive(.exporter)
    protect(.server, .application(generation: 0))
    guard let request, configuration.choosesIdentity else { return try finishFlight(choice) }
    log.add(.chooseIdentity(request.choice))
    return .awaitingIdentity(choice)
  }
}

/// Sends the client's second flight (RFC 8446 section 2).
extension ClientHandshake13 {
  /// (EndOfEarlyData*) {Certificate*} {CertificateVerify*} {Finished} -------->
  mutating func finishFlight(_ choice: Choice) throws(HandshakeFailure) -> State {
    if choice.acceptsEarlyData == true {
      try send(.endOfEarlyData)
      protect(.client, .handshake)
    } else if configuration.usesCompatibilityMode, !order.terms.contains(.retry), choice.acceptsEarlyData == nil {
      log.add(.sendChangeCipherSpec)
    }
    let isAuthenticated = try request.map { (request) throws(HandshakeFailure) in try answer(request) } ?? false
    try sendFinished()
    derive(.resumption)
    mainTranscript = transcript
    protect(.client, .application(generation: 0))
    let parameters = choice.parameters(hasClientCertificate: isAuthenticated)
    log.add(.connected(parameters))
    return .connected(parameters)
  }

  /// Sends a certificate that fits the request and its proof; without one, an empty Certificate message (RFC 8446
  /// section 4.4.2). Returns whether the client has a certificate.
  private mutating func answer(_ request: CertificateRequest13) throws(HandshakeFailure) -> Bool {
    let schemes = configuration.signatureSchemes
    guard let identity = configuration.identity, let scheme = identity.scheme13(for: request, among: schemes) else {
      try send(
        .certificate(CertificateMessage(certificateList: [], tls13: .init(context: request.context, extensions: []))))
      return false
    }
    order.terms.insert(.clientCertificate)
    let listed = request.extensions.certificateAuthorities ?? []
    try log.check(
      .authorityNotListed, on: .handshake(.certificateRequest),
      listed.isEmpty || !Set(listed).isDisjoint(with: identity.issuers), .certificateUnknown,
      required: .word("an issuer among \(listed.count) certificate_authorities"), found: .word("none of them"))
    let message = CertificateMessage(
      certificateList: identity.certificates,
      tls13: .init(context: request.context, extensions: identity.certificates.map { _ in [] }))
    try authenticate(
      message, identity.privateKey, identity.privateKeyName, scheme, random: configuration.random)
    return true
  }
}

/// The messages after the handshake (RFC 8446 section 4.6).
extension ClientHandshake13 {
  /// Stores a ticket. A lifetime of 0 means that the client discards it.
  mutating func store(_ ticket: NewSessionTicket13, _ parameters: ConnectionParameters) throws(HandshakeFailure) {
    try log.checkTicket13(ticket, nonces: ticketNonces)
    ticketNonces.append(ticket.nonce)
    guard let resumption = keys[.resumption], ticketNonces.count <= Self.mostTickets else { return }
    let psk = keys.functions.ticketPSK(resumption, nonce: ticket.nonce)
    let (names, number) = (names, ticketNonces.count)
    log.derive(names.ticketPSK(psk, nonce: ticket.nonce, number: number))
    guard ticket.lifetime > 0 else { return }
    log.add(
      .established(
        .tls13(
          Session13(
            id: ticket.ticket, psk: psk, pskName: names.name(.psk, number: number), parameters: parameters,
            established: configuration.now, lifetime: Int64(ticket.lifetime), ageAdd: ticket.ageAdd,
            maximumEarlyData: ticket.extensions.maximumEarlyData ?? 0))))
  }

  /// The maximum number of tickets that the client stores; it ignores further ones.
  private static let mostTickets = 64

  /// Takes the server's request for a certificate after the handshake.
  mutating func takeLater(
    _ request: CertificateRequest13, _ message: HandshakeMessage, _ parameters: ConnectionParameters
  ) throws(HandshakeFailure) -> State {
    try log.checkRequest13(request, isLater: true)
    transcript = mainTranscript
    transcript.append(message)
    self.request = request
    guard configuration.choosesIdentity else { return try authenticateLater(parameters) }
    log.add(.chooseIdentity(request.choice))
    return .awaitingLaterIdentity(parameters)
  }

  /// Answers a request after the handshake without a gap.
  mutating func authenticateLater(_ parameters: ConnectionParameters) throws(HandshakeFailure) -> State {
    let isAuthenticated = try request.map { (request) throws(HandshakeFailure) in try answer(request) } ?? false
    try sendFinished()
    return .connected(isAuthenticated ? parameters.withClientCertificate : parameters)
  }
}

extension ClientHello {
  /// Whether early data follows the hello.
  var sendsEarlyData: Bool { extensions?.contains(.earlyData) == true }
}

extension CertificateRequest13 {
  /// The request in the form in which the app chooses an identity: TLS 1.3 names no certificate types.
  var choice: CertificateRequestMessage {
    let algorithms = extensions.signatureAlgorithms ?? []
    return CertificateRequestMessage(
      certificateTypes: Set(algorithms.compactMap { $0.scheme?.keyKind.certificateType }).sorted(),
      supportedSignatureAlgorithms: algorithms, certificateAuthorities: extensions.certificateAuthorities ?? [])
  }
}

extension ClientIdentity {
  /// The first scheme in `schemes` that TLS 1.3 allows for this key and request; nil if none is suitable.
  func scheme13(for request: CertificateRequest13, among schemes: [SignatureScheme]) -> SignatureScheme? {
    let accepted = request.extensions.signatureAlgorithms ?? []
    return (signatureSchemes ?? schemes).first {
      $0.suits13(privateKey.publicKey) && accepted.contains(SignatureAndHashAlgorithm($0))
    }
  }
}
