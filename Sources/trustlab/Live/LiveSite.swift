import Endpoint
import Explanation
import LiveTLS
import PKIX
import Scenarios
import TLS
import Trust
import URLLoading

/// What real servers show of themselves to a few probes, as something to be asked about: what each would agree to, show
/// and answer with.
///
/// What a server would make of a narrower offer follows from what it made of a wide one: where its choice is still on
/// offer it stays, and where it is not, a probe has asked for the others.
struct LiveSite {
  private let store: TrustStore
  private let os: OSVersion
  private let date = Clock.now
  /// Where hosts are found that are not found by their names.
  var places: [String: LiveClient.Destination] = [:]

  private typealias Site = AppTransportSecurity.Site

  /// How many hosts are asked at most: URLSession follows no more redirects.
  private static let mostHosts = 20

  /// What a client of `os` sees that trusts the roots in `store`.
  init(_ store: TrustStore, os: OSVersion) { (self.store, self.os) = (store, os) }

  private var policy: TrustPolicy {
    TrustPolicy(profile: .apple, os: nil, date: date, store: store, names: .common)
  }

  /// The servers of these URLs, and of those to which they redirect.
  ///
  /// - Throws: `Diagnostics` where the server of a URL is not there, or speaks no TLS.
  func site(for urls: [LoadURL]) throws(Diagnostics) -> AppTransportSecurity.Site {
    var servers: [String: Site.Server] = [:]
    var redirects: [String: [String: String]] = [:]
    var publications: [String: [Certificate]] = [:]
    var next = urls[...]
    while let url = next.popFirst(), redirects.count <= Self.mostHosts {
      let place = Site.place(of: url)
      guard redirects[place]?[url.path] == nil else { continue }
      let isNamed = urls.contains(url)
      guard let answer = isNamed ? try asked(url) : try? asked(url) else { continue }
      if let onward = answer.redirect {
        redirects[place, default: [:]][url.path] = onward.description
        next.append(onward)
      }
      servers[place] = Site.Server(
        terms: servers[place]?.terms ?? answer.terms, chain: servers[place]?.chain ?? answer.chain,
        redirects: redirects[place] ?? [:], isProbed: true)
      if !answer.chain.isEmpty {
        publications.merge(self.publications(for: answer.chain, of: url)) { first, _ in first }
      }
    }
    var site = Site(servers: servers, trust: policy)
    site.publications = publications
    return site
  }

  /// What can be fetched of issuers that a server does not present, by URL: RFC 5280 section 4.2.2.1.
  private func publications(for chain: [Certificate], of url: LoadURL) -> [String: [Certificate]] {
    var found: [String: [Certificate]] = [:]
    var policy = policy
    policy.os = os
    policy.issuers = IssuerFetching()
    while let wanted = TrustEvaluator.evaluate(chain, host: url.host, policy).wanted, found[wanted.url] == nil {
      let bytes = LiveClient.fetch(wanted.url, for: client(of: url), clock: { Clock.now })
      found[wanted.url] = bytes.flatMap { try? Certificate.certificates(inPEMOrDER: $0) } ?? []
      policy.issuers?.add(found[wanted.url] ?? [], from: wanted.url)
    }
    return found
  }

  private struct Answer {
    var terms: AppTransportSecurity.ServerTerms
    var chain: [Certificate] = []
    var redirect: LoadURL?
  }

  private func asked(_ url: LoadURL) throws(Diagnostics) -> Answer {
    let port = Int(url.port ?? (url.isSecure ? 443 : 80))
    let inquiry = LiveInquiry(client: LiveClient(places[url.host] ?? .init(host: url.host, port: port)))
    let client = client(of: url)
    guard url.isSecure else {
      let client = try inquiry.converse(client).client
      return Answer(terms: .init(versions: [], cipherSuites: [], key: nil), redirect: client.redirection?.url)
    }
    let conversation = try inquiry.converse(client)
    let isOffered = ClientOffer.systemDefault(os: os).maximumVersion >= .tls13
    let suiteOfTLS13 = isOffered || conversation.serverHello == nil ? try inquiry.suiteOfTLS13(client) : nil
    guard let hello = conversation.serverHello else {
      guard let suiteOfTLS13 else { return refused(conversation, url) }
      Console.complain(
        "note: \(url.authority) speaks only TLS 1.3, which "
          + (isOffered
            ? "is not modelled: its certificates come encrypted, and are not judged" : "\(os) does not offer"))
      return Answer(terms: .init(versions: [.tls13], cipherSuites: [suiteOfTLS13], key: nil))
    }
    var suites = [hello.cipherSuite]
    if !hello.cipherSuite.name.hasPrefix("TLS_ECDHE_"), let other = try ephemeral(client, inquiry) {
      suites.append(other)
    }
    let chain = conversation.certificates.compactMap { try? Certificate(der: $0) }
    guard let leaf = chain.first, chain.count == conversation.certificates.count else {
      throw Diagnostics(
        "\(url.host) shows a certificate that cannot be read", hint: "'trustlab connect \(url.host):\(port)' says more")
    }
    return Answer(
      terms: .init(
        versions: [hello.serverVersion] + (suiteOfTLS13 == nil ? [] : [.tls13]),
        cipherSuites: (suiteOfTLS13.map { [$0] } ?? []) + suites,
        groups: NamedGroup.implemented, key: leaf.publicKey,
        requiresClientCertificate: conversation.hasAskedForCertificate && conversation.client.content == nil),
      chain: chain, redirect: conversation.client.redirection?.url)
  }

  /// The server is there, and agrees to nothing.
  private func refused(_ conversation: LiveConversation, _ url: LoadURL) -> Answer {
    let refusal: AppTransportSecurity.ServerTerms.Refusal =
      conversation.serverAlert.map { .alert($0) } ?? (conversation.ending == .timedOut ? .silence : .closed)
    let what =
      switch refusal {
      case .alert(let alert): "it says \(alert)"
      case .closed: "it ends the connection"
      case .silence: "it says nothing"
      }
    Console.complain(
      "note: \(url.authority) agrees to none of TLS 1.0 to 1.3 with what systems offer: \(what); 'trustlab connect "
        + "\(url.authority)' shows the handshake")
    var terms = AppTransportSecurity.ServerTerms(versions: [], cipherSuites: [], key: nil)
    terms.refusal = refusal
    return Answer(terms: terms)
  }

  /// The certificates that the server of `place` presents, its own first.
  ///
  /// - Throws: `Diagnostics` where it presents none.
  static func chain(of place: LivePlace) throws(Diagnostics) -> [Certificate] {
    let site = LiveSite(TrustStore(), os: OSVersion(.iOS, 8))
    let inquiry = LiveInquiry(client: LiveClient(place.destination))
    var client = site.client(of: place.url)
    client.asksForContent = false
    let conversation = try inquiry.converse(client)
    let chain = conversation.certificates.compactMap { try? Certificate(der: $0) }
    if chain.isEmpty, conversation.serverHello == nil, try inquiry.suiteOfTLS13(client) != nil {
      throw Diagnostics(
        "\(place) speaks only TLS 1.3, which is not modelled: its certificates come encrypted",
        hint: "openssl s_client -showcerts -connect \(place) writes them down")
    }
    guard !chain.isEmpty, chain.count == conversation.certificates.count else {
      throw Diagnostics(
        "\(place) presents no certificates that can be read", hint: "'trustlab connect \(place)' shows the handshake")
    }
    return chain
  }

  /// The ECDHE suite that the server takes where nothing else is on offer; nil for none.
  private func ephemeral(
    _ client: ClientEndpoint.Configuration, _ inquiry: LiveInquiry
  ) throws(Diagnostics) -> CipherSuite? {
    var probe = client
    probe.asksForContent = false
    probe.tls.cipherSuites = Self.suites.filter { $0.name.hasPrefix("TLS_ECDHE_") }
    return try inquiry.converse(probe).serverHello?.cipherSuite
  }

  /// A client that offers all that any system does up to TLS 1.2, and accepts whatever it is shown.
  private func client(of url: LoadURL) -> ClientEndpoint.Configuration {
    let system = OSVersion(.iOS, 8)
    let decision = AppTransportSecurity.decide(.init(url, os: system, loader: .urlSession), by: .empty)
    let tls = ClientConfiguration(
      host: url.host, versions: .tls10 ... .tls12, cipherSuites: Self.suites,
      random: RandomStreams(seed: .number(0), party: "client"))
    var policy = policy
    policy.os = system
    policy.issuers = nil
    return ClientEndpoint.Configuration(
      decision: decision, tls: tls, trust: policy,
      challenges: .init(loader: .urlSession, interface: .delegate, os: system, delegate: .acceptAll))
  }

  /// With forward secrecy first, as every system has them.
  private static let suites: [CipherSuite] = {
    let offered = [OSVersion(.iOS, 9), OSVersion(.iOS, 18, 4)].flatMap {
      ClientOffer.systemDefault(os: $0).cipherSuites
    }
    var known: [CipherSuite] = []
    for suite in offered where !known.contains(suite) && suite.keyExchange != .tls13 { known.append(suite) }
    return known.filter { $0.name.hasPrefix("TLS_ECDHE_") } + known.filter { !$0.name.hasPrefix("TLS_ECDHE_") }
  }()
}
