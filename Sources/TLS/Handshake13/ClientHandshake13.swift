import Cryptography
import Explanation

/// The client's side of a TLS 1.3 handshake, from the server's first message on (RFC 8446 section 2 and appendix A.1).
///
/// `ClientNegotiation` is the part before it.
///
/// ```
/// Client                                               Server
/// ClientHello                  -------->
///                              <--------  HelloRetryRequest*
/// ClientHello*                 -------->
///                                                 ServerHello
///                                       {EncryptedExtensions}
///                                       {CertificateRequest*}
///                                              {Certificate*}
///                                        {CertificateVerify*}
///                              <--------           {Finished}
/// (EndOfEarlyData*)
/// {Certificate*}
/// {CertificateVerify*}
/// {Finished}                   -------->
///                              <--------   [NewSessionTicket]
/// [Application Data]           <------->   [Application Data]
/// ```
struct ClientHandshake13: HandshakeMachine13 {
  static let side = Side.client
  var state: State
  /// The client's settings.
  var configuration: ClientConfiguration
  var transcript: Transcript
  var order = MessageOrder13()
  var log: EffectLog
  let names: ValueScope
  var keys = TrafficKeys()
  /// The ephemeral keys of the shares in the last offer.
  var shares: [ClientKeyShare]
  /// The server's requirements on the client's certificate, in or after the handshake.
  var request: CertificateRequest13?
  /// The nonces of the tickets so far.
  var ticketNonces: [[UInt8]] = []
  /// The messages of the handshake, to which those of a later authentication are added (RFC 8446 section 4.6.2).
  var mainTranscript = Transcript()

  /// Creates a client that has sent `offer`.
  init(_ configuration: ClientConfiguration, offer: ClientHello, _ shares: [ClientKeyShare], _ transcript: Transcript) {
    state = .awaitingServerHello(Offer(hello: offer))
    self.configuration = configuration
    self.shares = shares
    self.transcript = transcript
    log = EffectLog(configuration)
    log.version = .tls13
    names = configuration.valueScope
    _ = order.advance(past: .clientHello, from: .client)
    if offer.extensions?.contains(.postHandshakeAuth) == true { order.terms.insert(.postHandshakeAuthentication) }
  }

  var expected: [Event.Kind] {
    switch state {
    case .awaitingEvaluation: [.certificateEvaluation]
    case .awaitingIdentity, .awaitingLaterIdentity: [.identityChoice]
    case .closed: []
    default: order.expected(from: .server).map(Event.Kind.handshake)
    }
  }

  var takesData: Bool { state.phase.parameters != nil }
  var mayRenegotiate: Bool { false }
  var takesChangeCipherSpec: Bool { state.phase.parameters == nil }

  mutating func transition(_ event: Event) throws(HandshakeFailure) -> State {
    if case .handshake(_, let message) = event, !order.advance(past: message.type, from: .server) {
      try handleUnexpected13(event)
      return state
    }
    switch (state, event) {
    case (.awaitingServerHello(let offer), .handshake(.serverHello(let hello), let message)):
      return hello.isRetryRequest
        ? try retry(offer, hello, message)  //                                      <-- HelloRetryRequest
        : try accept(hello, message, offer)  //                                     <-- ServerHello
    case (.awaitingEncryptedExtensions(let choice), .handshake(.encryptedExtensions(let answer), let message)):
      return try take(answer, message, choice)  //                                  <-- EncryptedExtensions
    case (.awaitingCertificate(let choice), .handshake(.certificateRequest13(let request), let message)):
      return try take(request, message, choice)  //                                 <-- CertificateRequest
    case (.awaitingCertificate(let choice), .handshake(let body, let message)):
      return try evaluate(body, message, choice)  //                                <-- Certificate
    case (.awaitingEvaluation(let choice), .certificateEvaluated(let answer)):
      return try certificateEvaluated(answer, choice)
    case (.awaitingCertificateVerify(let choice, let key), .handshake(.certificateVerify(let proof), let message)):
      return try check(proof, message, by: key, choice)  //                         <-- CertificateVerify
    case (.awaitingFinished(let choice), .handshake(.finished(let finished), let message)):
      return try complete(finished, message, choice)  //                            <-- Finished
    case (.awaitingIdentity(let choice), .identityChosen(let name)):
      configuration.chooseIdentity(name)
      return try finishFlight(choice)  //          EndOfEarlyData* Certificate* CertificateVerify* Finished -->
    case (.connected(let parameters), .handshake(.newSessionTicket13(let ticket), _)):
      try store(ticket, parameters)  //                                             <-- NewSessionTicket
      return state
    case (.connected, .handshake(.keyUpdate(let update), _)):
      try take(update)  //                                                          <-- KeyUpdate
      return state
    case (.connected, .updateKeys(let requestsPeer)):
      try sendKeyUpdate(requestsPeer ? .requested : .notRequested)  //              KeyUpdate -->
      return state
    case (.connected(let parameters), .handshake(.certificateRequest13(let request), let message)):
      return try takeLater(request, message, parameters)  //                        <-- CertificateRequest
    case (.awaitingLaterIdentity(let parameters), .identityChosen(let name)):
      configuration.chooseIdentity(name)
      return try authenticateLater(parameters)  //          Certificate CertificateVerify* Finished -->
    case (_, .changeCipherSpec), (.connected, .renegotiate): return state
    case (_, .recordFailed(let failure)): throw failure
    default:
      try handleUnexpected13(event)
      return state
    }
  }
}

extension ClientHandshake13 {
  /// The state of the handshake, with the data that is known in that state.
  indirect enum State: HandshakeState {
    case awaitingServerHello(Offer)
    case awaitingEncryptedExtensions(Choice)
    case awaitingCertificate(Choice)
    case awaitingEvaluation(Choice)
    case awaitingCertificateVerify(Choice, by: PublicKey)
    case awaitingFinished(Choice)
    case awaitingIdentity(Choice)
    case connected(ConnectionParameters)
    /// The server requested a certificate after the handshake.
    case awaitingLaterIdentity(ConnectionParameters)
    case closed

    var phase: HandshakePhase {
      switch self {
      case .awaitingEvaluation, .awaitingIdentity, .awaitingLaterIdentity: .awaitingEvaluation
      case .connected(let parameters): .connected(parameters)
      case .closed: .closed
      default: .negotiating
      }
    }
  }

  /// The client's last ClientHello, and the HelloRetryRequest before it.
  struct Offer: Sendable {
    let hello: ClientHello
    var retry: ServerHello?
  }

  /// The parameters that the server chose from the offer.
  struct Choice: Sendable {
    let offer: ClientHello
    let answer: ServerHello
    /// The pre-shared key that the server selected; nil if it authenticates with a certificate.
    let psk: PreSharedKey?
    var encryptedExtensions: [Extension] = []
    var signatureAlgorithm: SignatureAndHashAlgorithm?

    /// Whether the client sent early data, and the server accepted it; nil if the client sent none.
    var acceptsEarlyData: Bool? {
      offer.extensions?.contains(.earlyData) == true ? encryptedExtensions.contains(.earlyData) : nil
    }

    func parameters(hasClientCertificate: Bool) -> ConnectionParameters {
      ConnectionParameters(
        offer, answer, encryptedExtensions, signatureAlgorithm, hasClientCertificate: hasClientCertificate)
    }
  }
}

extension ConnectionParameters {
  /// The parameters of a connection of TLS 1.3. Every handshake is bound to its messages, and there is no renegotiation.
  init(
    _ offer: ClientHello, _ answer: ServerHello, _ encryptedExtensions: [Extension],
    _ signatureAlgorithm: SignatureAndHashAlgorithm?, hasClientCertificate: Bool
  ) {
    self.init(
      version: .tls13, cipherSuite: answer.cipherSuite, group: answer.extensions?.keyShare?.group,
      signatureAlgorithm: signatureAlgorithm, serverName: offer.extensions?.serverName, hasSecureRenegotiation: true,
      hasExtendedMasterSecret: true, applicationProtocol: encryptedExtensions.applicationProtocols?.first,
      hasClientCertificate: hasClientCertificate, isResumed: answer.extensions?.selectedIdentity != nil)
  }

  /// The same parameters of a client that has authenticated after the handshake.
  var withClientCertificate: ConnectionParameters {
    ConnectionParameters(
      version: version, cipherSuite: cipherSuite, group: group, signatureAlgorithm: signatureAlgorithm,
      serverName: serverName, hasSecureRenegotiation: hasSecureRenegotiation,
      hasExtendedMasterSecret: hasExtendedMasterSecret, applicationProtocol: applicationProtocol,
      hasClientCertificate: true, isResumed: isResumed)
  }
}
