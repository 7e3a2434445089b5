import Cryptography
import Explanation

/// The server's side of a full handshake of TLS 1.2: RFC 5246 section 7.3, figure 1 (drawn at `ClientHandshake12`); and of
/// TLS 1.0 and 1.1, which differ by the value `Negotiated`. What settles the version is in `ServerNegotiation`.
///
/// A value with a pure step: what it wants done are effects, what happens to it are events.
public struct ServerHandshake12: Sendable {
  /// Where the handshake stands.
  public internal(set) var state: State
  /// What the server has, and what it prefers.
  ///
  /// From the client's offer on, of several certificates only the one that this client is shown.
  public internal(set) var configuration: ServerConfiguration {
    _read { yield boxed.value }
    _modify { yield &boxed.value }
  }
  /// The same for what the log works out only where it is told: while it changes, the whole machine cannot be asked.
  var boxed: Boxed<ServerConfiguration>
  /// Version and suite, once the server has chosen.
  public internal(set) var negotiated: Negotiated? { didSet { log.version = negotiated?.version } }
  var transcript = Transcript()
  var log: EffectLog
  var names: ValueScope
  /// What the server has for every client, before one was chosen.
  var settings: ServerConfiguration { _read { yield boxedSettings.value } }
  private let boxedSettings: Boxed<ServerConfiguration>
  /// What the last handshake was finished with.
  var verifyData = VerifyData()
  /// Whether this is a handshake on a connection that stood already.
  var isRenegotiation = false

  /// A server that has chosen `version`, for the ClientHello that led to it.
  init(_ configuration: Boxed<ServerConfiguration>, _ version: ProtocolVersion) {
    state = .awaitingClientHello(version)
    (boxed, boxedSettings) = (configuration, configuration)
    log = EffectLog(configuration.value.enforcement, narrates: configuration.value.narrates)
    names = configuration.value.valueScope
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
    if let message = event.joiningMessage, !state.isConnected { transcript.append(message) }
    switch (state, event) {
    case (.awaitingClientHello(let version), .handshake(.clientHello(let hello), _)):  // ClientHello -------->
      // <-------- ServerHello Certificate ServerKeyExchange* CertificateRequest* ServerHelloDone
      return try answer(hello, version)
    case (.awaitingClientCertificate(let exchange), .handshake(.certificate(let message), _)):
      return try evaluate(message, exchange)  //                                 Certificate* -------->
    case (.awaitingEvaluation(let exchange), .certificateEvaluated(let answer)):
      return try trust(answer, exchange)
    case (.awaitingClientKeyExchange(let exchange), .handshake(.clientKeyExchange(let message), _)):
      return try agree(message, exchange)  //                                    ClientKeyExchange -------->
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
      if let state = try extraArrow(event) { return state }
      try log.handleElsewhere(event, expected: state.expected, isConnected: state.isConnected)
      return state
    }
  }

  /// Where an event leads that has no place in this state, by the decision of whoever has such an arrow.
  private mutating func extraArrow(_ event: Event) throws(HandshakeFailure) -> State? {
    switch (configuration.decisions.accepts(state.expected, event), state, event) {
    case (.none, _, _): return nil
    case (.skips, .awaitingCertificateVerify(let secrets, _), .changeCipherSpec):
      // The client has not proved that it holds the key of its certificate.
      log.add(.protectReading(secrets.keys.client))
      return .awaitingFinished(secrets)
    case (_, _, _): return state
    }
  }
}

extension ServerHandshake12 {
  /// Where the handshake stands, with what is known there.
  public enum State: Sendable {
    case awaitingClientHello(ProtocolVersion)
    case awaitingClientCertificate(Exchange)
    case awaitingEvaluation(Exchange)
    case awaitingClientKeyExchange(Exchange)
    case awaitingCertificateVerify(Secrets, by: PublicKey)
    case awaitingChangeCipherSpec(Secrets)
    case awaitingFinished(Secrets)
    case connected(ConnectionParameters)
    case closed

    /// The names of the events that have their place here.
    public var expected: [Event.Name] {
      switch self {
      case .awaitingClientHello: [.handshake(.clientHello)]
      case .awaitingClientCertificate: [.handshake(.certificate)]
      case .awaitingEvaluation: [.certificateEvaluation]
      case .awaitingClientKeyExchange: [.handshake(.clientKeyExchange)]
      case .awaitingCertificateVerify: [.handshake(.certificateVerify)]
      case .awaitingChangeCipherSpec: [.message(.changeCipherSpec)]
      case .awaitingFinished: [.handshake(.finished)]
      case .connected: [.handshake(.clientHello)]
      case .closed: []
      }
    }

    /// Whether the handshake is complete.
    public var isConnected: Bool { parameters != nil }
    /// What was agreed on, once the handshake is complete.
    public var parameters: ConnectionParameters? {
      if case .connected(let parameters) = self { parameters } else { nil }
    }
    /// Whether the machine waits for an answer about the client's certificate.
    public var awaitsEvaluation: Bool {
      if case .awaitingEvaluation = self { true } else { false }
    }
  }

  /// Everything that the server's part of the key exchange needs.
  public struct Exchange: Sendable {
    /// The client's offer.
    public let offer: ClientHello
    /// The server's choice.
    public let choice: Choice
    /// `server_random`.
    public let random: [UInt8]
    /// The id under which the session will be remembered; empty when it will not.
    public let sessionID: [UInt8]
    let share: KeyShare?
    /// The key in the client's certificate, once that is trusted.
    public internal(set) var clientKey: PublicKey?
  }

  /// The secrets of the connection.
  public struct Secrets: Sendable, Hashable {
    /// The master secret and what follows from it.
    public let schedule: KeySchedule12
    /// The keys of the records.
    public let keys: KeyBlock
    /// What will have been agreed on.
    public let parameters: ConnectionParameters
    /// The id under which the session will be remembered; empty when it will not.
    public let sessionID: [UInt8]
    /// Whether the client will be given a ticket before the server finishes.
    public var givesTicket = false
  }
}
