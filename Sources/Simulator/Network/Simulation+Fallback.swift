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
    attempts.append(plan)
    queue.append(
      .decision(
        .client,
        Decision(
          .load(
            .fellBack(
              .init(
                to: version, after: reason.alert, isSignalled: fallback.isSignalled, confidence: fallback.confidence))))
      ))
    return true
  }
}

extension ConnectionAccount {
  /// What ended the handshake before the server had chosen anything, as a client sees it; nil where nothing of the kind
  /// did, or where the server forbids another try.
  fileprivate var failureBeforeAnswer: FailureBeforeAnswer? {
    guard plan.replayed == nil, plan.url.isSecure, client.hello != nil, client.parameters == nil,
      client.evaluation == nil
    else { return nil }
    guard let alert = client.alert else { return client.isOver ? nil : FailureBeforeAnswer(alert: nil) }
    let isAboutVersions = [AlertDescription.handshakeFailure, .protocolVersion].contains(alert.description)
    return alert.isFromServer && isAboutVersions ? FailureBeforeAnswer(alert: alert.description) : nil
  }
}

/// A failure before the server chose anything.
private struct FailureBeforeAnswer {
  /// The server's alert; nil if it sent nothing.
  let alert: AlertDescription?
}
