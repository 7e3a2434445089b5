import Cryptography
import Explanation

/// The server's side of a full TLS 1.2 handshake: RFC 5246 section 7.3, figure 1 (drawn at `ClientHandshake12`).
///
/// A value with a pure step: what it wants done are effects, what happens to it are events.
public struct ServerHandshake12: Sendable {
  /// Where the handshake stands.
  public internal(set) var state: State = .awaitingClientHello
  /// What the server has, and what it prefers.
  public let configuration: ServerConfiguration
  var transcript = Transcript()
  var log: EffectLog
  let names: ValueNames

  /// A server that waits for a client.
  public init(_ configuration: ServerConfiguration) {
    self.configuration = configuration
    log = EffectLog(configuration.enforcement)
    names = ValueNames(prefix: configuration.valuePrefix)
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
    case (.awaitingClientHello, .handshake(.clientHello(let hello), _)):  //     ClientHello -------->
      // <-------- ServerHello Certificate ServerKeyExchange* CertificateRequest* ServerHelloDone
      return try answer(hello)
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
    case (.connected, .handshake(.clientHello, _)):
      log.declineRenegotiation(event)
      return state
    case (_, .alert(let alert)): return try receive(alert)
    case (_, .recordFailed(let failure)): throw failure
    case (_, .malformed(let type, let error)):
      throw log.failure(.decodeError, on: .message(type.description), .decodeError, found: .word(error.description))
    default:
      throw log.failure(
        .unexpectedMessage, on: .message(event.name), .unexpectedMessage, required: .anyOf(state.expected),
        found: .word(event.name))
    }
  }

  private mutating func receive(_ alert: Alert) throws(HandshakeFailure) -> State {
    if alert.level == .warning && (state.isConnected || alert.description != .closeNotify) { return state }
    throw log.failure(.fatalAlert, alert.description, found: .word("\(alert.description)"), isOwn: false)
  }
}

extension ServerHandshake12 {
  /// Where the handshake stands, with what is known there.
  public enum State: Sendable {
    case awaitingClientHello
    /// The server chose a version that the machines cannot run; the client will refuse it.
    case awaitingRefusal
    case awaitingClientCertificate(Exchange)
    case awaitingEvaluation(Exchange)
    case awaitingClientKeyExchange(Exchange)
    case awaitingCertificateVerify(Secrets, by: PublicKey)
    case awaitingChangeCipherSpec(Secrets)
    case awaitingFinished(Secrets)
    case connected(ConnectionParameters)
    case closed

    /// The names of the events that have their place here.
    public var expected: [String] {
      switch self {
      case .awaitingClientHello: ["ClientHello"]
      case .awaitingRefusal: ["Alert"]
      case .awaitingClientCertificate: ["Certificate"]
      case .awaitingEvaluation: ["certificate evaluation"]
      case .awaitingClientKeyExchange: ["ClientKeyExchange"]
      case .awaitingCertificateVerify: ["CertificateVerify"]
      case .awaitingChangeCipherSpec: ["ChangeCipherSpec"]
      case .awaitingFinished: ["Finished"]
      case .connected: ["ClientHello"]
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

  /// What the server chose out of the offer.
  public struct Choice: Sendable, Hashable {
    /// The version.
    public let version: ProtocolVersion
    /// The row of the suite.
    public let suite: CipherSuite.Registration
    /// The group, nil for RSA.
    public let group: NamedGroup?
    /// How the key exchange is signed, nil for RSA.
    public let signatureScheme: SignatureScheme?
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
  }

  /// How the premaster secret comes about, once the server has chosen: it gives two messages their shape.
  public var keyExchange: CipherSuite.KeyExchange? {
    switch state {
    case .awaitingClientCertificate(let exchange), .awaitingEvaluation(let exchange),
      .awaitingClientKeyExchange(let exchange):
      exchange.choice.suite.keyExchange
    default: nil
    }
  }
}
