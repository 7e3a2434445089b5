import Explanation

/// A scenario with every default of the baseline and of the reader written out.
///
/// Each case lists only its differences from the file.
struct FullScenario {
  let file: ScenarioFile
  let baseline: Node

  /// The certificates of the baseline that no case uses. The text leaves them out, because an unused certificate is an
  /// error.
  private var unused: Set<String> {
    let names = Set(file.cases.flatMap { $0.authorities + $0.certificates }.map(\.name))
    let dates = file.cases.flatMap(\.dates)
    var unused: Set<String> = []
    while true {
      let used = dates.reduce(into: Set<String>()) { $0.formUnion($1.usedNames(without: unused)) }
      let found = names.subtracting(used)
      if found == unused { return unused }
      unused = found
    }
  }

  /// A complete scenario tree with the same run, independent of future changes to the baseline.
  var tree: Node {
    guard let main = file.scenario(named: Scenario.mainCase) else { return file.root }
    let unused = unused
    let full = CaseExpansion(main, without: unused).tree
    var entries = full.entries ?? []
    let mark = file.root.mark
    func add(_ key: String, _ value: Node?) {
      if let value { entries.append(.init(key: key, mark: mark, value: value)) }
    }
    add("sibling", file.root["sibling"])
    add("expect", file.root["expect"])
    let rows = file.cases.filter { $0.caseName != Scenario.mainCase }.map { row($0, over: full, without: unused) }
    if !rows.isEmpty { add("cases", .list(rows, mark)) }
    return Self.removing(from: baseline, what: .map(entries, mark)).ordered(by: ScenarioParts.section.words)
  }

  private func row(_ scenario: Scenario, over full: Node, without unused: Set<String>) -> Node {
    let mark = file.root.mark
    let written = file.root["cases"]?.items?.first {
      if case .scalar(scenario.caseName, _, _) = $0["name"] { return true }
      return false
    }
    var entries = [Node.Entry(key: "name", mark: mark, value: .text(scenario.caseName, mark))]
    if let change = CaseExpansion(scenario, without: unused).tree.difference(from: full.without("after")) {
      entries.append(.init(key: "with", mark: mark, value: change))
    }
    for key in ["expect", "sibling"] {
      if let value = written?[key] { entries.append(.init(key: key, mark: mark, value: value)) }
    }
    return .map(entries, mark)
  }

  /// Returns `tree` with `null` for each value that only the baseline has. Without the `null`, the baseline would add
  /// the value again.
  private static func removing(from baseline: Node, what tree: Node, isTop: Bool = true) -> Node {
    guard case .map(var entries, let mark) = tree, let old = baseline.entries else { return tree }
    for entry in old {
      if let index = entries.firstIndex(where: { $0.key == entry.key }) {
        // A file's own hierarchy replaces the baseline's.
        if isTop, ["authorities", "certificates"].contains(entry.key) { continue }
        entries[index].value = removing(from: entry.value, what: entries[index].value, isTop: false)
      } else if !(isTop && (entry.key == "request" || tree["calculation"] != nil)) {
        entries.append(.init(key: entry.key, mark: mark, value: .scalar("null", quoted: false, mark)))
      }
    }
    return .map(entries, mark)
  }
}

extension ScenarioReader {
  /// Returns `file` as YAML with every default written out, in lines of 80 columns. Its run does not change.
  ///
  /// - Parameters:
  ///   - file: the scenario with its cases.
  ///   - folder: the prefix for paths of files, such as `Scenarios/L1/`; nil if the text stays in the folder of `file`.
  public func fullText(of file: ScenarioFile, filesIn folder: String? = nil) -> String {
    let tree = FullScenario(file: file, baseline: baseline.root).tree
    return YAMLText.text(of: folder.map(tree.withFiles) ?? tree)
  }
}

extension Node {
  /// The keys whose values are file names.
  private static let filing = ["pem", "privateKey", "infoPlist", "file"]

  /// Returns this tree with `folder` as the prefix of every file path.
  fileprivate func withFiles(in folder: String) -> Node {
    switch self {
    case .map(let entries, let mark):
      return .map(
        entries.map { entry in
          // The files of a library's bundle are in the scenario itself, not in files next to it.
          if entry.key.lastWord == "bundle" { return entry }
          var entry = entry
          if case .scalar(let path, _, let place) = entry.value, Self.filing.contains(entry.key.lastWord),
            !path.hasPrefix("/"), !entry.value.isNull
          {
            entry.value = .text(folder + path, place)
          } else {
            entry.value = entry.value.withFiles(in: folder)
          }
          return entry
        }, mark)
    case .list(let items, let mark): return .list(items.map { $0.withFiles(in: folder) }, mark)
    case .scalar: return self
    }
  }
}

extension String {
  /// The part of a path after its last period.
  fileprivate var lastWord: String { lastIndex(of: ".").map { String(self[index(after: $0)...]) } ?? self }
}

extension Node {
  /// Returns a text scalar, quoted if necessary.
  static func text(_ text: String, _ mark: SourceMark) -> Node {
    let plain = Node.scalar(text, quoted: false, mark)
    return YAMLScalar.isPlain(text) && !plain.isNull ? plain : .scalar(text, quoted: true, mark)
  }

  /// Returns this map with its keys in the order of a section of the vocabulary.
  func ordered(by section: WordSection) -> Node {
    guard case .map(let entries, let mark) = self else { return self }
    let places = Dictionary(section.words.enumerated().map { ($1.name, $0) }) { first, _ in first }
    let sorted = entries.enumerated().sorted { left, right in
      (places[left.element.key] ?? .max, left.offset) < (places[right.element.key] ?? .max, right.offset)
    }
    return .map(sorted.map(\.element), mark)
  }
}

/// Writes out every default of one case: hierarchy, servers, clients, loads and network. The result has no expectation.
struct CaseExpansion {
  private let scenario: Scenario
  private let root: Node
  /// The unused CAs and certificates, which the result leaves out.
  private let unused: Set<String>

  init(_ scenario: Scenario, without unused: Set<String>) {
    self.scenario = scenario
    self.unused = unused
    root = scenario.tree.without("expect", "sibling", "cases", "sweep")
  }

  var tree: Node {
    // A calculation has no defaults.
    if scenario.calculation != nil { return root.ordered(by: ScenarioParts.section.words) }
    var tree = root
    tree.set("authorities", hierarchy("authorities", scenario.authorities))
    tree.set("certificates", hierarchy("certificates", scenario.certificates))
    if let servers = root["servers"]?.entries {
      let usual = root["server"]?.without("host") ?? .map([], root.mark)
      let full = servers.map { Node.Entry(key: $0.key, mark: $0.mark, value: usual.laidOver(by: $0.value)) }
      tree = tree.without("server")
      tree.set("servers", .map(full, root.mark))
    }
    let client = full(client: root["client"] ?? .map([], root.mark))
    tree.set("client", client)
    if root["network"] == nil { tree.set("network", .list([], root.mark)) }
    tree.set("network", list("network") { _, verb in leak(verb) })
    tree.set("requests", list("requests") { index, request in self.request(request, index) })
    tree.set("connections", list("connections") { index, item in connection(item, index, client) })
    return tree.ordered(by: ScenarioParts.section.words)
  }

  private func list(_ key: String, _ change: (Int, Node) -> Node) -> Node? {
    root[key]?.items.map { .list($0.enumerated().map { change($0.offset, $0.element) }, root.mark) }
  }

  private func hierarchy(_ key: String, _ descriptions: [CertificateDescription]) -> Node? {
    root[key]?.entries.map { entries in
      .map(
        entries.filter { !unused.contains($0.key) }.map { entry in
          let description = descriptions.first { $0.name == entry.key }
          let value = description.map { full(entry.value, $0) } ?? entry.value
          return .init(key: entry.key, mark: entry.mark, value: value)
        }, root.mark)
    }
  }

  private func full(_ certificate: Node, _ description: CertificateDescription) -> Node {
    var node = certificate
    // A certificate from a file has no defaults, and the scenario language cannot express a date before the year 0.
    let start = description.defaultStart(scenario.epoch)
    if description.pem == nil, node["notBefore"] == nil, Instant(start.description) == start {
      node.set("notBefore", .usual(start.description))
    }
    return node.completed(by: CertificateDescription.section, of: description)
  }

  private func full(client: Node) -> Node {
    let usual = ClientDescription(os: .documentation, loader: .urlSession)
    return client.completed(by: ClientDescription.section, of: usual)
  }

  private func leak(_ verb: Node) -> Node {
    var verb = verb
    // A quantum computer has a date in place of a time after the connections.
    if let leak = verb["leak"], leak.entries == nil { verb.set("after", verb["after"] ?? .usual("0 seconds")) }
    return verb
  }

  private func request(_ request: Node, _ index: Int) -> Node {
    var node = request
    if case .scalar = request { node = .map([.init(key: "url", mark: request.mark, value: request)], request.mark) }
    node.set("name", node["name"] ?? .usual(CaseReading.ordinal(index)))
    return node.ordered(by: RequestDescription.section.words)
  }

  private func connection(_ item: Node, _ index: Int, _ client: Node) -> Node {
    var node = item
    node.set("client", full(client: client.laidOver(by: item["client"] ?? .map([], item.mark))))
    node.set("name", node["name"] ?? .usual(CaseReading.ordinal(index)))
    return node.ordered(by: ConnectionParts.section.words)
  }
}

extension Node {
  /// Sets or replaces the value under `key` in this map; nil changes nothing.
  mutating func set(_ key: String, _ value: Node?) {
    guard case .map(var entries, let mark) = self, let value else { return }
    if let index = entries.firstIndex(where: { $0.key == key }) {
      entries[index].value = value
    } else {
      entries.append(.init(key: key, mark: mark, value: value))
    }
    self = .map(entries, mark)
  }
}
