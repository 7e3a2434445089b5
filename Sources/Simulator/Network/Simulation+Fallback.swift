import Endpoint
import Explanation

// The fallback of a client that retries with a lower version after a failed handshake: RFC 7507 section 1.
extension Simulation {
  /// Returns whether another attempt follows the last connection. If so, the client's decision is added to the queue.
  mutating func fallsBack() -> Bool {
    guard let account = accounts.last, account.plan.replayed == nil, let decision = account.client.decisionToAskAgain,
      let plan = account.planned.attempted(account.plan.attempt + 1)
    else { return false }
    attempts.append(plan)
    queue.append(.decision(.client, decision))
    return true
  }
}
