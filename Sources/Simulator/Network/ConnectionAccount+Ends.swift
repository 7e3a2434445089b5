import Endpoint

extension ConnectionAccount {
  /// Those between whom the bytes go, as they stand.
  struct Ends: Sendable {
    var client: ClientEndpoint
    var server: ServerEndpoint
    var front: ServerEndpoint?
    var back: ClientEndpoint?
    var proxy: ProxyEndpoint?
    var beforeResponse: Juncture?

    init(_ plan: World.Plan) {
      client = ClientEndpoint(plan.client)
      let isSecure = plan.url.isSecure
      front = plan.interceptor.map { ServerEndpoint($0.front, isSecure: isSecure) }
      back = plan.interceptor?.back.map(ClientEndpoint.init)
      proxy = plan.proxy.map(ProxyEndpoint.init)
      server = ServerEndpoint(plan.server, isSecure: back?.configuration.decision.load.url.isSecure ?? isSecure)
    }
  }
}
