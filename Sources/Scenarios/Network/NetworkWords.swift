import Endpoint
import Explanation
import Simulator
import TLS
import Trust
import URLLoading

/// A verb of `network` that is the first key of a map: its keys, an example, and the resulting event.
struct VerbWords: Sendable {
  let section: Section<VerbParts>
  /// An example of the verb's notation.
  let example: String
  /// Returns the event; nil if the keys are invalid, which the reader has reported.
  let verb: @Sendable (VerbParts, NodeReader) -> NetworkVerb?

  init(
    _ name: String, _ meaning: String, _ words: [Entry<VerbParts>], example: String,
    verb: @escaping @Sendable (VerbParts, NodeReader) -> NetworkVerb?
  ) {
    section = Section(name, meaning, words)
    self.example = example
    self.verb = verb
  }

  var name: String { section.name }
}

/// A verb of `network` that needs no other keys.
struct PlainVerb: Sendable {
  let name: String
  /// The meaning of the verb in a map with a connection; empty if the verb applies to all connections only.
  let meaning: String
  /// Returns the event, in the named connection or in every connection.
  let verb: @Sendable (String?, SourceMark) -> NetworkVerb

  init(_ name: String, _ meaning: String, verb: @escaping @Sendable (String?, SourceMark) -> NetworkVerb) {
    self.name = name
    self.meaning = meaning
    self.verb = verb
  }
}

extension NetworkVerb {
  /// The verbs that need no other keys. Each acts in the named connection, or in all connections.
  private static let plainVerbs: [PlainVerb] = [
    PlainVerb("eavesdrop", "") { _, _ in .eavesdrop },
    PlainVerb("strip", "An attacker who uses HTTPS to the server and keeps the client on HTTP.") { name, mark in
      .intercept(
        InterceptorDescription(
          presents: [], holds: [], replacements: [:], content: nil, asks: "https", connection: name, mark: mark,
          word: "strip"))
    },
    PlainVerb("refuse-tls", "An attacker who ends every connection that begins with TLS.") { .refuseTLS(in: $0, $1) },
    PlainVerb("block-revocation", "A network that blocks all fetches of revocation data.") {
      .blockRevocation(in: $0, $1)
    },
    PlainVerb("block-issuers", "A network that blocks all fetches of issuer certificates.") {
      .blockIssuers(in: $0, $1)
    },
  ]

  /// The names of the verbs that need no other keys.
  public static let plain = plainVerbs.map(\.name)
  /// The names of the verbs that are the first key of a map.
  public static let all = words.map(\.name).filter { !plain.contains($0) }

  /// Returns the verb called `name` without other keys.
  static func plain(_ name: String, at mark: SourceMark) -> NetworkVerb? {
    plainVerbs.first { $0.name == name }?.verb(nil, mark)
  }

  /// The sections of all verbs, and of the maps in them.
  static let sections: [WordSection] = words.flatMap { verb -> [WordSection] in
    switch verb.name {
    case "leak": [verb.section.words, LeakDescription.section.words]
    case "intercept": [verb.section.words, InterceptorParts.interceptor.words]
    case "impersonate": [verb.section.words, InterceptorParts.impostor.words]
    default: [verb.section.words]
    }
  }

  private static let side = Entry<VerbParts>.term(
    "from", .choice(called: "side"),
    "the sender of the message; default: either side", into: \.side)
  private static let connection = Entry<VerbParts>.term(
    "in", .text, "the connection to which this applies; default: every connection", into: \.connection)

  private static func message(_ verb: String) -> Entry<VerbParts> {
    .term(verb, .message(), "the message's name", into: \.message)
  }

  /// Every verb that has keys of its own.
  static let words: [VerbWords] =
    [
      VerbWords(
        "leak", "A secret that becomes known to third parties later, or a quantum computer that they then have.",
        [
          .term(
            "leak", .leak,
            "the secret: NAME.key for a private key, or the name of a value; or a map with a quantum computer's day",
            into: \.leak),
          .term(
            "after", .duration, "the time between the last connection and the leak, such as 30 days", into: \.after),
        ], example: "write { leak: api.key, after: 30 days }"
      ) { parts, reader in parts.leak(reader) },
      VerbWords(
        "observe", "A message that an attacker reads in transit.", [message("observe"), side, connection],
        example: "write { observe: ClientHello }"
      ) { parts, _ in parts.attack(.observe) },
      VerbWords(
        "drop", "A message that never arrives.",
        [
          message("drop"), side, connection,
          .term(
            "above", .version,
            "drops only a ClientHello that offers a version above this one, such as TLSv1.0, so that the client can "
              + "fall back",
            into: \.newest),
        ],
        example: "write { drop: Alert, from: server }"
      ) { parts, _ in parts.attack(.drop) },
      VerbWords(
        "cut",
        "A message that does not arrive, because the receiver's connection ends before it without a close_notify.",
        [
          message("cut"), side, connection,
          .term(
            "number", .integer(1...1000),
            "the position of the message among those with the same name, counted from 1; default: the first",
            into: \.number),
        ],
        example: "write { cut: ApplicationData, from: server, number: 2 }"
      ) { parts, _ in parts.attack(.cut) },
      VerbWords(
        "replay", "A message that arrives twice.", [message("replay"), side, connection],
        example: "write { replay: ApplicationData, from: client }"
      ) { parts, _ in parts.attack(.replay) },
      VerbWords(
        "alter", "A message that an attacker changes in transit.",
        [
          message("alter"), side, connection,
          .term(
            "flip", .integer(0...(1 << 17)),
            "the bit to flip in the record's content or in plain HTTP, counted from 0", into: \.flip),
          .term("field", .text, "the field to overwrite, by its name in the standard, such as random", into: \.field),
          .term(
            "to", .hex, "the new bytes of the field, in hexadecimal; if there are too few, they are repeated",
            into: \.bytes),
          .term(
            "replace", .replacements, "the text to replace in plain HTTP, and its replacement", into: \.replacements),
          .term("without", .list(.cipherSuite), "the cipher suites to remove from a ClientHello", into: \.suites),
        ], example: "write { alter: ServerHello, field: random, to: 00 }"
      ) { parts, reader in parts.alteration(reader).flatMap { parts.attack(.alter($0)) } },
      VerbWords(
        "inject", "A message that an attacker creates and sends in the name of another party.",
        [
          .term(
            "inject", .message(injectable),
            "the message to send; it is not protected, because the attacker has no keys", into: \.injected),
          .term(
            "after", .message(), "the message to the same receiver that the injected message follows", into: \.message),
          .term(
            "before", .message(), "the message to the same receiver that the injected message precedes", into: \.next),
          .term(
            "text", .unread(.text), "the content of application data or of a response, or the name of the alert",
            into: \.text),
          .term(
            "body", .hex,
            "the body of a handshake message in hexadecimal; default: the shortest body, and in Finished the "
              + "verify_data of an empty master secret",
            into: \.body),
          .term(
            "takesOver", .flag,
            "whether no further message of one endpoint arrives at the other, only those of the attacker; default: false",
            into: \.takesOver),
          .term(
            "level", .choice(["warning", "fatal"], called: "level"),
            "the level of the alert; default: the level in RFC 5246 section 7.2", into: \.level), side, connection,
        ], example: injectExample
      ) { parts, reader in parts.injection(reader) },
      VerbWords(
        "intercept", "A man in the middle, who acts as a server to the client and as a client to the server.",
        [
          .term(
            "intercept", .section(InterceptorParts.interceptor, InterceptorParts.init),
            "the attacker's certificates, secrets and changes", into: \.interceptor), connection,
        ], example: "write { intercept: { presents: [evil] } }"
      ) { parts, reader in parts.interceptor?.description(of: parts, answers: nil, mark: reader.node.mark) },
      VerbWords(
        "impersonate", "An attacker who responds in place of the server, without contacting it.",
        [
          .term(
            "impersonate", .section(InterceptorParts.impostor, InterceptorParts.init),
            "the attacker's certificates, secrets and responses", into: \.interceptor), connection,
        ], example: "write { impersonate: { presents: [evil], content: { GET /: hello } } }"
      ) { parts, reader in
        parts.interceptor.map { $0.description(of: parts, answers: $0.content, mark: reader.node.mark) }
      },
      VerbWords(
        "reroute", "A network that routes the client to another server.",
        [
          .term(
            "reroute", Kind<String>.text.map { $0.lowercased() }, "the host of the other server", into: \.host),
          connection,
        ], example: "write { reroute: other.example }"
      ) { parts, reader in parts.host.map { .reroute($0, in: parts.connection, reader.mark(of: "reroute")) } },
      VerbWords(
        "outdate", "An attacker who delivers outdated revocation data.",
        [
          .term("outdate", .duration, "the age of the revocation data, such as 5 days", into: \.age),
          .term(
            "only", .choice(called: "kind of revocation data"),
            "the only kind of data that is outdated: OCSP responses, complete CRLs, or delta CRLs (delta); default: "
              + "every kind",
            into: \.status),
        ], example: "write { outdate: 5 days }"
      ) { parts, _ in parts.age.map { .outdateRevocation($0, only: parts.status) } },
      VerbWords(
        "query", "An attacker who queries the server with as many connections as necessary.",
        [
          .term(
            "query", .choice(["padding-oracle", "block-padding"], called: "question"),
            "padding-oracle: whether a premaster secret has correct padding; block-padding: whether a block is "
              + "accepted as padding (POODLE), or is correct padding (Vaudenay)",
            into: \.question), connection,
        ], example: "write { query: padding-oracle }"
      ) { parts, reader in
        let mark = reader.mark(of: "query")
        return parts.question.map { question in
          question == "block-padding"
            ? .forgePadding(in: parts.connection, mark) : .queryOracle(in: parts.connection, mark)
        }
      },
    ] + plainVerbs.filter { !$0.meaning.isEmpty }.map(inOne)

  /// Returns a plain verb that acts in one connection.
  private static func inOne(_ plain: PlainVerb) -> VerbWords {
    VerbWords(
      plain.name, plain.meaning,
      [.term(plain.name, .flag, "always true: turns this event on", into: \.isDone), connection],
      example: "write { \(plain.name): true, in: first }"
    ) { parts, reader in
      guard parts.isDone else {
        // A value that is not a flag has already been reported.
        if case .scalar("false", false, _)? = reader.node[plain.name] {
          reader.fail("'\(plain.name)' must be true", hint: "to disable it, leave it out of 'network'")
        }
        return nil
      }
      return plain.verb(parts.connection, reader.mark(of: plain.name))
    }
  }

  static let injectExample = "write { inject: ApplicationData, after: Finished, text: hello }"

  /// The messages that an attacker can select.
  public static let messages: [MessageName] = tlsMessages + [.httpRequest, .httpResponse]
  /// The messages that an attacker can forge.
  private static let injectable: [MessageName] = tlsMessages + [.httpResponse]

  private static let tlsMessages: [MessageName] = [
    .handshake(.helloRequest), .handshake(.clientHello), .handshake(.helloRetryRequest), .handshake(.serverHello),
    .handshake(.encryptedExtensions), .handshake(.certificate), .handshake(.compressedCertificate),
    .handshake(.certificateStatus), .handshake(.serverKeyExchange), .handshake(.certificateRequest),
    .handshake(.serverHelloDone), .handshake(.clientKeyExchange), .handshake(.certificateVerify),
    .tls(.changeCipherSpec), .handshake(.finished), .handshake(.endOfEarlyData), .handshake(.newSessionTicket),
    .handshake(.keyUpdate), .tls(.applicationData), .tls(.alert),
  ]
}

extension Kind {
  /// The name of any value: a value of a connection, or one that the author named.
  static var anyValue: Kind<ValueName> { Kind<String>.text.map { ValueName($0) } }

  /// The name of one of these messages.
  static func message(_ names: [MessageName] = NetworkVerb.messages) -> Kind<MessageName> {
    let words = names.map(\.description)
    return Kind<MessageName>(.choice(words), written: \.description) { reader in
      reader.choice(words, called: "message").flatMap(MessageName.init)
    }
  }

  /// A map from texts to their replacements.
  static var replacements: Kind<[String: String]> {
    Kind<[String: String]>(.named(.text)) { reader in
      let pairs = reader.named { find, mark, reader -> (String, String)? in
        if find.isEmpty { reader.sink.error("the text to replace is empty", at: mark) }
        return reader.text().map { (find, $0) }
      }
      return Dictionary(pairs) { first, _ in first }
    }
  }

  /// A whole number of bytes in hexadecimal.
  static var hex: Kind<[UInt8]> {
    Kind<[UInt8]>(.pattern("^([0-9a-fA-F]{2})+$"), written: { Hex.string($0) }) { reader in
      guard let text = reader.text() else { return nil }
      if let bytes = Hex.bytes(text), !bytes.isEmpty { return bytes }
      reader.fail("'\(text)' is not hexadecimal", hint: "write whole bytes: \"00\" or c0ffee")
      return nil
    }
  }
}

extension NodeReader {
  /// Reads one entry of `network`.
  func networkVerb() -> NetworkVerb? {
    guard let entries = node.entries else { return plainVerb() }
    let verbs = entries.map(\.key).compactMap { key in NetworkVerb.words.first { $0.name == key } }
    guard let verb = verbs.first else {
      if let plain = entries.map(\.key).first(where: NetworkVerb.plain.contains) {
        fail("'\(plain)' does not take other keys", hint: "write network: [\(plain)]")
        return nil
      }
      fail("a map in 'network' must begin with a verb", hint: "write one of \(NetworkVerb.all.listed)")
      return nil
    }
    var parts = VerbParts()
    return read(verb.section, into: &parts).flatMap { _ in verb.verb(parts, self) }
  }

  private func plainVerb() -> NetworkVerb? {
    guard let text = text() else { return nil }
    if let verb = NetworkVerb.plain(text, at: node.mark) { return verb }
    if let verb = NetworkVerb.words.first(where: { $0.name == text }) {
      fail("'\(text)' needs a value", hint: verb.example)
    } else {
      fail("unknown verb '\(text)'", hint: LikelyWord.hint(for: text, among: NetworkVerb.plain + NetworkVerb.all))
    }
    return nil
  }
}
