import Explanation
import Simulator
import Trust

/// The input of a remedy: the case as written, the finding, and the load with the finding.
struct FixContext: Sendable {
  /// The case as written.
  let tree: Node
  /// The finding that the fix must remove.
  let finding: Finding
  /// The outcome of the load that has the finding.
  let load: Outcome
  /// The date of the load, with its index among the dates of the case.
  let date: (place: Int, clock: Instant)

  /// The fix that the rule prints.
  var fix: String { finding.rule.fix }

  /// The value that the rule requires.
  var required: String { finding.required.description }

  /// The value that violates the rule.
  var found: String { finding.found.description }

  /// The requested host.
  var host: String {
    switch finding.subject {
    case .host(let host): host
    case .url(let url): Self.host(of: url)
    default: Self.host(of: load.url)
    }
  }

  /// The system of the client that starts the load.
  var os: OSVersion? { client("os").text.flatMap { OSVersion($0) } }

  /// Returns the node of the case at the path of these keys.
  func at(_ keys: String...) -> Node? { keys.reduce(Optional(tree)) { node, key in node?[key] } }

  private static func host(of url: String) -> String {
    let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
    let authority = rest.prefix { !"/?#".contains($0) }
    let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[host.startIndex...end]) }
    return String(host.prefix { $0 != ":" })
  }
}

// Certificates.
extension FixContext {
  /// The name of the finding's certificate, with its index on the path.
  var certificate: (index: Int, name: String)? {
    if case .certificate(let index, let name) = finding.subject { (index, name) } else { nil }
  }

  /// Returns the name of the finding's certificate.
  func subject() throws(NotPlayable) -> String {
    guard let certificate else { throw NotPlayable("the finding is not about a certificate") }
    return certificate.name
  }

  /// The names of the certificates on the finding's path.
  var path: [String] {
    guard finding.rule.layer == .clientAuth else { return load.path }
    let identity = client("identity")
    return identity.text.map { [$0] } ?? identity?.words ?? []
  }

  /// Returns the entry of a certificate that the scenario issues.
  func entry(_ name: String) throws(NotPlayable) -> (list: String, node: Node) {
    for list in ["certificates", "authorities"] {
      guard let node = at(list, name) else { continue }
      if node["pem"] != nil { throw NotPlayable("the certificate is from a file") }
      return (list, node)
    }
    // The certificates of a file are called name[1], name[2], …
    let file = String(name.prefix { $0 != "[" })
    if file != name, at("certificates", file, "pem") != nil { throw NotPlayable("the certificate is from a file") }
    throw NotPlayable("the scenario has no entry for the certificate '\(name)'")
  }

  /// Returns the path of a setting of a certificate.
  func setting(_ key: String, of name: String) throws(NotPlayable) -> String {
    "\(try entry(name).list).\(name.asSegment).\(key)"
  }

  /// Returns the lines that issue the certificate `name` again with one changed setting and without faults.
  func reissuing(_ name: String, _ key: String, _ value: String) throws(NotPlayable) -> [String] {
    let isBroken = try entry(name).node["break"] != nil
    return (isBroken ? ["\(try setting("break", of: name)) = null"] : []) + ["\(try setting(key, of: name)) = \(value)"]
  }

  /// Returns the name of the server's own certificate.
  func leaf() throws(NotPlayable) -> String {
    if let name = load.path.first { return name }
    let presented = server("presents")?.items?.first
    guard let name = presented?.text ?? presented?.items?.first?.text else {
      throw NotPlayable("the server presents no certificate")
    }
    return name
  }

  /// Returns the root above `name`, following the issuers in the scenario.
  func root(above name: String) throws(NotPlayable) -> String {
    var name = name
    for _ in 0..<10 {
      guard let issuer = try entry(name).node["issuer"]?.text, issuer != "self", issuer != name else { return name }
      name = issuer
    }
    throw NotPlayable("the issuers of the certificate form a cycle")
  }

  /// Returns whether the client's store trusts the certificate.
  func isTrusted(_ name: String) -> Bool { ["system", "user"].contains(at("authorities", name, "trust")?.text) }

  /// The name of a root that the system trusts and that has no other use.
  static let publicCA = "Public CA"
  /// The line that adds this root.
  static let addingPublicCA = "authorities.\(publicCA.inQuotes) = { trust: system }"

  /// Returns the lines that issue `name` from the public root. For a client certificate, the issuer is a CA that the
  /// server trusts.
  func issuedByPublicCA(_ name: String) throws(NotPlayable) -> [String] {
    if finding.rule.layer == .clientAuth, let authority = server("clientAuthorities")?.words.first {
      return try reissuing(name, "issuer", authority.inQuotes)
    }
    return [Self.addingPublicCA] + (try reissuing(name, "issuer", Self.publicCA.inQuotes))
  }

  /// Returns the lines that present `other` wherever `name` is presented.
  func presenting(_ other: String, insteadOf name: String) throws(NotPlayable) -> [String] {
    let lists = tree.lists(of: "presents").map { (path: $0.path, node: $0.list) }
    let identity = client("identity").map { [(path: clientPath("identity"), node: $0)] } ?? []
    let lines = (lists + identity).filter { $0.node.text == name || $0.node.names(name) }.map {
      "\($0.path) = \($0.node.replacing(name, with: other).flowText)"
    }
    if lines.isEmpty { throw NotPlayable("no list of certificates names '\(name)'") }
    return lines
  }

  /// Returns the lines that issue a new certificate like `name` with `changes`, and present it instead.
  func replacing(_ name: String, _ changes: [(key: String, value: String)]) throws(NotPlayable) -> [String] {
    let entry = try entry(name)
    let renewed = "\(name) renewed"
    let place = "\(entry.list).\(renewed.asSegment)"
    let lines = ["\(place) = \(entry.node.flowText)"] + changes.map { "\(place).\($0.key) = \($0.value)" }
    // The new key of a client's CA issues the CA's certificates again.
    let issued = finding.rule.layer == .clientAuth ? issued(by: name) : []
    if !issued.isEmpty { return lines + issued.map { "\($0).issuer = \(renewed.inQuotes)" } }
    return lines + (try presenting(renewed, insteadOf: name))
  }

  /// Returns the paths of the certificates that `name` issued.
  private func issued(by name: String) -> [String] {
    ["certificates", "authorities"].flatMap { list in
      (at(list)?.entries ?? []).filter { $0.value["issuer"]?.text == name }.map { "\(list).\($0.key.asSegment)" }
    }
  }

  /// Returns the CA whose key is certified by the first cross-certificate on the path.
  func crossSigned() throws(NotPlayable) -> String {
    for name in path {
      if let other = try entry(name).node["crossSigns"]?.text { return other }
    }
    throw NotPlayable("no certificate in the path is a cross-certificate")
  }
}

// Servers, clients and the network.
extension FixContext {
  /// Returns the path of a setting of the server for the requested host.
  func serverPath(_ key: String) -> String {
    at("servers", host) == nil ? "server.\(key)" : "servers.\(host.inQuotes).\(key)"
  }

  /// Returns a setting of the server for the requested host.
  func server(_ key: String) -> Node? { at("servers", host, key) ?? at("server", key) }

  /// Returns the line that adds `item` to a list of the server, at the end or the beginning.
  func serverList(_ key: String, adding item: String, first: Bool = false) -> String {
    "\(serverPath(key)) = \(Node.flow(server(key), adding: item, first: first))"
  }

  /// Returns the path of a client setting. If the connection has its own client, it is a setting of that client.
  func clientPath(_ key: String) -> String {
    for (place, item) in (at("connections")?.items ?? []).enumerated()
    where isLoad(item) && item["client"]?[key] != nil {
      return "connections[\(place)].client.\(key)"
    }
    return change(of: key).map { "timeline[\($0.place)].changes.\("client.\(key)".inQuotes)" } ?? "client.\(key)"
  }

  /// Returns a setting of the client that starts the load.
  func client(_ key: String) -> Node? {
    for item in at("connections")?.items ?? [] where isLoad(item) {
      if let value = item["client"]?[key] { return value }
    }
    return change(of: key)?.value ?? at("client", key)
  }

  /// Returns whether the load is that of this item of `connections`. On a later date, the load's name begins with the
  /// day.
  private func isLoad(_ item: Node) -> Bool {
    guard let own = item["name"]?.text, let name = load.name else { return false }
    return name == own || name.hasSuffix(".\(own)") || name.hasSuffix(" \(own)")
  }

  /// Returns the last change of a client setting, up to the date of the load.
  private func change(of key: String) -> (place: Int, value: Node)? {
    let changes = (at("timeline")?.items ?? []).prefix(date.place).enumerated()
    return changes.compactMap { place, item in item["changes"]?["client.\(key)"].map { (place, $0) } }.last
  }

  /// Returns the line that sets a key of the app's App Transport Security dictionary.
  func propertyList(_ key: String, _ value: String) throws(NotPlayable) -> [String] {
    if let file = client("infoPlist")?.text, !file.isEmpty { throw NotPlayable("the property list is from a file") }
    return ["\(clientPath("infoPlist")).\(key) = \(value)"]
  }

  /// Returns the line that removes the network verbs for which `isRemoved` returns true.
  func network(without isRemoved: (String) -> Bool) throws(NotPlayable) -> [String] {
    let verbs = at("network")?.items ?? []
    let kept = verbs.filter { verb in !(verb.text ?? verb.entries?.first?.key).map(isRemoved, or: false) }
    if kept.count == verbs.count { throw NotPlayable("the network has no such attack") }
    return ["network = \(Node.list(kept, FixCheck.mark).flowText)"]
  }

  /// Returns the lines that change the URLs of the case for which `change` returns a new URL.
  func urls(_ change: (String) -> String?) -> [String] {
    let parts = ["request", "requests", "connections", "server", "servers", "timeline"]
    let texts = parts.flatMap { part in at(part)?.texts(below: part) ?? [] }
    return texts.compactMap { text in change(text.value).map { "\(text.path) = \($0.inQuotes)" } }
  }
}

extension Optional where Wrapped == String {
  fileprivate func map(_ isSo: (String) -> Bool, or other: Bool) -> Bool { self.map(isSo) ?? other }
}

extension Optional where Wrapped == Node {
  /// The text of a scalar node.
  var text: String? { self?.text }
}

extension String {
  /// The text as a segment of a path, quoted unless it is a plain word.
  var asSegment: String { allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" } ? self : inQuotes }

  /// The text as a quoted YAML string.
  var inQuotes: String { "\"\(self)\"" }
}

extension Node {
  /// The text of a scalar that is not null.
  var text: String? {
    guard case .scalar(let text, _, _) = self, !isNull else { return nil }
    return text
  }

  /// The texts of a list of scalars.
  var words: [String] { (items ?? []).compactMap(\.text) }

  /// Returns the list with one more item, in flow style.
  static func flow(_ list: Node?, adding item: String, first: Bool = false) -> String {
    let added = Node.scalar(item, quoted: !YAMLWord.isPlain(item), FixCheck.mark)
    let items = list?.items ?? list.map { [$0] } ?? []
    return Node.list(first ? [added] + items : items + [added], FixCheck.mark).flowText
  }

  /// Returns whether this list, or a list in it, has the item `name`.
  func names(_ name: String) -> Bool { (items ?? []).contains { $0.text == name || $0.names(name) } }

  /// Returns this list with `other` in place of `name`.
  func replacing(_ name: String, with other: String) -> Node {
    switch self {
    case .scalar(name, _, let mark): .scalar(other, quoted: true, mark)
    case .list(let items, let mark): .list(items.map { $0.replacing(name, with: other) }, mark)
    default: self
    }
  }

  /// Returns the path of every setting called `key` below this node.
  func settings(called key: String, below path: String = "") -> [String] {
    children(below: path).flatMap { child in
      child.key == key || child.key.hasSuffix(".\(key)")
        ? [child.path] : child.node.settings(called: key, below: child.path)
    }
  }

  /// Returns every list called `key` below this node, with its path.
  func lists(of key: String, below path: String = "") -> [(path: String, list: Node)] {
    children(below: path).flatMap { child -> [(path: String, list: Node)] in
      let isWanted = child.key == key || child.key.hasSuffix(".\(key)")
      return isWanted && child.node.items != nil
        ? [(child.path, child.node)] : child.node.lists(of: key, below: child.path)
    }
  }

  /// Returns every scalar at or below this node, except those of expectations.
  func texts(below path: String) -> [(path: String, value: String)] {
    if let text { return [(path, text)] }
    return children(below: path).filter { $0.key != "expect" }.flatMap { $0.node.texts(below: $0.path) }
  }

  private func children(below path: String) -> [(key: String, path: String, node: Node)] {
    let prefix = path.isEmpty ? "" : "\(path)."
    return (entries ?? []).map {
      ($0.key, prefix + $0.key.asSegment, $0.value)
    }
      + (items ?? []).enumerated().map { ("", "\(path)[\($0.offset)]", $0.element) }
  }
}

/// Texts that need no quotes in YAML.
private enum YAMLWord {
  static func isPlain(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || "0123456789_.- ".unicodeScalars.contains($0) }
      && text.unicodeScalars.first?.properties.isAlphabetic == true
  }
}
