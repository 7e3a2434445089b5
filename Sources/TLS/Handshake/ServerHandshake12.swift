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
