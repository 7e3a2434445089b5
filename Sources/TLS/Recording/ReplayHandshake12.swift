import Cryptography
import Explanation

/// A handshake of TLS 1.0 to 1.2 as somebody sees it who reads both directions and sends nothing: RFC 5246 section 7.3, figures
/// 1 (drawn at `ClientHandshake12`) and 2, the abbreviated handshake of a resumed session:
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
/// Whatever one side sends is held against the rules that the other side must hold it against.
public struct ReplayHandshake12: Sendable {
  /// Where the handshake stands.
  public private(set) var state: State = .awaitingClientHello
  /// What the replay was given.
  public let configuration: ReplayConfiguration
  /// Version and suite, once the server has chosen; nil for a suite that is not registered here.
  public internal(set) var negotiated: Negotiated?
  /// The suite that the server has chosen, registered here or not.
  var suite: CipherSuite?
  var transcript = Transcript()
  var log: EffectLog
  var names: ValueScope
  /// What the last handshake was finished with, as far as its secrets are known.
  var verifyData = VerifyData()
  /// What another handshake on the connection must repeat of it; nil in the first one, and where neither side did.
  var bound: VerifyData?
  /// What the connection goes on with where the other handshake is declined.
  var standing: (parameters: ConnectionParameters, names: ValueScope, negotiated: Negotiated?)?
  private var derived: [ReplayEffect] = []

  /// A handshake that has not begun.
  public init(_ configuration: ReplayConfiguration) {
    self.configuration = configuration
    log = EffectLog(configuration.enforcement)
    names = configuration.valueScope
  }

  /// One step: what `side` sent, as an event of the other side.
  public mutating func handle(_ event: Event, from side: Side) -> [ReplayEffect] {
    step(side) { (machine) throws(HandshakeFailure) in try machine.transition(event, side) }
  }

  /// A protected record that nobody here can open.
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
      failure = notKnown(error, of: side) ?? error
      state = .closed
    }
    defer { derived = [] }
    return derived + log.take().compactMap { Self.report($0, by: side.peer) }
      + [failure.map { .failed($0, at: side.peer) }].compactMap(\.self)
  }

  /// What a violation comes to where nobody is to blame for it: messages come in another order where a suite is not modelled
  /// here, in 0-RTT data of TLS 1.3, and where the recording lacks bytes. Nil where none of it is so.
  private func notKnown(_ failure: HandshakeFailure, of side: Side) -> HandshakeFailure? {
    let rules: [Rule] = [.unexpectedMessage, .decodeError, .unexpectedRecordType, .recordVersion]
    guard rules.contains(failure.finding.rule) else { return nil }
    if let reason = configuration.incomplete[side.peer] ?? configuration.incomplete[side] {
      return Self.failure(
        configuration.enforcement.note(
          Rule.truncatedConnection.fixed(by: "Capture both directions, and every packet whole."),
          on: failure.finding.subject, .unknown, required: .word("every byte"), found: .word(reason),
          confidence: .unknown("what comes after bytes that the recording lacks")))
    }
    if let suite, suite.registration?.isImplemented != true { return notModelled(suite) }
    if case .awaitingServerHello(let offer) = state, side == .client, offer.offeredVersions.contains(.tls13) {
      return notModelled(.tls13, found: "data before the ServerHello (0-RTT, RFC 8446 section 2.3)")
    }
    return nil
  }

  private func notModelled(_ suite: CipherSuite) -> HandshakeFailure {
    Self.failure(
      configuration.enforcement.note(
        .suiteNotImplemented, on: .handshake(.serverHello), .unknown, found: .word(suite.name),
        confidence: .unknown("what follows: this cipher suite is not modelled here")))
  }

  /// A version that these machines do not run.
  func notModelled(_ version: ProtocolVersion, found: String? = nil) -> HandshakeFailure {
    Self.failure(
      configuration.enforcement.note(
        .versionNotImplemented, on: .connection, .unknown,
        required: .anyOf(ProtocolVersion.implemented.map(\.description)), found: .word(found ?? version.description),
        confidence: .unknown("what follows: \(version) is not modelled here")))
  }

  /// The replay ends here, and nobody has ended the connection.
  private static func failure(_ finding: Finding) -> HandshakeFailure {
    HandshakeFailure(alert: .internalError, finding: finding, isOwn: false)
  }

  /// What a reader has to tell of an effect; it sends nothing, and protects nothing.
  static func report(_ effect: Effect, by side: Side) -> ReplayEffect? {
    switch effect {
    case .found(let finding): .found(finding, by: side)
    case .derived(let value): .derived(value, by: side)
    case .connected(let parameters): .connected(parameters)
    case .failed(let failure): .failed(failure, at: side)
    case .send, .sendChangeCipherSpec, .sendAlert, .protectWriting, .protectReading, .evaluateCertificate,
      .chooseIdentity, .established, .resumed, .limitFragments:
      nil
    }
  }

  /// Values that `side` made or came to know.
  mutating func derive(_ values: [Value], by side: Side) { derived += values.map { .derived($0, by: side) } }

  private mutating func transition(_ event: Event, _ side: Side) throws(HandshakeFailure) -> State {
    if let message = event.joiningMessage, state.parameters == nil { transcript.append(message) }
    switch (state, side, event) {
    case (.awaitingClientHello, .client, .handshake(.clientHello(let offer), _)):
      return take(offer)
    case (.awaitingServerHello(let offer), .server, .handshake(.serverHello(let hello), _)):
      return try accept(hello, of: offer)
    case (.awaitingCertificate(let choice), .server, .handshake(.certificate(let message), _)):
      return try take(message, choice)
    case (.awaitingCertificate(let choice), .server, .handshake(.newSessionTicket, _))
    where choice.mayResume && choice.agreed(to: .sessionTicket):
      return state
    case (.awaitingCertificate(let choice), .server, .changeCipherSpec) where choice.mayResume:
      return .awaitingFinished(try resume(choice), from: .server)
    case (.awaitingServerKeyExchange(let exchange), .server, .handshake(.certificateStatus, _))
    where exchange.choice.agreed(to: .statusRequest):
      return state
    case (.awaitingServerHelloDone(let exchange), .server, .handshake(.certificateStatus, _))
    where exchange.choice.agreed(to: .statusRequest) && exchange.signed == nil:
      return state
    case (.awaitingServerKeyExchange(let exchange), .server, .handshake(.serverKeyExchange(let message), _)):
      return try verify(message, exchange)
    case (.awaitingServerHelloDone(var exchange), .server, .handshake(.certificateRequest, _))
    where !exchange.wantsCertificate:
      exchange.wantsCertificate = true
      return .awaitingServerHelloDone(exchange)
    case (.awaitingServerHelloDone(let exchange), .server, .handshake(.serverHelloDone, _)):
      return exchange.wantsCertificate ? .awaitingClientCertificate(exchange) : .awaitingClientKeyExchange(exchange)
    case (.awaitingClientCertificate(var exchange), .client, .handshake(.certificate(let message), _)):
      exchange.hasClientCertificate = !message.certificateList.isEmpty
      return .awaitingClientKeyExchange(exchange)
    case (.awaitingClientKeyExchange(let exchange), .client, .handshake(.clientKeyExchange(let message), _)):
      let session = try agree(message, exchange)
      return exchange.hasClientCertificate
        ? .awaitingCertificateVerify(session) : .awaitingChangeCipherSpec(session, from: .client)
    case (.awaitingCertificateVerify(let session), .client, .handshake(.certificateVerify, let message)):
      transcript.append(message)
      return .awaitingChangeCipherSpec(session, from: .client)
    case (.awaitingChangeCipherSpec(let session, .server), .server, .handshake(.newSessionTicket, _))
    where session.hasTicket:
      return state
    case (.awaitingChangeCipherSpec(let session, let next), _, .changeCipherSpec) where next == side:
      return .awaitingFinished(session, from: side)
    case (.awaitingFinished(let session, let next), _, .handshake(.finished(let finished), let message))
    where next == side:
      return try complete(finished, message, session, side)
    // Whoever is asked for another handshake may decline, or pay no heed.
    case (.connected, .server, .handshake(.helloRequest, _)): return state
    case (.connected(let parameters), .client, .handshake(.clientHello(let offer), let message)):
      return try renegotiate(offer, message, parameters)
    case (.awaitingServerHello, .server, .alert(Alert(.warning, .noRenegotiation))): return standDown() ?? state
    case (_, _, .recordFailed(let failure)): throw failure
    case (_, .server, .handshake(.helloRequest, _)) where state.hasBegun:
      return state  // ignored while negotiating: section 7.4.1.1
    default:
      let (next, expected) = state.expected
      try log.handleElsewhere(
        event, expected: next == side ? expected : [],
        shown: expected.map { message in next.map { "\(message) of the \($0)" } ?? message.description },
        isConnected: isConnected)
      return state
    }
  }

  /// Another handshake on the connection that stands, under its keys until the next ChangeCipherSpec: RFC 5746 section 3.5.
  private mutating func renegotiate(
    _ offer: ClientHello, _ message: HandshakeMessage, _ parameters: ConnectionParameters
  ) throws(HandshakeFailure) -> State {
    standing = (parameters, names, negotiated)
    bound = parameters.hasSecureRenegotiation ? verifyData : nil
    if let bound {
      try log.checkRenegotiation(offer, boundTo: bound)
    }
    names = names.renegotiated
    transcript = Transcript()
    transcript.append(message)
    return take(offer)
  }

  /// The server declines: the connection goes on as it stands.
  private mutating func standDown() -> State? {
    guard let standing else { return nil }
    (names, negotiated) = (standing.names, standing.negotiated)
    self.standing = nil
    return .connected(standing.parameters)
  }

  /// Whether the connection stands, under the keys of its last handshake.
  var isConnected: Bool { state.parameters != nil || standing != nil }

  /// Whether `side` may send application data: in another handshake under the keys of the one before, up to its
  /// ChangeCipherSpec (RFC 5246 section 6.2.1).
  func takesData(from side: Side) -> Bool {
    if case .awaitingFinished(_, let next) = state, next == side { return false }
    return isConnected
  }

  /// Whether this is a handshake on a connection that stood already.
  var isRenegotiation: Bool { names != configuration.valueScope }

  /// Without keys only the order is known: one sealed handshake record stands for Finished.
  private mutating func pass(_ type: ContentType, _ side: Side) throws(HandshakeFailure) -> State {
    switch state {
    case .awaitingFinished(let session, let next) where next == side && type == .handshake:
      log.add(
        .found(
          configuration.enforcement.note(
            .finishedMismatch, on: .handshake(.finished), .notEvaluated, required: .word(ValueKind.masterSecret.word),
            found: .absent)))
      return following(session, side)
    case .connected: return state
    default:
      guard type != .alert else { return state }
      throw log.failure(
        .unexpectedMessage, .unexpectedMessage, required: .anyOf(state.expected.messages.map(\.description)),
        found: .word("a protected \(type) record"))
    }
  }
}

extension ReplayHandshake12 {
  /// Where the handshake stands, with what is known there.
  public enum State: Sendable {
    case awaitingClientHello
    case awaitingServerHello(ClientHello)
    case awaitingCertificate(Choice)
    case awaitingServerKeyExchange(Exchange)
    case awaitingServerHelloDone(Exchange)
    case awaitingClientCertificate(Exchange)
    case awaitingClientKeyExchange(Exchange)
    case awaitingCertificateVerify(Session)
    case awaitingChangeCipherSpec(Session, from: Side)
    case awaitingFinished(Session, from: Side)
    case connected(ConnectionParameters)
    case closed

    /// Who speaks next, and what has its place here.
    public var expected: (side: Side?, messages: [Event.Name]) {
      switch self {
      case .awaitingClientHello: (.client, [.handshake(.clientHello)])
      case .awaitingServerHello: (.server, [.handshake(.serverHello)])
      case .awaitingCertificate(let choice):
        (.server, [.handshake(.certificate)] + (choice.mayResume ? [.message(.changeCipherSpec)] : []))
      case .awaitingServerKeyExchange: (.server, [.handshake(.serverKeyExchange)])
      case .awaitingServerHelloDone(let exchange):
        (.server, (exchange.wantsCertificate ? [] : [.handshake(.certificateRequest)]) + [.handshake(.serverHelloDone)])
      case .awaitingClientCertificate: (.client, [.handshake(.certificate)])
      case .awaitingClientKeyExchange: (.client, [.handshake(.clientKeyExchange)])
      case .awaitingCertificateVerify: (.client, [.handshake(.certificateVerify)])
      case .awaitingChangeCipherSpec(_, let side): (side, [.message(.changeCipherSpec)])
      case .awaitingFinished(_, let side): (side, [.handshake(.finished)])
      case .connected, .closed: (nil, [])
      }
    }

    /// Whether a ClientHello has come.
    var hasBegun: Bool { if case .awaitingClientHello = self { false } else { true } }

    /// What was agreed on, once the handshake is complete.
    public var parameters: ConnectionParameters? {
      if case .connected(let parameters) = self { parameters } else { nil }
    }
  }

  /// What the server chose out of the offer.
  public struct Choice: Sendable {
    /// The client's offer.
    public let offer: ClientHello
    /// The server's answer.
    public let hello: ServerHello
    /// The suite.
    public var suite: CipherSuite { hello.cipherSuite }

    /// Whether the server agreed to an extension that says nothing but yes.
    func agreed(to type: ExtensionType) -> Bool { hello.agreed(to: type) }

    /// Whether the server may go on with an older session: it repeats the name of the one that the client proposed
    /// (RFC 5246 section 7.3), or the client showed a ticket (RFC 5077 section 3.1).
    var mayResume: Bool {
      if !offer.sessionID.isEmpty, offer.sessionID == hello.sessionID { return true }
      return offer.extensions?.sessionTicket?.isEmpty == false
    }
  }

  /// What the server has shown of itself.
  public struct Exchange: Sendable {
    /// What it chose.
    public let choice: Choice
    /// The key in its certificate, where it can be told.
    public let publicKey: PublicKey?
    /// Its ephemeral key, nil for RSA.
    public var signed: ServerKeyExchange.SignedParameters?
    /// Whether it asked for a certificate of the client.
    public var wantsCertificate = false
    /// Whether the client showed one.
    public var hasClientCertificate = false
  }

  /// The session, with its secrets where they are known.
  public struct Session: Sendable {
    /// What was agreed on.
    public let parameters: ConnectionParameters
    /// The master secret and what follows from it.
    public let schedule: KeySchedule12?
    /// The keys of the records; nil where they cannot be opened.
    public let keys: KeyBlock?
    /// Whether an older session goes on: then the server is the first to finish.
    public let isResumed: Bool
    /// Whether the server will send a ticket: RFC 5077 section 3.3.
    public let hasTicket: Bool
    /// What the handshake began with.
    let clientRandom: [UInt8]
    /// Whether its secret is this session's for certain: computed here, with the server's own key.
    let isProven: Bool

    /// Who finishes first.
    var first: Side { isResumed ? .server : .client }
  }
}
