import Advice
import Cryptography
import Endpoint
import Explanation
import LiveTLS
import PKIX
import Scenarios
import TLS
import Trust
import URLLoading

/// The behaviour of real servers as observed in a few probes: their choices, certificates and responses.
///
/// A server's choice for a narrow offer follows from its choice for a wide one. If the narrow offer contains that
/// choice, the server makes it again. If not, another probe has offered the rest.
struct LiveSite {
  private let store: TrustStore
  private let os: OSVersion
  private let date = Clock.now
  /// The addresses of servers that differ from their host names, by `Site.place(of:)`.
  var places: [String: LiveClient.Destination] = [:]
  /// The maximum time in seconds that a server may send nothing.
  var timeout: Int64 = 10
  /// Whether the roots are those of this computer, whose CAs embed SCTs in every certificate.
  var hasPublicRoots = false

  private typealias Site = AppTransportSecurity.Site

  /// Creates a site that is observed by a client of `os` that trusts the roots in `store`.
  init(_ store: TrustStore, os: OSVersion) { (self.store, self.os) = (store, os) }

  private var trust: TrustEvaluator {
    TrustEvaluator(TrustRequirements(profile: .apple, os: nil, date: date, store: store))
  }

  /// Returns the servers of these URLs and of their redirects.
  ///
  /// - Throws: `Diagnostics` if the server of a URL is missing or does not use TLS.
  func site(for urls: [LoadURL]) throws(Diagnostics) -> AppTransportSecurity.Site {
    var seen = Seen()
    for url in urls {
      var next: LoadURL? = url
      for step in 0..<Site.longestWay {
        guard let url = next, seen.resources.insert(Site.resource(of: url)).inserted else { break }
        next = try look(at: url, isNamed: step == 0, &seen)
      }
    }
    var trust = trust
    trust.requirements.transparency.countsUnverified = hasPublicRoots
    var site = Site(servers: seen.servers, trust: trust)
    site.publications = seen.publications
    site.unanswered = seen.unanswered
    return site
  }

  /// The observations that were made up to now.
  private struct Seen {
    var resources: Set<String> = []
    var servers: [String: Site.Server] = [:]
    var publications: [String: [Certificate]] = [:]
    var unanswered: [String: Site.NoAnswer] = [:]
  }

  /// Loads `url` and returns the URL of its redirect; nil if the server does not redirect.
  private func look(at url: LoadURL, isNamed: Bool, _ seen: inout Seen) throws(Diagnostics) -> LoadURL? {
    let place = Site.place(of: url)
    let answer: Answer
    switch try asked(url, isNamed: isNamed) {
    case .success(let shown): answer = shown
    case .failure(let absence):
      seen.unanswered[Site.resource(of: url)] = absence.reason
      return nil
    }
    let known = seen.servers[place]
    var redirects = known?.redirects ?? [:]
    redirects[url.path] = answer.redirect?.description
    seen.servers[place] = Site.Server(
      terms: known?.terms ?? answer.terms, chain: known?.chain ?? answer.chain, redirects: redirects, isProbed: true)
    seen.unanswered[Site.resource(of: url)] = answer.noAnswer
    if !answer.chain.isEmpty {
      seen.publications.merge(publications(for: answer.chain, of: url)) { first, _ in first }
    }
    return answer.noAnswer == nil ? answer.redirect : nil
  }

  /// Returns by URL the issuers that the client can fetch because the server does not send them (RFC 5280 section
  /// 4.2.2.1).
  private func publications(for chain: [Certificate], of url: LoadURL) -> [String: [Certificate]] {
    var found: [String: [Certificate]] = [:]
    var trust = trust
    trust.requirements.os = os
    trust.evidence.issuers = IssuerFetching()
    while let wanted = trust.evaluate(chain, host: url.host).wanted, found[wanted.url] == nil {
      let bytes = LiveClient.fetch(wanted.url, for: client(of: url), clock: { Clock.now })
      found[wanted.url] = bytes.flatMap { try? Certificate.certificates(inPEMOrDER: $0) } ?? []
      trust.evidence.issuers?.add(found[wanted.url] ?? [], from: wanted.url)
    }
    return found
  }

  private struct Answer {
    var terms: AppTransportSecurity.ServerTerms
    var chain: [Certificate] = []
    var redirect: LoadURL?
    /// The reason for an incomplete response; nil if the response is complete.
    var noAnswer: AppTransportSecurity.Site.NoAnswer?
  }

  /// An error for a redirect to a place without a server.
  private struct Absence: Error { let reason: AppTransportSecurity.Site.NoAnswer }

  /// Returns the server's choices and response. If the server of a redirect is missing, this is a result and not an
  /// error.
  private func asked(_ url: LoadURL, isNamed: Bool) throws(Diagnostics) -> Result<Answer, Absence> {
    let port = Int(url.port ?? (url.isSecure ? 443 : 80))
    let place = places[Site.place(of: url)] ?? .init(host: url.host, port: port)
    let inquiry = inquiry(at: place)
    var client = client(of: url)
    var conversation: LiveConversation
    do throws(LiveClient.ConnectError) {
      conversation = try inquiry.client.converse(client, clock: { Clock.now })
      if url.isSecure, conversation.serverHello == nil, conversation.serverAlert == .handshakeFailure {
        var probe = client
        probe.tls.cipherSuites = client.tls.cipherSuites.filter { $0.keyExchange == .tls13 } + Self.finiteFieldSuites
        let other = try inquiry.client.converse(probe, clock: { Clock.now })
        if other.serverHello != nil { (client, conversation) = (probe, other) }
      }
    } catch {
      if isNamed { throw Diagnostics(error) }
      return .failure(Absence(reason: .init(error.kind, of: url)))
    }
    if let obstacle = inquiry.obstacle(to: conversation) {
      if isNamed { throw obstacle }
      return .failure(Absence(reason: .noTLS))
    }
    if url.isSecure, conversation.isSilent {
      if isNamed { throw silence(of: url) }
      return .failure(Absence(reason: .silence))
    }
    if url.isSecure {
      do throws(Diagnostics) {
        return .success(try secured(conversation, client, inquiry))
      } catch {
        if isNamed { throw error }
        return .failure(Absence(reason: .noTLS))
      }
    }
    return .success(
      Answer(
        terms: .init(versions: [], cipherSuites: [], key: nil),
        redirect: conversation.client.unfollowedRedirection?.url, noAnswer: conversation.noAnswer))
  }

  private func inquiry(at place: LiveClient.Destination) -> LiveInquiry {
    var inquiry = LiveInquiry(client: LiveClient(place))
    inquiry.client.timeout = timeout
    return inquiry
  }

  /// Returns the error for a server that accepts the connection but sends nothing.
  private func silence(of url: LoadURL) -> Diagnostics {
    Diagnostics(
      "\(url.authority) sent no response to a ClientHello within \(timeout) s",
      hint: "check the port, or increase --timeout")
  }

  /// Returns the server's choices, as observed in a TLS conversation and in further probes.
  private func secured(
    _ conversation: LiveConversation, _ client: ClientEndpoint.Configuration, _ inquiry: LiveInquiry
  ) throws(Diagnostics) -> Answer {
    let url = client.decision.load.url
    // Without certificates, either the server refused, or the client gave up after the ServerHello.
    guard let hello = conversation.serverHello, !conversation.certificates.isEmpty else {
      return refused(conversation, url)
    }
    let chain = conversation.chain(of: url.authority)
    guard let leaf = chain.first else {
      throw Diagnostics(
        "\(url.host) sends an unreadable certificate", hint: "use '\(connecting(to: url))' for details")
    }
    // A handshake that fails after the certificates fails for every system with these versions. If a certificate cannot
    // be decoded, the handshake fails here, but the behaviour of real systems is unknown.
    let isRead = chain.count == conversation.certificates.count
    if isRead && conversation.isBroken { return refused(conversation, url) }
    if !isRead {
      Console.complain("note: it is unknown whether real systems ignore the unreadable certificate")
    }
    let choices = hello.choosesTLS13 ? [hello] + [older(client, inquiry)].compactMap(\.self) : [hello]
    var suites = choices.map(\.cipherSuite)
    if let last = choices.last, !last.choosesTLS13, !last.cipherSuite.name.hasPrefix("TLS_ECDHE_"),
      let other = try ephemeral(client, inquiry)
    {
      suites.append(other)
    }
    return Answer(
      terms: .init(
        versions: choices.map(\.selectedVersion), cipherSuites: suites, groups: NamedGroup.implemented,
        signatureSchemes: client.tls.signatureSchemes, key: leaf.publicKey,
        requiresClientCertificate: conversation.hasAskedForCertificate && conversation.hasShownNoCertificate
          && conversation.client.content == nil),
      chain: chain, redirect: conversation.client.unfollowedRedirection?.url, noAnswer: conversation.noAnswer)
  }

  /// Returns the ServerHello of a server of TLS 1.3 for an offer without that version; nil if it accepts none.
  private func older(_ client: ClientEndpoint.Configuration, _ inquiry: LiveInquiry) -> ServerHello? {
    let probe = Self.withoutTLS13(client)
    do throws(Diagnostics) {
      let conversation = try inquiry.converse(probe)
      return conversation.certificates.isEmpty || conversation.isBroken ? nil : conversation.serverHello
    } catch {
      Console.complain(
        "note: a further connection to \(client.decision.load.url.authority) failed, so TrustLab assumes that the "
          + "server supports only TLS 1.3")
      return nil
    }
  }

  /// Returns the client without a request, and without TLS 1.3.
  private static func withoutTLS13(_ client: ClientEndpoint.Configuration) -> ClientEndpoint.Configuration {
    var probe = client
    probe.asksForContent = false
    probe.tls.versions = .tls10 ... .tls12
    probe.tls.cipherSuites.removeAll { $0.keyExchange == .tls13 }
    return probe
  }

  /// Reports a server that completes no handshake.
  private func refused(_ conversation: LiveConversation, _ url: LoadURL) -> Answer {
    let answer =
      conversation.serverHello.map { "selects \($0.selectedVersion), but does not complete the handshake" }
      ?? "accepts no offer with \(conversation.client.configuration.tls.versions.words)"
    Console.complain(
      "note: \(url.authority) \(answer): \(conversation.refusalWords); '\(connecting(to: url))' shows the handshake")
    var terms = AppTransportSecurity.ServerTerms(versions: [], cipherSuites: [], key: nil)
    terms.refusal = conversation.refusal
    return Answer(terms: terms)
  }

  /// Returns the command that prints a handshake with the server of a URL.
  private func connecting(to url: LoadURL) -> String {
    guard let place = places[Site.place(of: url)] else { return "trustlab connect \(url.authority)" }
    return "trustlab connect \(LivePlace.bracketed(place.host)):\(place.port) --server-name \(url.host)"
  }

  /// Returns the certificates that the server of `place` sends, its own first.
  ///
  /// - Throws: `Diagnostics` if the server sends no readable certificate.
  static func chain(of place: LivePlace, timeout: Int64) throws(Diagnostics) -> [Certificate] {
    var site = LiveSite(TrustStore(), os: OSVersion(.iOS, 18, 4))
    site.timeout = timeout
    let inquiry = site.inquiry(at: place.destination)
    var client = site.client(of: place.url)
    client.asksForContent = false
    // The certificates do not depend on the key exchange.
    client.tls.cipherSuites += finiteFieldSuites.filter { !client.tls.cipherSuites.contains($0) }
    // The application protocol makes no difference here, and the port may be for mail.
    client.tls.applicationProtocols = []
    let conversation = try inquiry.converse(client)
    if conversation.isSilent { throw site.silence(of: place.url) }
    let name = place.destination.host == place.url.host ? "" : " --server-name \(place.url.host)"
    let hint = "show the handshake with 'trustlab connect \(place)\(name)'"
    guard !conversation.certificates.isEmpty else {
      throw Diagnostics("\(place) sends no certificates: \(conversation.refusalWords)", hint: hint)
    }
    let chain = conversation.chain(of: place.description)
    guard !chain.isEmpty else {
      throw Diagnostics("\(place) sends an unreadable server certificate", hint: hint)
    }
    return chain
  }

  /// Returns the ECDHE suite that the server selects if the client offers nothing else; nil for none.
  private func ephemeral(
    _ client: ClientEndpoint.Configuration, _ inquiry: LiveInquiry
  ) throws(Diagnostics) -> CipherSuite? {
    var probe = Self.withoutTLS13(client)
    probe.tls.cipherSuites.removeAll { !$0.name.hasPrefix("TLS_ECDHE_") }
    return try inquiry.converse(probe).serverHello?.cipherSuite
  }

  /// Returns the configuration of a client that accepts any server. It offers everything that any system offers, up to
  /// the newest version of its own system.
  private func client(of url: LoadURL) -> ClientEndpoint.Configuration {
    let system = OSVersion(.iOS, 8)
    let newest = ClientOffer.systemDefault(os: os).maximumVersion
    var tls = ClientConfiguration(
      host: url.host, versions: .tls10...newest,
      cipherSuites: Self.suites.filter { newest >= .tls13 || $0.keyExchange != .tls13 },
      groups: [.x25519] + NamedGroup.implemented.filter { $0 != .x25519 },
      signatureSchemes: SignatureScheme.defaults + [.ed25519],
      random: RandomStreams(seed: .number(0), party: "client"))
    tls.applicationProtocols =
      ClientOffer.systemDefault(os: os).applicationProtocols.filter { $0 == .http2 } + [.http11]
    var trust = trust
    trust.requirements.os = system
    trust.evidence.issuers = nil
    var client = ClientEndpoint.Configuration(
      .init(url, os: system, loader: .urlSession), tls: tls, trust: trust,
      challenges: .init(loader: .urlSession, interface: .delegate, os: system, delegate: .acceptAll))
    // Each server is probed separately. The redirects are evaluated later, with all servers known.
    client.followsRedirects = false
    return client
  }

  /// The DHE suites, which only systems without App Transport Security offer. A server that only accepts these suites
  /// can serve such systems.
  private static let finiteFieldSuites = ClientOffer.systemDefault(os: OSVersion(.iOS, 8)).cipherSuites.filter {
    $0.name.hasPrefix("TLS_DHE_RSA_") || $0.isSignalling
  }

  /// All suites of the offer. Suites with forward secrecy are first, as in every system.
  private static let suites: [CipherSuite] = {
    let offered = [OSVersion(.iOS, 9), OSVersion(.iOS, 18, 4)].flatMap {
      ClientOffer.systemDefault(os: $0).cipherSuites
    }
    var known: [CipherSuite] = []
    for suite in offered where !known.contains(suite) { known.append(suite) }
    let isFirst = { (suite: CipherSuite) in suite.keyExchange == .tls13 || suite.name.hasPrefix("TLS_ECDHE_") }
    return known.filter(isFirst) + known.filter { !isFirst($0) }
  }()
}

extension AppTransportSecurity.Site.NoAnswer {
  /// Creates the reason for a failed connection. An IP address needs no lookup, so it cannot lack an address.
  fileprivate init(_ kind: LiveClient.ConnectError.Kind, of url: LoadURL) {
    self =
      switch kind {
      case .noAddress: url.address == nil ? .noAddress : .noConnection
      case .noConnection: .noConnection
      case .silence: .silence
      }
  }
}

extension LiveConversation {
  /// Whether the handshake failed after the server sent its certificates, for a reason other than a client certificate.
  fileprivate var isBroken: Bool {
    let isAboutClient = hasAskedForCertificate && hasShownNoCertificate && client.alert?.isFromServer != false
    return client.parameters == nil && !isAboutClient
  }

  /// The reason for an incomplete response.
  ///
  /// The value is nil for a complete response. It is also nil if the request was never sent, because the handshake
  /// failed or the server requested a client certificate.
  fileprivate var noAnswer: AppTransportSecurity.Site.NoAnswer? {
    let isSecure = client.configuration.decision.load.url.isSecure
    if let target = client.foreignRedirection { return .otherScheme(target.scheme) }
    guard client.configuration.asksForContent, !isSecure || client.parameters != nil, !hasAskedForCertificate,
      client.content == nil
    else { return nil }
    if hasTimedOut { return .silence }
    let violated = found.filter { $0.outcome == .violated }.map(\.rule)
    if violated.contains(.malformedMessage) { return .unreadable }
    let lost = AppTransportSecurity.Site.NoAnswer.lost(
      because: found.deciding.first { $0.layer == .application } ?? .incompleteMessage)
    guard isSecure else { return lost }
    // A missing close_notify does not mean missing content.
    let isCut = violated.contains(.truncatedConnection) && !violated.contains(.incompleteMessage)
    return isCut || client.hasForeignAnswer ? .unreadable : lost
  }
}
