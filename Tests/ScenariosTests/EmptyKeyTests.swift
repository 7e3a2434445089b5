import Oracles
import Scenarios
import Testing

@Suite("No written word is lost")
struct EmptyKeyTests {
  static let texts = [
    BadText(
      "a client with comments only", "client:\n#  os: iOS 9\nexpect: { verdict: accepted }", 1, 1,
      "'client'", ""),
    BadText("no system", "title: t\nclient: { os: null }", 2, 11, "'client.os'", "os: iOS 10"),
    BadText("no loader", "client: { loader: ~ }", 1, 11, "'client.loader'", "URLSession"),
    BadText("no clock", "title: t\nclock: null", 2, 1, "'clock'", "clock: 2016-11-01"),
    BadText("no seed", "title: t\nseed:", 2, 1, "'seed'", "seed: 0"),
    BadText(
      "no clock of a calculation", "clock: null\ncalculation: { steps: [n = 2 * 3] }", 1, 1,
      "'clock'"),
    BadText(
      "a case without a system", "cases:\n  - { name: x, with: { client.os: null } }", 2, 24,
      "'client.os'"),
    BadText(
      "a case without a client", "cases:\n  - { name: x, with: { client: null } }", 2, 24,
      "'client'"),
    BadText(
      "a value of a sweep", "sweep: { client.os: [iOS 8, null] }", 1, 29, "'client.os'"),
    BadText(
      "a sweep without values", "sweep: { client.os: [] }", 1, 10, ""),
    BadText(
      "a date without a system", "timeline: [{ date: 2017-01-01, changes: { client.os: null } }]", 1, 43,
      "'client.os'"),
    BadText("a date without a day", "timeline: [{ changes: {} }]", 1, 12, "", "2017-01-01"),
    BadText(
      "a date with a word for changes", "timeline: [{ date: 2017-01-01, changes: 3 }]", 1, 41,
      ""),
    BadText(
      "a connection without a system",
      "connections:\n  - { name: a, client: { os: null }, request: https://api.example/ }", 2, 26,
      "'connections[0].client.os'"),
    BadText("no dates", "title: t\ntimeline:\n#  - date: 2017-01-01", 2, 1, "'timeline'"),
    BadText("no loads", "title: t\nrequests:", 2, 1, "'requests'"),
    BadText("no steps", "title: t\ncalculation:", 2, 1, "'calculation'"),
  ]

  @Test("a removed entry that every case needs is reported at its place", arguments: texts)
  func missed(bad: BadText) throws { try bad.isTold() }

  @Test(
    "entries that the baseline does not need can be removed, and every case still exists",
    arguments: [
      ("client: { infoPlist: null }", 1, 0), ("network:\n#  [eavesdrop]", 1, 0),
      ("cases: [{ name: x, with: { client.infoPlist: null } }]", 2, 0),
      ("sweep: { client.infoPlist: [{ NSAllowsArbitraryLoads: true }, null] }", 3, 0),
      ("timeline: [{ date: 2017-01-01, changes: { client.infoPlist: null } }]", 1, 1),
    ])
  func kept(text: String, cases: Int, dates: Int) throws {
    let file = try Lab.read(text)
    #expect(file.cases.count == cases)
    #expect(file.cases.first?.later.count == dates)
  }

  @Test("an entry removed in one place is reported once, even if every case lacks it")
  func once() throws {
    let found = try Lab.diagnostics("client: { os: null }\ncases: [{ name: x, with: { seed: 2 } }]")
    #expect(found.filter { $0.severity == .error }.map(\.mark?.line) == [1], "\(found)")
  }

  @Test("an item that a reader rejects without a message is an error, reported once")
  func silent() {
    let mark = SourceMark(file: "test.yaml", line: 2, column: 3)
    let list = Node.list([.scalar("a", quoted: false, mark), .scalar("b", quoted: false, mark)], mark)
    let sink = DiagnosticSink(lines: [:])
    let read = NodeReader(node: list, path: "words", sink: sink).list { item -> String? in
      guard let text = item.text(), text == "a" else { return nil }
      return text
    }
    #expect(read == ["a"])
    #expect(sink.all.map(\.message).show(["words[1]"]))
    #expect(sink.all.map(\.mark) == [mark])
    let told = DiagnosticSink(lines: [:])
    _ = NodeReader(node: list, path: "words", sink: told).list { $0.integer(1...9) }
    #expect(told.all.map(\.mark) == [mark, mark] && told.all.allSatisfy { $0.message.shows("1 … 9") })
  }
}
