import Explanation
import TLS
import Trust
import URLLoading

/// Checks whether the words of `network` that act on whole connections have anything to act on: TLS to strip or to refuse,
/// something fetched to keep back, another host to lead to, RSA key exchange to ask about.
///
/// What is tried and prevented has met something, and so has what meets nothing in one case of a file to be compared with
/// the case where it does.
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
      sink.error("'\(order.name)' meets nothing: \(problem.message)", hint: problem.hint, at: order.mark)
    }
  }

  /// One word of `network`, and why nothing is there for it.
  private struct Order {
    let name: String
    let mark: SourceMark
    /// Nil where it meets something, or where other errors say why not.
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
      case .eavesdrop, .leak, .attack, .intercept, .outdateRevocation, .forgePadding: return nil
      }
    }
  }

  private struct Problem {
    let message: String
    let hint: String
  }

  /// What is loaded where a word acts, with where redirects lead.
  private struct Loads {
    private let scenario: Scenario
    private let connections: [ConnectionDescription]
    private let urls: [LoadURL]
    /// Hosts that are asked over TLS alone, whatever the URL says: RFC 6797 section 8.3.
    private let strictHosts: Set<String>

    init(of scenario: Scenario, in name: String?) {
      self.scenario = scenario
      connections = scenario.connections.filter { $0.isPart(of: name) && $0.replayed == nil }
      let targets = scenario.servers.flatMap { $0.redirects.map(\.target) }
      urls = (connections.map(\.url) + targets).compactMap { try? LoadURL($0) }
      strictHosts = Set(connections.flatMap(\.client.strictHosts))
    }

    /// The URL to write instead; nil where nothing that can be read is loaded here, which other checks tell.
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
        message: "what is loaded is loaded from there anyway",
        hint: others.first.map { "write reroute: \($0)" }
          ?? "load from another host, request: https://other.example/, or lead to the server of one")
    }

    var blockingRevocation: Problem? {
      guard first != nil, connections.allSatisfy({ $0.client.revocation == .none }) else { return nil }
      return Problem(
        message: "no client asks about revocation", hint: "write client: { revocation: soft-fail }, or hard-fail")
    }

    var blockingIssuers: Problem? {
      guard first != nil else { return nil }
      if !connections.contains(where: \.client.fetchesIssuers) {
        return Problem(message: "no client fetches issuers", hint: "leave 'fetchesIssuers: false' out")
      }
      let all = scenario.authorities + scenario.certificates
      // What a certificate from a file says of its issuer is not looked at here.
      guard all.allSatisfy({ $0.issuerLocation == nil && $0.pem == nil }) else { return nil }
      return Problem(
        message: "no certificate says where its issuer can be fetched",
        hint: "write authorities: { Issuing: { caIssuers: \"http://ca.example/issuing.cer\" } }")
    }

    /// RFC 5246 section 7.4.7.1: only a premaster secret that was encrypted can be asked about.
    var asking: Problem? {
      let exchanges = scenario.servers.flatMap(\.cipherSuites).map(\.keyExchange)
      guard !exchanges.isEmpty, !exchanges.contains(.rsa) else { return nil }
      return Problem(
        message: "no server does RSA key exchange",
        hint: "write server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA256] }, and a client that takes it: os: iOS 8"
      )
    }
  }
}
