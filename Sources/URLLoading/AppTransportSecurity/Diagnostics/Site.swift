import PKIX
import Trust

extension AppTransportSecurity {
  /// Everything that answers loads: servers by host, and what their certificates are evaluated against.
  public struct Site: Sendable {
    /// One server, over HTTPS and over plain HTTP.
    public struct Server: Sendable {
      /// What it would agree to.
      public let terms: ServerTerms
      /// The certificates it shows, its own first.
      public let chain: [Certificate]
      /// Where it sends a client, by request path: an absolute URL or a path.
      public let redirects: [String: String]

      /// A server with these terms that shows `chain`.
      public init(terms: ServerTerms, chain: [Certificate], redirects: [String: String] = [:]) {
        self.terms = terms
        self.chain = chain
        self.redirects = redirects
      }
    }

    /// The servers, by host in lower case.
    public let servers: [String: Server]
    /// What certificates are evaluated against; its system is replaced by the one that is asked about.
    public let trust: TrustPolicy
    /// What can be fetched of issuers that a server does not show, by URL.
    public var publications: [String: [Certificate]] = [:]

    /// Servers, and what their certificates are evaluated against.
    public init(servers: [String: Server], trust: TrustPolicy) {
      self.servers = servers
      self.trust = trust
    }

    /// The same servers where the system trusts these roots too.
    public func trusting(_ roots: [Certificate]) -> Site {
      var policy = trust
      policy.store = trust.store.adding(system: roots)
      var site = Site(servers: servers, trust: policy)
      site.publications = publications
      return site
    }

    func evaluation(of server: Server, for host: String, on os: OSVersion) -> TrustEvaluation {
      var policy = trust
      policy.os = os
      policy.issuers = IssuerFetching()
      var evaluation = TrustEvaluator.evaluate(server.chain, host: host, policy)
      while let wanted = evaluation.wanted {
        policy.issuers?.add(publications[wanted.url] ?? [], from: wanted.url)
        evaluation = TrustEvaluator.evaluate(server.chain, host: host, policy)
      }
      return evaluation
    }
  }
}
