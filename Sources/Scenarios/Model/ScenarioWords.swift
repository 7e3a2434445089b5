import Cryptography
import Explanation

/// A scenario while it is read: what it is about, and its parts, each of which reads itself.
struct ScenarioParts {
  var about = Scenario.About()
  var sibling: String?
  var clock: NodeReader?
  var seed: NodeReader?
  var authorities: NodeReader?
  var certificates: NodeReader?
  var server: NodeReader?
  var servers: NodeReader?
  var client: NodeReader?
  var network: NodeReader?
  var attackers: AttackersDescription?
  var logs: [String: LogDescription] = [:]
  var request: NodeReader?
  var requests: NodeReader?
  var connections: NodeReader?
  var timeline: NodeReader?
  var calculation: NodeReader?
  var expect: NodeReader?
  var cases: NodeReader?
  var sweep: NodeReader?

  /// Every word at the root of a file.
  static let section = Section<ScenarioParts>(
    "scenario", "The file: it states only what differs from Scenarios/baseline.yaml.",
    [
      .term("title", .text, "one line that says what the scenario shows", into: \.about.title),
      .term("lesson", .text, "the lesson or curriculum id it belongs to", into: \.about.lesson),
      .term("level", .integer(1...9), "how demanding it is, from 1", into: \.about.level),
      .term(
        "sources", .list(.text), "seed documents, RFC sections and incidents it rests on", into: \.about.sources),
      .term(
        "disputed", .dispute, "a claim that sources disagree on: what is asked, both readings, and the one chosen",
        into: \.about.disputed),
      .term(
        "before", .paragraph, "what a reader should know before the run: one paragraph", into: \.about.before),
      .term(
        "after", .paragraph, "what the run has shown: one paragraph; a case says its own, or nothing",
        into: \.about.after),
      .term(
        "kills", .list(.choice(Mutant.all.map(\.name), called: "mutant")),
        "the historical bugs that one of its cases catches: it fails where a party has the bug", into: \.about.kills),
      .term(
        "sibling", .text, "the accepted case it differs from in one line: a case's name, or another scenario's id",
        into: \.sibling),
      .term("clock", .unread(.dateShape), "the day on which the connection happens", into: \.clock),
      .term(
        "seed", .unread(.either([.integer(0...Int.max), .choice(["counting"]), .pattern("^[0-9a-fA-F]{64}$")])),
        "where randomness comes from",
        into: \.seed),
      .term(
        "authorities", .unread(.named(.section("certificate"))),
        "the CA hierarchy: roots, and who signs whom; a file's replace the baseline's, a case's merge with the file's",
        into: \.authorities),
      .term(
        "certificates", .unread(.named(.section("certificate"))),
        "certificates that servers present; a file's replace the baseline's, a case's merge with the file's",
        into: \.certificates),
      .term(
        "logs", .named(.section(LogDescription.section) { LogDescription() }),
        "the logs of certificates, by name; what certificates have timestamps of is usable, if left out", into: \.logs),
      .term("server", .unread(.section("server")), "the one server there is", into: \.server),
      .term("servers", .unread(.named(.section("server"))), "several servers, by host", into: \.servers),
      .term("client", .unread(.section("client")), "the app and the system it runs on", into: \.client),
      .term(
        "network", .unread(.list(.either([.choice(NetworkVerb.plain)] + NetworkVerb.words.map { .section($0.name) }))),
        "who listens, interferes or leaks, in order", into: \.network),
      .term(
        "attackers", .section(AttackersDescription.section, AttackersDescription.init),
        "the third parties against whom the goals are tried; the strongest, if left out", into: \.attackers),
      .term("request", .unread(RequestDescription.shape), "the URL the app loads", into: \.request),
      .term(
        "requests", .unread(.list(RequestDescription.shape)), "several URLs, loaded one after the other",
        into: \.requests),
      .term(
        "connections", .unread(.list(.section("connection"))), "named connections, each with a client of its own",
        into: \.connections),
      .term(
        "timeline", .unread(.list(.section("date"))), "later dates, with what has changed by then", into: \.timeline),
      .term(
        "calculation", .unread(.section("calculation")),
        "textbook arithmetic with toy numbers, in the place of connections", into: \.calculation),
      .term("expect", .unread(.section("expect")), "what must come out", into: \.expect),
      .term(
        "cases", .unread(.list(.section("case"))), "rows laid over the file, each a case of its own", into: \.cases),
      .term(
        "sweep", .unread(.paths(.list(.anything))), "a path and the values to try there, each a case of its own",
        into: \.sweep),
    ])

  /// What speaks of the file and its cases, and of nothing that is played: it is laid over by nothing.
  static let keysOfTheFile = ["cases", "sweep", "expect", "sibling"]

  /// What describes connections, and cannot stand beside a calculation.
  static let keysOfConnections = [
    "authorities", "certificates", "logs", "server", "servers", "client", "network", "attackers", "request", "requests",
    "connections",
    "timeline",
  ]
}

/// A later date while it is read.
struct DateParts {
  var date: Instant?
  var changes: NodeReader?
  var expect: NodeReader?

  static let section = Section<DateParts>(
    "date", "A later date and what has changed by then.",
    [
      .term("date", .date, "the day", into: \.date),
      .term("changes", .unread(.paths(.anything)), "paths and their new values", into: \.changes),
      .term("expect", .unread(.section("expect")), "what must come out then", into: \.expect),
    ])
}

/// A row of `cases` while it is read.
struct RowParts {
  var name: String?
  var changes: NodeReader?
  var expect: NodeReader?
  var sibling: String?
  var after: String?

  static let section = Section<RowParts>(
    "case", "A row laid over the file: maps merge by key, lists and words replace, null removes.",
    [
      .term("name", .text, "the case's name", into: \.name),
      .term(
        "with", .unread(.paths(.anything)), "dotted paths and what is laid there; null removes", into: \.changes),
      .term("expect", .unread(.section("expect")), "what must come out, instead of the file's", into: \.expect),
      .term("sibling", .text, "the accepted case it differs from in one line", into: \.sibling),
      .term("after", .paragraph, "what its run has shown", into: \.after),
    ])
}
