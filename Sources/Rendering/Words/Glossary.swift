/// Terms of the field, each in a sentence or two.
enum Glossary {
  /// A term and what it means.
  struct Term: Sendable, Hashable {
    let name: String
    let meaning: String
    let source: String
    /// Other ways to write it.
    var others: [String] = []
  }

  /// The term called `word`, in any case, with spaces, hyphens or underscores, or in Chinese.
  static func term(_ word: String) -> Term? {
    let key = folded(word)
    return terms.first { folded($0.name) == key || chinese[$0.name] == key || $0.others.contains { folded($0) == key } }
  }

  /// All names, first names only.
  static let names = terms.map(\.name)

  private static func folded(_ word: String) -> String {
    String(word.lowercased().map { $0 == "-" || $0 == "_" ? " " : $0 })
  }

  /// All terms.
  static let terms =
    generalTerms + protocolTerms + suiteTerms + certificateTerms + attackTerms + challengeTerms + functionTerms
    + screenTerms
    + historyTerms

  private static let generalTerms = [
    Term(
      name: "AEAD",
      meaning: "A cipher that encrypts and authenticates at once, such as AES-GCM: whoever changes a bit "
        + "of the ciphertext, or of the data that is only authenticated, is noticed.", source: "RFC 5116 section 1.1"),
    Term(
      name: "anchor",
      meaning: "A key, usually in a root certificate, that a client trusts without proof: where every "
        + "chain must end.", source: "RFC 5280 section 6.1.1", others: ["trust anchor"]),
    Term(
      name: "App Transport Security",
      meaning: "The rules that iOS and macOS hold against every load of an app since "
        + "iOS 9: https, TLS 1.2, forward secrecy, strong certificates. An app's Info.plist can lift them.",
      source: "Apple: NSAppTransportSecurity", others: ["ATS"]),
    Term(
      name: "certificate",
      meaning: "A signed statement that a public key belongs to a name. It proves nothing about "
        + "whoever sends it: only that the issuer vouches for the pair.", source: "RFC 5280 section 4"),
    Term(
      name: "certificate authority",
      meaning: "Whoever signs certificates. That a client believes it is the client's "
        + "decision, taken in its trust store.", source: "RFC 5280 section 3.1", others: ["CA", "authority"]),
    Term(
      name: "chain", meaning: "Certificates from a server's own up to an anchor, each signed with the key of the next.",
      source: "RFC 5280 section 6", others: ["path", "certificate path", "certificate chain"]),
    Term(
      name: "cipher suite",
      meaning: "A name for one choice of key exchange, signature, cipher and hash. The client "
        + "lists what it would take, the server picks one.", source: "RFC 5246 section 7.4.1.2", others: ["suite"]),
    Term(
      name: "ClientHello",
      meaning: "The first message: the client's random number, its versions and cipher suites, "
        + "and the name of the server it looks for.", source: "RFC 5246 section 7.4.1.2"),
    Term(
      name: "Diffie-Hellman",
      meaning: "Two sides exchange public values and both compute the same secret, which nobody "
        + "who saw the values can. With keys that are new for each connection it gives forward secrecy.",
      source: "RFC 8422 section 5.10", others: ["DH", "ECDH", "ECDHE"]),
    Term(
      name: "eavesdropper",
      meaning: "A passive third party who sees, and keeps, every byte on the network, and changes none.",
      source: "RFC 3552 section 3.2"),
    Term(
      name: "eavesdropping",
      meaning: "The first of the three goals of an attacker: to learn the content. Encryption under keys that nobody "
        + "else can come by prevents it.", source: "RFC 3552 section 2.1.1"),
    Term(
      name: "Finished",
      meaning: "The last message of the handshake from each side: a check over everything that was "
        + "said. Whoever changed a byte on the way is found out here.", source: "RFC 5246 section 7.4.9"),
    Term(
      name: "forward secrecy",
      meaning: "A server's private key that leaks later does not open what was recorded "
        + "before. The RSA key exchange lacks it: there the key decrypts the premaster secret.",
      source: "RFC 5246 section F.1.1.2", others: ["perfect forward secrecy", "PFS"]),
    Term(
      name: "handshake",
      meaning: "What client and server say before they send content: they agree on a suite, the "
        + "server shows who it is, and both come to the same keys.", source: "RFC 5246 section 7"),
    Term(
      name: "impersonation",
      meaning: "The third goal of an attacker: to take part as someone else, here as the server. Certificates, checked "
        + "for name, time and issuer, prevent it.", source: "RFC 3552 section 2.1.3"),
    Term(
      name: "interceptor",
      meaning: "An active third party between client and server, who may change, drop, repeat and make up messages, or "
        + "meet either end as the other: a man in the middle.", source: "RFC 3552 section 3.3.5",
      others: ["man in the middle", "MITM"]),
    Term(
      name: "intermediate",
      meaning: "An authority between a root and a server's certificate. The server sends its "
        + "certificate along; a client that lacks it cannot build the chain.", source: "RFC 5280 section 3.2"),
    Term(
      name: "leaf", meaning: "The certificate of the server itself, the first that it sends.",
      source: "RFC 5246 section 7.4.2", others: ["end entity"]),
    Term(
      name: "MAC",
      meaning: "A check that only those who have the key can compute: it shows that a record was not "
        + "changed, and that it came from the other end.", source: "RFC 2104", others: ["message authentication code"]),
    Term(
      name: "master secret",
      meaning: "48 bytes computed from the premaster secret and both random numbers. All keys of "
        + "the connection are cut from what follows from it.", source: "RFC 5246 section 8.1"),
    Term(
      name: "pinning",
      meaning: "An app accepts only certificates or keys that it knows beforehand, whatever the trust "
        + "store says.", source: "Apple: NSPinnedDomains", others: ["certificate pinning", "pin"]),
    Term(
      name: "premaster secret",
      meaning: "The secret that both sides come to in the key exchange: the third random "
        + "number, sent encrypted to the server's key, or the result of Diffie-Hellman.",
      source: "RFC 5246 section 8.1", others: ["premaster", "pre-master secret", "third random number"]),
    Term(
      name: "private key",
      meaning: "The half of a key pair that is never sent. Whoever has it can sign and decrypt as "
        + "its owner.", source: "RFC 8017 section 3.2"),
    Term(
      name: "record",
      meaning: "The envelope that everything travels in: type, version, length and, once the keys are "
        + "there, ciphertext.", source: "RFC 5246 section 6"),
    Term(
      name: "root",
      meaning: "A certificate that signs itself. It is believed because it is in the trust store, not "
        + "because of its signature.", source: "RFC 5280 section 6.1", others: ["root certificate"]),
    Term(
      name: "SAN",
      meaning: "subjectAltName: the names a certificate is for. Clients of today look for the host here "
        + "and nowhere else.", source: "RFC 9525 section 6.3", others: ["subjectAltName", "subject alternative name"]),
    Term(
      name: "session key",
      meaning: "A key that both ends computed for one connection and that protects its records: "
        + "client_write_key and server_write_key.", source: "RFC 5246 section 6.3", others: ["session keys"]),
    Term(
      name: "SNI",
      meaning: "The name of the server, said by the client in its first message, so that a machine with "
        + "several names can choose the right certificate. It is not encrypted.", source: "RFC 6066 section 3",
      others: ["server name indication", "server_name"]),
    Term(
      name: "tampering",
      meaning: "The second goal of an attacker: to change the content without anyone noticing. Authenticated records "
        + "and Finished make it noticed.", source: "RFC 3552 section 2.1.2"),
    Term(
      name: "transcript",
      meaning: "All messages of the handshake, one after the other, as they are hashed for Finished "
        + "and signed by a client with a certificate.", source: "RFC 5246 section 7.4.9"),
    Term(
      name: "trust store",
      meaning: "The anchors a client believes: the system's, those a user installed and trusted, "
        + "and those an app brings along.", source: "Apple: SecTrust"),
  ]
}

/// What there is to say about a word.
struct WordExplanation: Sendable, Hashable {
  /// What kind of word it is: `rule`, `error`, `cipher suite`, …
  let kind: String
  /// The word as it is written.
  let word: String
  /// Facts in the order in which they are shown; empty ones are left out.
  let facts: [(key: String, values: [String])]

  init(_ kind: String, _ word: String, _ facts: [(key: String, values: [String])]) {
    self.kind = kind
    self.word = word
    self.facts = facts.filter { !$0.values.allSatisfy(\.isEmpty) }
  }

  var document: Document {
    var document = Document()
    document.bullet(RichText("\(kind)", .dim), RichText(word, .name))
    document.facts(lines, indent: 2)
    return document
  }

  /// The facts, each on lines of its own.
  var lines: [Document.Fact] { facts.flatMap(Self.lines) }

  /// Its first fact, in one line.
  var summary: String { facts.first?.values.first ?? "" }

  /// Words stand side by side; sentences each stand on a line.
  private static func lines(_ fact: (key: String, values: [String])) -> [Document.Fact] {
    guard fact.values.contains(where: { $0.count > 60 || $0.hasPrefix(" ") }) else {
      return [.init(fact.key, "\(fact.values.joined(separator: ", "))")]
    }
    return fact.values.enumerated().map { .init($0.offset == 0 ? fact.key : "", "\($0.element)") }
  }

  var json: JSONValue {
    JSONValue.object([.init("kind", .string(kind)), .init("word", .string(word))]).adding(
      facts.map { .init($0.key, $0.values.count == 1 ? .string($0.values[0]) : .strings($0.values)) })
  }

  static func == (left: WordExplanation, right: WordExplanation) -> Bool { left.json == right.json }
  func hash(into hasher: inout Hasher) { hasher.combine(json) }
}
