import Cryptography
import Explanation

/// A handshake of TLS 1.0 to 1.2 as a passive observer of both directions sees it.
///
/// RFC 5246 section 7.3 has figures of the full handshake (see `ClientHandshake12`) and of this abbreviated one, which
/// resumes a session:
///
/// ```
/// ClientHello                  -------->
///                                                 ServerHello
///                                         [NewSessionTicket*]
///                                          [ChangeCipherSpec]
///                              <--------             Finished
/// [ChangeCipherSpec]
/// Finished                     -------->
/// ```
///
/// The replay checks the messages of each side against the rules that the other side must enforce.
struct ReplayHandshake12: Sendable {
  private(set) var state: State = .idle
  private(set) var order = MessageOrder12()
  let configuration: ReplayConfiguration
  /// The version and suite; nil until the server selects them, and for an unregistered suite.
  var negotiated: Negotiated?
  /// The suite that the server selected, even if it is unregistered.
  var suite: CipherSuite?
  var transcript = Transcript()
  var log: EffectLog
  var names: ValueScope
  /// The Finished values of the last handshake, if its secrets are known.
  var verifyData = VerifyData()
  /// The Finished values that a renegotiation must repeat; nil in the first handshake, and without renegotiation_info.
  var bound: VerifyData?
  /// The handshake to which the connection returns if the server declines a renegotiation.
  var previous: (parameters: ConnectionParameters, names: ValueScope, negotiated: Negotiated?)?
  private var derived: [ReplayEffect] = []

  /// Creates a handshake that has not started.
  init(_ configuration: ReplayConfiguration) {
    self.configuration = configuration
    log = EffectLog(configuration.enforcement)
    names = configuration.valueScope
  }

  /// Handles a message from `side` as an event of the other side.
  mutating func handle(_ event: Event, from side: Side) -> [ReplayEffect] {
    step(side) { (machine) throws(HandshakeFailure) in try machine.transition(event, side) }
  }

  /// Handles a protected record that cannot be decrypted.
  mutating func handleSealed(_ type: ContentType, from side: Side) -> [ReplayEffect] {
    step(side) { (machine) throws(HandshakeFailure) in try machine.pass(type, side) }
  }

  private mutating func step(
    _ side: Side, _ transition: (inout Self) throws(HandshakeFailure) -> State
  ) -> [ReplayEffect] {
    if case .closed = state { return [] }
    var failure: HandshakeFailure?
    do throws(HandshakeFailure) {
      state = try transition(&self)
    } catch {
      failure = inconclusive(error, of: side) ?? error
      state = .closed
    }
    defer { derived = [] }
    return derived + log.drainEffects().compactMap { Self.report($0, by: side.peer) }
      + [failure.map { .failed($0, at: side.peer) }].compactMap(\.self)
  }

  /// The failure that ends the replay if neither side caused a violation; nil if a side may have caused it.
  ///
  /// Unsupported suites and 0-RTT data of TLS 1.3 have another order of messages, and a recording may lack bytes.
  private func inconclusive(_ failure: HandshakeFailure, of side: Side) -> HandshakeFailure? {
    let rules: [Rule] = [.unexpectedMessage, .decodeError, .unexpectedRecordType, .recordVersion]
    guard rules.contains(failure.finding.rule) else { return nil }
    if let reason = configuration.incomplete[side.peer] ?? configuration.incomplete[side] {
      return Self.failure(
        configuration.enforcement.note(
          Rule.truncatedConnection.fixed(by: "Capture both directions, with every packet complete."),
          on: failure.finding.subject, .unknown, required: .word("every byte"), found: .word(reason),
          confidence: .unknown("the content after the bytes that the recording lacks")))
    }
    if let suite, suite.registration?.isImplemented != true { return Self.notModelled(suite, configuration) }
    if case .offered(let offer) = state, side == .client, offer.offeredVersions.contains(.tls13) {
      return notModelled(.tls13, found: "data before the ServerHello (0-RTT, RFC 8446 section 2.3)")
    }
    return nil
  }

  static func notModelled(_ suite: CipherSuite, _ configuration: ReplayConfiguration) -> HandshakeFailure {
    failure(
      configuration.enforcement.note(
        .suiteNotImplemented, on: .handshake(.serverHello), .unknown, found: .word(suite.name),
        confidence: .unknown("the rest of the handshake: TrustLab does not model this cipher suite")))
  }

  /// The end of the replay because the state machines do not support this version.
  func notModelled(_ version: ProtocolVersion, found: String? = nil) -> HandshakeFailure {
    Self.failure(
      configuration.enforcement.note(
        .versionNotImplemented, on: .connection, .unknown,
        required: .anyOf(ProtocolVersion.implemented.map(\.description)), found: .word(found ?? version.description),
        confidence: .unknown("the rest of the handshake: TrustLab does not model \(version)")))
  }

  /// Ends the replay, although neither side has closed the connection.
  static func failure(_ finding: Finding) -> HandshakeFailure {
    HandshakeFailure(alert: .internalError, finding: finding, isOwn: false)
  }

  /// The report of an effect; nil for effects that only send or protect data.
  static func report(_ effect: Effect, by side: Side) -> ReplayEffect? {
    switch effect {
    case .found(let finding): .found(finding, by: side)
    case .derived(let value): .derived(value, by: side)
    case .connected(let parameters): .connected(parameters)
    case .failed(let failure): .failed(failure, at: side)
    case .send, .sendChangeCipherSpec, .sendAlert, .protectWriting, .protectReading, .evaluateCertificate,
      .chooseIdentity, .established, .resumed, .spent, .limitFragments, .limitProtectedRecords, .sendEarlyData,
      .skipEarlyData, .limitEarlyData, .stopProtecting, .endMessage, .answeredEarlyData:
      nil
    }
  }

  /// Records values that `side` computed or received.
  mutating func derive(_ values: [Value], by side: Side) { derived += values.map { .derived($0, by: side) } }

  /// The side that sends next, and the messages expected from it. There is no side after the last message.
  var expected: (side: Side?, messages: [Event.Kind]) {
    guard let sender = order.sender else { return (nil, []) }
    return (sender, order.expected(from: sender))
  }

  private mutating func transition(_ event: Event, _ side: Side) throws(HandshakeFailure) -> State {
    if case .connected(let parameters) = state {
      guard side == .client, case .handshake(.clientHello(let offer), let message) = event else {
        return try handleUnexpected(event, side)
      }
      return try renegotiate(offer, message, parameters)
    }
    if let message = event.transcriptMessage { transcript.append(message) }
    guard order.advance(past: event, from: side) else { return try handleUnexpected(event, side) }
    switch (state, event) {
    case (_, .handshake(.clientHello(let offer), _)): return take(offer)
    case (.offered(let offer), .handshake(.serverHello(let hello), _)): return try accept(hello, of: offer)
    case (.answered(let exchange), .handshake(.certificate(let message), _)):
      return .answered(try side == .server ? take(message, exchange) : exchange.showing(message))
    case (.answered(let exchange), .handshake(.serverKeyExchange(let message), _)):
      return .answered(try verify(message, exchange))
    case (.answered(let exchange), .handshake(.clientKeyExchange(let message), _)):
      return .keyed(try agree(message, exchange))
    case (.answered(let exchange), .changeCipherSpec): return .keyed(try resume(exchange.hellos))
    case (.keyed, .handshake(.certificateVerify, let message)):
      transcript.append(message)
      return state
    case (.keyed(let session), .handshake(.finished(let finished), let message)):
      return try complete(finished, message, session, side)
    default: return state
    }
  }

  private mutating func handleUnexpected(_ event: Event, _ side: Side) throws(HandshakeFailure) -> State {
    let (next, expected) = self.expected
    switch (state, side, event) {
    case (.offered, .server, .alert(Alert(.warning, .noRenegotiation))): return cancelRenegotiation() ?? state
    case (.idle, _, _): break
    // A client ignores HelloRequest during a handshake (section 7.4.1.1); afterwards, it may decline or ignore the
    // request.
    case (_, .server, .handshake(.helloRequest, _)): return state
    default: break
    }
    try log.handleUnexpected(
      event, expected: next == side ? expected : [],
      names: expected.map { message in next.map { "\(message) of the \($0)" } ?? "\(message)" },
      isConnected: isConnected)
    return state
  }

  /// Starts a renegotiation under the current keys, which apply until the next ChangeCipherSpec (RFC 5746 section 3.5).
  private mutating func renegotiate(
    _ offer: ClientHello, _ message: HandshakeMessage, _ parameters: ConnectionParameters
  ) throws(HandshakeFailure) -> State {
    previous = (parameters, names, negotiated)
    bound = parameters.hasSecureRenegotiation ? verifyData : nil
    if let bound {
      try log.checkRenegotiation(offer, boundTo: bound)
    }
    names = names.renegotiated
    transcript = Transcript()
    transcript.append(message)
    order.skip(to: .received(message), from: .client)
    return take(offer)
  }

  /// The state after the server declined the renegotiation: the connection continues as before.
  private mutating func cancelRenegotiation() -> State? {
    guard let previous else { return nil }
    (names, negotiated, order) = (previous.names, previous.negotiated, .complete)
    self.previous = nil
    return .connected(previous.parameters)
  }

  /// Whether a handshake is complete and its keys are in use.
  var isConnected: Bool { parameters != nil || previous != nil }

  /// The parameters of the connection; nil until the handshake is complete.
  var parameters: ConnectionParameters? { if case .connected(let parameters) = state { parameters } else { nil } }

  /// Whether `side` may send application data. In a renegotiation, it may do so under the previous keys until its
  /// ChangeCipherSpec (RFC 5246 section 6.2.1).
  func takesData(from side: Side) -> Bool {
    isConnected && order.expected(from: side) != [.handshake(.finished)]
  }

  /// Whether an earlier handshake on the connection is complete.
  var isRenegotiation: Bool { names != configuration.valueScope }

  /// Advances the handshake without keys: only the order is known, and one encrypted handshake record is taken as
  /// Finished.
  private mutating func pass(_ type: ContentType, _ side: Side) throws(HandshakeFailure) -> State {
    switch state {
    case .keyed(let session) where type == .handshake && order.expected(from: side) == [.handshake(.finished)]:
      order.advance(past: .handshake(.finished), from: side)
      log.add(
        .found(
          configuration.enforcement.note(
            .finishedMismatch, on: .handshake(.finished), .notEvaluated, required: .word(ValueKind.masterSecret.word),
            found: .absent)))
      return following(session)
    case .connected: return state
    default:
      guard type != .alert else { return state }
      throw log.failure(
        .unexpectedMessage, .unexpectedMessage, required: .anyOf(expected.messages.map(\.description)),
        found: .word("a protected \(type) record"))
    }
  }
}

extension ReplayHandshake12 {
  /// The state of the handshake, with the data that is known in that state; `order` contains the rest.
  enum State: Sendable {
    case idle
    case offered(ClientHello)
    case answered(Exchange)
    case keyed(Session)
    case connected(ConnectionParameters)
    case closed
  }

  /// The data that the replay has about the key exchange.
  struct Exchange: Sendable {
    let hellos: Hellos
    /// The key in the server's certificate, if it is known.
    var publicKey: PublicKey?
    /// The server's ephemeral public key; nil for an RSA key exchange.
    var signed: ServerKeyExchange.SignedParameters?
    /// Whether the client sent a certificate.
    private(set) var hasClientCertificate = false

    init(hellos: Hellos) { self.hellos = hellos }

    func showing(_ message: CertificateMessage) -> Exchange {
      var changed = self
      changed.hasClientCertificate = !message.certificateList.isEmpty
      return changed
    }
  }

  /// The session, with its secrets if they are known.
  struct Session: Sendable {
    let parameters: ConnectionParameters
    /// The master secret and the keys derived from it.
    let schedule: KeySchedule12?
    /// The keys that protect the records; nil if they are unknown.
    let keys: KeyBlock?
    /// The client's random value in this handshake.
    let clientRandom: [UInt8]
    /// Whether the secret certainly belongs to this session, because it was computed with the server's own key.
    let isProven: Bool
  }
}
