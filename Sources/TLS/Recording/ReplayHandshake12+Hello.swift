import Cryptography
import Explanation

extension ReplayHandshake12 {
  mutating func take(_ offer: ClientHello) -> State {
    derive([names.value("client_random", offer.random, .generated(by: .client), .published)], by: .client)
    return .awaitingServerHello(offer)
  }

  /// RFC 5246 section 7.4.1.3: what the client must hold against the server's choice.
  mutating func accept(_ hello: ServerHello, of offer: ClientHello) throws(HandshakeFailure) -> State {
    derive([names.value("server_random", hello.random, .generated(by: .server), .published)], by: .server)
    let version = hello.extensions?.supportedVersions?.first ?? hello.serverVersion
    try log.check(
      .noCommonVersion, offer.offeredVersions.contains(version), .protocolVersion,
      required: .anyOf(offer.offeredVersions.map(\.description)), found: .word(version.description))
    guard version == .tls12 else {
      throw log.failure(
        .versionNotImplemented, .protocolVersion, required: .word("TLSv1.2"), found: .word(version.description))
    }
    try log.checkChoice(hello, of: offer)
    return .awaitingCertificate(Choice(offer: offer, hello: hello))
  }

  /// RFC 5246 section 7.4.2. Whether the certificates are to be trusted is not asked here, only for the key in the first.
  mutating func take(_ message: CertificateMessage, _ choice: Choice) throws(HandshakeFailure) -> State {
    guard let leaf = message.certificateList.first else {
      throw log.failure(
        .illegalParameter, on: .message("Certificate"), .illegalParameter, required: .atLeast(.number(1)),
        found: .number(0))
    }
    let key = configuration.publicKey(leaf)
    if let key, let required = choice.suite.keyKind {
      try log.check(
        .keyTypeMismatch, on: .message("Certificate"), key.keyKind == required, .unsupportedCertificate,
        required: .word(required.rawValue), found: .word(key.algorithmName))
    }
    if let key, let given = configuration.secrets.serverKey {
      try log.check(
        .foreignKey, on: .message("Certificate"), given.publicKey == key, .internalError,
        required: .word("the private key of the certificate"), found: .word(given.publicKey.algorithmName))
    }
    let exchange = Exchange(choice: choice, publicKey: key)
    switch choice.suite.keyExchange {
    case .rsa: return .awaitingServerHelloDone(exchange)
    default: return .awaitingServerKeyExchange(exchange)
    }
  }

  /// RFC 5246 section 7.4.3, RFC 8422 section 5.4.
  mutating func verify(_ message: ServerKeyExchange, _ exchange: Exchange) throws(HandshakeFailure) -> State {
    var exchange = exchange
    let offer = exchange.choice.offer
    guard case .ecdhe(let signed) = message else {
      note(.badSignature, on: "ServerKeyExchange", required: "a key exchange that is implemented")
      return .awaitingServerHelloDone(exchange)
    }
    deriveShare(signed.parameters.publicKey, signed.parameters.group, of: .server)
    if let groups = offer.extensions?.supportedGroups {
      try log.check(
        .noCommonGroup, on: .message("ServerKeyExchange"), groups.contains(signed.parameters.group),
        .illegalParameter, required: .anyOf(groups.map(\.description)),
        found: .word(signed.parameters.group.description))
    }
    if let algorithms = offer.extensions?.signatureAlgorithms {
      try log.check(
        .noCommonSignatureScheme, on: .message("ServerKeyExchange"), algorithms.contains(signed.algorithm),
        .illegalParameter, required: .anyOf(algorithms.map(\.description)), found: .word(signed.algorithm.description))
    }
    if let key = exchange.publicKey {
      try log.checkSignature(
        of: signed, by: key, clientRandom: offer.random, serverRandom: exchange.choice.hello.random)
    } else {
      note(.badSignature, on: "ServerKeyExchange", required: "the key in the certificate")
    }
    exchange.signed = signed
    return .awaitingServerHelloDone(exchange)
  }

  /// `SIDE_ecdh_public`, and that only its side has the private half.
  mutating func deriveShare(_ publicKey: [UInt8], _ group: NamedGroup, of side: Side) {
    derive(
      [
        names.value("\(side)_ecdh_private", [], .generated(by: side.party)),
        names.value(
          "\(side)_ecdh_public", publicKey, names.computed("\(group) base point", from: ["\(side)_ecdh_private"]),
          .published),
      ], by: side)
  }

  /// A rule that could not be held.
  mutating func note(_ rule: Rule, on message: String, required: String) {
    log.add(
      .found(
        configuration.enforcement.note(
          rule, on: .message(message), .notEvaluated, required: .word(required), found: .absent)))
  }
}

extension Side {
  /// The side as one who can know a value.
  var party: Party { self == .client ? .client : .server }
}

extension HandshakeType {
  /// `new_session_ticket(4)`: RFC 5077 section 3.3.
  static let newSessionTicket = HandshakeType(rawValue: 4)
  /// `certificate_status(22)`: RFC 6066 section 8.
  static let certificateStatus = HandshakeType(rawValue: 22)
}

extension ExtensionType {
  /// `status_request`: RFC 6066 section 8.
  static let statusRequest = ExtensionType(rawValue: 5)
  /// `session_ticket`: RFC 5077 section 3.2.
  static let sessionTicket = ExtensionType(rawValue: 35)
}
