import Cryptography
import Explanation

/// The client's side of a full handshake of TLS 1.2 from the ServerHello on: RFC 5246 section 7.3, figure 1; and of TLS
/// 1.0 and 1.1, which differ by the value `Negotiated`. What comes before it is in `ClientNegotiation`.
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
/// A value with a pure step: what it wants done are effects, what happens to it are events.
public struct ClientHandshake12: Sendable {
  /// Where the handshake stands.
  public internal(set) var state: State
  /// What the client offers, and what it insists on.
  public internal(set) var configuration: ClientConfiguration
  /// Version and suite, once the server has chosen.
  public internal(set) var negotiated: Negotiated? { didSet { log.version = negotiated?.version } }
  var transcript: Transcript
  var log: EffectLog
  var names: ValueScope
  /// What came in the place of a CertificateStatus, and waits for the answer about the certificate.
  private var pending: Event?
  /// What the last handshake was finished with.
  var verifyData = VerifyData()
  /// What the connection stands on while another handshake is under way.
  var standing: Standing<ClientConfiguration>?

  /// A client that has sent `offer`.
  init(_ configuration: ClientConfiguration, offer: ClientHello, _ transcript: Transcript) {
    state = .awaitingServerHello(offer)
    self.configuration = configuration
    self.transcript = transcript
    log = EffectLog(configuration.enforcement, narrates: configuration.narrates)
    names = configuration.valueScope
  }

  /// One step. After a fatal alert, sent or received, nothing is read any more.
  public mutating func handle(_ event: Event) -> [Effect] {
    if case .closed = state { return [] }
    do throws(HandshakeFailure) {
      state = try transition(event)
    } catch {
      state = .closed
      log.add(.failed(error))
    }
    return log.take()
  }

  private mutating func transition(_ event: Event) throws(HandshakeFailure) -> State {
    if let message = event.joiningMessage { transcript.append(message) }
    return try arrow(event)
  }

  private mutating func arrow(_ event: Event) throws(HandshakeFailure) -> State {
    switch (state, event) {
    case (.awaitingServerHello(let offer), .handshake(.serverHello(let hello), _)):  //       <-- ServerHello
      return try accept(hello, of: offer)
    case (.awaitingCertificate(let choice), .handshake(.certificate(let message), _)):  //    <-- Certificate
      return choice.agreed(to: .statusRequest)
        ? .awaitingCertificateStatus(choice, message) : try evaluate(message, choice)
    case (.awaitingCertificateStatus(let choice, let shown), .handshake(.certificateStatus(let status), _)):
      return try evaluate(shown, choice, status)  //                                          <-- CertificateStatus*
    case (.awaitingCertificateStatus(let choice, let shown), .handshake) where state.expected.contains(event.name):
      // The server does without after all: RFC 6066 section 8. What it says instead is looked at after the answer.
      pending = event
      return try evaluate(shown, choice)
    case (.awaitingEvaluation(let choice), .certificateEvaluated(let answer)):
      state = try trust(answer, choice)
      guard let next = pending else { return state }
      pending = nil
      return try arrow(next)
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
    where secrets.awaitsTicket:
      return .awaitingChangeCipherSpec(take(ticket, secrets))  //                             <-- NewSessionTicket
    case (.awaitingChangeCipherSpec(let secrets), .changeCipherSpec) where !secrets.awaitsTicket:
      log.add(.protectReading(secrets.keys.server))  //                                       <-- [ChangeCipherSpec]
      return .awaitingFinished(secrets)
    case (.awaitingFinished(let secrets), .handshake(.finished(let finished), let message)):  //     <-- Finished
      return try complete(finished, message, secrets)
    case (.connected(let parameters), .handshake(.helloRequest, _)), (.connected(let parameters), .renegotiate):
      return try renegotiate(event, parameters)  //                                           --> ClientHello
    case (.awaitingServerHello, .alert(Alert(.warning, .noRenegotiation))):
      return standDown() ?? state
    case (_, .recordFailed(let failure)): throw failure
    case (_, .handshake(.helloRequest, _)): return state  // ignored while negotiating: section 7.4.1.1
    default:
      if let state = try extraArrow(event) { return state }
      try log.handleElsewhere(event, expected: state.expected, isConnected: state.isConnected)
      return state
    }
  }

  /// Where an event leads that has no place in this state, by the decision of whoever has such an arrow.
  private mutating func extraArrow(_ event: Event) throws(HandshakeFailure) -> State? {
    switch (configuration.decisions.accepts(state.expected, event), state, event) {
    case (.none, _, _): return nil
    case (.skips, .awaitingServerHelloDone(let exchange), .handshake(.finished(let finished), let message)):
      // Neither a key exchange nor ChangeCipherSpec: the master secret is empty, and nothing is protected.
      return try complete(finished, message, withoutKeys(exchange))
    case (_, _, _): return state
    }
  }
}

extension Event {
  /// The message that joins the transcript before it is looked at: all but HelloRequest, which never joins, and those
  /// that are checked against the messages before them, which join after their check.
  var joiningMessage: HandshakeMessage? {
    guard case .handshake(_, let message) = self else { return nil }
    switch message.type {
    case .helloRequest, .finished, .certificateVerify: return nil
    default: return message
    }
  }
}

extension ClientHandshake12 {
  /// Where the handshake stands, with what is known there.
  public enum State: Sendable, Hashable {
    case awaitingServerHello(ClientHello)
    case awaitingCertificate(Choice)
    /// The server has announced a CertificateStatus, which it may leave out all the same.
    case awaitingCertificateStatus(Choice, CertificateMessage)
    case awaitingEvaluation(Choice)
    case awaitingServerKeyExchange(TrustedServer)
    case awaitingIdentity(Exchange)
    case awaitingServerHelloDone(Exchange)
    case awaitingChangeCipherSpec(Secrets)
    case awaitingFinished(Secrets)
    case connected(ConnectionParameters)
    case closed

    /// The names of the events that have their place here.
    public var expected: [Event.Name] {
      switch self {
      case .awaitingServerHello: [.handshake(.serverHello)]
      case .awaitingCertificate: [.handshake(.certificate)]
      case .awaitingCertificateStatus(let choice, _):
        [.handshake(.certificateStatus)]
          + (choice.suite.keyExchange == .rsa
            ? [.handshake(.certificateRequest), .handshake(.serverHelloDone)] : [.handshake(.serverKeyExchange)])
      case .awaitingEvaluation: [.certificateEvaluation]
      case .awaitingServerKeyExchange: [.handshake(.serverKeyExchange)]
      case .awaitingIdentity: [.identityChoice]
      case .awaitingServerHelloDone(let exchange):
        (exchange.request != nil ? [] : [.handshake(.certificateRequest)]) + [.handshake(.serverHelloDone)]
      case .awaitingChangeCipherSpec(let secrets):
        [secrets.awaitsTicket ? .handshake(.newSessionTicket) : .message(.changeCipherSpec)]
      case .awaitingFinished: [.handshake(.finished)]
      case .connected: [.handshake(.helloRequest)]
      case .closed: []
      }
    }

    /// Whether the handshake is complete.
    public var isConnected: Bool { parameters != nil }
    /// What was agreed on, once the handshake is complete.
    public var parameters: ConnectionParameters? {
      if case .connected(let parameters) = self { parameters } else { nil }
    }
    /// Whether the machine waits for an answer about a certificate, the server's or its own.
    public var awaitsEvaluation: Bool {
      switch self {
      case .awaitingEvaluation, .awaitingIdentity: true
      default: false
      }
    }
  }

  /// What the server chose out of the offer.
  public struct Choice: Sendable, Hashable {
    /// The client's offer.
    public let offer: ClientHello
    /// The server's answer.
    public let hello: ServerHello
    /// The row of the suite.
    public let suite: CipherSuite.Registration

    /// Whether the server goes on with the session that the client proposed.
    var resumes: Bool { !offer.sessionID.isEmpty && offer.sessionID == hello.sessionID }

    /// Whether the server agreed to an extension that says nothing but yes.
    func agreed(to type: ExtensionType) -> Bool { hello.agreed(to: type) }

    /// Version and suite.
    var negotiated: Negotiated { Negotiated(version: hello.selectedVersion, suite: suite) }
  }

  /// A server whose certificate is trusted, or that shows none.
  public struct TrustedServer: Sendable, Hashable {
    /// What it chose.
    public let choice: Choice
    /// The key in its certificate; nil for an anonymous server.
    public let publicKey: PublicKey?
  }

  /// Everything that the client's part of the key exchange needs.
  public struct Exchange: Sendable, Hashable {
    /// The server.
    public let server: TrustedServer
    /// The server's ephemeral key, nil for RSA.
    public let signed: ServerKeyExchange.SignedParameters?
    /// How the server asked for a certificate of the client; nil when it did not.
    public private(set) var request: CertificateRequestMessage?

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

  /// The secrets of the connection.
  public struct Secrets: Sendable, Hashable {
    /// The master secret and what follows from it.
    public let schedule: KeySchedule12
    /// The keys of the records.
    public let keys: KeyBlock
    /// What will have been agreed on.
    public let parameters: ConnectionParameters
    /// The id under which the server may remember the session; empty when it does not.
    public let sessionID: [UInt8]
    /// Whether the server has said that it will give a ticket: RFC 5077 section 3.2.
    public var awaitsTicket = false
    /// The ticket that the server gave.
    public internal(set) var ticket: NewSessionTicket?
    /// When the session was established.
    var established: Instant?
  }
}
