import Simulator

/// What can happen on the network, or to a secret.
extension Vocabulary {
  static let network = [
    leak, observe, drop, replay, alter, inject, intercept, interceptor, impersonate, impostor, reroute, query,
  ]

  static let leak = WordSection(
    "leak", "A secret that becomes known to third parties later.",
    [
      Word("leak", .text, "the secret: NAME.key, or a value's name"),
      Word("after", .duration, "how long after the last connection: 30 days"),
    ])

  static let observe = WordSection(
    "observe", "A message that an attacker reads on its way.",
    [Word("observe", message, "the message's name")] + which)

  static let drop = WordSection(
    "drop", "A message that never arrives.", [Word("drop", message, "the message's name")] + which)

  static let replay = WordSection(
    "replay", "A message that arrives twice.", [Word("replay", message, "the message's name")] + which)

  static let alter = WordSection(
    "alter", "A message that arrives changed.",
    [Word("alter", message, "the message's name")] + which + [
      Word("flip", .integer, "the number of the bit to flip, from 0, in the record's content or in plain HTTP"),
      Word("field", .text, "the field to overwrite, by its name in the standard: random"),
      Word("to", .text, "the bytes to overwrite it with, in hex; fewer are repeated"),
      Word("replace", .named(.text), "text in plain HTTP, and what is put in its place"),
      Word("without", .list(.text), "cipher suites to take out of a ClientHello"),
    ])

  static let inject = WordSection(
    "inject", "Something an attacker makes up and sends in another's name.",
    [
      Word("inject", .choice(["HTTP response", "ApplicationData", "Alert"]), "what is sent"),
      Word("after", message, "the message it follows, to the same receiver"),
      Word("text", .text, "what it says; an alert's name"),
    ] + which)

  static let intercept = WordSection(
    "intercept", "A man in the middle: a server towards the client, a client towards the server.",
    [Word("intercept", .section("interceptor"), "what it presents, holds and rewrites")] + [which[1]])

  static let interceptor = WordSection(
    "interceptor", "What a man in the middle presents, holds and rewrites.",
    [
      Word("presents", .list(.text), "the certificates it sends, leaf first; none for plain HTTP"),
      Word("holds", .list(.text), "secrets it has from the start: a stolen api.key"),
      Word("replace", .named(.text), "text in the answers that pass, and what is put in its place"),
      Word("asks", .choice(["http", "https"]), "how it asks the server; as the client asked, if left out"),
    ])

  static let impersonate = WordSection(
    "impersonate", "An attacker who answers in the server's place and asks nobody.",
    [Word("impersonate", .section("impostor"), "what it presents, holds and answers")] + [which[1]])

  static let impostor = WordSection(
    "impostor", "What an attacker in the server's place presents, holds and answers.",
    [
      Word("presents", .list(.text), "the certificates it sends, leaf first; none for plain HTTP"),
      Word("holds", .list(.text), "secrets it has from the start: a stolen api.key"),
      Word("content", Vocabulary.answers, "its answers: 'GET /path': body, or a redirect"),
    ])

  static let reroute = WordSection(
    "reroute", "A network that leads the client to another server.",
    [Word("reroute", .text, "the host of the server that answers")] + [which[1]])

  static let query = WordSection(
    "query", "An attacker who asks the server about a recorded connection.",
    [
      Word("query", .choice(["padding-oracle"]), "what is asked: is this padded rightly?"), which[1],
    ])

  /// Which of several messages of one name.
  private static let which = [
    Word("from", .choice(["client", "server"]), "whose message; either side's, if left out"),
    Word("in", .text, "the connection it happens in; every one, if left out"),
  ]

  private static let message = Word.Shape.choice(messageNames)

  /// The names of messages that an attacker can pick.
  public static let messageNames = [
    "ClientHello", "ServerHello", "Certificate", "ServerKeyExchange", "CertificateRequest", "ServerHelloDone",
    "ClientKeyExchange", "CertificateVerify", "ChangeCipherSpec", "Finished", "ApplicationData", "Alert",
    "HTTP request",
    "HTTP response",
  ]

  /// The verbs that need no more words.
  public static let plainVerbs = ["eavesdrop", "strip", "block-revocation", "block-issuers"]
  /// The verbs that stand as the first key of a map.
  public static let verbs = [
    "leak", "observe", "drop", "replay", "alter", "inject", "intercept", "impersonate", "reroute",
    "query",
  ]
}
