import Oracles
import Scenarios
import Testing

@Suite("Changes to a scenario")
struct LayingOverTests {
  private func node(_ text: String) throws -> Node { try YAMLDocument(Array(text.utf8), file: "t.yaml").root }

  private func laid(_ base: String, _ change: String) throws -> String {
    try node(base).laidOver(by: try node(change)).flowText
  }

  @Test(
    "maps merge by key, lists are replaced, null removes",
    arguments: [
      ("{ a: 1, b: 2 }", "{ b: 3 }", "{ a: 1, b: 3 }"),
      ("{ a: { b: 1, c: 2 } }", "{ a: { c: 3, d: 4 } }", "{ a: { b: 1, c: 3, d: 4 } }"),
      ("{ a: [1, 2, 3] }", "{ a: [4] }", "{ a: [4] }"),
      ("{ a: [1] }", "{ a: [] }", "{ a: [] }"),
      ("{ a: 1, b: 2 }", "{ a: null }", "{ b: 2 }"),
      ("{ a: 1, b: 2 }", "{ a: ~ }", "{ b: 2 }"),
      ("{ a: 1, b: 2 }", "{ a: }", "{ b: 2 }"),
      ("{ a: 1 }", "{ a: \"null\" }", "{ a: \"null\" }"),
      ("{ a: 1 }", "{ b: null }", "{ a: 1 }"),
      ("{ a: 1 }", "{ b: { c: null, d: 1 } }", "{ a: 1, b: { d: 1 } }"),
      ("{ a: { b: 1 } }", "{ a: word }", "{ a: word }"),
      ("{ a: word }", "{ a: { b: 1 } }", "{ a: { b: 1 } }"),
      ("{ a: { b: 1 } }", "{ a: {} }", "{ a: { b: 1 } }"),
    ])
  func merging(base: String, change: String, result: String) throws {
    #expect(try laid(base, change) == result)
  }

  @Test(
    "a dotted path is split at its dots, and a quoted segment is not",
    arguments: [
      ("client.os", ["client", "os"]), ("a", ["a"]),
      ("authorities.\"Root A\".trust", ["authorities", "Root A", "trust"]),
      ("authorities.'Root A'", ["authorities", "Root A"]),
      ("servers.\"api.example\".content", ["servers", "api.example", "content"]),
    ])
  func paths(text: String, segments: [String]) { #expect(ScenarioPath(text)?.segments == segments) }

  @Test("a case has its own text after the run, and does not inherit the file's")
  func after() throws {
    let text =
      "title: t\nafter: of main\ncases:\n  - { name: a, with: { client.os: iOS 9 }, after: of a }\n"
      + "  - { name: b, with: { client.os: iOS 11 } }\n"
    #expect(try Lab.read(text).cases.map(\.about.after) == ["of main", "of a", nil])
  }

  @Test(
    "an item of a list is changed by its index, and the others stay",
    arguments: [
      ("a[0].b = 2", "{ a: [{ b: 2, c: 1 }, { b: 3 }] }"), ("a[1].c = 4", "{ a: [{ b: 1, c: 1 }, { b: 3, c: 4 }] }"),
      ("a[0].c = null", "{ a: [{ b: 1 }, { b: 3 }] }"), ("a[1] = null", "{ a: [{ b: 1, c: 1 }] }"),
      ("a[0] = x", "{ a: [x, { b: 3 }] }"), ("a = [x]", "{ a: [x] }"),
    ])
  func items(line: String, result: String) throws {
    let tree = try node("{ a: [{ b: 1, c: 1 }, { b: 3 }] }")
    #expect(try tree.laidOver(by: Assignment(reading: line).change(in: tree)).flowText == result)
  }

  @Test("a path ends at its equals sign or colon, except within quotes")
  func ends() throws {
    for text in [#"a."b = c".d"#, "a.'b = c'.d"] {
      #expect(try Assignment(reading: "\(text) = 1, 2").path.segments == ["a", "b = c", "d"])
      for between in [" ", " = ", "="] {
        let split = try Assignment.split(text + between + "1, 2")
        #expect(split?.path.segments == ["a", "b = c", "d"] && split?.values == "1, 2")
      }
    }
    // An apostrophe within a segment is a letter.
    #expect(try Assignment(reading: "a.Ann's = 1").path.segments == ["a", "Ann's"])
    #expect(try Assignment.split("a.Ann's 1")?.values == "1")
    #expect(try Assignment.split("a")?.values == "")
    #expect(try Assignment.split("= 1")?.values == nil && Assignment.split("")?.values == nil)
  }

  @Test(
    "an invalid path is refused in an assignment and in a sweep",
    arguments: [
      ("a..b", "'a..b'"), ("\"a", "'\"a'"), ("cases", "'cases'"),
      ("expect.verdict", "'expect'"), ("sweep", "'sweep'"),
    ])
  func noPaths(name: String, message: String) {
    #expect { try Assignment.split(name) } throws: { "\($0)".shows(message) }
    if name.contains("\"") { return }
    #expect { try Assignment(reading: "\(name) = 1") } throws: { "\($0)".shows(message) }
  }

  @Test("for a missing list or item, the error names the existing ones")
  func noItems() throws {
    let tree = try node("{ a: [{ b: [1] }], c: 2, \"d[0]\": 1 }")
    for (line, message) in [
      ("a[1].b = 2", "'a' … 1"), ("x[0] = 2", "'x'"), ("c[0] = 2", "'c'"),
    ] {
      #expect { try Assignment(reading: line).change(in: tree) } throws: { "\($0)".shows(message) }
    }
    // A quoted key that looks like an item is a key, and a list can be nested in an item.
    #expect(
      try tree.laidOver(by: Assignment(reading: "\"d[0]\" = 2").change(in: tree)).value(
        at: #require(ScenarioPath("\"d[0]\"")))?.flowText == "2")
    let inner = try tree.laidOver(by: Assignment(reading: "a[0].b[0] = 7").change(in: tree))
    #expect(inner["a"]?.flowText == "[{ b: [7] }]")
  }

  @Test(
    "an invalid path is not parsed",
    arguments: ["", ".", "a.", ".a", "a..b", "Root A", "a.\"b", "a.\"\"", "a.\"b\"c", "\""])
  func notPaths(text: String) { #expect(ScenarioPath(text) == nil) }

  @Test("a parsed path is written unchanged")
  func pathRoundTrip() throws {
    let path = try #require(ScenarioPath("servers.\"api.example\".content"))
    #expect(ScenarioPath(path.description) == path)
  }

  @Test("a row changes the file, and its expectation replaces the file's")
  func rows() throws {
    let file = try Lab.read(
      """
      expect: { verdict: accepted, content: hello, path: [api, Issuing, Root A] }
      cases:
        - name: other content
          with: { server.content: { GET /: "bye" }, authorities."Root A".key: rsa-1024 }
          expect: { verdict: accepted, content: bye }
      """)
    let row = try #require(file.scenario(named: "other content"))
    #expect(row.expectation?.path == nil)
    #expect(row.expectation?.content == "bye")
    #expect(row.authorities.first?.key == .rsa(1024))
    #expect(row.servers.first?.content == ["GET /": .content("bye")])
    #expect(file.scenario(named: "main")?.authorities.first?.key == .rsa(2048))
  }

  @Test("a file that names CAs or certificates replaces the baseline's")
  func replacing() throws {
    let file = try Lab.read(
      "{ authorities: { R: { trust: system } }, certificates: { c: { issuer: R, names: [api.example] } }, server: { presents: [c] } }"
    )
    #expect(file.cases.first?.authorities.map(\.name) == ["R"])
    #expect(file.cases.first?.certificates.map(\.name) == ["c"])
    #expect(file.cases.first?.servers.first?.versions.count == 1)
  }

  @Test("a sweep makes a case of every combination")
  func sweeps() throws {
    let file = try Lab.read("sweep: { client.os: [iOS 8, iOS 9], client.loader: [URLSession, WKWebView] }")
    #expect(file.cases.count == 5)
    #expect(file.cases.map(\.caseName).contains("client.os = iOS 9, client.loader = WKWebView"))
    let os = try #require(file.cases.last?.connections.first?.client.os)
    #expect(os.description == "iOS 9")
  }

  @Test("rows and sweeps change one item of a list by its index")
  func itemsOfRows() throws {
    let load = "request: \"https://api.example/\""
    let file = try Lab.read(
      """
      connections: [{ client: { os: iOS 9 }, \(load) }, { client: { os: iOS 10 }, \(load) }]
      cases: [{ name: a, with: { "connections[1].client.os": iOS 8, "server.presents[1]": null } }]
      sweep: { "connections[0].client.os": [iOS 11, iOS 12] }
      """)
    let systems = file.cases.map { $0.connections.map(\.client.os.description) }
    #expect(systems == [["iOS 9", "iOS 10"], ["iOS 9", "iOS 8"], ["iOS 11", "iOS 10"], ["iOS 12", "iOS 10"]])
    #expect(file.cases.map { $0.servers.first?.presents.count } == [2, 1, 2, 2])
  }

  @Test("a row that moves the clock does not move the certificates")
  func clocks() throws {
    let text = """
      clock: 2016-11-01
      cases:
        - name: later
          with: { clock: 2020-01-01 }
          expect: { verdict: refused, because: [chain.expired] }
      """
    #expect(try Lab.play(text, "later").judgement.mismatches == [])
  }
}
