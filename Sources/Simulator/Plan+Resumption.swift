import Endpoint
import Explanation
import TLS

extension World.Plan {
  /// The same connection, where its ends remember sessions of the ones before.
  func remembering(_ accounts: [ConnectionAccount]) -> World.Plan {
    var plan = self
    plan.client.tls.now = clock
    plan.server.tls.now = clock
    if client.resumesSessions {
      plan.client.tls.session =
        accounts.last { account in
          account.client.session != nil && account.plan.url.host == url.host
            && account.plan.client.tls.party == client.tls.party
        }?.client.session
    }
    let earlier = accounts.last { $0.plan.server.tls.party == server.tls.party && $0.server.sessions != nil }
    if let sessions = earlier?.server.sessions, server.tls.sessions != nil { plan.server.tls.sessions = sessions }
    return plan
  }
}
