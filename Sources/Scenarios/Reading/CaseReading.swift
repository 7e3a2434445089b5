import Cryptography
import Endpoint
import Explanation
import URLLoading

/// Reads one case from its tree: the baseline with the file and the row merged into it.
struct CaseReading {
  let location: ScenarioLocation
  let epoch: Instant?
  let row: CaseRow
  /// The day that serves as the name of unnamed connections, in a scenario of several dates.
  var day: String?
  let sink: DiagnosticSink

  /// Returns the case; nil if it is invalid, which is reported.
  func scenario() -> Scenario? { NodeReader(node: row.tree, path: "", sink: sink).reading(read) }

  /// The keys that every case needs, each with an example. A calculation makes no connection and needs none of them.
  private static let needed = [("clock", "clock: 2016-11-01"), ("seed", "seed: 0")]
  private static let neededByConnections = needed + [("client", "client: { os: iOS 10 }")]

  private func read(_ reader: NodeReader) -> Scenario? {
    var parts = ScenarioParts()
    guard reader.read(ScenarioParts.section, into: &parts) != nil else { return nil }
    let needed = parts.calculation == nil ? Self.neededByConnections : Self.needed
    for (key, example) in needed where row.tree[key] == nil {
      reader.fail(lacking: key, example: example, removedAt: row.removed[key])
    }
    if let calculation = parts.calculation { return self.calculation(calculation, parts) }
    let authorities = certificates(parts.authorities, isCA: true)
    let certificates = certificates(parts.certificates, isCA: false)
    let servers = servers(parts)
    let network = parts.network?.list { $0.networkVerb() } ?? []
    let expectation = row.expect?.expectation()
    let client = parts.client?.client(row.removed)
    // An invalid clock or seed has already been reported; the rest is still checked.
    let clock = parts.clock.map { $0.date() ?? epoch ?? Instant(secondsSince1970: 0) }
    let seed = parts.seed.map { $0.seed() ?? .counting }
    let names = dateNames(parts.timeline, from: clock)
    let timeline = timeline(parts.timeline, names, after: clock)
    guard let client, let clock, let seed else { return nil }
    let connections = connections(parts, client: client).map { connection in
      connection.named(day ?? (timeline.isEmpty ? nil : names[clock] ?? clock.day))
    }
    return Scenario(
      id: location.id, caseName: row.name, file: location.path, about: parts.about, clock: clock,
      epoch: epoch ?? clock, seed: seed, authorities: authorities, certificates: certificates, logs: parts.logs,
      servers: servers,
      network: network, attackers: parts.attackers ?? AttackersDescription(), connections: connections, later: timeline,
      calculation: nil, calculationLines: [],
      expectation: expectation, sibling: row.sibling, siblingMark: row.siblingMark, tree: row.tree, removed: row.removed
    )
  }

  /// Reads a calculation. The keys of connections are not allowed next to it.
  private func calculation(_ reader: NodeReader, _ parts: ScenarioParts) -> Scenario? {
    for entry in row.tree.entries ?? [] where ScenarioParts.keysOfConnections.contains(entry.key) {
      sink.error(
        "'calculation' and '\(entry.key)' exclude each other", hint: "real connections never use toy numbers",
        at: entry.mark)
    }
    let expectation = row.expect?.expectation()
    guard let clock = parts.clock?.date(), let seed = parts.seed?.seed(),
      let (calculation, lines) = reader.calculation()
    else { return nil }
    return Scenario(
      id: location.id, caseName: row.name, file: location.path, about: parts.about, clock: clock,
      epoch: epoch ?? clock, seed: seed, authorities: [], certificates: [], logs: [:], servers: [], network: [],
      attackers: AttackersDescription(), connections: [],
      later: [], calculation: calculation, calculationLines: lines, expectation: expectation, sibling: row.sibling,
      siblingMark: row.siblingMark, tree: row.tree, removed: row.removed)
  }

  private func certificates(_ reader: NodeReader?, isCA: Bool) -> [CertificateDescription] {
    reader?.named { name, mark, reader in
      reader.certificate(named: name, isCA: isCA, mark: mark)
    } ?? []
  }

  /// Reads the single `server`, or all `servers`, each merged into the baseline's server.
  private func servers(_ parts: ScenarioParts) -> [ServerDescription] {
    guard let several = parts.servers else {
      return parts.server.flatMap { $0.server(host: nil, mark: $0.node.mark) }.map { [$0] } ?? []
    }
    let usual = parts.server?.node.without("host") ?? .map([], several.node.mark)
    return several.named { host, mark, reader in
      NodeReader(node: usual.laidOver(by: reader.node), path: reader.path, sink: sink).server(host: host, mark: mark)
    }
  }

  private func connections(_ parts: ScenarioParts, client: ClientDescription) -> [ConnectionDescription] {
    let ways = [("request", parts.request), ("requests", parts.requests), ("connections", parts.connections)]
      .compactMap { name, reader in reader.map { (name: name, reader: $0) } }
    let readings = ways.map { way -> [ConnectionDescription] in
      switch way.name {
      case "request": request(way.reader, name: nil, client: client).map { [$0] } ?? []
      case "requests": numbered(way.reader) { item, name in request(item, name: name, client: client) }
      default: numbered(way.reader) { item, name in connection(item, name: name, usual: parts.client?.node) }
      }
    }
    if readings.count == 1, let connections = readings.first { return connections }
    let names = ways.map(\.name)
    // The last key that the author wrote: the baseline's own keys are in another file.
    let keys = (row.tree.entries ?? []).filter { names.contains($0.key) }.map(\.mark)
    let last = keys.filter { $0.file == row.tree.mark.file }.max()
    sink.error(
      names.isEmpty ? "the scenario loads nothing" : "'\(names.joined(separator: "' and '"))' exclude each other",
      hint: "keep one of them: request: https://api.example/",
      at: last ?? row.removed["request"] ?? row.tree.mark)
    return []
  }

  private func numbered(
    _ reader: NodeReader, _ read: (NodeReader, String) -> ConnectionDescription?
  ) -> [ConnectionDescription] {
    let items = reader.list { $0 } ?? []
    if items.isEmpty { reader.fail("\(reader.path) must have at least one load") }
    var names: Set<String> = []
    return items.enumerated().compactMap { index, item -> ConnectionDescription? in
      let connection = item.reading { read($0, Self.ordinal(index)) }
      if let name = connection?.name, !names.insert(name).inserted {
        sink.error(
          "two connections are called '\(name)'",
          hint: "give each connection its own name, because value names begin with it",
          at: (item.node["request"]?["name"] ?? item.node["name"] ?? item.node).mark)
      }
      return connection
    }
  }

  /// Reads a URL, or a map with more settings of the load.
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
    var load = RequestDescription()
    guard reader.read(RequestDescription.section, into: &load) != nil else { return nil }
    guard let place = load.url else {
      reader.fail("the request has no URL", hint: "write url: https://api.example/")
      return nil
    }
    checkName(load.name, reader)
    guard let url = place.text() else { return nil }
    let path = (try? LoadURL(url))?.path ?? "/"
    var request = HTTPRequest(method: load.method, path: path, body: load.body)
    request.authorization = load.authorization
    return .init(
      name: load.name ?? name, url: url, request: request, replayed: replayed, mark: reader.mark(of: "url"),
      client: client, expectation: expectation ?? load.expectation)
  }

  private func connection(_ reader: NodeReader, name: String, usual: Node?) -> ConnectionDescription? {
    var parts = ConnectionParts()
    guard reader.read(ConnectionParts.section, into: &parts) != nil else { return nil }
    let node = (usual ?? .map([], reader.node.mark)).laidOver(by: parts.client?.node ?? .map([], reader.node.mark))
    let removed = row.removed.adding(parts.client?.node, below: ["client"])
    guard let client = NodeReader(node: node, path: "\(reader.path).client", sink: sink).client(removed) else {
      return nil
    }
    checkName(parts.name, reader)
    let name = parts.name ?? name
    if let replays = parts.replays, parts.request == nil {
      return replays.text().map {
        .init(
          name: name, url: "", request: nil, replayed: $0, mark: replays.node.mark, client: client,
          expectation: parts.expectation)
      }
    }
    guard let request = parts.request, parts.replays == nil else {
      reader.fail(
        "a connection must either load a URL or replay an earlier connection",
        hint: "write request: https://api.example/ or replays: first")
      return nil
    }
    var connection = self.request(request, name: name, client: client, expectation: parts.expectation)
    connection?.hasOwnClient = parts.client != nil
    return connection
  }

  private func checkName(_ name: String?, _ reader: NodeReader) {
    guard let name else { return }
    sink.check(ownerOfValues: name, at: (reader.node["name"] ?? reader.node).mark)
  }

  /// Returns the names of each date's connections: the day, or the time if a day has several dates.
  private func dateNames(_ reader: NodeReader?, from clock: Instant?) -> [Instant: String] {
    let later = reader?.node.items?.compactMap { item -> Instant? in
      guard let date = item["date"], case .scalar(let text, _, _) = date else { return nil }
      return Instant(text)
    }
    let dates = [clock].compactMap(\.self) + (later ?? [])
    let perDay = Dictionary(grouping: dates, by: \.day)
    return Dictionary(dates.map { ($0, perDay[$0.day, default: []].count > 1 ? $0.description : $0.day) }) { first, _ in
      first
    }
  }

  /// Returns this case on each later date, with the changes up to that date merged into it.
  private func timeline(_ reader: NodeReader?, _ names: [Instant: String], after clock: Instant?) -> [Scenario] {
    var tree = row.tree.without("timeline", "expect")
    var (removed, previous) = (row.removed, clock)
    var dates: Set<Instant> = []
    return reader?.list { item in
      var parts = DateParts()
      guard let map = item.read(DateParts.section, into: &parts) else { return nil }
      guard let date = parts.date else {
        if map["date"] == nil { item.fail("the entry has no date", hint: "write { date: 2017-01-01, changes: { … } }") }
        return nil
      }
      if let changes = parts.changes {
        if changes.node.entries == nil { changes.fail("\(changes.path) must be a map of paths") }
        tree = tree.laidOver(byRow: changes.node, sink)
        removed = removed.adding(row: changes.node)
      }
      let mark = item.mark(of: "date")
      if let before = previous, date < before {
        sink.error(
          "\(date.day) is before \(before.day), but the dates of a timeline must ascend",
          hint: "put the dates in order, all after 'clock'", at: mark)
      } else if !dates.insert(date).inserted {
        sink.error(
          "the timeline contains \(date.day) twice",
          hint: "put the changes of both under one date, or change one time", at: mark)
      }
      previous = date
      let clock = Node.Entry(key: "clock", mark: mark, value: .scalar("\(date)", quoted: true, mark))
      tree = tree.laidOver(by: .map([clock], mark))
      let row = CaseRow(name: row.name, tree: tree, expect: parts.expect, sibling: nil, removed: removed)
      return CaseReading(location: location, epoch: epoch, row: row, day: names[date] ?? date.day, sink: sink)
        .scenario()
    } ?? []
  }

  /// Returns the name of an unnamed load.
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
      fail("\(path) must be a whole number from 0 to 2^64 - 1, 64 hexadecimal digits or 'counting', not \(shown)")
      return nil
    }
    return seed
  }
}

extension DiagnosticSink {
  /// Reports a name whose values could be confused with those of another connection or handshake.
  func check(ownerOfValues name: String, at mark: SourceMark) {
    if ValueScope(name).isName { return }
    error(
      "'\(name)' cannot be the name of a connection or a certificate",
      hint: "choose another name: 'upstream' is an interceptor's connection, and 'renegotiated' is another handshake",
      at: mark)
  }
}
