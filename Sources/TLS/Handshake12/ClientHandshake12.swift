import Cryptography
import Explanation

/// The client's side of a full TLS 1.2 handshake, from the ServerHello on (RFC 5246 section 7.3, figure 1).
///
/// TLS 1.0 and 1.1 use the same machine with another value of `Negotiated`. `ClientNegotiation` is the part before it.
///
/// ```
/// Client                                               Server
/// ClientHello                  -------->
///                                                 ServerHello
///                                                Certificate*
///                                          ServerKeyExchange*
///                                         CertificateRequest*
///                              <--------      ServerHelloDone
/// Certificate*
/// ClientKeyExchange
/// CertificateVerify*
/// [ChangeCipherSpec]
/// Finished                     -------->
///                                          [ChangeCipherSpec]
///                              <--------             Finished
/// Application Data             <------->     Application Data
/// ```
///
/// The handshake is a value: it turns events into effects without side effects.
struct ClientHandshake12: HandshakeMachine12 {
  static let side = Side.client
  var state: State
  /// The client's settings.
  var configuration: ClientConfiguration
  /// The version and suite; nil until the server selects them.
  var negotiated: Negotiated? { didSet { log.version = negotiated?.version } }
  var transcript: Transcript
  var order: MessageOrder12
  var log: EffectLog
  var names: ValueScope
  var verifyData = VerifyData()
  /// The event that arrived instead of a CertificateStatus. It is kept until the certificate is evaluated.
  private var pending: Event?
  /// The previous handshake during a renegotiation.
  var previous: PreviousHandshake?

  /// The ephemeral keys that the offer contains for TLS 1.3.
  let shares: [KeyShare]

  /// Creates a client that has sent `offer`.
  init(
    _ configuration: ClientConfiguration, offer: ClientHello, _ shares: [KeyShare], _ transcript: Transcript,
    _ order: MessageOrder12
  ) {
    state = .awaitingServerHello(offer)
    self.shares = shares
    self.configuration = configuration
    self.transcript = transcript
    self.order = order
    log = EffectLog(configuration)
    names = configuration.valueScope
  }

  var expected: [Event.Kind] {
    switch state {
    case .awaitingEvaluation: [.certificateEvaluation]
    case .awaitingIdentity: [.identityChoice]
    case .closed: []
    default: order.expected(from: .server)
    }
  }

  mutating func transition(_ event: Event) throws(HandshakeFailure) -> State {
    let isExpected = follow(event)
    return try transition(event, isExpected: isExpected)
  }

  private mutating func transition(_ event: Event, isExpected: Bool) throws(HandshakeFailure) -> State {
    switch (state, event) {
    case (.awaitingServerHello(let offer), .handshake(.serverHello(let hello), _)):  //       <-- ServerHello
      return try accept(hello, of: offer)
    case (.awaitingCertificate(let choice), .handshake(.certificate(let message), _)):  //    <-- Certificate
      return choice.agreed(to: .statusRequest)
        ? .awaitingCertificateStatus(choice, message) : try evaluate(message, choice)
    case (.awaitingCertificateStatus(let choice, let shown), .handshake(.certificateStatus(let status), _)):
      return try evaluate(shown, choice, status)  //                                          <-- CertificateStatus*
    case (.awaitingCertificateStatus(let choice, let shown), .handshake) where isExpected:
      // The server omits CertificateStatus, as RFC 6066 section 8 allows. Its next message is handled after the
      // evaluation.
      pending = event
      return try evaluate(shown, choice)
    case (.awaitingEvaluation(let choice), .certificateEvaluated(let answer)):
      state = try certificateEvaluated(answer, choice)
      guard let next = pending else { return state }
      pending = nil
      return try transition(next, isExpected: true)
    case (.awaitingServerKeyExchange(let server), .handshake(.serverKeyExchange(let message), _)):
      return try verify(message, server)  //                                                  <-- ServerKeyExchange
    case (.awaitingServerHelloDone(let exchange), .handshake(.certificateRequest(let request), _))
    where exchange.request == nil:
      return choose(exchange.requesting(request), request)  //                                <-- CertificateRequest
    case (.awaitingIdentity(let exchange), .identityChosen(let name)):
      configuration.chooseIdentity(name)
      return .awaitingServerHelloDone(exchange)
    case (.awaitingServerHelloDone(let exchange), .handshake(.serverHelloDone, _)):  //       <-- ServerHelloDone
      // Certificate* ClientKeyExchange CertificateVerify* [ChangeCipherSpec] Finished  -------->
      return try finishFlight(exchange)
    case (.awaitingChangeCipherSpec(let secrets), .handshake(.newSessionTicket(let ticket), _))
    where secrets.needsTicket:
      return .awaitingChangeCipherSpec(store(ticket, secrets))  //                             <-- NewSessionTicket
    case (.awaitingChangeCipherSpec(let secrets), .changeCipherSpec) where !secrets.needsTicket:
      log.add(.protectReading(secrets.keys.server))  //                                       <-- [ChangeCipherSpec]
      return .awaitingFinished(secrets)
    case (.awaitingFinished(let secrets), .handshake(.finished(let finished), let message)):  //     <-- Finished
      return try complete(finished, message, secrets)
    case (.connected(let parameters), .handshake(.helloRequest, _)), (.connected(let parameters), .renegotiate):
      return try renegotiate(event, parameters)  //                                           --> ClientHello
    case (.awaitingServerHello, .alert(Alert(.warning, .noRenegotiation))):
      return cancelRenegotiation() ?? state
    case (_, .recordFailed(let failure)): throw failure
    case (_, .handshake(.helloRequest, _)): return state  // ignored while negotiating: section 7.4.1.1
    default:
      if let state = try extraTransition(event) { return state }
      try log.handleUnexpected(event, expected: expected, isConnected: state.phase.parameters != nil)
      return state
    }
  }

  /// The state after an unexpected event, if a simulated bug accepts the event.
  private mutating func extraTransition(_ event: Event) throws(HandshakeFailure) -> State? {
    switch (configuration.decisions.accepts(expected, event), state, event) {
    case (.none, _, _): return nil
    case (.skips, .awaitingServerHelloDone(let exchange), .handshake(.finished(let finished), let message)):
      // Without the key exchange and ChangeCipherSpec, the master secret is empty and no record is protected.
      order.skip(to: event, from: .server)
      return try complete(finished, message, withoutKeys(exchange))
    case (_, _, _): return state
    }
  }
}

extension ClientHandshake12 {
  /// The state of the handshake, with the data that is known in that state.
  enum State: HandshakeState {
    case awaitingServerHello(ClientHello)
    case awaitingCertificate(Choice)
    /// The server has announced a CertificateStatus message, but may omit it.
    case awaitingCertificateStatus(Choice, CertificateMessage)
    case awaitingEvaluation(Choice)
    case awaitingServerKeyExchange(TrustedServer)
    case awaitingIdentity(Exchange)
    case awaitingServerHelloDone(Exchange)
    case awaitingChangeCipherSpec(Secrets12)
    case awaitingFinished(Secrets12)
    case connected(ConnectionParameters)
    case closed

    var phase: HandshakePhase {
      switch self {
      case .awaitingEvaluation, .awaitingIdentity: .awaitingEvaluation
      case .connected(let parameters): .connected(parameters)
      case .closed: .closed
      default: .negotiating
      }
    }
  }

  /// The parameters that the server chose from the offer.
  struct Choice: Sendable {
    /// The client's offer and the server's reply.
    let hellos: Hellos
    /// The registered properties of the suite.
    let suite: CipherSuite.Registration

    /// Whether the server accepted an extension that has no content.
    func agreed(to type: ExtensionType) -> Bool { hellos.agreed(to: type) }

    /// The version and suite of the connection.
    var negotiated: Negotiated { Negotiated(version: hellos.answer.selectedVersion, suite: suite) }
  }

  /// A server whose certificate is trusted, or that presents no certificate.
  struct TrustedServer: Sendable {
    /// The parameters that the server chose.
    let choice: Choice
    /// The public key in the server's certificate; nil for an anonymous server.
    let publicKey: PublicKey?
  }

  /// The data that the client needs for its part of the key exchange.
  struct Exchange: Sendable {
    /// The server that the client exchanges keys with.
    let server: TrustedServer
    /// The server's ephemeral public key; nil for an RSA key exchange.
    let signed: ServerKeyExchange.SignedParameters?
    /// The server's request for a client certificate; nil if the server sent none.
    private(set) var request: CertificateRequestMessage?

    init(server: TrustedServer, signed: ServerKeyExchange.SignedParameters? = nil) {
      self.server = server
      self.signed = signed
    }

    func requesting(_ request: CertificateRequestMessage) -> Exchange {
      var changed = self
      changed.request = request
      return changed
    }
  }
}
