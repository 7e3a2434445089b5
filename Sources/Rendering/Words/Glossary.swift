/// The terms of the field, each explained in a sentence or two.
enum Glossary {
  /// A term and its meaning.
  struct Term: Sendable, Hashable {
    let name: String
    let meaning: String
    let source: String
    /// Other spellings of the term.
    var others: [String] = []
  }

  /// Returns the term called `word`, ignoring case, with spaces, hyphens or underscores, or in Chinese.
  static func term(_ word: String) -> Term? {
    let key = folded(word)
    return terms.first { folded($0.name) == key || chinese[$0.name] == key || $0.others.contains { folded($0) == key } }
  }

  /// The main name of each term.
  static let names = terms.map(\.name)

  private static func folded(_ word: String) -> String {
    String(word.lowercased().map { $0 == "-" || $0 == "_" ? " " : $0 })
  }

  /// All terms of the glossary.
  static let terms =
    generalTerms + protocolTerms + tls13Terms + extensionTerms + suiteTerms + certificateTerms + attackTerms
    + challengeTerms + functionTerms + screenTerms + historyTerms

  private static let generalTerms = [
    Term(
      name: "AEAD",
      meaning: "A cipher that encrypts and authenticates in one step, such as AES-GCM. A change of the ciphertext or "
        + "of the additional data is detected.",
      source: "RFC 5116 section 1.1"),
    Term(
      name: "anchor",
      meaning:
        "A public key, usually in a root certificate, that a client trusts without proof. Every chain must end at an "
        + "anchor.",
      source: "RFC 5280 section 6.1.1", others: ["trust anchor"]),
    Term(
      name: "App Transport Security",
      meaning:
        "The requirements that iOS (since iOS 9) and macOS enforce for every load of an app: https, TLS 1.2, forward "
        + "secrecy, and strong certificates. An app's Info.plist can make exceptions.",
      source: "Apple: NSAppTransportSecurity", others: ["ATS"]),
    Term(
      name: "certificate",
      meaning:
        "A signed statement that a public key belongs to a name. It proves only that the issuer vouches for the pair, "
        + "and nothing about the party that sends it.",
      source: "RFC 5280 section 4"),
    Term(
      name: "certificate authority",
      meaning: "An organisation that signs certificates. Each client decides, with its trust store, which CAs it "
        + "trusts.",
      source: "RFC 5280 section 3.1", others: ["CA", "authority"]),
    Term(
      name: "chain",
      meaning: "The certificates from the server's own up to an anchor. Each is signed with the key of the next.",
      source: "RFC 5280 section 6", others: ["path", "certificate path", "certificate chain"]),
    Term(
      name: "cipher suite",
      meaning: "A combination of key exchange, signature, cipher and hash. The client lists the suites that it "
        + "supports, and the server selects one.",
      source: "RFC 5246 section 7.4.1.2", others: ["suite"]),
    Term(
      name: "ClientHello",
      meaning: "The first message: the client's random value, its versions and cipher suites, and the name of the "
        + "server.",
      source: "RFC 5246 section 7.4.1.2"),
    Term(
      name: "Diffie-Hellman",
      meaning:
        "A key exchange in which both sides send public values and compute the same secret. An observer of the values "
        + "cannot compute it. With a new key for each connection, it gives forward secrecy.",
      source: "RFC 8422 section 5.10", others: ["DH", "ECDH", "ECDHE"]),
    Term(
      name: "eavesdropper",
      meaning: "A passive third party that reads and records every byte on the network and changes nothing.",
      source: "RFC 3552 section 3.2"),
    Term(
      name: "eavesdropping",
      meaning:
        "The first of the three goals of an attacker: to read the content. Encryption prevents it if only the two ends "
        + "have the keys.",
      source: "RFC 3552 section 2.1.1"),
    Term(
      name: "Finished",
      meaning: "The last message of the handshake from each side. It contains a check value over all handshake "
        + "messages, which reveals any change by an attacker.",
      source: "RFC 5246 section 7.4.9, RFC 8446 section 4.4.4"),
    Term(
      name: "forward secrecy",
      meaning: "A property of a key exchange: if the server's private key leaks later, recorded connections stay "
        + "secret. The RSA key exchange lacks it, because the key decrypts the premaster secret.",
      source: "RFC 5246 section F.1.1.2", others: ["perfect forward secrecy", "PFS"]),
    Term(
      name: "handshake",
      meaning: "The messages before the content. Client and server agree on a cipher suite, the server proves its "
        + "identity, and both compute the same keys.",
      source: "RFC 5246 section 7"),
    Term(
      name: "impersonation",
      meaning: "The third goal of an attacker: to act as another party, here as the server. A client prevents it if "
        + "it checks name, validity and issuer of the certificate.",
      source: "RFC 3552 section 2.1.3"),
    Term(
      name: "interceptor",
      meaning: "An active third party between client and server. It can change, drop, repeat and invent messages, or "
        + "act as the server to the client and as the client to the server.",
      source: "RFC 3552 section 3.3.5",
      others: ["man in the middle", "MITM"]),
    Term(
      name: "intermediate",
      meaning: "A CA certificate between a root and a server's certificate. The server has to send it; a client "
        + "without it cannot build the chain.",
      source: "RFC 5280 section 3.2"),
    Term(
      name: "leaf",
      meaning: "The certificate of the server itself, the first in its Certificate message.",
      source: "RFC 5246 section 7.4.2", others: ["end entity"]),
    Term(
      name: "MAC",
      meaning: "Message authentication code: a check value that only the owners of a key can compute. It shows that "
        + "a record comes from the other end and was not changed.",
      source: "RFC 2104",
      others: ["message authentication code"]),
    Term(
      name: "master secret",
      meaning: "In TLS 1.2, 48 bytes computed from the premaster secret and both random values. All keys of the "
        + "connection are computed from it. In TLS 1.3, the last secret of the key schedule, as long as the suite's "
        + "hash. The keys of application data are computed from it and from the transcript.",
      source: "RFC 5246 section 8.1, RFC 8446 section 7.1"),
    Term(
      name: "pinning",
      meaning:
        "An app accepts only certificates or keys from its own list, in addition to the checks of the trust store.",
      source: "Apple: NSPinnedDomains", others: ["certificate pinning", "pin"]),
    Term(
      name: "premaster secret",
      meaning: "The secret that results from the key exchange: a random value that the client encrypts with the "
        + "server's public key, or the result of Diffie-Hellman. TLS 1.3 calls the latter the shared secret.",
      source: "RFC 5246 section 8.1", others: ["premaster", "pre-master secret", "third random number"]),
    Term(
      name: "private key",
      meaning: "The half of a key pair that is never sent. Any party that has it can sign and decrypt as its owner.",
      source: "RFC 8017 section 3.2"),
    Term(
      name: "record",
      meaning: "The unit in which TLS sends all data: a type, a version, a length and a content, which is encrypted "
        + "once there are keys.",
      source: "RFC 5246 section 6"),
    Term(
      name: "root",
      meaning: "A self-signed CA certificate. A client trusts it because it is in the trust store, not because of "
        + "its signature.",
      source: "RFC 5280 section 6.1", others: ["root certificate"]),
    Term(
      name: "SAN",
      meaning: "subjectAltName: the names for which a certificate is valid. Current clients compare the host only "
        + "with these names.",
      source: "RFC 9525 section 6.3", others: ["subjectAltName", "subject alternative name"]),
    Term(
      name: "session key",
      meaning: "A key that both ends compute for one connection and that protects its records: client_write_key or "
        + "server_write_key. TLS 1.3 computes each from a traffic secret.",
      source: "RFC 5246 section 6.3", others: ["session keys"]),
    Term(
      name: "SNI",
      meaning:
        "Server Name Indication: the host name in the ClientHello. A server with several names uses it to select a "
        + "certificate. It is encrypted in neither TLS 1.2 nor TLS 1.3.",
      source: "RFC 6066 section 3",
      others: ["server name indication", "server_name"]),
    Term(
      name: "tampering",
      meaning: "The second goal of an attacker: to change the content without detection. Authenticated records and "
        + "Finished prevent it.",
      source: "RFC 3552 section 2.1.2"),
    Term(
      name: "transcript",
      meaning: "All handshake messages in order. Finished contains a value computed from its hash, and "
        + "CertificateVerify signs it. In TLS 1.3, every traffic secret depends on it too.",
      source: "RFC 5246 section 7.4.9, RFC 8446 section 4.4.1", others: ["transcript hash"]),
    Term(
      name: "trust store",
      meaning: "The anchors that a client trusts: those of the system, those that the user installed and trusted, "
        + "and those that the app sets.",
      source: "Apple: SecTrust"),
  ]
}

/// The explanation of a word.
struct WordExplanation: Sendable, Hashable {
  /// The kind of the word: `rule`, `error`, `cipher suite`, …
  let kind: String
  /// The word as it is usually written.
  let word: String
  /// The facts in the order in which they are shown. Facts without values are omitted.
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

  /// The facts, each on its own lines.
  var lines: [Document.Fact] { facts.flatMap(Self.lines) }

  /// The first fact on one line.
  var summary: String { facts.first?.values.first ?? "" }

  /// Returns the lines of a fact. Single words share a line, and each sentence has a line of its own.
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
