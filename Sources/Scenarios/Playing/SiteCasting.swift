import Cryptography
import Endpoint
import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// A scenario's servers as something to be asked about rather than played: what each would agree to and show.
struct SiteCasting {
  let scenario: Scenario
  let hierarchy: Hierarchy

  func site() -> AppTransportSecurity.Site {
    let servers = scenario.servers.map { ($0.host.lowercased(), answer(of: $0)) }
    var site = AppTransportSecurity.Site(
      servers: Dictionary(servers) { first, _ in first },
      trust: TrustPolicy(
        profile: .apple, os: nil, date: scenario.clock, store: hierarchy.store(for: scenario), names: hierarchy.names))
    let published = hierarchy.publications(in: scenario).compactMap { publication in
      (try? Certificate(der: publication.certificate)).map { (publication.url, [$0]) }
    }
    site.publications = Dictionary(published) { first, _ in first }
    return site
  }

  private func answer(of server: ServerDescription) -> AppTransportSecurity.Site.Server {
    let entries = server.presents.compactMap { hierarchy[$0] }
    let chain = entries.flatMap(\.certificates).map(\.certificate)
    return AppTransportSecurity.Site.Server(
      terms: AppTransportSecurity.ServerTerms(
        versions: server.versions, cipherSuites: server.cipherSuites, groups: server.groups,
        signatureSchemes: server.signatureSchemes ?? SignatureScheme.defaults, key: chain.first?.publicKey,
        requiresClientCertificate: server.clientAuthentication == .required),
      chain: chain, redirects: redirects(of: server))
  }

  /// Where a GET is sent on to, by path.
  private func redirects(of server: ServerDescription) -> [String: String] {
    let pairs = server.redirects.compactMap { line, target in
      line.hasPrefix("GET ") ? (String(line.dropFirst(4)), target) : nil
    }
    return Dictionary(pairs) { first, _ in first }
  }
}

extension ScenarioPlayer {
  /// The servers of `scenario` as something to be asked about: what each would agree to, show and answer with.
  ///
  /// Whoever interferes on the network is left out, and so are the app and its system.
  ///
  /// - Throws: `Diagnostics` when a file it names cannot be used.
  public func site(of scenario: Scenario) throws(Diagnostics) -> AppTransportSecurity.Site {
    SiteCasting(scenario: scenario, hierarchy: try cast.hierarchy(of: scenario, shift: 0)).site()
  }
}
