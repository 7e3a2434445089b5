import Cryptography
import Endpoint
import Explanation
import URLLoading

/// Reads one case from its tree: the baseline with the file and the row laid over it.
struct CaseReading {
  let location: ScenarioLocation
  let epoch: Instant?
  let row: CaseRow
  /// The day by which connections without a name are called, in a scenario of several dates.
  var day: String?
  let sink: DiagnosticSink

  func scenario() -> Scenario? {
    let reader = NodeReader(node: row.tree, path: "", sink: sink)
    guard let map = reader.map(Vocabulary.scenario) else { return nil }
    if let calculation = map["calculation"] { return self.calculation(calculation, map) }
    let authorities = certificates(map["authorities"], isAuthority: true)
    let certificates = certificates(map["certificates"], isAuthority: false)
    let servers = servers(map)
    let about = about(map)
    let network = map["network"]?.list { $0.networkVerb() } ?? []
    let timeline = timeline(map["timeline"])
    let expectation = row.expect?.expectation()
    let client = map["client"]?.client(folder: location.folder)
    // A clock or a seed that cannot be read was reported, and all else is checked nevertheless.
    let clock = map["clock"].map { $0.date() ?? epoch ?? Instant(secondsSince1970: 0) }
    let seed = map["seed"].map { $0.seed() ?? .counting }
    guard let client, let clock, let seed else { return nil }
    let connections = connections(map, client: client).map { connection in
      connection.named(day ?? (timeline.isEmpty ? nil : clock.day))
    }
    return Scenario(
      id: location.id, caseName: row.name, file: location.path, about: about, clock: clock,
      epoch: epoch ?? clock, seed: seed, authorities: authorities, certificates: certificates, servers: servers,
      network: network, connections: connections, later: timeline, calculation: nil,
      expectation: expectation, sibling: row.sibling, tree: row.tree)
  }

  /// Toy numbers in the place of connections: nothing of a connection can stand beside them.
  private func calculation(_ reader: NodeReader, _ map: MapReader) -> Scenario? {
    for key in Vocabulary.connectionKeys where map[key] != nil {
      sink.error(
        "'calculation' and '\(key)' exclude each other", hint: "toy numbers never enter a real connection",
        at: map.mark(of: key))
    }
    let expectation = row.expect?.expectation()
    guard let clock = map["clock"]?.date(), let seed = map["seed"]?.seed(),
      let calculation = reader.calculation(clock: clock)
    else { return nil }
    return Scenario(
      id: location.id, caseName: row.name, file: location.path, about: about(map), clock: clock,
      epoch: epoch ?? clock, seed: seed, authorities: [], certificates: [], servers: [], network: [], connections: [],
      later: [], calculation: calculation, expectation: expectation, sibling: row.sibling, tree: row.tree)
  }

  private func about(_ map: MapReader) -> Scenario.About {
    Scenario.About(
      title: map["title"]?.text() ?? "", lesson: map["lesson"]?.text(), level: map["level"]?.integer(1...9),
      sources: map["sources"]?.list { $0.text() } ?? [], disputed: map["disputed"]?.text(),
      kills: map["kills"]?.list { $0.text() } ?? [])
  }

  private func certificates(_ reader: NodeReader?, isAuthority: Bool) -> [CertificateDescription] {
    reader?.named { name, mark, reader in
      reader.certificate(named: name, isAuthority: isAuthority, mark: mark, folder: location.folder)
    } ?? []
  }

  /// The one `server`, or all `servers`, each laid over the baseline's server.
  private func servers(_ map: MapReader) -> [ServerDescription] {
    guard let several = map["servers"] else {
      return map["server"].flatMap { $0.server(host: nil, mark: $0.node.mark) }.map { [$0] } ?? []
    }
    let usual = map["server"]?.node.without("host") ?? .map([], several.node.mark)
    return several.named { host, mark, reader in
      NodeReader(node: usual.laidOver(by: reader.node), path: reader.path, sink: sink).server(host: host, mark: mark)
    }
  }

  private func connections(_ map: MapReader, client: ClientDescription) -> [ConnectionDescription] {
    let ways = ["request", "requests", "connections"].filter { map[$0] != nil }
    guard ways.count == 1, let way = ways.first, let reader = map[way] else {
      let said = ways.isEmpty ? "nothing is loaded" : "'\(ways.joined(separator: "' and '"))' exclude each other"
      sink.error(said, hint: "say what is loaded once: request: https://api.example/", at: row.tree.mark)
      return []
    }
    switch way {
    case "request": return request(reader, name: nil, client: client).map { [$0] } ?? []
    case "requests": return numbered(reader) { item, name in request(item, name: name, client: client) }
    default: return numbered(reader) { item, name in connection(item, name: name, usual: map["client"]?.node) }
    }
  }

  private func numbered(
    _ reader: NodeReader, _ read: (NodeReader, String) -> ConnectionDescription?
  ) -> [ConnectionDescription] {
    let items = reader.list { $0 } ?? []
    if items.isEmpty { reader.fail("\(reader.path) must name at least one load") }
    return items.enumerated().compactMap { read($1, Self.ordinal($0)) }
  }

  /// A URL, or a map that says more about the load.
  private func request(
    _ reader: NodeReader, name: String?, client: ClientDescription, replayed: String? = nil,
    expectation: Expectation? = nil
  ) -> ConnectionDescription? {
    if case .scalar = reader.node {
      return reader.text().map {
        .init(
          name: name, url: $0, request: nil, replayed: replayed, mark: reader.node.mark, client: client,
          expectation: expectation)
      }
    }
    guard let map = reader.map(Vocabulary.request) else { return nil }
    guard let url = map["url"]?.text() else {
      if map["url"] == nil { reader.fail("a request has a URL", hint: "write url: https://api.example/") }
      return nil
    }
    let method = map["method"]?.choice(HTTPRequest.methods, called: "method") ?? "GET"
    let path = (try? LoadURL(url))?.path ?? "/"
    return .init(
      name: map["name"]?.text() ?? name, url: url,
      request: HTTPRequest(method: method, path: path, body: map["body"]?.text() ?? ""), replayed: replayed,
      mark: map.mark(of: "url"), client: client, expectation: expectation ?? map["expect"]?.expectation())
  }

  private func connection(_ reader: NodeReader, name: String, usual: Node?) -> ConnectionDescription? {
    guard let map = reader.map(Vocabulary.connection) else { return nil }
    let node = (usual ?? .map([], reader.node.mark)).laidOver(by: map["client"]?.node ?? .map([], reader.node.mark))
    let clientReader = NodeReader(node: node, path: "\(reader.path).client", sink: sink)
    guard let client = clientReader.client(folder: location.folder) else { return nil }
    let name = map["name"]?.text() ?? name
    let expectation = map["expect"]?.expectation()
    if let replays = map["replays"], map["request"] == nil {
      return replays.text().map {
        .init(
          name: name, url: "", request: nil, replayed: $0, mark: replays.node.mark, client: client,
          expectation: expectation)
      }
    }
    guard let request = map["request"], map["replays"] == nil else {
      reader.fail(
        "a connection either loads something or replays an earlier one",
        hint: "write request: https://api.example/ or replays: first")
      return nil
    }
    return self.request(request, name: name, client: client, expectation: expectation)
  }

  /// The same case on each later date, with everything laid over it that has changed by then.
  private func timeline(_ reader: NodeReader?) -> [Scenario] {
    var tree = row.tree.without("timeline", "expect")
    return reader?.list { item in
      guard let map = item.map(Vocabulary.date), let date = map["date"]?.date() else { return nil }
      if let changes = map["changes"] {
        tree = tree.laidOver(byRow: changes.node, sink)
      }
      let mark = map.mark(of: "date")
      let clock = Node.Entry(key: "clock", mark: mark, value: .scalar("\(date)", quoted: true, mark))
      tree = tree.laidOver(by: .map([clock], mark))
      let row = CaseRow(name: row.name, tree: tree, expect: map["expect"], sibling: nil)
      return CaseReading(location: location, epoch: epoch, row: row, day: date.day, sink: sink).scenario()
    } ?? []
  }

  /// The name of a load that has none of its own.
  static func ordinal(_ index: Int) -> String {
    let words = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
    return words.indices.contains(index) ? words[index] : "load\(index + 1)"
  }
}

extension NodeReader {
  fileprivate func seed() -> Seed? {
    guard case .scalar(let text, let isQuoted, _) = node, let seed = Seed(text),
      !isQuoted || text.utf8.count == 2 * SeedBytes.count || seed == .counting
    else {
      fail("\(path) must be a whole number, 64 hexadecimal digits or 'counting', not \(shown)")
      return nil
    }
    return seed
  }
}
