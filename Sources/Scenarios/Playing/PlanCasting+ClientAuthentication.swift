import Cryptography
import Endpoint
import Explanation
import PKIX
import TLS
import Trust

/// What client and server bring along so that the server learns who the client is.
extension PlanCasting {
  /// What the client shows: the certificates it names, or its one and the issuers' below the root.
  func identityChain(_ client: ClientDescription) -> [(name: String, certificate: Certificate)] {
    guard client.identity.count == 1, let name = client.identity.first else {
      return client.identity.compactMap { hierarchy[$0] }.flatMap(\.certificates)
    }
    return hierarchy.chain(of: name, in: scenario)
  }

  func identity(_ client: ClientDescription, _ mark: SourceMark) throws(Diagnostics) -> ClientIdentity? {
    guard let name = client.identity.first, let entry = hierarchy[name] else { return nil }
    guard let key = entry.key else {
      throw Diagnostics(
        "the client cannot prove that it is '\(name)': its private key is not given",
        hint: "give it a privateKey beside its pem", at: mark)
    }
    let chain = identityChain(client).map(\.certificate)
    return ClientIdentity(
      certificates: chain.map(\.der), privateKey: key, privateKeyName: "\(name).key", issuers: chain.map(\.issuer.der))
  }

  /// `endpoint`, which asks its clients who they are where `server` says so.
  func authenticatingClients(
    _ endpoint: ServerEndpoint.Configuration, as server: ServerDescription
  ) -> ServerEndpoint.Configuration {
    guard server.clientAuthentication != .none else { return endpoint }
    let store = hierarchy.clientStore(for: server)
    var endpoint = endpoint
    endpoint.tls.clientAuthentication = server.clientAuthentication
    endpoint.tls.clientAuthorities = store.anchors.certificates.map(\.subject.der)
    endpoint.clientTrust = TrustPolicy(
      profile: .rfc5280, os: nil, purpose: .client, date: scenario.clock, store: store, names: hierarchy.names)
    return endpoint
  }
}
