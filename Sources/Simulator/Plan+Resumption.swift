import Endpoint
import Explanation
import TLS

extension World.Plan {
  /// For how many seconds sessions are remembered: the upper limit of RFC 5246 section F.1.4.
  static let sessionLifetime: Int64 = 86_400

  /// The same connection, where its ends remember sessions of the ones before.
  func remembering(_ accounts: [ConnectionAccount]) -> World.Plan {
    var plan = self
    let recent = accounts.filter { $0.plan.clock.adding(seconds: Self.sessionLifetime) >= clock }
    if client.resumesSessions {
      plan.client.tls.session =
        recent.last { account in
          account.client.session != nil && account.plan.url.host == url.host
            && account.plan.client.tls.party == client.tls.party
        }?.client.session
    }
    let earlier = recent.last { $0.plan.server.tls.party == server.tls.party && $0.server.sessions != nil }
    if let sessions = earlier?.server.sessions, server.tls.sessions != nil { plan.server.tls.sessions = sessions }
    return plan
  }
}
