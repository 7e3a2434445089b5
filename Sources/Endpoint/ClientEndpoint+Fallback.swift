import Explanation
import TLS
import URLLoading

// The fallback of a client that retries with a lower version after a failed handshake: RFC 7507 section 1.
extension ClientEndpoint {
  /// The decision to retry with a lower version; nil if the client does not retry or has no lower version.
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

  /// Whether the handshake failed before the ServerHello, and the server's alert allows a retry.
  private var hasFailedBeforeAnswer: Bool {
    guard url.isSecure, hello != nil, parameters == nil, evaluation == nil else { return false }
    guard let alert else { return !isOver }
    return alert.isFromServer && [.handshakeFailure, .protocolVersion].contains(alert.description)
  }
}
