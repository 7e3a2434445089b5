import Cryptography
import Explanation

/// The server's side of a full TLS 1.2 handshake (RFC 5246 section 7.3, figure 1; see `ClientHandshake12` for a
/// diagram).
///
/// TLS 1.0 and 1.1 use the same machine with another value of `Negotiated`. `ServerNegotiation` selects the version.
/// The handshake is a value: it turns events into effects without side effects.
struct ServerHandshake12: HandshakeMachine12 {
  static let side = Side.server
  var state: State
  /// The server's settings.
  ///
  /// After the client's offer was received, they contain only the selected certificate.
  var configuration: ServerConfiguration {
    _read { yield boxed.value }
    _modify { yield &boxed.value }
  }
  /// The storage of `configuration`. It is boxed because an argument may read it while the log that evaluates the
  /// argument is being mutated.
  var boxed: Boxed<ServerConfiguration>
  /// The version and suite; nil until the server selects them.
  var negotiated: Negotiated? { didSet { log.version = negotiated?.version } }
  var transcript = Transcript()
  var order = MessageOrder12()
  var log: EffectLog
  var names: ValueScope
  /// The settings that apply to every client, before a certificate is selected.
  var settings: ServerConfiguration { _read { yield boxedSettings.value } }
  private let boxedSettings: Boxed<ServerConfiguration>
  var verifyData = VerifyData()
  /// Whether an earlier handshake on the connection is complete.
  var isRenegotiation = false

  /// Creates a server that has selected `version` and will handle the ClientHello that led to it.
  init(_ configuration: Boxed<ServerConfiguration>, _ version: ProtocolVersion) {
    state = .awaitingClientHello(version)
    (boxed, boxedSettings) = (configuration, configuration)
    log = EffectLog(configuration.value)
    names = configuration.value.valueScope
  }

  var expected: [Event.Kind] {
    switch state {
    case .awaitingEvaluation: [.certificateEvaluation]
    case .closed: []
    default: order.expected(from: .client)
    }
  }

  mutating func transition(_ event: Event) throws(HandshakeFailure) -> State {
    if state.phase.parameters == nil { follow(event) }
    switch (state, event) {
    case (.awaitingClientHello(let version), .handshake(.clientHello(let hello), _)):  // ClientHello -------->
      // <-------- ServerHello Certificate ServerKeyExchange* CertificateRequest* ServerHelloDone
      return try processClientHello(hello, version)
    case (.awaitingClientCertificate(let exchange), .handshake(.certificate(let message), _)):
      return try evaluate(message, exchange)  //                                 Certificate* -------->
    case (.awaitingEvaluation(let exchange), .certificateEvaluated(let answer)):
      return try certificateEvaluated(answer, exchange)
    case (.awaitingClientKeyExchange(let exchange), .handshake(.clientKeyExchange(let message), _)):
      return try processClientKeyExchange(message, exchange)  //                 ClientKeyExchange -------->
    case (.awaitingCertificateVerify(let secrets, let key), .handshake(.certificateVerify(let proof), let message)):
      return try verify(proof, message, by: key, secrets)  //                    CertificateVerify* -------->
    case (.awaitingChangeCipherSpec(let secrets), .changeCipherSpec):  //        [ChangeCipherSpec] -------->
      log.add(.protectReading(secrets.keys.client))
      return .awaitingFinished(secrets)
    case (.awaitingFinished(let secrets), .handshake(.finished(let finished), let message)):  // Finished -------->
      return try complete(finished, message, secrets)  // <-------- [ChangeCipherSpec] Finished
    case (.connected(let parameters), .handshake(.clientHello(let offer), let message)):
      return try renegotiate(event, offer, message, parameters)
    case (.connected, .renegotiate):  //                                         <-------- HelloRequest
      _ = try log.send(.helloRequest, under: negotiated)
      return state
    case (_, .recordFailed(let failure)): throw failure
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
    case (.skips, .awaitingCertificateVerify(let secrets, _), .changeCipherSpec):
      // The client has not proved that it has its certificate's private key.
      order.skip(to: event, from: .client)
      log.add(.protectReading(secrets.keys.client))
      return .awaitingFinished(secrets)
    case (_, _, _): return state
    }
  }
}

extension ServerHandshake12 {
  /// The state of the handshake, with the data that is known in that state.
  enum State: HandshakeState {
    case awaitingClientHello(ProtocolVersion)
    case awaitingClientCertificate(Exchange)
    case awaitingEvaluation(Exchange)
    case awaitingClientKeyExchange(Exchange)
    case awaitingCertificateVerify(Secrets12, by: PublicKey)
    case awaitingChangeCipherSpec(Secrets12)
    case awaitingFinished(Secrets12)
    case connected(ConnectionParameters)
    case closed

    var phase: HandshakePhase {
      switch self {
      case .awaitingEvaluation: .awaitingEvaluation
      case .connected(let parameters): .connected(parameters)
      case .closed: .closed
      default: .negotiating
      }
    }
  }

  /// The data that the server needs for its part of the key exchange.
  struct Exchange: Sendable {
    /// The client's offer and the server's reply.
    let hellos: Hellos
    /// The parameters that the server chose.
    let choice: Choice
    let share: KeyShare?
    /// The public key in the client's certificate, set when the certificate is trusted.
    var clientKey: PublicKey?
  }
}
