import Cryptography
import Endpoint
import Explanation
import PKIX
import Simulator
import TLS
import Trust
import URLLoading

/// Makes the connections of a scenario: who loads, who answers, and who interferes.
struct PlanCasting {
  let scenario: Scenario
  let hierarchy: Hierarchy
  let cast: Cast
  /// What has changed since the date before, in the author's words.
  var changes: [String] = []
  /// How many seconds later everything is than the scenario says.
  var shift: Int64 = 0

  func plans() throws(Diagnostics) -> [World.Plan] {
    var plans: [World.Plan] = []
    for connection in scenario.connections {
      plans.append(try plan(connection, changes: plans.isEmpty ? changes : []))
    }
    return plans
  }

  private func plan(
    _ connection: ConnectionDescription, changes: [String], attempt: Int = 0
  ) throws(Diagnostics) -> World.Plan {
    let load = try loaded(by: connection)
    let asked = try loadURL(load)
    let url = upgraded(asked, by: load.client)
    let server = try server(for: url, connection)
    try checkVersions(server)
    let scope = connection.scope
    let configuration = try cast.configuration(load.client) { name in
      hierarchy[name]?.certificates.first.map { PinnedIdentityText.text(of: $0.certificate) }
    }
    let decision = AppTransportSecurity.decide(
      .init(
        url, os: load.client.os, loader: load.client.loader, isDirect: load.client.isDirect,
        linkedSDK: load.client.linkedSDK), by: configuration)
    let trust = TrustCasting(
      scenario: scenario, hierarchy: hierarchy, client: load.client, connection: connection,
      mutant: load.client.mutant ?? cast.mutant)
    let offer = ClientOffer(for: decision)
    let fallback = load.client.fallback.applied(to: offer)
    let identity = try castIdentity(load.client, load.mark)
    var tls = try clientTLS(
      offer, url, load.client, identity.identity, others: try otherIdentities(load.client, load.mark), scope: scope)
    if let fallback { tls = tls.fallingBack(by: fallback, attempt: attempt - 1) ?? tls }
    try checkApplicationProtocol(tls, server)
    var client = ClientEndpoint.Configuration(
      decision: decision, offer: offer, tls: tls,
      trust: trust.evaluator(for: url.host, pinned: configuration),
      challenges: trust.challenges(of: url, identity: identity.name), request: request(of: load, at: url),
      identity: shownIdentities(load.client, identity),
      resumesSessions: load.client.sessions != .none, standIns: hierarchy.standIns)
    if asked != url { client.upgradedFrom = asked }
    client.identityImport = identity.imported
    client.proxy = load.client.proxy.map { ProxyAddress(host: $0.host, port: $0.port) }
    client.keepsAlive =
      scenario.servers.contains { $0.authentication != nil } || load.client.proxy?.authentication != nil
    client.fallback = fallback
    let interceptor = try interceptor(url, server, connection)
    var plan = World.Plan(
      name: connection.name, clock: scenario.clock, client: client,
      server: try serverEndpoint(server, interceptor?.back?.tls.valueScope ?? scope),
      attacks: attacks(on: url, connection),
      interceptor: interceptor, replayed: connection.replayed, changes: changes,
      asksOracle: asksOracle(connection), onward: { self.destination(of: $0, from: connection, hop: $1) })
    plan.forgesPadding = scenario.network.contains { verb in
      if case .forgePadding(let name, _) = verb { connection.isPart(of: name) } else { false }
    }
    // Whoever plays a recorded tunnel again goes to the server itself: the proxy's part is not in it.
    if connection.replayed == nil || !url.isSecure { plan.proxy = proxy(of: load.client, scope) }
    plan.need = need(of: load.client)
    plan.publications = hierarchy.publications(in: scenario)
    plan.staples = replayableStaples
    plan.statusAges = statusAges
    plan.publicTimestamps = publicTimestamps
    plan.statuses = statuses
    plan.lists = hierarchy.revocationLists(in: scenario)
    plan.blocksStatuses = scenario.blocksRevocation(in: connection)
    for case .outdateRevocation(let age, let kind) in scenario.network {
      (plan.statusAge, plan.agedStatus) = (age, kind)
    }
    plan.blocksIssuers = scenario.network.contains { verb in
      if case .blockIssuers(let name, _) = verb { connection.isPart(of: name) } else { false }
    }
    let budget = scenario.attackers.budget
    plan.weaknesses = Weakness.ways(load.client.random, server.random, scope, other: nil, budget: budget)
    if let key = BreakableKey.ephemeral(plan), key.strength.isInReach(ofBudget: budget) {
      plan.weaknesses[key.name] = key.derivation
    }
    if fallback != nil, connection.replayed == nil {
      plan.again = { number in
        let other = connection.attempted(number, after: attempt)
        return try? self.plan(other, changes: [], attempt: number)
      }
    }
    return plan
  }

  /// What is asked for, with the cookie where the host is the one that the scenario begins with: RFC 6265 section 5.4.
  private func request(of connection: ConnectionDescription, at url: LoadURL) -> HTTPRequest? {
    let home = scenario.connections.first.flatMap { try? LoadURL($0.url) }
    guard !connection.client.cookie.isEmpty, url.host == home?.host else { return connection.request }
    var request = connection.request ?? HTTPRequest(path: url.path)
    request.cookie = connection.client.cookie
    return request
  }

  /// Where a redirect of `connection` leads.
  private func destination(
    of redirection: Redirection, from connection: ConnectionDescription, hop: Int
  ) -> World.Plan.Destination {
    let name = connection.hopName(hop)
    let next = ConnectionDescription(
      name: name, url: redirection.url.description, request: redirection.request, replayed: nil, mark: connection.mark,
      client: connection.client, expectation: nil)
    guard ["http", "https"].contains(redirection.url.scheme), (try? server(for: redirection.url, next)) != nil else {
      return .nobody
    }
    do throws(Diagnostics) { return .connection(try plan(next, changes: [])) } catch { return .unplayable(error) }
  }

  /// The connection itself, or the earlier one that is replayed.
  private func loaded(by connection: ConnectionDescription) throws(Diagnostics) -> ConnectionDescription {
    guard let name = connection.replayed else { return connection }
    guard let replayed = scenario.connections.first(where: { $0.name == name && $0.replayed == nil }) else {
      throw Diagnostics("no connection '\(name)' goes before", at: connection.mark)
    }
    return replayed
  }

  /// A server of TLS 1.3 alone can be asked what it would agree to, and nothing more.
  func checkVersions(_ server: ServerDescription) throws(Diagnostics) {
    guard server.versions.allSatisfy({ $0 >= .tls13 }) else { return }
    throw Diagnostics(
      "TLSv1.3 is not played yet, and the server speaks nothing else",
      hint: "let it speak TLSv1.2 too; 'trustlab ats diagnostics' can ask it as it is",
      at: scenario.tree["server"]?["versions"]?.mark ?? server.mark)
  }

  /// Only HTTP/1.1 is spoken inside TLS, so that nothing else may be agreed on.
  private func checkApplicationProtocol(
    _ client: ClientConfiguration, _ server: ServerDescription
  ) throws(Diagnostics) {
    let chosen = server.applicationProtocols.first(where: client.applicationProtocols.contains)
    guard let chosen, chosen != .http11 else { return }
    throw Diagnostics(
      "client and server would agree on '\(chosen)', which is not played",
      hint: "put http/1.1 first on the server's list 'alpn'", at: server.mark)
  }

  /// RFC 6797 section 8.3: what a known host would be asked over http is asked over https, at the same port where that is not 80, before anything is sent.
  private func upgraded(_ url: LoadURL, by client: ClientDescription) -> LoadURL {
    guard url.scheme == "http", client.strictHosts.contains(url.host),
      let secure = try? LoadURL("https://\(url.authority)\(url.path)")
    else { return url }
    return secure
  }

  private func loadURL(_ connection: ConnectionDescription) throws(Diagnostics) -> LoadURL {
    guard let url = try? LoadURL(connection.url) else {
      throw Diagnostics(
        "'\(connection.url)' is not a URL that can be loaded", hint: "write https://api.example/", at: connection.mark)
    }
    guard url.isHTTP else {
      throw Diagnostics(
        "'\(url.scheme)' is not loaded here", hint: "write an http:// or https:// URL, or ws:// or wss://",
        at: connection.mark)
    }
    if url.isWebSocket { try checkWebSocket(url, connection) }
    return url
  }

  /// An opening handshake is a GET (RFC 6455 section 4.1), and it has no content here.
  private func checkWebSocket(_ url: LoadURL, _ connection: ConnectionDescription) throws(Diagnostics) {
    if let request = connection.request, request.method != "GET" || !request.body.isEmpty {
      throw Diagnostics(
        "a WebSocket is asked for with \(request.line)", hint: "leave 'method' and 'body' out: it is a GET",
        at: connection.mark)
    }
    if connection.client.proxy != nil, !url.isSecure {
      throw Diagnostics(
        "ws:// is not played through a proxy", hint: "write wss://, for which the client asks for a tunnel",
        at: connection.mark)
    }
  }

  /// The server that answers for the host, or the one that the network leads to instead.
  private func server(
    for url: LoadURL, _ connection: ConnectionDescription
  ) throws(Diagnostics) -> ServerDescription {
    var host = url.host
    var mark = connection.mark
    for case .reroute(let other, let name, let place) in scenario.network
    where connection.isPart(of: name) {
      host = other
      mark = place
    }
    guard let server = scenario.servers.first(where: { $0.host == host }) else {
      throw Diagnostics(
        "no server answers for '\(host)'", hint: Spelling.hint(for: host, among: scenario.servers.map(\.host)),
        at: mark)
    }
    return server
  }

  private func asksOracle(_ connection: ConnectionDescription) -> Bool {
    scenario.network.contains { verb in
      if case .queryOracle(let name, _) = verb { connection.isPart(of: name) } else { false }
    }
  }

  /// What is done to messages; whoever refuses TLS does not refuse it to himself.
  private func attacks(on url: LoadURL, _ connection: ConnectionDescription) -> [Attack] {
    scenario.network.compactMap { verb in
      switch verb {
      case .attack(let attack): attack
      case .refuseTLS(let name, _) where url.isSecure && connection.isPart(of: name):
        Attack(.cut, to: .handshake(.serverHello), from: .server)
      default: nil
      }
    }
  }

}

// The two ends.
extension PlanCasting {
  /// The hello of the client's system, with what the scenario says in its place.
  private func clientTLS(
    _ offer: ClientOffer, _ url: LoadURL, _ client: ClientDescription, _ identity: ClientIdentity?,
    others: [ClientIdentity], scope: ValueScope
  ) throws(Diagnostics) -> ClientConfiguration {
    var tls = ClientConfiguration(
      host: url.host, identity: identity,
      enforcement: (client.mutant ?? cast.mutant)?.enforcement(in: .client) ?? .standard,
      random: random("client", scope, client.random), party: client.isThief ? .thief : .client, valueScope: scope)
    tls.choosesIdentity = true
    tls.otherIdentities = others
    tls.offer(offer)
    if let schemes = client.signatureSchemes { tls.signatureSchemes = schemes }
    if let protocols = client.applicationProtocols { tls.applicationProtocols = protocols }
    tls.offersTickets = client.sessions == .tickets
    tls.renegotiation = client.renegotiation
    tls.maximumFragmentLength = client.maximumFragmentLength
    if let offers = client.offersExtendedMasterSecret { tls.setExtendedMasterSecret(offers) }
    return tls
  }

  /// The server with what it answers, with the values of `scope`.
  func serverEndpoint(
    _ server: ServerDescription, _ scope: ValueScope
  ) throws(Diagnostics) -> ServerEndpoint.Configuration {
    let party = scenario.servers.count == 1 ? Party.server : Party(server.host)
    var endpoint = try endpoint(
      server, presenting: server.chains, party, random: random(party.name, scope, server.random), scope,
      answers: .own(try answers(of: server)), mark: server.mark)
    endpoint.tls.honoursFallbackSignal = server.honoursFallbackSignal
    endpoint.tls.agreesToFragmentLength = server.agreesToFragmentLength
    endpoint.opensWebSockets = server.opensWebSockets
    if server.sessions == .resumable { endpoint.tls.sessions = SessionCache() }
    if server.sessions == .tickets { endpoint.tls.ticketKeys = [ticketKey(of: party)].compactMap(\.self) }
    if let lifetime = server.sessionLifetime { endpoint.tls.sessionLifetime = lifetime }
    endpoint.authenticator = server.authentication.map { authentication in
      HTTPAuthenticator(
        authentication.policy, random: DeterministicRandom(seed: scenario.seed, label: "\(party.name)/nonce"))
    }
    return authenticatingClients(endpoint, as: server)
  }

  /// Whoever shows these chains as `server` does, by its suites, versions and keys.
  func endpoint(
    _ server: ServerDescription, presenting chains: [[String]], _ party: Party, random: RandomStreams,
    _ scope: ValueScope,
    answers: ServerEndpoint.Answers, mark: SourceMark
  ) throws(Diagnostics) -> ServerEndpoint.Configuration {
    let entries = chains.map { chain in chain.compactMap { hierarchy[$0] } }
    let credentials = entries.compactMap { self.credentials($0) }
    guard let first = credentials.first, let lowest = server.versions.min(), let highest = server.versions.max() else {
      throw Diagnostics("the server has no version or no certificate to speak with", at: mark)
    }
    var endpoint = ServerEndpoint.Configuration(
      tls: ServerConfiguration(
        certificates: first.certificates, privateKey: first.privateKey, privateKeyName: first.privateKeyName,
        versions: lowest...highest, cipherSuites: server.cipherSuites,
        groups: server.groups, signatureSchemes: server.signatureSchemes ?? credentials.usualSchemes,
        applicationProtocols: server.applicationProtocols, extendedMasterSecret: server.acceptsExtendedMasterSecret,
        enforcement: party == .interceptor ? .standard : enforcement(of: server), random: random,
        party: party, valueScope: scope),
      certificates: entries.joined().flatMap(\.certificates).map {
        Value(ValueScope($0.name).name(.certificate), $0.certificate.der, .published)
      },
      answers: answers)
    endpoint.tls.versionsLeftOut = Set(ProtocolVersion.known).subtracting(server.versions)
    endpoint.tls.credentials.names = first.names
    endpoint.tls.credentials.timestampList = first.timestampList
    if let group = (DHGroup.named + DHGroup.historical).first(where: { $0.name == server.dhGroup })?.group {
      endpoint.tls.dhGroup = group
    }
    endpoint.tls.otherCredentials = Array(credentials.dropFirst())
    if party != .interceptor {
      endpoint.tls.credentials.ocspResponse = server.certificateStatus
      if let staple = server.staple { stapling(staple, server.chains, to: &endpoint.tls) }
    }
    if party != .interceptor { endpoint.tls.unrecognizedName = server.unrecognizedName }
    return endpoint
  }

  /// A chain that a server can show, for the hosts that its leaf names.
  private func credentials(_ entries: [Hierarchy.Entry]) -> ServerCredentials? {
    guard let leaf = entries.first else { return nil }
    let certificates = entries.flatMap(\.certificates).map(\.certificate)
    var credentials = ServerCredentials(
      certificates: certificates.map(\.der), privateKey: leaf.signingKey,
      privateKeyName: ValueScope(leaf.keyOwner).name(.key),
      names: certificates.first?.subjectAlternativeName?.dnsNames ?? [])
    credentials.timestampList = timestampList(of: leaf.name)
    return credentials
  }

  /// A server has one key of tickets for all its connections.
  private func ticketKey(of party: Party) -> SessionTicketKey? {
    let name = ValueName(.sessionTicketKey)
    var random = DeterministicRandom(seed: scenario.seed, label: "\(party.name)/\(name)")
    return SessionTicketKey(
      party == .server ? name : ValueScope(party.name).name(name), random.bytes(SessionTicketKey.count))
  }

  private func enforcement(of server: ServerDescription) -> Enforcement {
    (server.mutant ?? cast.mutant)?.enforcement(in: .server) ?? .standard
  }

  /// The randomness of a party, spoilt where the scenario says so.
  func random(_ party: String, _ scope: ValueScope, _ qualities: [Value.ID: RandomQuality]) -> RandomStreams {
    RandomStreams(
      seed: scenario.seed, party: scope.prefix + party,
      overrides: SpoiltRandomness(scenario.seed, clock: scenario.clock, party: party, scope: scope, qualities)
        .overrides)
  }
}

extension [ServerCredentials] {
  /// How a server of these usually signs: in the one way of Ed25519 where it has such a key.
  fileprivate var usualSchemes: [SignatureScheme] {
    let hasEd25519 = contains { if case .ed25519 = $0.privateKey { true } else { false } }
    return (hasEd25519 ? [.ed25519] : []) + SignatureScheme.defaults
  }
}
