import Cryptography
import Endpoint
import Explanation
import PKIX
import Simulator
import TLS
import Trust
import URLLoading

/// Brings a scenario's parties to life: issues its certificates, reads its files, and makes the world they meet in.
public struct Cast: Sendable {
  /// The files that a scenario names, by path.
  public typealias FileReader = @Sendable (String) -> [UInt8]?

  private let keys: KeyStore
  private let readFile: FileReader

  /// A cast whose keys come from `keys` and whose files are read by `readFile`.
  public init(keys: KeyStore, readFile: @escaping FileReader) {
    self.keys = keys
    self.readFile = readFile
  }

  /// The world of `scenario`.
  ///
  /// - Throws: `Diagnostics` when a file it names cannot be used or no server answers for a host.
  public func world(of scenario: Scenario) throws(Diagnostics) -> World {
    let hierarchy = try HierarchyCasting(scenario: scenario, keys: keys, readFile: readFile).hierarchy()
    var plans: [World.Plan] = []
    for connection in scenario.connections { plans.append(try plan(connection, scenario, hierarchy)) }
    let leaks = scenario.network.compactMap { verb -> World.Leak? in
      guard case .leak(let secret, let after, _) = verb else { return nil }
      return World.Leak(secret: secret, after: after)
    }
    return World(
      clock: scenario.clock, plans: plans, leaks: leaks, held: hierarchy.keyValues(for: scenario),
      names: hierarchy.names)
  }

  /// The certificates of `scenario` by the author's names, in the order in which they are issued.
  func certificates(of scenario: Scenario) throws(Diagnostics) -> [(name: String, certificate: Certificate)] {
    try HierarchyCasting(scenario: scenario, keys: keys, readFile: readFile).hierarchy().entries.flatMap(\.certificates)
  }

  /// The certificates and keys of `scenario`, every date `shift` seconds later than it says.
  func hierarchy(of scenario: Scenario, shift: Int64) throws(Diagnostics) -> Hierarchy {
    try HierarchyCasting(scenario: scenario, keys: keys, readFile: readFile, shift: shift).hierarchy()
  }

  /// What is odd in the property lists of `scenario`, without being wrong.
  func remarks(on scenario: Scenario) throws(Diagnostics) -> [Diagnostic] {
    var remarks: [Diagnostic] = []
    for connection in scenario.connections {
      let configuration = try configuration(connection.client)
      let found =
        if case .file(let file) = connection.client.infoPlist {
          InfoPlistRemarks(configuration, inFile: file.path, fallback: file.mark)
        } else {
          InfoPlistRemarks(configuration, in: scenario, fallback: connection.mark)
        }
      for remark in found.diagnostics() where !remarks.contains(remark) { remarks.append(remark) }
    }
    return remarks
  }

  private func plan(
    _ connection: ConnectionDescription, _ scenario: Scenario, _ hierarchy: Hierarchy
  ) throws(Diagnostics) -> World.Plan {
    let url = try loadURL(connection)
    guard let server = scenario.servers.first(where: { $0.host == url.host }) else {
      throw Diagnostics(
        "no server answers for '\(url.host)'", hint: Spelling.hint(for: url.host, among: scenario.servers.map(\.host)),
        at: connection.mark)
    }
    try checkApplicationProtocol(connection.client, server)
    let decision = AppTransportSecurity.decide(
      .init(url, os: connection.client.os, loader: connection.client.loader),
      by: try configuration(connection.client))
    let prefix = connection.name.map { "\($0)." } ?? ""
    let store = hierarchy.store(for: scenario)
    let client = ClientEndpoint.Configuration(
      decision: decision, tls: clientTLS(connection.client, decision, prefix: prefix, seed: scenario.seed),
      trust: TrustPolicy(
        os: connection.client.os, date: scenario.clock, store: store, names: hierarchy.names, enforcement: .standard),
      standIns: hierarchy.standIns)
    return World.Plan(
      name: connection.name, client: client, server: try serverEndpoint(server, hierarchy, scenario, prefix))
  }

  /// Only HTTP/1.1 is spoken inside TLS, so that nothing else may be agreed on.
  private func checkApplicationProtocol(
    _ client: ClientDescription, _ server: ServerDescription
  ) throws(Diagnostics) {
    let chosen = server.applicationProtocols.first(where: client.applicationProtocols.contains)
    guard let chosen, chosen != .http11 else { return }
    throw Diagnostics(
      "client and server would agree on '\(chosen)', which is not played",
      hint: "put http/1.1 first on the server's list 'alpn'", at: server.mark)
  }

  private func loadURL(_ connection: ConnectionDescription) throws(Diagnostics) -> LoadURL {
    do {
      let url = try LoadURL(connection.url)
      guard ["http", "https"].contains(url.scheme) else {
        throw Diagnostics(
          "'\(url.scheme)' is not loaded here", hint: "write an http:// or https:// URL", at: connection.mark)
      }
      return url
    } catch let error as Diagnostics {
      throw error
    } catch {
      throw Diagnostics(
        "'\(connection.url)' is not a URL that can be loaded", hint: "write https://api.example/", at: connection.mark)
    }
  }

  private func configuration(_ client: ClientDescription) throws(Diagnostics) -> AppTransportSecurity.Configuration {
    switch client.infoPlist {
    case .inline(let list): return .init(dictionary: list.dictionary ?? .init())
    case .file(let file):
      guard let bytes = readFile(file.path) else {
        throw Diagnostics(
          "cannot read the file '\(file.path)'", hint: "paths start from the scenario's folder", at: file.mark)
      }
      do throws(PropertyListError) {
        return try AppTransportSecurity.Configuration(readingInfoPlist: bytes)
      } catch {
        throw error.diagnostics(inFile: file.path, fallback: file.mark)
      }
    }
  }

  private func clientTLS(
    _ client: ClientDescription, _ decision: AppTransportSecurity.Decision, prefix: String, seed: Seed
  ) -> ClientConfiguration {
    let offer = ClientOffer(for: decision)
    return ClientConfiguration(
      host: decision.load.url.host, versions: offer.minimumVersion...max(offer.minimumVersion, offer.maximumVersion),
      cipherSuites: offer.cipherSuites, signatureSchemes: client.signatureSchemes ?? SignatureScheme.defaults,
      applicationProtocols: client.applicationProtocols, random: RandomStreams(seed: seed, party: "\(prefix)client"),
      valuePrefix: prefix
    )
  }

  private func serverEndpoint(
    _ server: ServerDescription, _ hierarchy: Hierarchy, _ scenario: Scenario, _ prefix: String
  ) throws(Diagnostics) -> ServerEndpoint.Configuration {
    let entries = server.presents.compactMap { hierarchy[$0] }
    guard let leaf = entries.first, let lowest = server.versions.min(), let highest = server.versions.max() else {
      throw Diagnostics("the server has no version or no certificate to speak with", at: server.mark)
    }
    let party = scenario.servers.count == 1 ? Party.server : Party(server.host)
    let certificates = entries.flatMap(\.certificates)
    return ServerEndpoint.Configuration(
      tls: ServerConfiguration(
        certificates: certificates.map(\.certificate.der), privateKey: leaf.signingKey,
        privateKeyName: "\(leaf.name).key", versions: lowest...highest, cipherSuites: server.cipherSuites,
        groups: server.groups, signatureSchemes: server.signatureSchemes ?? SignatureScheme.defaults,
        applicationProtocols: server.applicationProtocols,
        random: RandomStreams(seed: scenario.seed, party: "\(prefix)\(party)"), party: party,
        valuePrefix: prefix),
      certificates: certificates.map { Value("\($0.name).certificate", $0.certificate.der, .published) },
      content: server.content)
  }
}
