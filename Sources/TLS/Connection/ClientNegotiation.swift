import Cryptography
import Explanation

/// A client until the server's reply determines the version: RFC 5246 section 7.4.1 and appendix E.1, RFC 8446 appendix
/// D.1.
///
/// ```
/// ClientHello                  -------->
///                              <--------          ServerHello
/// ```
struct ClientNegotiation: HandshakeMachine {
  enum State: HandshakeState {
    case idle
    case awaitingServerHello(ClientHello)
    /// The server has selected a version that the client accepts and supports.
    case settled(ProtocolVersion, ClientHello)
    case closed

    var phase: HandshakePhase { if case .closed = self { .closed } else { .negotiating } }
  }

  static let side = Side.client
  var state: State = .idle
  /// The configuration of the client.
  let configuration: ClientConfiguration
  private var transcript = Transcript()
  private var order = MessageOrder12()
  /// The ephemeral keys of the shares in the offer.
  private var shares: [ClientKeyShare] = []
  var log: EffectLog

  init(_ configuration: ClientConfiguration) {
    self.configuration = configuration
    log = EffectLog(configuration)
  }

  var expected: [Event.Kind] {
    switch state {
    case .idle: [.start]
    case .awaitingServerHello: order.expected(from: .server)
    case .settled, .closed: []
    }
  }

  var successor: (any HandshakeMachine)? {
    guard case .settled(let version, let offer) = state else { return nil }
    return version == .tls13
      ? ClientHandshake13(configuration, offer: offer, shares, transcript)
      : ClientHandshake12(configuration, offer: offer, shares.compactMap(\.single), transcript, order)
  }

  mutating func transition(_ event: Event) throws(HandshakeFailure) -> State {
    switch (state, event) {
    case (.idle, .start):  //                                                      ClientHello  -------->
      return .awaitingServerHello(try sendClientHello())
    case (.awaitingServerHello(let offer), .handshake(.serverHello(let hello), _)):  //   <-- ServerHello
      return .settled(try checkVersion(hello, offer), offer)
    case (.awaitingServerHello, .handshake(.helloRequest, _)):
      return state  // ignored while negotiating: section 7.4.1.1
    case (_, .recordFailed(let failure)): throw failure
    default:
      if configuration.decisions.accepts(expected, event) != .none { return state }
      try log.handleUnexpected(event, expected: expected, isConnected: false)
      return state
    }
  }

  /// Sends the ClientHello (RFC 5246 section 7.4.1.2).
  private mutating func sendClientHello() throws(HandshakeFailure) -> ClientHello {
    let random = configuration.random.bytes(for: ValueName(.random, of: .client), count: 32)
    let names = configuration.valueScope
    log.derive([names.value(.random, of: .client, random, .generated(by: configuration.party), .published)])
    shares = configuration.keyShares
    log.derive(shares.flatMap { $0.values(party: configuration.party, names) }.unique)
    let hello = try log.representable { () throws in
      try configuration.offer(random: random, shares: shares.compactMap(\.entry))
        .offering(configuration.preSharedKeys, at: configuration.now, after: Transcript())
    }
    if let ticket = hello.extensions?.sessionTicket, !ticket.isEmpty {
      log.derive([names.value(.offeredSessionTicket, ticket, .published)])
    }
    let message = try log.send(.clientHello(hello), under: configuration.offersTLS13 ? .form13 : nil)
    transcript.append(message)
    order.skip(to: .received(message), from: .client)
    if hello.extensions?.contains(.earlyData) == true { sendEarlyData() }
    return hello
  }

  /// Sends data under the first pre-shared key (RFC 8446 section 2.3).
  private mutating func sendEarlyData() {
    guard let psk = configuration.preSharedKeys.first, let data = configuration.earlyData,
      let suite = psk.session?.parameters.cipherSuite.registration
    else { return }
    if configuration.usesCompatibilityMode { log.add(.sendChangeCipherSpec) }
    let names = configuration.valueScope
    let keys = EarlyKeys(psk, suite, transcriptHash: transcript.digest(psk.hash))
    log.derive(names.preSharedKey(psk, party: configuration.party) + keys.values(names))
    log.add(.protectWriting(keys.records))
    log.add(.sendEarlyData(data))
  }

  /// Checks that the client accepts the version that the server selected (RFC 5246 appendix E.1).
  private mutating func checkVersion(
    _ hello: ServerHello, _ offer: ClientHello
  ) throws(HandshakeFailure) -> ProtocolVersion {
    let choosesTLS13 = hello.choosesTLS13 && offer.offeredVersions.contains(.tls13)
    // RFC 8446 section 4.2.1: supported_versions in ServerHello selects only TLS 1.3 or a newer version.
    if let selected = hello.extensions?.supportedVersions?.first, !choosesTLS13, configuration.offersTLS13 {
      try log.refuse(
        Rule.illegalParameter.tls13("4.2.1"), on: .handshake(.serverHello), .illegalParameter,
        required: .word("\(ProtocolVersion.tls13), and legacy_version \(ProtocolVersion.tls12)"),
        found: .word("\(selected), and legacy_version \(hello.serverVersion)"))
    }
    let version = choosesTLS13 ? .tls13 : hello.serverVersion
    try log.check(
      .noCommonVersion,
      configuration.versions.contains(version) && (choosesTLS13 || version <= offer.clientVersion), .protocolVersion,
      required: .anyOf(configuration.offeredVersions.map(\.description)), found: .word(version.description))
    // RFC 8446 appendix D.3: a client that sends early data accepts no older version.
    try log.check(
      Rule.noCommonVersion.tls13("D.3"), version == .tls13 || !offer.sendsEarlyData, .protocolVersion,
      required: .word("\(ProtocolVersion.tls13), because of the early data"), found: .word(version.description))
    try log.checkDowngrade(hello, to: version, offering: configuration.offeredVersions)
    return version
  }
}

extension ClientConfiguration {
  /// The session that the client may offer to resume.
  ///
  /// The session must be with this host and recent enough, and the client must still offer its version and suite.
  var resumable: Session? {
    guard let session, session.isFresh(at: now), versions.contains(session.parameters.version),
      cipherSuites.contains(session.parameters.cipherSuite),
      session.parameters.serverName == ServerName.hostName(host)
    else { return nil }
    return session
  }
}

extension ClientConfiguration {
  /// The complete ClientHello, including the parts that depend on earlier connections.
  func offer(random: [UInt8], shares: [KeyShareEntry] = []) -> ClientHello {
    var hello = clientHello(random: random, shares: shares).offering(ticket)
    if asksForStatus {
      hello.extensions = (hello.extensions ?? []).adding(
        .statusRequest([CertificateStatus.ocsp, 0, 0, 0, 0]))
    }
    if let length = maximumFragmentLength {
      hello.extensions = (hello.extensions ?? []).adding(.maxFragmentLength(length.rawValue))
    }
    if renegotiation == .insecure || bound != nil { hello = hello.indicating(bound?.client) }
    if versions.upperBound == .sslv3 { return hello.writtenForSSL3 }
    if offersEarlyData { hello.extensions = (hello.extensions ?? []).adding(.tls13(.earlyData(maximum: nil))) }
    return layout.isPadded ? hello.padded : hello
  }

  /// The ephemeral keys for the shares of a ClientHello of TLS 1.3.
  var keyShares: [ClientKeyShare] {
    guard offersTLS13 else { return [] }
    let wanted = keyShareGroups ?? groups.first(where: \.isImplemented13).map { [$0] } ?? []
    return wanted.compactMap { ClientKeyShare($0, random: random) }
  }

  /// The pre-shared keys that the client offers in TLS 1.3, which need a common mode of key exchange.
  var preSharedKeys: [PreSharedKey] {
    guard offersTLS13, !pskModes.isEmpty else { return [] }
    if let externalPSK { return [PreSharedKey(externalPSK)] }
    guard case .tls13(let session)? = resumable else { return [] }
    return [PreSharedKey(session)].compactMap(\.self)
  }

  /// Whether the client sends early data, which its ticket must permit.
  var offersEarlyData: Bool {
    guard let earlyData, let session = preSharedKeys.first?.session else { return false }
    return earlyData.count <= Int(session.maximumEarlyData)
  }

  /// The content of the `session_ticket` extension (RFC 5077 section 3.2).
  ///
  /// The content is the ticket of the offered session. It is empty if the client only requests a ticket, and nil if the
  /// client wants none.
  var ticket: [UInt8]? {
    if case .tls12(let session)? = resumable, let ticket = session.ticket { return ticket }
    return offersTickets ? [] : nil
  }
}

extension ClientHello {
  /// The ClientHello in the form of SSL 3.0, which has no extensions, if the client offers nothing newer. The SCSV
  /// replaces renegotiation_info (RFC 5746 section 3.3).
  fileprivate var writtenForSSL3: ClientHello {
    var hello = self
    let info = extensions?.renegotiationInfo
    hello.extensions = info.flatMap { $0.isEmpty ? nil : [.renegotiationInfo($0)] }
    if info?.isEmpty == true, !cipherSuites.contains(.emptyRenegotiationInfo) {
      hello.cipherSuites.append(.emptyRenegotiationInfo)
    }
    return hello
  }

  /// The part of the ClientHello that an SSL 3.0 server reads.
  ///
  /// The server hashes the bytes after the compression methods without parsing them (RFC 6101 section 5.6.1.2), except
  /// for renegotiation_info (RFC 5746 section 4.5).
  var readBySSL3: ClientHello {
    var hello = self
    hello.extensions = extensions?.renegotiationInfo.map { [.renegotiationInfo($0)] }
    return hello
  }

  /// The same ClientHello with this ticket in its `session_ticket`, or in a new one at the end; nil changes nothing.
  fileprivate func offering(_ ticket: [UInt8]?) -> ClientHello {
    guard let ticket else { return self }
    let own = Extension.sessionTicket(ticket)
    var (hello, list) = (self, extensions ?? [])
    if let index = list.firstIndex(where: { $0.type == .sessionTicket }) { list[index] = own } else { list.append(own) }
    hello.extensions = list
    return hello
  }
}

extension [Value] {
  /// The values without those whose name an earlier one has: two shares of a client may have one key.
  fileprivate var unique: [Value] {
    var seen: Set<Value.ID> = []
    return filter { seen.insert($0.id).inserted }
  }
}

/// `server_name`: RFC 6066 section 3.
enum ServerName {
  /// The host name without a trailing period; nil for an IP address or an empty name.
  static func hostName(_ host: String) -> String? {
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    let isAddress = name.contains(":") || name.utf8.allSatisfy { $0 == 46 || (48...57).contains($0) }
    return name.isEmpty || isAddress ? nil : name
  }
}
