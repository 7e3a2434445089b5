import Explanation
import Trust
import URLLoading

// The remedies for the fixes of names and pins.
extension Remedy {
  static let names: [Remedy] = [
    Remedy(.nameMismatch, .untrustedByPins, says: "Have the certificate issued for this host", by: certifyingHost),
    Remedy(.nameMismatch, says: "have the certificate issued with the address as an iPAddress", by: certifyingHost),
    Remedy(
      .nameMismatch, .noAlternativeName, .wildcardDepth, .wildcardForm, says: "Put the certificate for this host first",
      by: leafFirst),
    Remedy(.nameMismatch, says: "have the certificate issued with dNSName") { c throws(NotPlayable) in
      try c.reissuing(try c.leaf(), "names", "[\(c.host.inQuotes)]")
    },
    Remedy(.nameMismatch, says: "request a host that it names", by: askingForNamedHost),
    Remedy(.noAlternativeName, says: "Have the certificate issued with the host in subjectAltName", by: certifyingHost),
    Remedy(.wildcardDepth, says: "Have the certificate issued for the host as well", by: certifyingHost),
    Remedy(.wildcardForm, says: "Have the certificate issued for the host itself", by: certifyingHost),
    Remedy(.wildcardForm, says: "for * as the whole first label") { c throws(NotPlayable) in
      try c.reissuing(try c.leaf(), "names", "[\("*\(c.host.drop { $0 != "." })".inQuotes)]")
    },
  ]

  static let pins: [Remedy] = [
    Remedy(.pinMismatch, says: "Add a key in the chain to the pins", by: addingPin),
    Remedy(.untrustedByPins, says: "Pin the certificate that the server presents", by: addingPin),
    Remedy(.pinMismatch, says: "Pin the SHA-256 of the SubjectPublicKeyInfo of a key in the chain", by: listingKey),
    Remedy(.pinMismatch, says: "list it in NSPinned", by: movingKey),
    Remedy(.untrustedPath, says: "Fix the violations that the evaluation found", by: fixingEvaluation),
    Remedy(.pinRequired, says: "Pin the certificate") { c throws(NotPlayable) in
      ["\(trust(c)).pinning = certificate", "\(trust(c)).pins = [\(try c.leaf().inQuotes)]"]
    },
    Remedy(.pinRequired, says: "set allowInvalidCertificates to NO") { c in
      ["\(trust(c)).allowInvalidCertificates = false"]
    },
    Remedy(.chainNotAllPinned, says: "Bundle every certificate in the path") { c throws(NotPlayable) in
      ["\(trust(c)).pins = \(Node.list(try issuers(from: try c.leaf(), c), FixCheck.mark).flowText)"]
    },
    Remedy(.chainNotAllPinned, says: "set validatesCertificateChain to NO") { c in
      ["\(trust(c)).validatesCertificateChain = false"]
    },
    Remedy(.invalidPinning, says: "Correct the setting that the exception names") { c in
      c.client("serverTrust")?["collection"] == nil
        ? ["\(trust(c)).baseURL = \("https://\(c.host)/".inQuotes)"] : ["\(trust(c)).collection = array"]
    },
    Remedy(.unsupportedKey, says: "Use an RSA key of 2048 or 4096 bits") { c throws(NotPlayable) in
      for name in c.path.reversed() {
        let key = try c.entry(name).node["key"]?.text ?? "rsa-2048"
        if !hashedKeys.contains(key) { return try c.reissuing(name, "key", "rsa-2048") }
      }
      return []
    },
    Remedy(.readBeforeAnchors, says: "Make the server send the root too") { c throws(NotPlayable) in
      [c.serverList("presents", adding: try c.root(above: try c.leaf()))]
    },
    Remedy(.readBeforeAnchors, says: "update to AFNetworking 3.0") { c in
      ["\(trust(c)).library = AFNetworking 3.0"]
    },
    Remedy(.noPins, says: "Put the certificate into the app's own bundle as a .cer file in DER") {
      c throws(NotPlayable) in
      if c.client("serverTrust")?["evaluators"] != nil { return [] }
      if c.client("serverTrust")?["linkage"]?.text == "framework" { return [] }
      let name = try c.leaf()
      return ["\(trust(c)).bundle = [{ file: \("\(name).cer".inQuotes), holds: \(name.inQuotes) }]"]
    },
    Remedy(.noPins, says: "set it in code") { c throws(NotPlayable) in
      let name = try c.leaf().inQuotes
      return c.client("serverTrust")?["evaluators"] == nil
        ? ["\(trust(c)).bundle = null", "\(trust(c)).linkage = null", "\(trust(c)).pins = [\(name)]"]
        : ["\(trust(c)).evaluators.\(c.host.inQuotes).pins = [\(name)]"]
    },
    Remedy(.unreadablePin, says: "Convert PEM") { c in ["\(trust(c)).bundle[0].encoding = der"] },
    Remedy(.noEvaluator, says: "Write the exact host name") { c throws(NotPlayable) in
      guard let evaluator = c.client("serverTrust")?["evaluators"]?.entries?.first?.value else {
        throw NotPlayable("the library has no evaluator")
      }
      return ["\(trust(c)).evaluators.\(c.host.inQuotes) = \(evaluator.flowText)"]
    },
    Remedy(.userAnchorBlocked, says: "Set TSKIgnorePinningForUserDefinedTrustAnchors to YES") { c in
      ["\(trust(c)).ignorePinningForUserDefinedTrustAnchors = true"]
    },
  ]

  /// The keys that the fix of `pin.unsupported-key` names.
  private static let hashedKeys = ["rsa-2048", "rsa-4096", "ec-p256", "ec-p384"]

  private static func trust(_ c: FixContext) -> String { c.clientPath("serverTrust") }

  @Sendable private static func certifyingHost(_ c: FixContext) throws(NotPlayable) -> [String] {
    let leaf = try c.leaf()
    let names = try c.entry(leaf).node["names"]
    let isNamed = names?.words.contains(c.host) == true
    if isNamed { return try c.entry(leaf).node["break"] == nil ? [] : ["\(try c.setting("break", of: leaf)) = null"] }
    return try c.reissuing(leaf, "names", Node.flow(names, adding: c.host))
  }

  /// Moves the presented certificate that contains the host name to the beginning of the chain.
  @Sendable private static func leafFirst(_ c: FixContext) throws(NotPlayable) -> [String] {
    let presented = c.server("presents")?.words ?? []
    guard let name = presented.first(where: { c.at("certificates", $0, "names")?.words.contains(c.host) == true })
    else {
      throw NotPlayable("the server presents no named certificate for the host")
    }
    let others = presented.filter { $0 != name }.map(\.inQuotes)
    return ["\(c.serverPath("presents")) = [\(([name.inQuotes] + others).joined(separator: ", "))]"]
  }

  /// Changes the URL to a DNS name of the certificate, and the host of the server to the same name.
  @Sendable static func askingForNamedHost(_ c: FixContext) throws(NotPlayable) -> [String] {
    let leaf = try c.leaf()
    if c.server("presents")?.names(leaf) == false, (c.at("connections")?.items ?? []).count > 1 {
      throw NotPlayable("the other connections request the same host from its own server")
    }
    let names = try c.entry(leaf).node["names"]?.words ?? []
    guard let name = names.first(where: { $0.first?.isLetter == true && !$0.contains(":") }) else { return [] }
    let lines = c.urls { url in
      let parts = url.split(separator: "://\(c.host)", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[1].first.map("/:?#".contains) != false else { return nil }
      return "\(parts[0])://\(name)\(parts[1])"
    }
    // An attacker that rerouted the first host's traffic has no effect on the new name.
    let rerouting = try? c.network { $0 == "reroute" }
    if let servers = c.at("servers") {
      let answer = servers[c.host].map { "servers.\(name.inQuotes) = \($0.flowText)" }
      return lines + (servers[name] == nil ? answer.map { [$0] } ?? [] : []) + (rerouting ?? [])
    }
    return lines + (c.at("server", "host")?.text == c.host ? ["server.host = \(name)"] : []) + (rerouting ?? [])
  }

  // Pins.

  /// Returns a certificate of the path that exists on every date of the case.
  private static func pinnable(_ c: FixContext) throws(NotPlayable) -> String {
    let known = c.load.path.first { c.at("certificates", $0) != nil || c.at("authorities", $0) != nil }
    guard let name = known else { throw NotPlayable("the case has no certificate in the path on its first date") }
    return name
  }

  @Sendable private static func addingPin(_ c: FixContext) throws(NotPlayable) -> [String] {
    let settings = c.client("serverTrust")
    let name = try pinnable(c)
    if let domains = settings?["pinnedDomains"]?.entries,
      let domain = domains.first(where: { c.host == $0.key || c.host.hasSuffix($0.key) })
    {
      let list = Node.flow(domain.value["publicKeyHashes"], adding: name)
      return ["\(trust(c)).pinnedDomains.\(domain.key.inQuotes).publicKeyHashes = \(list)"]
    }
    if let evaluator = settings?["evaluators"]?[c.host] {
      return ["\(trust(c)).evaluators.\(c.host.inQuotes).pins = \(Node.flow(evaluator["pins"], adding: name))"]
    }
    guard let settings, settings.entries != nil else { throw NotPlayable("the pins are in the app's code") }
    return ["\(trust(c)).pins = \(Node.flow(settings["pins"], adding: name))"]
  }

  /// Returns the lists of NSPinnedDomains for the host.
  private static func identities(_ c: FixContext) throws(NotPlayable) -> (path: String, node: Node) {
    guard let domain = c.client("infoPlist")?["NSPinnedDomains"]?.entries?.first(where: { c.host.hasSuffix($0.key) })
    else { throw NotPlayable("the property list is from a file") }
    return ("\(c.clientPath("infoPlist")).NSPinnedDomains.\(domain.key.inQuotes)", domain.value)
  }

  private static func key(of name: String) -> String { "{ SPKI-SHA256-BASE64: spki(\(name)) }" }

  @Sendable private static func listingKey(_ c: FixContext) throws(NotPlayable) -> [String] {
    let domain = try identities(c)
    let isLeaf = domain.node["NSPinnedLeafIdentities"] != nil
    let leaf = try c.leaf()
    let name = isLeaf ? leaf : c.load.path.dropFirst().first ?? leaf
    return ["\(domain.path).\(isLeaf ? "NSPinnedLeafIdentities" : "NSPinnedCAIdentities") = [\(key(of: name))]"]
  }

  /// Moves the pinned key from the wrong list to the other list.
  @Sendable private static func movingKey(_ c: FixContext) throws(NotPlayable) -> [String] {
    let path = try identities(c).path
    let isLeaf = c.fix.contains("list it in NSPinnedLeafIdentities")
    let lists = ["NSPinnedLeafIdentities", "NSPinnedCAIdentities"]
    guard let own = isLeaf ? c.load.path.first : c.load.path.dropFirst().first else { return [] }
    return ["\(path).\(lists[isLeaf ? 1 : 0]) = null", "\(path).\(lists[isLeaf ? 0 : 1]) = [\(key(of: own))]"]
  }

  /// Returns the lines of the first fix for the rule that the trust evaluation reported.
  @Sendable private static func fixingEvaluation(_ c: FixContext) throws(NotPlayable) -> [String] {
    let reasons = c.found.split(separator: ", ").map(String.init)
    let found = c.load.findings.first { $0.outcome == .violated && reasons.contains($0.rule.id) }
    guard let found, let remedy = Remedy.all.first(where: { $0.isPart(of: found) }) else {
      throw NotPlayable("no remedy covers the fix of \(c.found)")
    }
    return try remedy.changes(FixContext(tree: c.tree, finding: found, load: c.load, date: c.date))
  }

  private static func issuers(from name: String, _ c: FixContext) throws(NotPlayable) -> [Node] {
    var names = [name]
    while names.count < 10, let issuer = try c.entry(names[names.count - 1]).node["issuer"]?.text, issuer != "self" {
      names.append(issuer)
    }
    return names.map { .scalar($0, quoted: true, FixCheck.mark) }
  }
}
