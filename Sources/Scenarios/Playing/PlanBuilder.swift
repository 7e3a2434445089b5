import Cryptography
import Endpoint
import Explanation
import PKIX
import Simulator
import TLS
import Trust
import URLLoading

/// Creates the connections of a scenario, with their clients, servers and attackers.
struct PlanBuilder {
  let scenario: Scenario
  let hierarchy: Hierarchy
  let cast: ScenarioSetup
  /// The changes since the previous date, in scenario notation.
  var changes: [String] = []
  /// The number of seconds by which every date is moved.
  var shift: Int64 = 0

  func plans() throws(Diagnostics) -> [World.Plan] {
    let network = Boxed(try network())
    var plans: [World.Plan] = []
    for connection in scenario.connections {
      var plan = try plan(connection, in: network)
      if plans.isEmpty { plan.changes = changes }
      plans.append(plan)
    }
    return plans
  }

  private func plan(
    _ connection: ConnectionDescription, in network: Boxed<World.Network>
  ) throws(Diagnostics) -> World.Plan {
    let load = try loaded(by: connection)
    let url = try loadURL(load)
    try checkServer(for: url.host, connection)
    let client = try client(of: load, asking: url)
    var plan: World.Plan
    do throws(World.Unplayable) {
      plan = try World.Plan(
        of: client, named: connection.name, at: scenario.clock, in: network,
        generator: generator("client", load.client.random))
    } catch {
      throw error.diagnostics(in: scenario)
    }
    // A replayed tunnel connects to the server itself, without the proxy's part.
    plan.replayed = connection.replayed
    if connection.replayed == nil || !plan.url.isSecure { plan.proxy = proxy(of: load.client, plan.scope) }
    plan.need = need(of: load.client)
    plan.hasOwnClient = load.hasOwnClient
    return plan
  }

  /// Returns the connection itself, or the earlier connection that is replayed.
  private func loaded(by connection: ConnectionDescription) throws(Diagnostics) -> ConnectionDescription {
    guard let name = connection.replayed else { return connection }
    guard let replayed = scenario.connections.first(where: { $0.name == name && $0.replayed == nil }) else {
      throw Diagnostics("there is no earlier connection '\(name)'", at: connection.mark)
    }
    return replayed
  }

  private func loadURL(_ connection: ConnectionDescription) throws(Diagnostics) -> LoadURL {
    guard let url = try? LoadURL(connection.url) else {
      throw Diagnostics(
        "'\(connection.url)' is not a valid URL", hint: "write https://api.example/", at: connection.mark)
    }
    guard url.isHTTP else {
      throw Diagnostics(
        "the scheme '\(url.scheme)' is not supported", hint: "write an http:// or https:// URL, or ws:// or wss://",
        at: connection.mark)
    }
    if url.isWebSocket { try checkWebSocket(url, connection) }
    return url
  }

  /// Checks the request of a WebSocket. An opening handshake is a GET (RFC 6455 section 4.1), here without content.
  private func checkWebSocket(_ url: LoadURL, _ connection: ConnectionDescription) throws(Diagnostics) {
    if let request = connection.request, request.method != "GET" || !request.body.isEmpty {
      throw Diagnostics(
        "a WebSocket cannot open with \(request.line)", hint: "leave out 'method' and 'body': it needs a GET",
        at: connection.mark)
    }
    if connection.client.proxy != nil, !url.isSecure {
      throw Diagnostics(
        "ws:// through a proxy is not supported", hint: "write wss://, for which the client requests a tunnel",
        at: connection.mark)
    }
  }

  /// Checks that there is a server for the host, or for the host that the network reroutes to.
  private func checkServer(for host: String, _ connection: ConnectionDescription) throws(Diagnostics) {
    var (host, mark) = (host, connection.mark)
    for case .reroute(let other, let name, let place) in scenario.network where connection.isPart(of: name) {
      (host, mark) = (other, place)
    }
    let hosts = scenario.servers.map(\.host)
    if hosts.contains(host) { return }
    throw Diagnostics("no server has the host '\(host)'", hint: Spelling.hint(for: host, among: hosts), at: mark)
  }
}

// Clients and servers.
extension PlanBuilder {
  /// Returns the client that loads `url`, before its App Transport Security decision.
  private func client(
    of load: ConnectionDescription, asking url: LoadURL
  ) throws(Diagnostics) -> ClientEndpoint.Configuration {
    let own = load.client
    let settings = try cast.configuration(own) { name in
      hierarchy[name]?.certificates.first.map { PinnedIdentityText.text(of: $0.certificate) }
    }
    let trust = TrustBuilder(
      scenario: scenario, hierarchy: hierarchy, client: own, mutant: own.mutant ?? cast.mutant,
      enforcement: cast.enforcement(.client, own.mutant))
    let identity = try castIdentity(own, load.mark)
    var client = ClientEndpoint.Configuration(
      .init(url, os: own.os, loader: own.loader, isDirect: own.isDirect, linkedSDK: own.linkedSDK),
      settings: settings, offer: own.systemOffer, tls: try clientTLS(own, identity, load.mark), trust: trust.evaluator,
      challenges: trust.challenges(of: url, identity: identity.name), identity: shownIdentities(own, identity),
      resumesSessions: own.sessions != .none, standIns: hierarchy.standIns)
    client.namedKeys = hierarchy.entries.flatMap(\.certificates).map {
      PublicKeyPins.Pin(keyOf: $0.certificate, named: $0.name)
    }
    client.strictHosts = Set(own.strictHosts)
    // The cookie belongs to the first host of the scenario.
    let home = scenario.connections.first.flatMap { try? LoadURL($0.url) }
    if let home, !own.cookie.isEmpty { client.cookie = .init(own.cookie, of: home.host) }
    client.identityImport = identity.imported
    client.proxy = own.proxy.map { ProxyAddress(host: $0.host, port: $0.port) }
    (client.earlyRequests, client.updatesKeys) = (own.earlyRequests, own.keyUpdate)
    client.keepsAlive = scenario.servers.contains { $0.authentication != nil } || own.proxy?.authentication != nil
    client.ask(for: url, load.request)
    return client
  }

  /// Returns the client's TLS configuration, without its system's offer.
  private func clientTLS(
    _ client: ClientDescription, _ identity: BuiltIdentity, _ mark: SourceMark
  ) throws(Diagnostics) -> ClientConfiguration {
    var tls = ClientConfiguration(
      host: "", identity: identity.identity,
      enforcement: cast.enforcement(.client, client.mutant).misbehaving(client.misbehaviors),
      random: generator("client").streams(ValueScope()), party: client.isThief ? .thief : .client)
    tls.choosesIdentity = true
    tls.otherIdentities = try otherIdentities(client, mark)
    tls.offersTickets = client.sessions == .tickets
    tls.renegotiation = client.renegotiation
    tls.maximumFragmentLength = client.maximumFragmentLength
    tls.externalPSK = client.preSharedKey?.external
    if let psk = client.preSharedKey { tls.pskModes = [psk.mode.codePoint] }
    tls.authenticatesLater = client.authenticatesLater
    tls.recordPadding = client.recordPadding
    tls.recordSizeLimit = client.recordSizeLimit.map(UInt16.init(clamping:))
    return tls
  }

  /// Returns the host with its server, or throws the reason why the server cannot be played.
  func host(_ server: ServerDescription) throws(Diagnostics) -> World.Host {
    let party = scenario.servers.count == 1 ? Party.server : Party(server.host)
    let generator = generator(party.name, server.random)
    let answers = try answers(of: server)
    var host = World.Host(
      Result { () throws(World.Unplayable) in try serverEndpoint(server, party, generator, answers) },
      generator: generator)
    host.logs = LogBuilder(scenario: scenario).list(for: server.chains.compactMap(\.first))
    return host
  }

  private func serverEndpoint(
    _ server: ServerDescription, _ party: Party, _ generator: RandomGenerator, _ answers: [String: HTTPAnswer]
  ) throws(World.Unplayable) -> ServerEndpoint.Configuration {
    var endpoint = try endpoint(
      server, presenting: server.chains, party, random: generator.streams(ValueScope()), answers: .own(answers))
    endpoint.tls.honoursFallbackSignal = server.honoursFallbackSignal
    endpoint.tls.agreesToFragmentLength = server.agreesToFragmentLength
    endpoint.opensWebSockets = server.opensWebSockets
    if server.sessions == .resumable { endpoint.tls.sessions = SessionCache() }
    if server.sessions == .tickets { endpoint.tls.ticketKeys = [ticketKey(of: party)].compactMap(\.self) }
    if let lifetime = server.sessionLifetime { endpoint.tls.sessionLifetime = lifetime }
    endpoint.tls.ticketCount = server.tickets
    endpoint.tls.externalPSKs = [server.preSharedKey?.external].compactMap(\.self)
    if let psk = server.preSharedKey { endpoint.tls.pskModes = [psk.mode.codePoint] }
    endpoint.tls.earlyData = server.earlyData?.policy
    if server.earlyData != nil, server.sessions == .tickets { endpoint.tls.sessions = SessionCache() }
    endpoint.tls.sendsCookie = server.sendsCookie
    endpoint.tls.compressesCertificates = server.certificateCompression == .zlib
    endpoint.tls.recordPadding = server.recordPadding
    endpoint.tls.recordSizeLimit = server.recordSizeLimit.map(UInt16.init(clamping:))
    endpoint.updatesKeys = server.keyUpdate
    endpoint.authenticator = server.authentication.map { authentication in
      HTTPAuthenticator(
        authentication.policy, random: DeterministicRandom(seed: scenario.seed, label: "\(party.name)/nonce"))
    }
    return authenticatingClients(endpoint, as: server)
  }

  /// Returns an endpoint that presents these chains, with the suites, versions and keys of `server`.
  func endpoint(
    _ server: ServerDescription, presenting chains: [[String]], _ party: Party, random: RandomStreams,
    answers: ServerEndpoint.Answers
  ) throws(World.Unplayable) -> ServerEndpoint.Configuration {
    let entries = chains.map { chain in chain.compactMap { hierarchy[$0] } }
    let credentials = entries.compactMap { self.credentials($0) }
    guard let first = credentials.first, let lowest = server.versions.min(), let highest = server.versions.max() else {
      throw .nothingToSpeakWith(host: server.host)
    }
    var endpoint = ServerEndpoint.Configuration(
      tls: ServerConfiguration(
        certificates: first.certificates, privateKey: first.privateKey, privateKeyName: first.privateKeyName,
        versions: lowest...highest, cipherSuites: server.cipherSuites.accepted(in: server.versions),
        groups: server.groups, signatureSchemes: server.signatureSchemes ?? credentials.defaultSchemes,
        applicationProtocols: server.applicationProtocols, extendedMasterSecret: server.acceptsExtendedMasterSecret,
        enforcement: party == .interceptor
          ? .standard : cast.enforcement(.server, server.mutant).misbehaving(server.misbehaviors), random: random,
        party: party),
      certificates: entries.joined().flatMap(\.certificates).map {
        Value(ValueScope($0.name).name(.certificate), $0.certificate.der, .published)
      },
      answers: answers)
    endpoint.tls.versionsLeftOut = Set(ProtocolVersion.known).subtracting(server.versions)
    endpoint.tls.credentials.names = first.names
    endpoint.tls.credentials.sctList = first.sctList
    if let group = DHGroup.selectable.first(where: { $0.name == server.dhGroup })?.group {
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

  /// Returns a certificate chain of a server, for the hosts in its leaf.
  private func credentials(_ entries: [Hierarchy.Entry]) -> ServerCredentials? {
    guard let leaf = entries.first else { return nil }
    let certificates = entries.flatMap(\.certificates).map(\.certificate)
    var credentials = ServerCredentials(
      certificates: certificates.map(\.der), privateKey: leaf.signingKey,
      privateKeyName: ValueScope(leaf.keyOwner).name(.key),
      names: certificates.first?.subjectAlternativeName?.dnsNames ?? [])
    credentials.sctList = sctList(of: leaf.name)
    return credentials
  }

  /// Returns the ticket key of a server, which is the same for all its connections.
  private func ticketKey(of party: Party) -> SessionTicketKey? {
    let name = ValueName(.sessionTicketKey)
    var random = DeterministicRandom(seed: scenario.seed, label: "\(party.name)/\(name)")
    return SessionTicketKey(
      party == .server ? name : ValueScope(party.name).name(name), random.bytes(SessionTicketKey.count))
  }

  /// Returns the random generator of a participant, weakened if the scenario requires it.
  func generator(_ party: String, _ qualities: [Value.ID: RandomQuality] = [:]) -> RandomGenerator {
    RandomGenerator(scenario.seed, of: party, at: scenario.clock, qualities)
  }
}

extension ClientDescription {
  /// The scenario's changes to the offer of the client's system.
  fileprivate var systemOffer: ClientEndpoint.SystemOffer {
    var offer = ClientEndpoint.SystemOffer()
    offer.signatureSchemes = signatureSchemes
    offer.applicationProtocols = applicationProtocols
    offer.extendedMasterSecret = offersExtendedMasterSecret
    offer.fallback = fallback
    return offer
  }
}

extension [ServerCredentials] {
  /// The default signature schemes of a server with these credentials. Ed25519 is first if the server has such a key.
  fileprivate var defaultSchemes: [SignatureScheme] {
    let hasEd25519 = contains { if case .ed25519 = $0.privateKey { true } else { false } }
    return (hasEd25519 ? [.ed25519] : []) + SignatureScheme.defaults
  }
}
