import Explanation
import TLS
import Trust
import URLLoading

/// Checks whether the `network` entries that act on whole connections can have an effect.
///
/// For example, `strip` needs a load over HTTP, `reroute` a different host, and a padding oracle needs RSA key
/// exchange.
///
/// An attack that the endpoints prevent has an effect. An attack may have no effect in one case of a file if it has one
/// in another.
struct IdleAttackCheck {
  let cases: [Scenario]
  let sink: DiagnosticSink

  func run() {
    let dates = cases.flatMap(\.dates)
    let orders = dates.flatMap { date in date.network.compactMap { Order($0, on: date) } }
    let met = Set(orders.filter { $0.problem == nil }.map(\.name))
    var reported: Set<SourceMark> = []
    for order in orders where !met.contains(order.name) {
      guard let problem = order.problem, reported.insert(order.mark).inserted else { continue }
      sink.error("'\(order.name)' has no effect: \(problem.message)", hint: problem.hint, at: order.mark)
    }
  }

  /// An entry of `network`, and the reason why it has no effect.
  private struct Order {
    let name: String
    let mark: SourceMark
    /// The reason; nil if the entry has an effect, or if other errors report the reason.
    let problem: Problem?

    init?(_ verb: NetworkVerb, on date: Scenario) {
      switch verb {
      case .intercept(let description) where description.isStrip:
        (name, mark) = (description.word, description.mark)
        problem = Loads(of: date, in: description.connection).stripping
      case .refuseTLS(let connection, let mark):
        (name, self.mark) = ("refuse-tls", mark)
        problem = Loads(of: date, in: connection).refusingTLS
      case .reroute(let host, let connection, let mark):
        (name, self.mark) = ("reroute: \(host)", mark)
        problem = Loads(of: date, in: connection).rerouting(to: host)
      case .blockRevocation(let connection, let mark):
        (name, self.mark) = ("block-revocation", mark)
        problem = Loads(of: date, in: connection).blockingRevocation
      case .blockIssuers(let connection, let mark):
        (name, self.mark) = ("block-issuers", mark)
        problem = Loads(of: date, in: connection).blockingIssuers
      case .queryOracle(_, let mark):
        (name, self.mark) = ("query: padding-oracle", mark)
        problem = Loads(of: date, in: nil).asking
      case .eavesdrop, .leak, .quantumComputer, .attack, .intercept, .outdateRevocation, .forgePadding:
        return nil
      }
    }
  }

  private struct Problem {
    let message: String
    let hint: String
  }

  /// The loads that an entry acts on, and the targets of their redirects.
  private struct Loads {
    private let scenario: Scenario
    private let connections: [ConnectionDescription]
    private let urls: [LoadURL]
    /// The HSTS hosts, which are loaded over TLS regardless of the URL's scheme (RFC 6797 section 8.3).
    private let strictHosts: Set<String>

    init(of scenario: Scenario, in name: String?) {
      self.scenario = scenario
      connections = scenario.connections.filter { $0.isPart(of: name) && $0.replayed == nil }
      let targets = scenario.servers.flatMap { $0.redirects.map(\.target) }
      urls = (connections.map(\.url) + targets).compactMap { try? LoadURL($0) }
      strictHosts = Set(connections.flatMap(\.client.strictHosts))
    }

    /// The URL to use in a hint; nil if there is no valid load, which other checks report.
    private var first: LoadURL? { connections.first.flatMap { try? LoadURL($0.url) } }

    private func written(_ url: LoadURL, isSecure: Bool) -> String {
      let scheme = url.isWebSocket ? (isSecure ? "wss" : "ws") : isSecure ? "https" : "http"
      return "\(scheme)://\(url.host)\(url.path)"
    }

    var stripping: Problem? {
      guard let first, urls.allSatisfy(\.isSecure) else { return nil }
      return Problem(
        message: "every load begins with TLS", hint: "write request: \(written(first, isSecure: false))")
    }

    var refusingTLS: Problem? {
      guard let first, !urls.contains(where: { $0.isSecure || strictHosts.contains($0.host) }) else { return nil }
      return Problem(message: "no load begins with TLS", hint: "write request: \(written(first, isSecure: true))")
    }

    func rerouting(to host: String) -> Problem? {
      guard first != nil, urls.allSatisfy({ $0.host == host }) else { return nil }
      let others = scenario.servers.map(\.host).filter { $0 != host }
      return Problem(
        message: "every load already goes to that host",
        hint: others.first.map { "write reroute: \($0)" }
          ?? "load from another host, such as request: https://other.example/, or reroute to another server")
    }

    var blockingRevocation: Problem? {
      guard first != nil, connections.allSatisfy({ $0.client.revocation == .none }) else { return nil }
      return Problem(
        message: "no client checks revocation",
        hint: "write client: { revocation: soft-fail } or { revocation: hard-fail }")
    }

    var blockingIssuers: Problem? {
      guard first != nil else { return nil }
      if !connections.contains(where: \.client.fetchesIssuers) {
        return Problem(message: "no client fetches issuers", hint: "leave out 'fetchesIssuers: false'")
      }
      let all = scenario.authorities + scenario.certificates
      // The AIA extension of a certificate from a file is not examined here.
      guard all.allSatisfy({ $0.issuerLocation == nil && $0.pem == nil }) else { return nil }
      return Problem(
        message: "no certificate names the location of its issuer",
        hint: "write authorities: { Issuing: { caIssuers: \"http://ca.example/issuing.cer\" } }")
    }

    /// The problem if no encrypted premaster secret exists, which a padding oracle needs (RFC 5246 section 7.4.7.1).
    var asking: Problem? {
      let exchanges = scenario.servers.flatMap(\.cipherSuites).map(\.keyExchange)
      guard !exchanges.isEmpty, !exchanges.contains(.rsa) else { return nil }
      return Problem(
        message: "no server supports RSA key exchange",
        hint:
          "write server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA256] }, and os: iOS 8 for a client that accepts "
          + "it"
      )
    }
  }
}
