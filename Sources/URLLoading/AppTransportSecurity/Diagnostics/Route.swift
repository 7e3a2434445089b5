import PKIX
import Trust

extension AppTransportSecurity {
  /// The way of one load on one system, redirect by redirect, as the servers lay it out whatever is allowed.
  struct Route: Sendable {
    /// One place on the way.
    struct Stop: Sendable {
      let url: LoadURL
      let answer: Answer
    }

    /// What answers there.
    enum Answer: Sendable {
      /// A server, and what the system makes of its certificates.
      case server(Site.Server, TrustEvaluation, CertificateNames)
      /// Nobody is to be asked: only what is decided before any connection counts.
      case notAsked
      /// No server has the host's name.
      case nobody
      /// The way has been here before, or leads on for too long.
      case tooManyRedirects
    }

    let os: OSVersion
    let loader: Loader
    let stops: [Stop]

    /// URLSession follows no more redirects than this.
    private static let longest = 20

    init(_ url: LoadURL, os: OSVersion, loader: Loader, site: Site?) {
      self.os = os
      self.loader = loader
      var stops: [Stop] = []
      var next: LoadURL? = url
      while let url = next {
        guard let site else {
          stops.append(Stop(url: url, answer: .notAsked))
          break
        }
        guard stops.count < Self.longest, !stops.contains(where: { $0.url == url }) else {
          stops.append(Stop(url: url, answer: .tooManyRedirects))
          break
        }
        guard let server = site.servers[url.host] else {
          stops.append(Stop(url: url, answer: .nobody))
          break
        }
        let evaluation = site.evaluation(of: server, for: url.host, on: os)
        stops.append(Stop(url: url, answer: .server(server, evaluation, site.trust.names)))
        next = server.redirects[url.path].flatMap { url.resolving($0) }
      }
      self.stops = stops
    }
  }
}
