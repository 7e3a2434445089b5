import Endpoint
import Explanation
import URLLoading

// Redirects: each leads to a connection of its own.
extension Simulation {
  /// The connections that were made, those of redirects among them, and those that will be made, in order.
  public var plans: [World.Plan] { accounts.map(\.plan) + world.plans.dropFirst(begun) }

  /// The connection that the last one's server redirects to, if it does; nil as well where nobody is there, which is
  /// then the client's last word.
  mutating func redirected() -> World.Plan? {
    guard let last = accounts.indices.last, !accounts[last].isFollowed, let onward = accounts[last].client.redirection
    else { return nil }
    accounts[last].isFollowed = true
    if let plan = accounts[last].plan.following(onward, after: accounts[last].client.visited) { return plan }
    let finding = accounts[last].plan.client.tls.enforcement.check(.hostNotFound, on: .host(onward.url.host), false)
    queue.append(
      .decision(
        .client,
        Decision(
          title: "the client finds nobody at \(onward.url.host)", narration: finding.rule.statement,
          findings: [finding])))
    return nil
  }
}

extension World.Plan {
  /// The connection that `redirection` leads to, judged anew in everything; nil where no server answers there.
  fileprivate func following(_ redirection: Redirection, after visited: [String]) -> World.Plan? {
    guard var plan = onward?(redirection, hop + 1) else { return nil }
    plan.hop = hop + 1
    plan.client.visited = visited
    plan.onward = onward
    return plan
  }
}
