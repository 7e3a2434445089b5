import Explanation

/// One case with every default written down: hierarchy, servers, clients, loads and network, without what is expected.
struct CaseExpansion {
  private let scenario: Scenario
  private let root: Node
  /// Authorities and certificates that are left out.
  private let unused: Set<String>

  init(_ scenario: Scenario, without unused: Set<String>) {
    self.scenario = scenario
    self.unused = unused
    root = scenario.tree.without("expect", "sibling", "cases", "sweep")
  }

  var tree: Node {
    // What a calculation leaves out it has not.
    if scenario.calculation != nil { return root.ordered(by: Vocabulary.scenario) }
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
    return tree.ordered(by: Vocabulary.scenario)
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

  /// What is read from a file speaks for itself.
  private func full(_ certificate: Node, _ description: CertificateDescription) -> Node {
    var node = certificate
    if description.isAuthority { node.setDefault("trust", description.trust.rawValue) }
    guard description.pem == nil else { return node.ordered(by: Vocabulary.certificate) }
    node.setDefault("issuer", "self")
    node.setDefault("signature", CertificateDescription.usualSignature)
    // A cross-certificate has the key and the name of another.
    if description.crossSigned == nil {
      node.setDefault("key", "\(CertificateDescription.usualKey)")
      node.setDefault("commonName", description.usualCommonName)
    }
    // Before the year 0 no date can be written.
    let start = description.usualStart(scenario.epoch)
    if Instant(start.description) == start { node.setDefault("notBefore", start.description) }
    if description.notAfter == nil { node.setDefault("days", String(description.usualDays)) }
    node.setDefault("keyUsage", description.usualKeyUsage)
    if let purposes = description.usualPurposes { node.setDefault("extendedKeyUsage", purposes) }
    return node.ordered(by: Vocabulary.certificate)
  }

  private func full(client: Node) -> Node {
    var node = client
    if node["infoPlist"] == nil { node.set("infoPlist", .map([], node.mark)) }
    for (key, word) in [("serverTrust", "default"), ("identity", "none"), ("revocation", "none"), ("random", "good")] {
      node.setDefault(key, word)
    }
    return node.ordered(by: Vocabulary.client)
  }

  private func leak(_ verb: Node) -> Node {
    var verb = verb
    if verb["leak"] != nil { verb.setDefault("after", "0 seconds") }
    return verb
  }

  private func request(_ request: Node, _ index: Int) -> Node {
    var node = request
    if case .scalar = request { node = .map([.init(key: "url", mark: request.mark, value: request)], request.mark) }
    node.setDefault("name", CaseReading.ordinal(index))
    return node.ordered(by: Vocabulary.request)
  }

  private func connection(_ item: Node, _ index: Int, _ client: Node) -> Node {
    var node = item
    node.set("client", full(client: client.laidOver(by: item["client"] ?? .map([], item.mark))))
    node.setDefault("name", CaseReading.ordinal(index))
    return node.ordered(by: Vocabulary.connection)
  }
}

extension Node {
  /// Gives this map a value in place of the one it has under `key`; nil leaves it as it is.
  fileprivate mutating func set(_ key: String, _ value: Node?) {
    guard case .map(var entries, let mark) = self, let value else { return }
    if let index = entries.firstIndex(where: { $0.key == key }) {
      entries[index].value = value
    } else {
      entries.append(.init(key: key, mark: mark, value: value))
    }
    self = .map(entries, mark)
  }

  fileprivate mutating func setDefault(_ key: String, _ word: String) {
    if self[key] == nil { set(key, .text(word, mark)) }
  }

  fileprivate mutating func setDefault(_ key: String, _ words: [String]) {
    if self[key] == nil { set(key, .list(words.map { .text($0, mark) }, mark)) }
  }
}
