import Explanation
import TLS
import URLLoading

// A client that asks again, with a lower version, after a handshake that failed: RFC 7507 section 1.
extension ClientEndpoint {
  /// The decision to ask again; nil where the client does not, or has nothing lower to ask with.
  public var decisionToAskAgain: Decision? {
    guard let fallback = configuration.fallback, fallback.versions.indices.contains(configuration.attempt),
      hasFailedBeforeAnswer
    else { return nil }
    let version = fallback.versions[configuration.attempt]
    return Decision(
      .load(
        .fellBack(
          .init(
            to: version, after: alert?.description, isSignalled: fallback.isSignalled, confidence: fallback.confidence))
      ))
  }

  /// Whether the handshake ended before the server had chosen anything, and the server does not forbid another try.
  private var hasFailedBeforeAnswer: Bool {
    guard url.isSecure, hello != nil, parameters == nil, evaluation == nil else { return false }
    guard let alert else { return !isOver }
    return alert.isFromServer && [.handshakeFailure, .protocolVersion].contains(alert.description)
  }
}
