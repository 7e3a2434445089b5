import Advice
import Cryptography
import Endpoint
import Explanation
import Laboratory
import PKIX
import Simulator
import TLS
import Trust
import URLLoading

/// Creates the world of a scenario: issues its certificates, reads its files, and sets up its clients and servers.
public struct ScenarioSetup: Sendable {
  /// Returns the contents of a file that a scenario names, by its path.
  public typealias FileReader = @Sendable (String) -> [UInt8]?

  /// The keys of every participant, and a cache of signatures.
  let keys: KeyStore
  private let readFile: FileReader
  /// The historical bug of every program that can have it, unless the scenario names another bug; nil for none.
  var mutant: Mutant?
  /// The witness of all uses of rules; nil for none.
  var witness: RuleWitness?
  /// The maximum number of bits that an actual search may have when goals are judged; nil for quick searches only.
  let searchLimit: Int?

  /// Creates a setup with keys from `keys`, files from `readFile`, and programs with the bug `mutant`.
  public init(
    keys: KeyStore, mutant: Mutant? = nil, searchLimit: Int? = nil, readFile: @escaping FileReader
  ) {
    self.keys = keys
    self.searchLimit = searchLimit
    self.mutant = mutant
    self.readFile = readFile
  }

  /// Returns the rules and decisions of a program, which has the bug `own` or else that of the setup.
  func enforcement(_ place: Mutant.Place, _ own: Mutant? = nil) -> Enforcement {
    let enforcement = (own ?? mutant)?.enforcement(in: place) ?? .standard
    return witness?.watching(enforcement, in: place) ?? enforcement
  }

  /// Returns the world in which `scenario` runs.
  ///
  /// - Throws: `Diagnostics` if a file cannot be used or a host has no server.
  public func world(of scenario: Scenario) throws(Diagnostics) -> World {
    if let calculation = try scenario.workedCalculation(under: enforcement(.client)) {
      return World(clock: scenario.clock, calculation: calculation)
    }
    var plans: [World.Plan] = []
    var leaks: [Leak] = []
    var held: [Value] = []
    var weaknesses: [Value.ID: Value.Derivation] = [:]
    var outOfReach: [Value.ID: Method] = [:]
    var certificates: [(name: String, certificate: Certificate)] = []
    var holdings: [Holding] = []
    var audits: [World.Audit] = []
    for (index, date) in scenario.dates.enumerated() {
      let hierarchy = try HierarchyBuilder(scenario: date, keys: keys, readFile: readFile).hierarchy()
      let casting = PlanBuilder(
        scenario: date, hierarchy: hierarchy, cast: self, changes: scenario.changes(before: index))
      plans += try casting.plans()
      audits += LogBuilder(scenario: date, signing: keys.signatures.sign).audits(hierarchy)
      for connection in date.connections {
        let key = try casting.castIdentity(connection.client, connection.mark).foreignKey
        held += [key].compactMap(\.self).filter { key in !held.contains { $0.id == key.id } }
      }
      leaks += date.leaks.filter { leak in !leaks.contains { $0.content == leak.content } }
      held += hierarchy.keyValues(for: date).filter { value in !held.contains { $0.id == value.id } }
      held += date.passphrases.filter { value in !held.contains { $0.id == value.id } }
      if leaks.contains(where: { $0.content == .quantumComputer }) { held = hierarchy.brokenKeys(held, in: date) }
      let found = Weakness.all(of: plans, date)
      held += hierarchy.publicCertificates(for: found, in: date)
        .filter { value in !held.contains { $0.id == value.id } }
      weaknesses.merge(found) { first, _ in first }
      for key in BreakableKey.all(of: plans, date, hierarchy) {
        if key.isInReach(ofBudget: date.attackers.budget) {
          weaknesses[key.name] = weaknesses[key.name] ?? key.derivation
        } else if key.strength.isLegacy {
          outOfReach[key.name] = key.method
        }
      }
      certificates += hierarchy.entries.flatMap(\.certificates)
      holdings += hierarchy.holdings(in: date).filter { holding in
        !holdings.contains { $0.chain.first == holding.chain.first && $0.keyName == holding.keyName }
      }
    }
    var world = World(
      clock: scenario.clock, plans: plans, leaks: leaks, held: held, weaknesses: weaknesses,
      names: CertificateNames(certificates), holdings: holdings, attackers: scenario.attackers.strength)
    world.searchLimit = searchLimit
    world.keys = keys
    world.outOfReach = outOfReach
    world.audits = audits
    return world
  }

  /// Returns the certificates of `scenario` by the author's names, in the order of issuance.
  func certificates(of scenario: Scenario) throws(Diagnostics) -> [(name: String, certificate: Certificate)] {
    try HierarchyBuilder(scenario: scenario, keys: keys, readFile: readFile).hierarchy().entries.flatMap(\.certificates)
  }

  /// Returns the certificates and keys of `scenario`, with every date moved by `shift` seconds.
  func hierarchy(of scenario: Scenario, shift: Int64) throws(Diagnostics) -> Hierarchy {
    try HierarchyBuilder(scenario: scenario, keys: keys, readFile: readFile, shift: shift).hierarchy()
  }

  /// Returns the servers of `scenario`, with `now` as the clock.
  func servers(
    of scenario: Scenario, now: Instant?
  ) throws(Diagnostics) -> [(host: String, configuration: ServerEndpoint.Configuration)] {
    let clock = scenario.clock.secondsSince1970
    let (shift, overflow) = (now?.secondsSince1970 ?? clock).subtractingReportingOverflow(clock)
    let hierarchy = try hierarchy(of: scenario, shift: overflow ? 0 : shift)
    var casting = PlanBuilder(scenario: scenario, hierarchy: hierarchy, cast: self)
    casting.shift = overflow ? 0 : shift
    var servers: [(host: String, configuration: ServerEndpoint.Configuration)] = []
    for server in scenario.servers {
      var endpoint: ServerEndpoint.Configuration
      let host = try casting.host(server)
      do throws(World.Unplayable) { endpoint = try host.server.get() } catch {
        throw error.diagnostics(in: scenario)
      }
      if let now { endpoint.clientTrust?.requirements.date = now }
      servers.append((server.host, endpoint))
    }
    return servers
  }

  /// Returns warnings about the property lists of `scenario`.
  func remarks(on scenario: Scenario) throws(Diagnostics) -> [Diagnostic] {
    var remarks: [Diagnostic] = []
    for connection in scenario.connections {
      let found =
        switch connection.client.infoPlist {
        case .file(let file):
          InfoPlistRemarks(
            AppTransportSecurity.passedOver(in: try propertyList(file)), inFile: file.path, fallback: file.mark)
        case .inline:
          InfoPlistRemarks(
            try configuration(connection.client) { PinnedIdentityText.sample(of: $0) }, in: scenario,
            fallback: connection.mark)
        }
      for remark in found.diagnostics() where !remarks.contains(remark) { remarks.append(remark) }
    }
    return remarks
  }

  /// Returns the configuration in the client's property list. `identity` resolves the named identities.
  func configuration(
    _ client: ClientDescription, identity: (String) -> String?
  ) throws(Diagnostics) -> AppTransportSecurity.Configuration {
    switch client.infoPlist {
    case .inline(let list): return .init(dictionary: list.resolvingIdentities(identity).dictionary ?? .init())
    case .file(let file): return .init(infoPlist: try propertyList(file))
    }
  }

  /// The contents of a file.
  func bytes(of file: FileReference) throws(Diagnostics) -> [UInt8] {
    guard let bytes = readFile(file.path) else {
      throw Diagnostics(
        "cannot read the file '\(file.path)'", hint: "paths are relative to the scenario's folder", at: file.mark)
    }
    return bytes
  }

  private func propertyList(_ file: FileReference) throws(Diagnostics) -> PropertyList {
    let bytes = try bytes(of: file)
    do throws(PropertyListError) { return try PropertyList(reading: bytes) } catch {
      throw error.diagnostics(inFile: file.path, fallback: file.mark)
    }
  }
}

extension Scenario {
  /// Returns the changes on the date at this index, in scenario notation: `network: [eavesdrop]`.
  fileprivate func changes(before index: Int) -> [String] {
    guard let items = tree["timeline"]?.items, items.indices.contains(index - 1) else { return [] }
    return items[index - 1]["changes"]?.entries?.map { "\($0.key): \($0.value.flowText)" } ?? []
  }

  /// The leaks, with times relative to the day of the connections.
  fileprivate var leaks: [Leak] {
    network.compactMap { verb in
      switch verb {
      case .leak(let secret, let after, _): Leak(.secret(secret), at: clock.adding(seconds: after))
      case .quantumComputer(let day): Leak(.quantumComputer, at: day)
      default: nil
      }
    }
  }
}
