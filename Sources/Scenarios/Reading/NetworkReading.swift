import Explanation
import Simulator
import TLS

extension NodeReader {
  /// One entry of `network`.
  func networkVerb() -> NetworkVerb? {
    guard let entries = node.entries else { return plainVerb() }
    let verbs = entries.map(\.key).filter(Vocabulary.verbs.contains)
    guard let verb = verbs.first else {
      fail("a map in 'network' begins with a verb", hint: "one of \(Vocabulary.verbs.joined(separator: ", "))")
      return nil
    }
    switch verb {
    case "leak": return leak()
    case "intercept": return interceptor(Vocabulary.intercept, verb, Vocabulary.interceptor)
    case "impersonate": return interceptor(Vocabulary.impersonate, verb, Vocabulary.impostor)
    case "reroute": return reroute()
    case "inject": return inject()
    case "query": return query()
    case "alter": return alter()
    case "observe": return attack(Vocabulary.observe, verb) { _ in .observe }
    case "drop": return attack(Vocabulary.drop, verb) { _ in .drop }
    default: return attack(Vocabulary.replay, verb) { _ in .replay }
    }
  }

  private func plainVerb() -> NetworkVerb? {
    guard let text = text() else { return nil }
    switch text {
    case "eavesdrop": return .eavesdrop
    case "block-revocation": return .blockRevocation
    case "block-issuers": return .blockIssuers
    case "strip":
      return .intercept(
        InterceptorDescription(
          presents: [], holds: [], replacements: [:], content: nil, asks: "https", connection: nil, mark: node.mark))
    case let verb where Vocabulary.verbs.contains(verb):
      fail("'\(verb)' needs to know what", hint: Self.examples[verb] ?? "write { \(verb): … }")
    default:
      fail(
        "unknown verb '\(text)'", hint: Spelling.hint(for: text, among: Vocabulary.plainVerbs + Vocabulary.verbs))
    }
    return nil
  }

  private static let examples = [
    "leak": "write { leak: api.key, after: 30 days }", "observe": "write { observe: ClientHello }",
    "drop": "write { drop: Alert, from: server }", "replay": "write { replay: ApplicationData, from: client }",
    "alter": "write { alter: ServerHello, field: random, to: 00 }",
    "inject": "write { inject: ApplicationData, after: Finished, text: hello }",
    "intercept": "write { intercept: { presents: [evil] } }",
    "impersonate": "write { impersonate: { presents: [evil], content: { GET /: hello } } }",
    "reroute": "write { reroute: other.example }", "query": "write { query: padding-oracle }",
  ]

  private func leak() -> NetworkVerb? {
    guard let map = map(Vocabulary.leak), let secret = map["leak"]?.text() else { return nil }
    return .leak(secret, after: map["after"]?.duration() ?? 0, map.mark(of: "leak"))
  }

  private func reroute() -> NetworkVerb? {
    guard let map = map(Vocabulary.reroute), let host = map["reroute"]?.text() else { return nil }
    return .reroute(host.lowercased(), in: map["in"]?.text(), map.mark(of: "reroute"))
  }

  private func query() -> NetworkVerb? {
    guard let map = map(Vocabulary.query), map["query"]?.choice(["padding-oracle"], called: "question") != nil else {
      return nil
    }
    return .queryOracle(in: map["in"]?.text(), map.mark(of: "query"))
  }

  private func attack(_ section: WordSection, _ verb: String, _ deed: (MapReader) -> Attack.Deed?) -> NetworkVerb? {
    guard let map = map(section), let message = map[verb]?.message(), let deed = deed(map) else { return nil }
    return .attack(Attack(deed, to: message, from: map.side, in: map["in"]?.text()))
  }

  fileprivate func message() -> String? { choice(Vocabulary.messageNames, called: "message") }

  private func alter() -> NetworkVerb? {
    attack(Vocabulary.alter, "alter") { map in
      let ways = ["flip", "field", "replace", "without"].filter { map[$0] != nil }
      guard ways.count == 1, let way = ways.first else {
        fail(
          "'alter' says one way to change the message",
          hint: "flip: 12, field: random, replace: { a: b } or without: […]")
        return nil
      }
      return alteration(way, map).map(Attack.Deed.alter)
    }
  }

  private func alteration(_ way: String, _ map: MapReader) -> Alteration? {
    switch way {
    case "flip": return map["flip"]?.integer(0...(1 << 17)).map(Alteration.flip)
    case "replace": return map["replace"]?.replacements().map(Alteration.text)
    case "without": return map["without"]?.list { $0.cipherSuite() }.map(Alteration.without)
    default:
      guard let name = map["field"]?.text(), let to = map["to"]?.hex() else {
        if map["to"] == nil { fail("what is the field to become?", hint: "write to: 00") }
        return nil
      }
      return .field(name, to)
    }
  }

  private func inject() -> NetworkVerb? {
    guard let map = map(Vocabulary.inject), let kind = map["inject"] else { return nil }
    guard let after = map["after"]?.message() else {
      if map["after"] == nil { fail("after which message?", hint: Self.examples["inject"] ?? "") }
      return nil
    }
    let text = map["text"]?.text() ?? ""
    guard let word = kind.choice(["HTTP response", "ApplicationData", "Alert"], called: "message") else { return nil }
    let injection: Injection
    switch word {
    case "HTTP response": injection = .response(text)
    case "ApplicationData": injection = .applicationData(text)
    default:
      guard let alert = map["text"]?.alert() else { return nil }
      injection = .alert(alert)
    }
    return .attack(Attack(.inject(injection), to: after, from: map.side, in: map["in"]?.text()))
  }

  private func alert() -> AlertDescription? {
    choice(AlertDescription.registry.map(\.name), called: "alert").flatMap(AlertDescription.init(name:))
  }

  private func interceptor(_ outer: WordSection, _ verb: String, _ inner: WordSection) -> NetworkVerb? {
    guard let map = map(outer), let words = map[verb]?.map(inner) else { return nil }
    return .intercept(
      InterceptorDescription(
        presents: words["presents"]?.list { $0.text() } ?? [], holds: words["holds"]?.list { $0.text() } ?? [],
        replacements: words["replace"]?.replacements() ?? [:],
        content: verb == "impersonate" ? words["content"]?.content() ?? [:] : nil,
        asks: words["asks"]?.choice(["http", "https"], called: "scheme"), connection: map["in"]?.text(),
        mark: node.mark))
  }

  private func replacements() -> [String: String]? {
    let pairs = named { find, mark, reader -> (String, String)? in
      if find.isEmpty { sink.error("the text to replace is empty", at: mark) }
      return reader.text().map { (find, $0) }
    }
    return pairs.isEmpty ? nil : Dictionary(pairs) { first, _ in first }
  }

  private func hex() -> [UInt8]? {
    guard let text = text() else { return nil }
    if let bytes = Hex.bytes(text), !bytes.isEmpty { return bytes }
    fail("'\(text)' is not hex", hint: "write whole bytes: \"00\" or c0ffee")
    return nil
  }
}

extension MapReader {
  fileprivate var side: Side? { self["from"]?.choice(["client", "server"], called: "side").flatMap(Side.init) }
}
