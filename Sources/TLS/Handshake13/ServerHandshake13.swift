import Cryptography
import Explanation

/// The server's side of a TLS 1.3 handshake (RFC 8446 section 2 and appendix A.2; see `ClientHandshake13` for a
/// diagram).
///
/// `ServerNegotiation` selects the version.
struct ServerHandshake13: HandshakeMachine13 {
  static let side = Side.server
  var state: State = .awaitingClientHello
  /// The server's settings. After the client's offer was received, they contain only the selected certificate.
  var configuration: ServerConfiguration
  var transcript = Transcript()
  var order = MessageOrder13()
  var log: EffectLog
  let names: ValueScope
  var keys = TrafficKeys()
  /// The requests for a certificate after the handshake, by context. Each starts with the messages of the handshake.
  var laterRequests: [[UInt8]: Transcript] = [:]
  /// The messages of the handshake, to which those of a later authentication are added.
  var mainTranscript = Transcript()
  /// Whether the client answers requests for a certificate after the handshake.
  var clientAuthenticatesLater = false
  /// The number of requests for a certificate after the handshake.
  var requestCount = 0

  /// Creates a server that will handle the ClientHello that led to TLS 1.3.
  init(_ configuration: ServerConfiguration) {
    self.configuration = configuration
    log = EffectLog(configuration)
    log.version = .tls13
    names = configuration.valueScope
  }

  var expected: [Event.Kind] {
    switch state {
    case .awaitingEvaluation: return [.certificateEvaluation]
    case .closed: return []
    case .connected where !laterRequests.isEmpty:
      return (order.expected(from: .client) + [.keyUpdate]).map(Event.Kind.handshake)
    default: return order.expected(from: .client).map(Event.Kind.handshake)
    }
  }

  var takesData: Bool {
    if case .awaitingEndOfEarlyData = state { true } else { state.phase.parameters != nil }
  }
  var maySend: Bool { takesData }
  var takesChangeCipherSpec: Bool { state.phase.parameters == nil && !transcript.bytes.isEmpty }
  var mayRenegotiate: Bool { state.phase.parameters != nil && clientAuthenticatesLater }

  mutating func transition(_ event: Event) throws(HandshakeFailure) -> State {
    if case .handshake(_, let message) = event, !order.advance(past: message.type, from: .client) {
      try handleUnexpected13(event)
      return state
    }
    switch (state, event) {
    case (.awaitingClientHello, .handshake(.clientHello, let message)):  //              ClientHello -->
      // <-- ServerHello EncryptedExtensions CertificateRequest* Certificate* CertificateVerify* Finished
      return try processClientHello(message)
    case (.awaitingSecondHello(let first), .handshake(.clientHello(let hello), let message)):  //    ClientHello -->
      return try processSecondHello(hello, message, first)
    case (.awaitingEndOfEarlyData(let flight), .handshake(.endOfEarlyData, let message)):  //   EndOfEarlyData -->
      transcript.append(message)
      protect(.client, .handshake)
      return flight.next
    case (.awaitingCertificate(let flight), .handshake(let body, let message)):  //      Certificate* -->
      return try evaluate(body, message, flight)
    case (.awaitingEvaluation(let flight), .certificateEvaluated(let answer)):
      return try certificateEvaluated(answer, flight)
    case (.awaitingCertificateVerify(let flight, let key), .handshake(.certificateVerify(let proof), let message)):
      return try check(proof, message, by: key, flight)  //                             CertificateVerify* -->
    case (.awaitingFinished(let flight), .handshake(.finished(let finished), let message)):  //  Finished -->
      return try complete(finished, message, flight)  // <-- NewSessionTicket*
    case (.connected, .handshake(.keyUpdate(let update), _)):  //                        KeyUpdate -->
      try take(update)
      return state
    case (.connected, .updateKeys(let requestsPeer)):  //                                <-- KeyUpdate
      try sendKeyUpdate(requestsPeer ? .requested : .notRequested)
      return state
    case (.connected, .renegotiate):  //                                                 <-- CertificateRequest
      if clientAuthenticatesLater { try requestCertificateLater() }
      return state
    case (.connected(let flight), .handshake(let body, let message)) where !laterRequests.isEmpty:
      return try evaluateLater(body, message, flight)  //                                Certificate -->
    case (_, .changeCipherSpec): return state
    case (_, .recordFailed(let failure)): throw failure
    default:
      try handleUnexpected13(event)
      return state
    }
  }
}

extension ServerHandshake13 {
  /// The state of the handshake, with the data that is known in that state.
  indirect enum State: HandshakeState {
    case awaitingClientHello
    case awaitingSecondHello(FirstHello)
    case awaitingEndOfEarlyData(Flight)
    case awaitingCertificate(Flight)
    case awaitingEvaluation(Flight)
    case awaitingCertificateVerify(Flight, by: PublicKey)
    case awaitingFinished(Flight)
    case connected(Flight)
    case closed

    var phase: HandshakePhase {
      switch self {
      case .awaitingEvaluation: .awaitingEvaluation
      case .connected(let flight): .connected(flight.parameters)
      case .closed: .closed
      default: .negotiating
      }
    }
  }

  /// The client's first hello, and the HelloRetryRequest that answered it.
  struct FirstHello: Sendable {
    let offer: ClientHello
    let retry: ServerHello

    /// The number of the client's next key among its keys; nil if it is the first.
    var shareNumber: Int? {
      let shares = (offer.extensions?.keyShares ?? []).filter { !$0.group.rawValue.isGrease }
      return retry.extensions?.selectedGroup != nil && !shares.isEmpty ? 2 : nil
    }
  }

  /// The offer and the server's answers to it.
  struct Flight: Sendable {
    let offer: ClientHello
    let answer: ServerHello
    let encryptedExtensions: [Extension]
    /// The scheme of the server's CertificateVerify; nil if a pre-shared key authenticates the server.
    let scheme: SignatureScheme?
    /// The pre-shared key that the server selected.
    let psk: PreSharedKey?
    /// Whether the server requested a client certificate in the handshake.
    let requestsCertificate: Bool
    /// The context of the request that the client answers; empty in the handshake.
    var context: [UInt8] = []
    /// Whether the client proved that it has the private key of a certificate.
    var hasClientCertificate = false

    /// The state that waits for the rest of the client's flight.
    var next: State { requestsCertificate ? .awaitingCertificate(self) : .awaitingFinished(self) }

    var parameters: ConnectionParameters {
      ConnectionParameters(
        offer, answer, encryptedExtensions, scheme.map(SignatureAndHashAlgorithm.init),
        hasClientCertificate: hasClientCertificate || psk?.session?.parameters.hasClientCertificate == true)
    }
  }
}
