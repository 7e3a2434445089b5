import Advice
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
  /// Where servers are found that are not found by their names, by `Site.place(of:)`.
  var places: [String: LiveClient.Destination] = [:]
  /// For how many seconds a server may be silent.
  var timeout: Int64 = 10
  /// Whether the roots are those of this machine, whose CAs embed SCTs in every certificate.
  var hasPublicRoots = false

  private typealias Site = AppTransportSecurity.Site

  /// What a client of `os` sees that trusts the roots in `store`.
  init(_ store: TrustStore, os: OSVersion) { (self.store, self.os) = (store, os) }

  private var trust: TrustEvaluator {
    TrustEvaluator(TrustRequirements(profile: .apple, os: nil, date: date, store: store))
  }

  /// The servers of these URLs, and of those to which they redirect.
  ///
  /// - Throws: `Diagnostics` where the server of a URL is not there, or speaks no TLS.
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

  /// What was seen so far.
  private struct Seen {
    var resources: Set<String> = []
    var servers: [String: Site.Server] = [:]
    var publications: [String: [Certificate]] = [:]
    var unanswered: [String: Site.NoAnswer] = [:]
  }

  /// Asks for `url`, and says where it redirects to; nil for nowhere.
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

  /// What can be fetched of issuers that a server does not present, by URL: RFC 5280 section 4.2.2.1.
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
    /// Why what was asked for gets no whole answer; nil where it gets one.
    var noAnswer: AppTransportSecurity.Site.NoAnswer?
  }

  /// Nobody is where a redirect leads to.
  private struct Absence: Error { let reason: AppTransportSecurity.Site.NoAnswer }

  /// What the server of `url` shows and answers; for one that the user has not named, also that it is not there.
  private func asked(_ url: LoadURL, isNamed: Bool) throws(Diagnostics) -> Result<Answer, Absence> {
    let port = Int(url.port ?? (url.isSecure ? 443 : 80))
    let place = places[Site.place(of: url)] ?? .init(host: url.host, port: port)
    let inquiry = inquiry(at: place)
    var client = client(of: url)
    var conversation: LiveConversation
    do throws(LiveClient.ConnectError) {
      conversation = try inquiry.client.converse(client, clock: { Clock.now })
      let offered = ClientOffer.systemDefault(os: os).applicationProtocols
      if url.isSecure, conversation.serverAlert == .noApplicationProtocol, offered.contains(.http2) {
        // In HTTP/2 nothing can be asked for here, and yet the server takes it: RFC 7301 section 3.2.
        client.tls.applicationProtocols = offered
        client.asksForContent = false
        conversation = try inquiry.client.converse(client, clock: { Clock.now })
      }
      if url.isSecure, conversation.serverHello == nil, conversation.serverAlert == .handshakeFailure {
        var probe = client
        probe.tls.cipherSuites = Self.finiteFieldSuites
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

  /// That the server takes a connection, and says nothing at all.
  private func silence(of url: LoadURL) -> Diagnostics {
    Diagnostics(
      "\(url.authority) says nothing: no answer to a ClientHello came within \(timeout) s",
      hint: "is it the right port? --timeout waits longer")
  }

  /// What a server makes of a hello with TLS 1.3; nil, with a note, where the connection that asks comes to nothing.
  private static func probeOfTLS13(
    _ inquiry: LiveInquiry, _ client: ClientEndpoint.Configuration
  ) -> LiveConversation? {
    do throws(Diagnostics) { return try inquiry.probeOfTLS13(client) } catch {
      Console.complain(
        "note: whether \(client.decision.load.url.authority) speaks TLS 1.3 is not known, and taken as no: a further "
          + "connection that asks comes to nothing")
      return nil
    }
  }

  /// What such a conversation over TLS shows of the server, and what further probes do.
  private func secured(
    _ conversation: LiveConversation, _ client: ClientEndpoint.Configuration, _ inquiry: LiveInquiry
  ) throws(Diagnostics) -> Answer {
    let url = client.decision.load.url
    // The protocols inside are those of every version, so that nothing is left to ask.
    if conversation.serverAlert == .noApplicationProtocol { return refused(conversation, url) }
    let isOffered = ClientOffer.systemDefault(os: os).maximumVersion >= .tls13
    let probe = isOffered || conversation.serverHello == nil ? Self.probeOfTLS13(inquiry, client) : nil
    let suiteOfTLS13 = probe?.suiteOfTLS13
    // Without certificates a client has given up over the ServerHello, or the server has.
    guard let hello = conversation.serverHello, !conversation.certificates.isEmpty else {
      guard let suiteOfTLS13 else {
        // Who speaks TLS 1.3 alone says protocol_version to a hello without it, and what is wrong to one with it.
        let alert = isOffered && conversation.refusesVersion ? probe?.serverAlert : nil
        return refused(conversation, url, in: alert)
      }
      let isOnly = conversation.refusesVersion
      Console.complain(
        "note: \(url.authority) \(conversation.preferenceOfTLS13), which "
          + (isOffered
            ? "is not modelled: its certificates come encrypted, and are not judged" : "\(os) does not offer"))
      return Answer(
        terms: .init(versions: isOnly ? [.tls13] : [.tls12, .tls13], cipherSuites: [suiteOfTLS13], key: nil))
    }
    let chain = conversation.chain(of: url.authority)
    guard let leaf = chain.first else {
      throw Diagnostics(
        "\(url.host) shows a certificate that cannot be read", hint: "'\(connecting(to: url))' says more")
    }
    // What breaks the handshake behind the certificates does so for every system that speaks these versions; what cannot be
    // read of those breaks it here, and nobody knows what systems make of it.
    let isRead = chain.count == conversation.certificates.count
    let isBroken = isRead && conversation.isBroken
    if isBroken, suiteOfTLS13 == nil { return refused(conversation, url) }
    var suites = [hello.cipherSuite]
    if !hello.cipherSuite.name.hasPrefix("TLS_ECDHE_"), let other = try ephemeral(client, inquiry) {
      suites.append(other)
    }
    if !isRead {
      Console.complain("note: whether systems pass over a certificate that they cannot read is not known")
    }
    return Answer(
      terms: .init(
        versions: (isBroken ? [] : [hello.serverVersion]) + (suiteOfTLS13 == nil ? [] : [.tls13]),
        cipherSuites: (suiteOfTLS13.map { [$0] } ?? []) + suites,
        groups: NamedGroup.implemented, key: leaf.publicKey,
        requiresClientCertificate: conversation.hasAskedForCertificate && conversation.hasShownNoCertificate
          && conversation.client.content == nil),
      chain: chain, redirect: conversation.client.unfollowedRedirection?.url, noAnswer: conversation.noAnswer)
  }

  /// The server is there, and completes no handshake; `alert` is its answer to a hello with TLS 1.3, where that counts.
  private func refused(_ conversation: LiveConversation, _ url: LoadURL, in alert: AlertDescription? = nil) -> Answer {
    let answer =
      conversation.serverHello.map { "chooses \($0.selectedVersion), and completes no handshake" }
      ?? "agrees to none of TLS 1.0 to 1.3 with what systems offer"
    let words = alert.map { AppTransportSecurity.ServerTerms.Refusal.alert($0).words } ?? conversation.refusalWords
    Console.complain("note: \(url.authority) \(answer): \(words); '\(connecting(to: url))' shows the handshake")
    var terms = AppTransportSecurity.ServerTerms(versions: [], cipherSuites: [], key: nil)
    terms.refusal = alert.map { .alert($0) } ?? conversation.refusal
    return Answer(terms: terms)
  }

  /// The command that shows a handshake with the server of a URL, wherever that is found.
  private func connecting(to url: LoadURL) -> String {
    guard let place = places[Site.place(of: url)] else { return "trustlab connect \(url.authority)" }
    return "trustlab connect \(LivePlace.bracketed(place.host)):\(place.port) --server-name \(url.host)"
  }

  /// The certificates that the server of `place` presents, its own first.
  ///
  /// - Throws: `Diagnostics` where it presents none.
  static func chain(of place: LivePlace, timeout: Int64) throws(Diagnostics) -> [Certificate] {
    var site = LiveSite(TrustStore(), os: OSVersion(.iOS, 8))
    site.timeout = timeout
    let inquiry = site.inquiry(at: place.destination)
    var client = site.client(of: place.url)
    client.asksForContent = false
    // Its certificates are the same whatever exchanges the keys.
    client.tls.cipherSuites += finiteFieldSuites.filter { !client.tls.cipherSuites.contains($0) }
    // What is spoken inside, such as the mail of another port, makes no difference.
    client.tls.applicationProtocols = []
    let conversation = try inquiry.converse(client)
    if conversation.isSilent { throw site.silence(of: place.url) }
    if conversation.serverHello == nil, probeOfTLS13(inquiry, client)?.suiteOfTLS13 != nil {
      throw Diagnostics(
        "\(place) \(conversation.preferenceOfTLS13), which is not modelled: its certificates come encrypted",
        hint: "openssl s_client -showcerts -connect \(place) -servername \(place.url.host) writes them down")
    }
    let name = place.destination.host == place.url.host ? "" : " --server-name \(place.url.host)"
    let hint = "'trustlab connect \(place)\(name)' shows the handshake"
    guard !conversation.certificates.isEmpty else {
      throw Diagnostics("\(place) presents no certificates: \(conversation.refusalWords)", hint: hint)
    }
    let chain = conversation.chain(of: place.description)
    guard !chain.isEmpty else {
      throw Diagnostics("\(place) presents a certificate of its own that cannot be read", hint: hint)
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
    var tls = ClientConfiguration(
      host: url.host, versions: .tls10 ... .tls12, cipherSuites: Self.suites,
      random: RandomStreams(seed: .number(0), party: "client"))
    tls.applicationProtocols = [.http11]
    var trust = trust
    trust.requirements.os = system
    trust.evidence.issuers = nil
    var client = ClientEndpoint.Configuration(
      .init(url, os: system, loader: .urlSession), tls: tls, trust: trust,
      challenges: .init(loader: .urlSession, interface: .delegate, os: system, delegate: .acceptAll))
    // Each place is asked for itself: whether the way comes to an end is judged with all of them.
    client.followsRedirects = false
    return client
  }

  /// DHE, which only systems without App Transport Security offer: a server that takes nothing else serves those.
  private static let finiteFieldSuites = ClientOffer.systemDefault(os: OSVersion(.iOS, 8)).cipherSuites.filter {
    $0.name.hasPrefix("TLS_DHE_RSA_") || $0.isSignalling
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

extension AppTransportSecurity.Site.NoAnswer {
  /// Why nobody is there; for an address nothing is looked up that could be missing.
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
  /// Whether the handshake has come to no end although the server has shown its certificates, and not because it asked who
  /// the client is.
  fileprivate var isBroken: Bool {
    let isAboutClient = hasAskedForCertificate && hasShownNoCertificate && client.alert?.isFromServer != false
    return client.parameters == nil && !isAboutClient
  }

  /// Why the request has got no whole answer; nil where it has got one, or where it was never sent: the handshake has
  /// failed, or the server asked who the client is.
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
    // Whoever speaks HTTP/2 alone does not answer like this one; and no close_notify is no want of content.
    let isCut = violated.contains(.truncatedConnection) && !violated.contains(.incompleteMessage)
    return isCut || client.hasForeignAnswer ? .unreadable : lost
  }
}
