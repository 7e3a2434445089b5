import Explanation
import Endpoint

extension ConnectionRecord {
  /// The endpoints of a connection in their current state.
  struct Ends: Sendable {
    var client: Boxed<ClientEndpoint>
    var server: Boxed<ServerEndpoint>
    var front: Boxed<ServerEndpoint?>
    var back: Boxed<ClientEndpoint?>
    var proxy: Boxed<ProxyEndpoint?>
    var beforeResponse: Checkpoint?

    init(_ plan: World.Plan) {
      client = Boxed(ClientEndpoint(plan.informedClient))
      let isSecure = plan.url.isSecure
      front = Boxed(plan.interceptor.map { ServerEndpoint($0.front, isSecure: isSecure) })
      back = Boxed(plan.interceptor?.back.map(ClientEndpoint.init))
      proxy = Boxed(plan.proxy.map(ProxyEndpoint.init))
      let isSecureBehind = back.value?.configuration.decision.load.url.isSecure ?? isSecure
      server = Boxed(ServerEndpoint(plan.server, isSecure: isSecureBehind))
    }
  }
}
