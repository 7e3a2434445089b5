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
    "scenario", "A scenario file. It contains only the differences from Scenarios/baseline.yaml.",
    [
      .term("title", .text, "the point of the scenario, in one line", into: \.about.title),
      .term("lesson", .text, "the lesson or curriculum id that the scenario belongs to", into: \.about.lesson),
      .term("level", .integer(1...9), "the difficulty, from 1", into: \.about.level),
      .term(
        "sources", .list(.text), "the documents, RFC sections and incidents that the scenario is based on",
        into: \.about.sources),
      .term(
        "disputed", .dispute,
        "a claim on which sources disagree: the question, the interpretations, and the chosen interpretation",
        into: \.about.disputed),
      .term(
        "before", .paragraph, "the introduction before the run, in one paragraph", into: \.about.before),
      .term(
        "after", .paragraph, "the explanation after the run, in one paragraph; a case does not inherit it",
        into: \.about.after),
      .term(
        "kills", .distinct(.choice(Mutant.all.map(\.name), called: "mutant")),
        "the historical bugs that the scenario detects: for each, one of its cases fails if a party has the bug",
        into: \.about.kills),
      .term(
        "sibling", .text,
        "the accepted case from which this case differs in one line: the name of a case, or the id of another scenario",
        into: \.sibling),
      .term("clock", .unread(.dateShape), "the time of the connection", into: \.clock),
      .term(
        "seed", .unread(.either([.integer(0...Int.max), .choice(["counting"]), .pattern("^[0-9a-fA-F]{64}$")])),
        "the source of randomness",
        into: \.seed),
      .term(
        "authorities", .unread(.named(.section("certificate"))),
        "the root and intermediate CAs; a file's CAs replace the baseline's, and a case's CAs are merged with the "
          + "file's",
        into: \.authorities),
      .term(
        "certificates", .unread(.named(.section("certificate"))),
        "the other certificates; a file's certificates replace the baseline's, and a case's certificates are merged "
          + "with the file's",
        into: \.certificates),
      .term(
        "logs", .named(.section(LogDescription.section) { LogDescription() }),
        "the CT logs, by name; a log without an entry is usable", into: \.logs),
      .term("server", .unread(.section("server")), "the only server", into: \.server),
      .term("servers", .unread(.named(.section("server"))), "several servers, by host name", into: \.servers),
      .term("client", .unread(.section("client")), "the app and the system on which it runs", into: \.client),
      .term(
        "network", .unread(.list(.either([.choice(NetworkVerb.plain)] + NetworkVerb.words.map { .section($0.name) }))),
        "the observers, attacks and leaks, in order", into: \.network),
      .term(
        "attackers", .section(AttackersDescription.section, AttackersDescription.init),
        "the third parties that try to reach the goals; default: the strongest third parties", into: \.attackers),
      .term("request", .unread(RequestDescription.shape), "the URL that the app loads", into: \.request),
      .term(
        "requests", .unread(.list(RequestDescription.shape)), "several URLs that the app loads one after the other",
        into: \.requests),
      .term(
        "connections", .unread(.list(.section("connection"))), "named connections, each with its own client",
        into: \.connections),
      .term(
        "timeline", .unread(.list(.section("date"))), "later dates and their changes", into: \.timeline),
      .term(
        "calculation", .unread(.section("calculation")),
        "textbook arithmetic with toy numbers, instead of connections", into: \.calculation),
      .term("expect", .unread(.section("expect")), "the expected results", into: \.expect),
      .term(
        "cases", .unread(.list(.section("case"))), "changes to the file; each row is a separate case", into: \.cases),
      .term(
        "sweep", .unread(.paths(.list(.anything))), "a path and the values to try there; each value is a separate case",
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
      .term("changes", .unread(.paths(.anything)), "the paths to change, and their new values", into: \.changes),
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
    "case", "Changes to the file. Maps are merged by key, lists and words are replaced, and null removes a value.",
    [
      .term("name", .text, "the case's name", into: \.name),
      .term(
        "with", .unread(.paths(.anything)), "dotted paths and their new values; null removes a value", into: \.changes),
      .term(
        "expect", .unread(.section("expect")), "the expected results, instead of the file's expected results",
        into: \.expect),
      .term("sibling", .text, "the accepted case from which this case differs in one line", into: \.sibling),
      .term("after", .paragraph, "the explanation after the run of this case", into: \.after),
    ])
}
