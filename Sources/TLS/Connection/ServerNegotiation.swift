import Cryptography
import Explanation

/// A server until the client's offer determines the version: RFC 5246 appendix E.1, RFC 8446 appendix D.2.
///
/// ```
/// ClientHello                  -------->
/// ```
struct ServerNegotiation: HandshakeMachine {
  enum State: HandshakeState {
    case awaitingClientHello
    /// The server has selected a version that it supports.
    case settled(ProtocolVersion)
    case closed

    var phase: HandshakePhase { if case .closed = self { .closed } else { .negotiating } }
  }

  static let side = Side.server
  var state: State = .awaitingClientHello
  /// The server's settings.
  var configuration: ServerConfiguration { _read { yield boxed.value } }
  private let boxed: Boxed<ServerConfiguration>
  var log: EffectLog

  init(_ configuration: ServerConfiguration) {
    boxed = Boxed(configuration)
    log = EffectLog(configuration)
  }

  var expected: [Event.Kind] {
    if case .awaitingClientHello = state { MessageOrder12().expected(from: .client) } else { [] }
  }

  var successor: (any HandshakeMachine)? {
    guard case .settled(let version) = state else { return nil }
    return version == .tls13 ? ServerHandshake13(boxed.value) : ServerHandshake12(boxed, version)
  }

  mutating func transition(_ event: Event) throws(HandshakeFailure) -> State {
    switch (state, event) {
    case (.awaitingClientHello, .handshake(.clientHello(let offer), _)):  //     ClientHello -------->
      return .settled(try chooseVersion(configuration.decisions.reads?(offer, configuration) ?? offer))
    case (_, .recordFailed(let failure)): throw failure
    default:
      if configuration.decisions.accepts(expected, event) != .none { return state }
      try log.handleUnexpected(event, expected: expected, isConnected: false)
      return state
    }
  }

  /// Selects the newest common version, and refuses an unnecessary fallback (RFC 7507).
  private mutating func chooseVersion(_ offer: ClientHello) throws(HandshakeFailure) -> ProtocolVersion {
    let own = configuration.supportedVersions
    let version = configuration.newestVersion(offer)
    try log.check(
      .noCommonVersion, version != nil, .protocolVersion, required: .anyOf(own.map(\.description)),
      found: offer.extensions?.supportedVersions.map { .words($0.filter { !$0.rawValue.isGrease }.map(\.description)) }
        ?? .atMost(.word(offer.clientVersion.description)))
    if version != nil, let newest = own.last, configuration.honoursFallbackSignal,
      offer.cipherSuites.contains(.fallback)
    {
      let offered = max(offer.clientVersion, offer.offeredVersions.filter { $0 <= .tls13 }.max() ?? .sslv3)
      try log.check(
        .inappropriateFallback, newest <= offered, .inappropriateFallback,
        required: .atLeast(.word(newest.description)), found: .word(offered.description))
    }
    guard let version else { throw log.failure(.noCommonVersion, .protocolVersion) }
    return version
  }
}

extension ServerConfiguration {
  func newestVersion(_ offer: ClientHello) -> ProtocolVersion? {
    let offered = offer.offeredVersions
    return supportedVersions.last(where: offered.contains)
  }

  /// The versions that the server supports, oldest first.
  ///
  /// TrustLab does not model client authentication in SSL 3.0 (RFC 6101 section 5.6.8). A server that requests a client
  /// certificate therefore does not support SSL 3.0.
  fileprivate var supportedVersions: [ProtocolVersion] {
    let asks = [clientAuthentication, renegotiatedClientAuthentication].contains {
      $0 != nil && $0 != ClientAuthentication.none
    }
    return ProtocolVersion.known.filter {
      versions.contains($0) && !versionsLeftOut.contains($0) && ($0 > .sslv3 || !asks)
        && ($0 < .tls13 || cipherSuites.contains { $0.keyExchange == .tls13 })
    }
  }

  /// The ServerHello (RFC 5246 section 7.4.1.3). When a session is resumed, it omits server_name (RFC 6066 section 3),
  /// and repeats ec_point_formats.
  func serverHello(
    _ suite: CipherSuite, _ version: ProtocolVersion, _ offer: ClientHello, sessionID: [UInt8] = [],
    isResumed: Bool = false, givesTicket: Bool = false
  ) -> ServerHello {
    let offered = (offer.extensions ?? []).map(\.type)
    var answers: [Extension] = []
    if offered.contains(.serverName), !isResumed { answers.append(.serverName(nil)) }
    if suite.usesGroups, offered.contains(.ecPointFormats), !isResumed { answers.append(.ecPointFormats([0])) }
    if agreesToFragmentLength, let code = offer.extensions?.fragmentLengthCode {
      answers.append(.maxFragmentLength(code))
    }
    if !isResumed, staples(offer) { answers.append(.statusRequest([])) }
    if !isResumed, offered.contains(.signedCertificateTimestamp), let list = credentials.sctList {
      answers.append(.signedCertificateTimestamps(list))
    }
    if givesTicket { answers.append(.sessionTicket([])) }
    if let chosen = applicationProtocol(offer) { answers.append(.applicationProtocols([chosen])) }
    if let row = suite.registration {
      answers += [.encryptThenMAC, .extendedMasterSecret].filter { agrees(to: $0.type, offer, row) }
    }
    if let bound {
      answers.append(.renegotiationInfo(bound.client + bound.server))
    } else if offer.supportsSecureRenegotiation, renegotiation != .insecure {
      answers.append(.renegotiationInfo([]))
    }
    return ServerHello(
      serverVersion: version, random: serverRandom(agreeingOn: version), sessionID: sessionID,
      cipherSuite: suite, extensions: answers.isEmpty ? nil : answers)
  }

  /// The server's random value.
  ///
  /// If a server that supports a newer version selects an older one, the value ends with a sentinel (RFC 8446 section
  /// 4.1.3). A random value that a scenario sets is not changed.
  private func serverRandom(agreeingOn version: ProtocolVersion) -> [UInt8] {
    let drawn = random.bytes(for: ValueName(.random, of: .server), count: 32)
    let newest = supportedVersions.last ?? version
    guard newest >= .tls12, version < newest, random.overrides[ValueName(.random, of: .server)] == nil else {
      return drawn
    }
    return drawn.dropLast(DowngradeSentinel.length)
      + (version == .tls12 ? DowngradeSentinel.tls12 : DowngradeSentinel.older)
  }

  /// Whether the server staples an OCSP response for this client.
  func staples(_ offer: ClientHello) -> Bool {
    credentials.ocspResponse != nil && offer.extensions?.asksForStatus == true
  }

  /// `client_random` and `server_random`.
  func randoms(_ offer: ClientHello, _ hello: ServerHello) -> [Value] {
    let names = valueScope
    return [
      names.value(.random, of: .client, offer.random, .published),
      names.value(.random, of: .server, hello.random, .generated(by: party), .published),
    ]
  }

  /// Whether both sides support an extension without content. `encrypt_then_mac` applies only to CBC ciphers (RFC 7366
  /// section 3).
  func agrees(to type: ExtensionType, _ offer: ClientHello, _ suite: CipherSuite.Registration) -> Bool {
    guard offer.extensions?.contains(where: { $0.type == type }) == true else { return false }
    switch type {
    case .extendedMasterSecret: return extendedMasterSecret
    case .encryptThenMAC: return encryptThenMAC && suite.cipher.blockLength != nil
    default: return false
    }
  }

  /// The application protocol that the server prefers (RFC 7301 section 3.2). Nil if the sides have none in common, or
  /// if one side lists none.
  func applicationProtocol(_ offer: ClientHello) -> ApplicationProtocol? {
    let offered = offer.extensions?.applicationProtocols ?? []
    return applicationProtocols.first(where: offered.contains)
  }

  /// Whether both sides list application protocols, so that they must have one in common.
  func namesProtocols(_ offer: ClientHello) -> Bool {
    !applicationProtocols.isEmpty && offer.extensions?.applicationProtocols != nil
  }
}
