import Explanation
import TLS
import URLLoading

// A client that asks again, with a lower version, after a handshake that failed: RFC 7507 section 1.
extension ClientEndpoint {
  /// The decision to ask again; nil where the client does not, or has nothing lower to ask with.
  public var decisionToAskAgain: Decision? {
    guard let fallback = configuration.fallback, fallback.versions.indices.contains(configuration.attempt),
      let failure = failureBeforeAnswer
    else { return nil }
    let version = fallback.versions[configuration.attempt]
    let signal =
      fallback.isSignalled
      ? "TLS_FALLBACK_SCSV among its suites says that this is a second try (RFC 7507)."
      : "Nothing in it says that this is a second try."
    return Decision(
      title: "the client asks again, with \(version) at most",
      narration: "\(failure) A server that cannot do better may have done that, or someone on the way. \(signal)"
        + (fallback.confidence.note.map { " (\($0).)" } ?? ""), findings: [])
  }

  /// The failure of a handshake in which the server has chosen nothing; nil without one, or if the server forbids another
  /// try.
  private var failureBeforeAnswer: String? {
    guard url.isSecure, hello != nil, parameters == nil, evaluation == nil else { return nil }
    guard let alert else { return isOver ? nil : "No answer has come." }
    let isAboutVersions = [AlertDescription.handshakeFailure, .protocolVersion].contains(alert.description)
    return alert.isFromServer && isAboutVersions ? "The server answered \(alert.description)." : nil
  }
}
