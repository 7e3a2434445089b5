import Endpoint
import Explanation
import TLS
import URLLoading

// A client that asks again, with a lower version, after a handshake that failed: RFC 7507 section 1.
extension Simulation {
  /// Whether the last connection is followed by another attempt; if so, the client's decision is queued.
  mutating func fallsBack() -> Bool {
    guard let last = accounts.indices.last, let reason = accounts[last].failureBeforeAnswer,
      let fallback = accounts[last].plan.client.fallback, let again = accounts[last].plan.again
    else { return false }
    let attempt = accounts[last].plan.attempt
    guard fallback.versions.indices.contains(attempt), var plan = again(attempt + 1) else { return false }
    plan.attempt = attempt + 1
    plan.hop = accounts[last].plan.hop
    plan.client.visited = accounts[last].plan.client.visited
    let version = fallback.versions[attempt]
    let signal =
      fallback.isSignalled
      ? "TLS_FALLBACK_SCSV among its suites says that this is a second try (RFC 7507)."
      : "Nothing in it says that this is a second try."
    attempts.append(plan)
    queue.append(
      .decision(
        .client,
        Decision(
          title: "the client asks again, with \(version) at most",
          narration: "\(reason) A server that cannot do better may have done that, or someone on the way. \(signal)"
            + (fallback.confidence.note.map { " (\($0).)" } ?? ""), findings: [])))
    return true
  }
}

extension ConnectionAccount {
  /// What ended the handshake before the server had chosen anything, as a client sees it; nil where nothing of the kind
  /// did, or where the server forbids another try.
  fileprivate var failureBeforeAnswer: String? {
    guard plan.replayed == nil, plan.url.isSecure, client.hello != nil, client.parameters == nil,
      client.evaluation == nil
    else { return nil }
    guard let alert = client.alert else { return client.isOver ? nil : "No answer has come." }
    let isAboutVersions = [AlertDescription.handshakeFailure, .protocolVersion].contains(alert.description)
    return alert.isFromServer && isAboutVersions ? "The server answered \(alert.description)." : nil
  }
}
