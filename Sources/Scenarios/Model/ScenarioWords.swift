import Cryptography
import Explanation

/// A scenario under construction: its description, and readers for its parts.
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

  /// Every key at the root of a file.
  static let section = Section<ScenarioParts>(
    "scenario", "The file: it has only the differences from Scenarios/baseline.yaml.",
    [
      .term("title", .text, "the point of the scenario, in one line", into: \.about.title),
      .term("lesson", .text, "the lesson or curriculum id it belongs to", into: \.about.lesson),
      .term("level", .integer(1...9), "the difficulty, from 1", into: \.about.level),
      .term(
        "sources", .list(.text), "the documents, RFC sections and incidents it is based on", into: \.about.sources),
      .term(
        "disputed", .dispute, "a claim that sources disagree on: the question, both readings, and the chosen one",
        into: \.about.disputed),
      .term(
        "before", .paragraph, "the introduction before the run: one paragraph", into: \.about.before),
      .term(
        "after", .paragraph, "the explanation after the run: one paragraph; a case has its own or none",
        into: \.about.after),
      .term(
        "kills", .list(.choice(Mutant.all.map(\.name), called: "mutant")),
        "historical bugs that one of its cases catches: it fails if a party has the bug", into: \.about.kills),
      .term(
        "sibling", .text, "the accepted case it differs from in one line: a case's name, or another scenario's id",
        into: \.sibling),
      .term("clock", .unread(.dateShape), "the time of the connection", into: \.clock),
      .term(
        "seed", .unread(.either([.integer(0...Int.max), .choice(["counting"]), .pattern("^[0-9a-fA-F]{64}$")])),
        "the source of randomness",
        into: \.seed),
      .term(
        "authorities", .unread(.named(.section("certificate"))),
        "the CAs: roots and intermediates; a file's CAs replace the baseline's, a case's CAs merge with the file's",
        into: \.authorities),
      .term(
        "certificates", .unread(.named(.section("certificate"))),
        "the other certificates; a file's replace the baseline's, a case's merge with the file's",
        into: \.certificates),
      .term(
        "logs", .named(.section(LogDescription.section) { LogDescription() }),
        "the CT logs, by name; a log without an entry is usable", into: \.logs),
      .term("server", .unread(.section("server")), "the only server", into: \.server),
      .term("servers", .unread(.named(.section("server"))), "several servers, by host", into: \.servers),
      .term("client", .unread(.section("client")), "the app and the system it runs on", into: \.client),
      .term(
        "network", .unread(.list(.either([.choice(NetworkVerb.plain)] + NetworkVerb.words.map { .section($0.name) }))),
        "observers, attacks and leaks, in order", into: \.network),
      .term(
        "attackers", .section(AttackersDescription.section, AttackersDescription.init),
        "the third parties who try to reach the goals; by default the strongest", into: \.attackers),
      .term("request", .unread(RequestDescription.shape), "the URL the app loads", into: \.request),
      .term(
        "requests", .unread(.list(RequestDescription.shape)), "several URLs, loaded one after the other",
        into: \.requests),
      .term(
        "connections", .unread(.list(.section("connection"))), "named connections, each with a client of its own",
        into: \.connections),
      .term(
        "timeline", .unread(.list(.section("date"))), "later dates, with their changes", into: \.timeline),
      .term(
        "calculation", .unread(.section("calculation")),
        "textbook arithmetic with toy numbers, instead of connections", into: \.calculation),
      .term("expect", .unread(.section("expect")), "the expected results", into: \.expect),
      .term(
        "cases", .unread(.list(.section("case"))), "changes to the file, each a case of its own", into: \.cases),
      .term(
        "sweep", .unread(.paths(.list(.anything))), "a path and the values to try there, each a case of its own",
        into: \.sweep),
    ])

  /// The keys about the file and its cases. A row cannot change them.
  static let keysOfTheFile = ["cases", "sweep", "expect", "sibling"]

  /// The keys about connections. A calculation cannot have them.
  static let keysOfConnections = [
    "authorities", "certificates", "logs", "server", "servers", "client", "network", "attackers", "request", "requests",
    "connections",
    "timeline",
  ]
}

/// A later date under construction.
struct DateParts {
  var date: Instant?
  var changes: NodeReader?
  var expect: NodeReader?

  static let section = Section<DateParts>(
    "date", "A later date and its changes.",
    [
      .term("date", .date, "the date", into: \.date),
      .term("changes", .unread(.paths(.anything)), "paths and their new values", into: \.changes),
      .term("expect", .unread(.section("expect")), "the expected results on that date", into: \.expect),
    ])
}

/// A row of `cases` under construction.
struct RowParts {
  var name: String?
  var changes: NodeReader?
  var expect: NodeReader?
  var sibling: String?
  var after: String?

  static let section = Section<RowParts>(
    "case", "Changes to the file: maps merge by key, lists and words replace, null removes.",
    [
      .term("name", .text, "the case's name", into: \.name),
      .term(
        "with", .unread(.paths(.anything)), "dotted paths and their new values; null removes", into: \.changes),
      .term("expect", .unread(.section("expect")), "the expected results, instead of the file's", into: \.expect),
      .term("sibling", .text, "the accepted case it differs from in one line", into: \.sibling),
      .term("after", .paragraph, "the explanation after its run", into: \.after),
    ])
}
