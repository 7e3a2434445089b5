import Cryptography
import Explanation

/// Checks of a TLS 1.3 handshake that depend only on its messages.
extension EffectLog {
  /// Requires a condition for a field of `message` (RFC 8446, this section).
  mutating func require13(
    _ holds: Bool, _ section: String, on message: HandshakeType, _ alert: AlertDescription = .illegalParameter,
    required: @autoclosure () -> Detail, found: @autoclosure () -> Detail = .none
  ) throws(HandshakeFailure) {
    try check(
      Rule.illegalParameter.tls13(section), on: .handshake(message), holds, alert, required: required(),
      found: found())
  }

  /// Checks the offer of a client that supports TLS 1.3 (RFC 8446 sections 4.1.2 and 9.2).
  mutating func checkOffer13(_ hello: ClientHello) throws(HandshakeFailure) {
    let (message, extensions) = (HandshakeType.clientHello, hello.extensions ?? [])
    // RFC 9846 section 4.1.2, and appendix E.5 for SSL 3.0.
    try require13(
      hello.clientVersion == .tls12, "4.1.2", on: message,
      hello.clientVersion <= .sslv3 ? .protocolVersion : .illegalParameter,
      required: .word("legacy_version \(ProtocolVersion.tls12)"), found: .word(hello.clientVersion.description))
    try require13(
      hello.compressionMethods == [0], "4.1.2", on: message, required: .word("compression null"),
      found: .bytes(hello.compressionMethods))
    let groups = extensions.supportedGroups
    try require13(
      (groups == nil) == (extensions.keyShares == nil), "9.2", on: message, .missingExtension,
      required: .word("supported_groups together with key_share"),
      found: .words(extensions.map(\.type.name13)))
    let psks = extensions.preSharedKeys
    try require13(
      psks != nil || groups != nil && extensions.signatureAlgorithms != nil, "9.2", on: message, .missingExtension,
      required: .word("signature_algorithms and supported_groups, or pre_shared_key"),
      found: .words(extensions.map(\.type.name13)))
    try checkShares13(extensions.keyShares ?? [], among: groups ?? [])
    guard let psks else { return }
    try require13(
      extensions.last?.type == .preSharedKey, "4.2.11", on: message, required: .word("pre_shared_key at the end"),
      found: .words(extensions.map(\.type.name13)))
    try require13(
      psks.identities.count == psks.binders.count, "4.2.11", on: message,
      required: .number(psks.identities.count), found: .number(psks.binders.count))
    try require13(
      extensions.pskKeyExchangeModes != nil, "4.2.9", on: message, .missingExtension,
      required: .word("psk_key_exchange_modes"), found: .absent)
  }

  private mutating func checkShares13(
    _ shares: [KeyShareEntry], among groups: [NamedGroup]
  ) throws(HandshakeFailure) {
    let offered = shares.map(\.group)
    try require13(
      Set(offered).count == offered.count && offered.allSatisfy(groups.contains), "4.2.8", on: .clientHello,
      required: .anyOf(groups.map(\.description)), found: .words(offered.map(\.description)))
  }

  /// Checks the ClientHello that follows a HelloRetryRequest (RFC 8446 section 4.1.2).
  mutating func checkSecondOffer13(
    _ second: ClientHello, after first: ClientHello, _ retry: ServerHello
  ) throws(HandshakeFailure) {
    let extensions = second.extensions ?? []
    let isSame =
      second.random == first.random && second.sessionID == first.sessionID
      && second.cipherSuites == first.cipherSuites
    try require13(
      isSame, "4.1.2", on: .clientHello, required: .word("the random value, session ID and suites of the first hello"),
      found: .word(isSame ? "the same" : "others"))
    let changed = Set(first.fixedExtensions).symmetricDifference(second.fixedExtensions)
    try require13(
      changed.isEmpty, "4.1.2", on: .clientHello, required: .word("the extensions of the first hello"),
      found: .words(Set(changed.map(\.type.name13)).sorted()))
    if let group = retry.extensions?.selectedGroup {
      try require13(
        extensions.keyShares?.map(\.group) == [group], "4.2.8", on: .clientHello,
        required: .word("one key share: \(group)"),
        found: .words((extensions.keyShares ?? []).map(\.group.description)))
    }
    try require13(
      extensions.cookie == retry.extensions?.cookie, "4.2.2", on: .clientHello,
      required: retry.extensions?.cookie.map(Detail.bytes) ?? .absent,
      found: extensions.cookie.map(Detail.bytes) ?? .absent)
    try require13(
      !extensions.contains(.earlyData), "4.1.2", on: .clientHello, required: .word("no early_data"),
      found: extensions.contains(.earlyData) ? .word("early_data") : .absent)
  }

  /// Checks the fields that ServerHello and HelloRetryRequest have in common (RFC 8446 sections 4.1.3 and 4.1.4).
  mutating func checkChoice13(_ hello: ServerHello, of offer: ClientHello) throws(HandshakeFailure) {
    let message: HandshakeType = hello.isRetryRequest ? .helloRetryRequest : .serverHello
    try check(
      Rule.suiteNotOffered.tls13("4.1.3"), on: .handshake(message),
      offer.cipherSuites.contains(hello.cipherSuite) && hello.cipherSuite.isSelectable, .illegalParameter,
      required: .anyOf(offer.cipherSuites.filter(\.isSelectable).map(\.name)), found: .word(hello.cipherSuite.name))
    try check(
      Rule.suiteOfOtherVersion.tls13("B.4").fixed(by: Rule.suiteNotOffered.fix), on: .handshake(message),
      hello.cipherSuite.registration.map { $0.keyExchange == .tls13 } ?? true, .illegalParameter,
      required: .word("a suite of \(ProtocolVersion.tls13)"), found: .word(hello.cipherSuite.name))
    try require13(
      hello.serverVersion == .tls12, "4.1.3", on: message,
      required: .word("legacy_version \(ProtocolVersion.tls12)"), found: .word(hello.serverVersion.description))
    // Without a HelloRetryRequest, `ClientNegotiation` has checked this.
    if !hello.choosesTLS13 {
      try refuse(
        Rule.illegalParameter.tls13("4.1.4"), on: .handshake(message), .illegalParameter,
        required: .word("\(ProtocolVersion.tls13)"), found: .word("\(hello.selectedVersion)"))
    }
    try require13(
      hello.sessionID == offer.sessionID, "4.1.3", on: message, required: .bytes(offer.sessionID),
      found: .bytes(hello.sessionID))
    try require13(
      hello.compressionMethod == 0, "4.1.3", on: message, required: .word("compression null"),
      found: .number(Int(hello.compressionMethod)))
    try checkExtensions13(
      hello.extensions ?? [], in: hello.isRetryRequest ? .helloRetryRequest : .serverHello, of: offer, on: message)
  }

  /// Checks that a message contains only extensions that are defined for it, and that the other side offered (RFC 8446
  /// section 4.2). A cookie answers no offer.
  mutating func checkExtensions13(
    _ extensions: [Extension], in place: Extension.Place, of offer: ClientHello, on message: HandshakeType
  ) throws(HandshakeFailure) {
    let offered = Set((offer.extensions ?? []).map(\.type)).union([.cookie])
    let strange = extensions.map(\.type).filter { !offered.contains($0) || $0.rawValue.isGrease }
    try check(
      Rule.unsupportedExtension.tls13("4.2"), on: .handshake(message), strange.isEmpty, .unsupportedExtension,
      required: .anyOf(offered.map(\.name13).sorted()), found: .words(strange.map(\.name13)))
    guard let permitted = place.permitted13 else { return }
    let misplaced = extensions.map(\.type).filter { $0.isKnown13 && !permitted.contains($0) }
    try require13(
      misplaced.isEmpty, "4.2", on: message, required: .anyOf(permitted.map(\.name13).sorted()),
      found: .words(misplaced.map(\.name13)))
  }

  /// Checks the group that a HelloRetryRequest selects (RFC 8446 section 4.1.4): the client offered it without a share.
  mutating func checkRetry13(_ retry: ServerHello, of offer: ClientHello) throws(HandshakeFailure) {
    let (group, extensions) = (retry.extensions?.selectedGroup, offer.extensions ?? [])
    let isUseful = group.map { group in
      extensions.supportedGroups?.contains(group) == true
        && extensions.keyShares?.contains { $0.group == group } == false
    }
    try require13(
      isUseful ?? (retry.extensions?.cookie != nil), "4.1.4", on: .helloRetryRequest,
      required: .word("an offered group without a key share, or a cookie"),
      found: group.map { .word($0.description) } ?? .absent)
  }

  /// Checks the server's key share and pre-shared key (RFC 8446 sections 4.2.8 and 4.2.11).
  mutating func checkKeyExchange13(
    _ hello: ServerHello, of offer: ClientHello, after retry: ServerHello?
  ) throws(HandshakeFailure) {
    let (extensions, offered) = (hello.extensions ?? [], offer.extensions ?? [])
    if let retry {
      try require13(
        retry.cipherSuite == hello.cipherSuite, "4.1.4", on: .serverHello, required: .word(retry.cipherSuite.name),
        found: .word(hello.cipherSuite.name))
    }
    if let share = extensions.keyShare {
      let groups = (offered.keyShares ?? []).map(\.group)
      try require13(
        groups.contains(share.group), "4.2.8", on: .serverHello, required: .anyOf(groups.map(\.description)),
        found: .word(share.group.description))
    }
    if let index = extensions.selectedIdentity {
      let count = offered.preSharedKeys?.identities.count ?? 0
      try require13(
        index < count, "4.2.11", on: .serverHello, required: .word("one of \(count) identities"),
        found: .number(Int(index)))
    }
    let modes = extensions.selectedIdentity == nil ? [] : offered.pskKeyExchangeModes ?? []
    try require13(
      extensions.keyShare != nil || modes.contains(0), "4.2.9", on: .serverHello,
      extensions.selectedIdentity == nil ? .missingExtension : .illegalParameter,
      required: .word("key_share, or pre_shared_key with psk_ke"), found: .words(extensions.map(\.type.name13)))
  }

  /// Checks the protocol that the server selected (RFC 7301 section 3.1).
  mutating func checkApplicationProtocol13(
    _ chosen: [ApplicationProtocol]?, of offer: ClientHello
  ) throws(HandshakeFailure) {
    guard let chosen else { return }
    let offered = offer.extensions?.applicationProtocols ?? []
    try check(
      Rule.illegalParameter.citing(.rfc(7301, "3.1")), on: .handshake(.encryptedExtensions),
      chosen.count == 1 && chosen.allSatisfy(offered.contains), .illegalParameter,
      required: .anyOf(offered.map(\.description)), found: .words(chosen.map(\.description)))
  }

  /// Checks a Certificate message: a server has a certificate, and the context is that of the request (RFC 8446 section
  /// 4.4.2).
  mutating func checkCertificate13(
    _ message: CertificateMessage, of side: Side, context: [UInt8], offer: [Extension]? = nil
  ) throws(HandshakeFailure) {
    if side == .server {
      try check(
        Rule.decodeError.tls13("4.4.2.4"), on: .handshake(.certificate), !message.certificateList.isEmpty,
        .decodeError, required: .atLeast(.number(1)), found: .number(message.certificateList.count))
    }
    try require13(
      message.tls13?.context == context, "4.4.2", on: .certificate, required: .bytes(context),
      found: .bytes(message.tls13?.context ?? []))
    var permitted = Extension.Place.certificateEntry.permitted13 ?? []
    if let offer { permitted.formIntersection(offer.map(\.type)) }
    let strange = (message.tls13?.extensions ?? []).flatMap(\.self).map(\.type).filter { !permitted.contains($0) }
    try check(
      Rule.unsupportedExtension.tls13("4.4.2"), on: .handshake(.certificate), strange.isEmpty, .unsupportedExtension,
      required: .anyOf(permitted.map(\.name13).sorted()), found: .words(strange.map(\.name13)))
  }

  /// Checks the scheme and the signature of CertificateVerify (RFC 8446 section 4.4.3).
  mutating func checkCertificateVerify13(
    _ signed: DigitallySigned, by side: Side, _ key: PublicKey, accepting schemes: [SignatureAndHashAlgorithm]?,
    transcriptHash: [UInt8]
  ) throws(HandshakeFailure) {
    let scheme = signed.algorithm?.scheme
    let isAccepted = signed.algorithm.map { schemes?.contains($0) ?? true } ?? false
    try check(
      .noCommonSignatureScheme13, on: .handshake(.certificateVerify),
      isAccepted && scheme?.suits13(key) == true, .illegalParameter,
      required: .anyOf((schemes ?? []).filter { $0.scheme?.suits13(key) == true }.map(\.description)),
      found: .word(signed.algorithm?.description ?? "no algorithm"))
    let fault = signed.fault(over: CertificateVerify.signedContent13(by: side, transcriptHash: transcriptHash), by: key)
    try check(
      side == .server ? .badSignature13 : .badCertificateVerify13, on: .handshake(.certificateVerify), fault == nil,
      .decryptError, required: .word("\(signed.name(by: key)) by the certificate's key"),
      found: fault.map(Detail.word) ?? .none)
  }

  /// Checks that Finished covers the messages before it (RFC 8446 section 4.4.4).
  mutating func checkFinished13(_ finished: Finished, _ expected: [UInt8]) throws(HandshakeFailure) {
    try check(
      .finishedMismatch13, on: .handshake(.finished), ConstantTime.difference(finished.verifyData, expected) == 0,
      .decryptError, required: .bytes(expected), found: .bytes(finished.verifyData))
  }

  /// Checks a CertificateRequest (RFC 8446 section 4.3.2). Only after the handshake, it has a context.
  mutating func checkRequest13(_ request: CertificateRequest13, isLater: Bool) throws(HandshakeFailure) {
    try require13(
      request.context.isEmpty != isLater, "4.3.2", on: .certificateRequest,
      required: .word(isLater ? "a context" : "an empty context"), found: .bytes(request.context))
    try require13(
      request.extensions.signatureAlgorithms != nil, "4.3.2", on: .certificateRequest, .missingExtension,
      required: .word("signature_algorithms"), found: .absent)
  }

  /// Checks a ticket: its lifetime, and that its nonce is new (RFC 8446 section 4.6.1).
  mutating func checkTicket13(_ ticket: NewSessionTicket13, nonces: [[UInt8]]) throws(HandshakeFailure) {
    try require13(
      ticket.lifetime <= NewSessionTicket13.maximumLifetime, "4.6.1", on: .newSessionTicket,
      required: .atMost(.seconds(Int64(NewSessionTicket13.maximumLifetime))), found: .seconds(Int64(ticket.lifetime)))
    try require13(
      !nonces.contains(ticket.nonce), "4.6.1", on: .newSessionTicket, required: .word("a nonce of its own"),
      found: .bytes(ticket.nonce))
  }

  /// Checks the limit in record_size_limit (RFC 8449 section 4).
  mutating func checkRecordSizeLimit(_ limit: UInt16, on message: HandshakeType) throws(HandshakeFailure) {
    let allowed = 64...(Record.maximumPlaintext + 1)
    try check(
      Rule.illegalParameter.citing(.rfc(8449, "4")), on: .handshake(message), allowed.contains(Int(limit)),
      .illegalParameter, required: .word("a limit from 64 to 2^14 + 1"), found: .number(Int(limit)))
  }

  /// The failure for a certificate whose key cannot sign.
  func unusableKey(_ key: PublicKey) -> HandshakeFailure {
    failure(
      .keyTypeMismatch, on: .handshake(.certificate), .unsupportedCertificate, required: .word("a key that signs"),
      found: .word(key.algorithmName))
  }

  /// Handles an alert. All alerts except `close_notify` and `user_canceled` are fatal (RFC 8446 section 6).
  mutating func receive13(_ alert: Alert, isConnected: Bool) throws(HandshakeFailure) {
    switch alert.description {
    case .closeNotify where !isConnected:
      try refuse(
        Rule.closedEarly.tls13("6.1"), .closeNotify, required: .word("a complete handshake"),
        found: .word("\(alert.description)"), isOwn: false)
    case .closeNotify, .userCanceled: break
    default:
      try refuse(
        Rule.fatalAlert.tls13("6.2"), alert.description, found: .word("\(alert.description)"), isOwn: false)
    }
  }
}

extension ExtensionType {
  /// Whether a specification says in which messages of TLS 1.3 the extension may be. Those of older versions are in
  /// none of the server's messages.
  fileprivate var isKnown13: Bool {
    [
      .serverName, .maxFragmentLength, .statusRequest, .supportedGroups, .signatureAlgorithms, .useSRTP, .heartbeat,
      .applicationProtocols, .signedCertificateTimestamp, .clientCertificateType, .serverCertificateType, .padding,
      .compressCertificate, .recordSizeLimit, .preSharedKey, .earlyData, .supportedVersions, .cookie,
      .pskKeyExchangeModes, .certificateAuthorities, .oidFilters, .postHandshakeAuth,
      .certificateSignatureAlgorithms, .keyShare, .ecPointFormats, .encryptThenMAC, .extendedMasterSecret,
      .sessionTicket, .renegotiationInfo,
    ].contains(self)
  }
}

extension ClientHello {
  /// The extensions that must be the same in the ClientHello after a HelloRetryRequest (RFC 8446 section 4.1.2).
  fileprivate var fixedExtensions: [Extension] {
    (extensions ?? []).filter { ![.keyShare, .earlyData, .cookie, .preSharedKey, .padding].contains($0.type) }
  }
}
