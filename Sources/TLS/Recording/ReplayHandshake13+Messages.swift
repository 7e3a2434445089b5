import Cryptography
import Explanation

/// The hellos, which are in the clear (RFC 8446 sections 4.1 and 7.1).
extension ReplayHandshake13 {
  mutating func take(_ hello: ClientHello, _ message: HandshakeMessage) throws(HandshakeFailure) {
    if let first = offer, let retry {
      firstOffer = first
      try log.checkSecondOffer13(hello, after: first, retry)
    } else {
      derive([names.value(.random, of: .client, hello.random, .generated(by: .client), .published)], by: .client)
    }
    offer = hello
    deriveClientShare()
    transcript.append(message)
    try log.checkOffer13(hello)
    acceptedSchemes[.client] = hello.extensions?.signatureAlgorithms
    acceptedCompression[.client] = hello.extensions?.certificateCompression
    if hello.extensions?.contains(.postHandshakeAuth) == true { order.terms.insert(.postHandshakeAuthentication) }
    if hello.extensions?.contains(.earlyData) == true { startEarlyData() }
  }

  /// Records the client's key of the group that the server selects, once that group is known.
  private mutating func deriveClientShare() {
    guard let entry = offer?.extensions?.keyShares?.first(where: { $0.group == group }) else { return }
    derive(entry, of: .client)
  }

  private mutating func derive(_ entry: KeyShareEntry, of side: Side) {
    derive(
      [
        names.value(.ecdhPrivate, of: side, [], .generated(by: side.party)),
        names.ecdhPublic(of: side, entry.keyExchange, entry.group),
      ], by: side)
  }

  private mutating func startEarlyData() {
    let (secret, exporter) = (recorded(.clientEarlyTraffic), recorded(.earlyExporter))
    derivePSK()
    if let secret { deriveScheduled(.clientEarlyTraffic, secret) }
    if let exporter { deriveScheduled(.earlyExporter, exporter) }
    change(.client, .protect(protection(TrafficEpoch(.client, .early), secret)))
  }

  /// Adds an EndOfEarlyData that could not be decrypted. It has no content, so that its bytes are known.
  mutating func endEarlyData() {
    guard order.expected(from: .client) == [.endOfEarlyData], let message = try? HandshakeMessage(.endOfEarlyData)
    else { return }
    _ = order.advance(past: .endOfEarlyData, from: .client)
    transcript.append(message)
  }

  mutating func requestRetry(_ hello: ServerHello, _ message: HandshakeMessage) throws(HandshakeFailure) {
    guard let offer else { return }
    try log.checkChoice13(hello, of: offer)
    try log.checkRetry13(hello, of: offer)
    retry = hello
    order.terms.insert(.retry)
    if let hash { transcript.replaceWithHash(hash) }
    transcript.append(message)
    change(.client, .await(.none))
  }

  /// Performs the client's checks of the server's choice, and starts the protection of both directions.
  mutating func accept(_ hello: ServerHello, _ message: HandshakeMessage) throws(HandshakeFailure) {
    guard let offer else { return }
    derive([names.value(.random, of: .server, hello.random, .generated(by: .server), .published)], by: .server)
    // After a HelloRetryRequest with only a cookie, this is the first message that names the group.
    let isFirst = group == nil
    answer = hello
    if isFirst { deriveClientShare() }
    try log.checkChoice13(hello, of: offer)
    guard hash != nil else { throw ReplayHandshake12.notModelled(hello.cipherSuite, configuration) }
    try log.checkKeyExchange13(hello, of: offer, after: retry)
    transcript.append(message)
    if hello.extensions?.selectedIdentity == nil { order.terms.insert(.authentication) }
    deriveSharedSecret(hello, offer)
    for side in Side.allCases { startHandshakeProtection(of: side) }
  }

  private mutating func startHandshakeProtection(of side: Side) {
    let (handshake, application) = (ScheduledSecret.handshakeTraffic(of: side), recorded(.applicationTraffic(of: side)))
    let (epoch, secret) = (TrafficEpoch(side, .handshake), recorded(handshake))
    if let secret {
      deriveScheduled(handshake, secret)
      trafficSecrets[side] = (epoch, secret)
    } else {
      order.hidden.insert(side)
    }
    let isEarly = side == .client && retry == nil && offer?.extensions?.contains(.earlyData) == true
    change(side, isEarly ? .await(protection(epoch, secret)) : .protect(protection(epoch, secret)))
    guard secret == nil, let application else { return }
    // Without the handshake's secret, the records of the application phase are recognized by opening them.
    let next = TrafficEpoch(side, .application(generation: 0))
    deriveScheduled(.applicationTraffic(of: side), application)
    trafficSecrets[side] = (next, application)
    change(side, .await(protection(next, application)))
  }

  /// Records `shared_secret` and the secrets that follow from it, whose bytes no key log contains.
  private mutating func deriveSharedSecret(_ hello: ServerHello, _ offer: ClientHello) {
    var inputs: [ValueName] = []
    if hello.extensions?.selectedIdentity != nil {
      derivePSK()
      inputs.append(names.name(.earlySecret))
    }
    if let share = hello.extensions?.keyShare {
      derive(share, of: .server)
      let agreements = Side.allCases.map { names.ecdhAgreement(of: $0, share.group) }
      derive([Value(names.name(.sharedSecret), [], derivations: agreements)])
      inputs.append(names.name(.sharedSecret))
    }
    derive([
      names.value(.handshakeSecret, [], .computed(.hkdfExtract, from: inputs)),
      names.value(.masterSecret, [], .computed(.hkdfExtract, from: [names.name(.handshakeSecret)])),
    ])
  }

  private mutating func derivePSK() {
    derive([
      names.value(.psk, [], .generated(by: .client), .generated(by: .server)),
      names.value(.earlySecret, [], .computed(.hkdfExtract, from: [names.name(.psk)])),
    ])
  }

  /// Records a secret of the key log as both sides computed it.
  mutating func deriveScheduled(_ secret: ScheduledSecret, _ bytes: [UInt8]) {
    guard let hash else { return }
    // A coverage that the transcript does not have, because messages are hidden, has no hash.
    let isKnown = order.hidden.isEmpty || [.clientHello, .serverHello].contains(secret.coverage)
    derive(
      isKnown
        ? names.values(secret, bytes, transcriptHash: transcript.digest(hash))
        : [
          names.value(
            secret.kind, of: secret.side, bytes,
            .computed(.hkdfExpandLabel(secret.label), from: [names.name(secret.stage.kind)]))
        ])
  }
}

/// The messages that authenticate a side (RFC 8446 sections 4.3 and 4.4).
extension ReplayHandshake13 {
  /// Whether all messages that CertificateVerify and Finished of `side` cover were decrypted.
  private func isTranscriptKnown(to side: Side) -> Bool { side == .server || order.hidden.isEmpty }

  mutating func take(_ message: EncryptedExtensions, _ whole: HandshakeMessage) throws(HandshakeFailure) {
    guard let offer else { return }
    transcript.append(whole)
    encryptedExtensions = message.extensions
    try log.checkExtensions13(message.extensions, in: .encryptedExtensions, of: offer, on: .encryptedExtensions)
    try log.checkApplicationProtocol13(message.extensions.applicationProtocols, of: offer)
    guard message.extensions.contains(.earlyData) else { return }
    try log.require13(
      answer?.extensions?.selectedIdentity == 0, "4.2.10", on: .encryptedExtensions,
      required: .word("early data only with the first pre-shared key"),
      found: (answer?.extensions?.selectedIdentity).map { .number(Int($0)) } ?? .absent)
    order.terms.insert(.earlyData)
  }

  mutating func take(_ request: CertificateRequest13, _ message: HandshakeMessage) throws(HandshakeFailure) {
    if let mainTranscript { transcript = mainTranscript }
    transcript.append(message)
    requestContext = request.context
    try log.checkRequest13(request, isLater: order.isOver)
    acceptedSchemes[.server] = request.extensions.signatureAlgorithms
    acceptedCompression[.server] = request.extensions.certificateCompression
    order.terms.insert(.request)
  }

  mutating func take(
    _ message: CertificateMessage, _ whole: HandshakeMessage, _ side: Side
  ) throws(HandshakeFailure) {
    transcript.append(whole)
    try show(message, side)
  }

  private mutating func show(_ message: CertificateMessage, _ side: Side) throws(HandshakeFailure) {
    try log.checkCertificate13(message, of: side, context: side == .server ? [] : requestContext)
    if side == .client, !message.certificateList.isEmpty {
      hasClientCertificate = true
      order.terms.insert(.clientCertificate)
    }
    publicKeys[side] = message.certificateList.first.flatMap(configuration.publicKey)
  }

  mutating func take(
    _ message: CompressedCertificate, _ whole: HandshakeMessage, _ side: Side
  ) throws(HandshakeFailure) {
    transcript.append(whole)
    let accepted = acceptedCompression[side.peer] ?? []
    guard message.algorithm == .zlib || !accepted.contains(message.algorithm) else {
      publicKeys[side] = nil
      return note(.decodeError.citing(.rfc(8879, "4")), on: .compressedCertificate, required: "zlib")
    }
    try show(try log.decompress(message, accepting: accepted), side)
  }

  mutating func check(
    _ verify: CertificateVerify, _ message: HandshakeMessage, _ side: Side
  ) throws(HandshakeFailure) {
    if side == .server { signatureAlgorithm = verify.signed.algorithm }
    if case .unsupported(let key)? = publicKeys[side] {
      noteUnsupported(key, side)
    } else if let key = publicKeys[side], let hash, isTranscriptKnown(to: side) {
      try log.checkCertificateVerify13(
        verify.signed, by: side, key, accepting: acceptedSchemes[side.peer], transcriptHash: transcript.digest(hash))
    } else {
      note(
        side == .server ? .badSignature13 : .badCertificateVerify13, on: .certificateVerify,
        required: "the key in the certificate")
    }
    transcript.append(message)
  }

  /// Records that the signature was not checked, because TrustLab does not implement the algorithm of the key.
  private mutating func noteUnsupported(_ key: UnsupportedPublicKey, _ side: Side) {
    log.add(
      .found(
        configuration.enforcement.note(
          side == .server ? .badSignature13 : .badCertificateVerify13, on: .handshake(.certificateVerify),
          .notEvaluated, required: .word("a key whose algorithm TrustLab implements"),
          found: .word(PublicKey.unsupported(key).algorithmName))))
  }

  /// Checks Finished, and starts the protection that follows it.
  mutating func check(_ finished: Finished, _ message: HandshakeMessage, _ side: Side) throws(HandshakeFailure) {
    if let (epoch, secret) = trafficSecrets[side], let hash, isTranscriptKnown(to: side) {
      let functions = ExpandLabel(hash)
      let expected = functions.verifyData(secret, transcriptHash: transcript.digest(hash))
      derive(
        names.finished(epoch, finishedKey: functions.finishedKey(secret), verifyData: expected), by: side)
      try log.checkFinished13(finished, expected)
    } else {
      note(.finishedMismatch13, on: .finished, required: "all messages of the handshake")
    }
    transcript.append(message)
    if order.isOver { return }
    if side == .server, let exporter = recorded(.exporter) { deriveScheduled(.exporter, exporter) }
    startApplicationProtection(of: side)
    if side == .client { complete() }
  }

  private mutating func startApplicationProtection(of side: Side) {
    let (name, epoch) = (
      ScheduledSecret.applicationTraffic(of: side), TrafficEpoch(side, .application(generation: 0))
    )
    let secret = recorded(name)
    // Both secrets cover the messages up to the server's Finished.
    let isHidden = order.hidden.contains(.server)
    for name in [ScheduledSecret.serverApplicationTraffic, .clientApplicationTraffic] {
      if let secret = recorded(name), isHidden ? name.side == side : side == .server { deriveScheduled(name, secret) }
    }
    trafficSecrets[side] = secret.map { (epoch, $0) }
    change(side, .protect(protection(epoch, secret)))
  }

  private mutating func complete() {
    mainTranscript = transcript
    if let parameters, order.hidden.isEmpty { log.add(.connected(parameters)) }
  }
}

/// The messages after the handshake (RFC 8446 section 4.6).
extension ReplayHandshake13 {
  mutating func take(_ ticket: NewSessionTicket13) throws(HandshakeFailure) {
    try log.checkTicket13(ticket, nonces: ticketNonces)
    ticketNonces.append(ticket.nonce)
    derive(
      [
        Value(
          names.name(.sessionTicket, number: ticketNonces.count), ticket.ticket, .generated(by: .server), .published)
      ], by: .server)
  }

  /// Switches to the next traffic secret, which follows from the current one (section 7.2).
  mutating func take(_ update: KeyUpdate, _ side: Side) throws(HandshakeFailure) {
    try log.require13(
      update.request <= 1, "4.6.3", on: .keyUpdate, required: .anyOf(["0", "1"]),
      found: .number(Int(update.request)))
    guard let (epoch, secret) = trafficSecrets[side], let hash, let next = epoch.next else { return }
    let bytes = ExpandLabel(hash).nextTrafficSecret(secret)
    derive([names.nextTrafficSecret(after: epoch, bytes)].compactMap(\.self))
    trafficSecrets[side] = (next, bytes)
    change(side, .protect(protection(next, bytes)))
  }
}
