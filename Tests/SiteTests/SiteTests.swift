import Cryptography
import Foundation
import Laboratory
import Learning
import Oracles
import Rendering
import Scenarios
import Synchronization
import Testing
import URLLoading

@testable import Site

@Suite("The static site") struct SiteTests {
  private static let player = ScenarioLibrary.player(keys: KeyStore.tests)

  /// The files of a site by their paths.
  private static func files(of content: SiteContent, jobs: Int) throws -> [String: String] {
    let files = Mutex<[String: String]>([:])
    try StaticSite(content, player: player).write(jobs: jobs) { file in
      files.withLock { $0[file.path] = String(decoding: file.bytes, as: UTF8.self) }
    }
    return files.withLock { $0 }
  }

  /// A few scenarios of the curriculum, among them an attack, a refusal, a calculation and a timeline.
  private static func content() throws -> SiteContent {
    let library = try ScenarioLibrary.curriculum()
    let ids = ["L0-02", "L0-10", "L1-01", "L1-15", "L2-01", "L12-20"]
    let home = URL(fileURLWithPath: library.folder).deletingLastPathComponent()
    let names = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/README.md", "docs/limits.md", "docs/seeds.md"]
    let documents = try names.map { ($0, try String(contentsOf: home.appendingPathComponent($0), encoding: .utf8)) }
    let assets = ["site.css", "player.js", "search.js", "icon.svg"].map { SiteFile(path: $0, bytes: []) }
    return SiteContent(
      files: try library.files(at: library.paths { ids.contains($0) }), lessons: try library.lessons(),
      documents: Dictionary(uniqueKeysWithValues: documents), systems: ["iOS 8", "iOS 10"],
      releases: ["AFNetworking 2.5.1", "TrustKit 3.0"].compactMap { LibraryVersion($0) }, reader: library.reader,
      assets: assets)
  }

  private static let site = Result { try files(of: content(), jobs: 2) }

  @Test("it is the same, byte for byte, with any number of jobs")
  func sameBytes() throws {
    #expect(try Self.files(of: Self.content(), jobs: 1) == Self.site.get())
  }

  @Test("each case, rule and lesson has a page")
  func pages() throws {
    let site = try Self.site.get()
    let paths = [
      "index.html", "curriculum.html", "lessons/L1.html", "scenarios/L1-15/index.html",
      "scenarios/L1-15/iOS-8-has-no-ATS.html", "rules/ats.no-forward-secrecy.html", "errors/-9802.html",
      "keys/NSAllowsArbitraryLoads.html", "tables/index.html", "tables/systems.html", "seeds/index.html",
      "docs/index.html", "readme.html", "cases.js",
    ]
    for path in paths { #expect(site[path] != nil, "\(path)") }
    #expect(site["rules/ats.no-forward-secrecy.html"]?.contains("scenarios/L1-15/index.html") == true)
  }

  @Test("every link leads to a file of the site, or to an element of it")
  func links() throws {
    let site = try Self.site.get()
    for (path, text) in site where path.hasSuffix(".html") {
      for match in text.matches(of: #/(?:href|src)="([^"]*)"/#) {
        let target = match.1.replacing("&amp;", with: "&")
        if target.hasPrefix("https://") { continue }
        let place = target.prefix { $0 != "?" && $0 != "#" }
        let folder = path.split(separator: "/").dropLast().map(String.init)
        let goal = place.isEmpty ? path : Self.resolved(String(place), in: folder)
        #expect(site[goal] != nil, "\(path) links to \(target)")
        if let anchor = target.split(separator: "#").dropFirst().first, target.contains("#"), goal.hasSuffix(".html") {
          #expect(site[goal]?.contains("id=\"\(anchor)\"") == true, "\(path) links to \(target)")
        }
      }
    }
  }

  private static func resolved(_ target: String, in folder: [String]) -> String {
    target.split(separator: "/").reduce(into: folder) { parts, part in
      if part == ".." { _ = parts.popLast() } else { parts.append(String(part)) }
    }.joined(separator: "/")
  }

  @Test("no page loads anything from elsewhere or has script in its markup")
  func policy() throws {
    for (path, text) in try Self.site.get() where path.hasSuffix(".html") {
      #expect(text.contains("http-equiv=\"Content-Security-Policy\""), "\(path)")
      #expect(text.matches(of: #/(?:src|<link[^>]*href)="https?:/#).isEmpty, "\(path)")
      let scripts = text.matches(of: #/<script[^>]*>/#).map { String($0.0) }
      #expect(scripts.allSatisfy { $0.contains(" src=") || $0.contains("type=\"text/plain\"") }, "\(path)")
    }
  }

  /// The cells of a table's rows, as markup.
  private static func rows(of page: String) -> [[String]] {
    page.split(separator: "<tr>").filter { $0.contains("<td>") }.map { row in
      row.split(separator: "<td>").dropFirst(row.hasPrefix("<td>") ? 0 : 1).map { String($0) }
    }
  }

  /// The names of the pages of a folder that markup links to.
  private static func links(in markup: String, to folder: String) -> [String] {
    markup.matches(of: #/href="([^"]*)\.html"/#).map { String($0.1) }.filter { $0.contains("\(folder)/") }.map {
      String($0.split(separator: "/").last ?? "")
    }
  }

  @Test("each cell of the table of pinning libraries has the verdict and the rules of its run")
  func pins() throws {
    let content = try Self.content()
    let expected = try PinMatrix(of: content.releases, by: Self.player, content.reader).rows
    let rows = Self.rows(of: try #require(Self.site.get()["tables/pins.html"]))
    #expect(rows.count == expected.count)
    for (row, cells) in zip(expected, rows) {
      #expect(cells.count == row.cells.count + 1)
      for (cell, markup) in zip(row.cells, cells.dropFirst()) {
        let isAccepted = cell.verdict.word == .accepted
        #expect(markup.contains("connects") == isAccepted && markup.contains("✗") == !cell.isRight)
        let rules = isAccepted ? cell.ignored : cell.verdict.because
        #expect(Self.links(in: markup, to: "rules") == rules.map(\.id), "\(row.library) \(row.setting)")
      }
    }
  }

  @Test("the table of bugs has each bug with the scenarios that catch it")
  func bugs() throws {
    let rows = Self.rows(of: try #require(Self.site.get()["tables/bugs.html"]))
    #expect(rows.compactMap { Self.links(in: $0[0], to: "mutants").first } == Mutant.all.map(\.name))
    let caught = rows.flatMap { Self.links(in: $0[5], to: "scenarios") }
    #expect(caught == ["index"])
  }

  @Test("each numbered statement has a page, and the scenarios that it names link back to it")
  func statements() throws {
    let site = try Self.site.get()
    let seeds = SeedStatements(try #require(Self.content().documents[SeedStatements.document]))
    #expect(seeds.all.map(\.number) == (1...max(1, seeds.all.count)).map(String.init))
    #expect(seeds.all.flatMap(\.claims).allSatisfy { seeds.claims[$0] != nil })
    for statement in seeds.all {
      let page = try #require(site[statement.path])
      #expect(statement.documents.allSatisfy { seeds.documents[$0] != nil })
      for name in statement.scenarios {
        guard let scenario = site["scenarios/\(name)/index.html"] else { continue }
        #expect(page.contains("scenarios/\(name)/index.html"))
        #expect(Self.links(in: scenario, to: "seeds").contains(statement.number))
      }
    }
  }

  @Test("a violation that does not decide looks like advice")
  func advice() throws {
    let plan = SitePlan(try Self.content())
    for reference in plan.cases {
      let run = RunView(try Self.player.played(reference)).json()
      let counted = run["findings"].elements.filter { $0["outcome"].text == "violated" && $0["setAside"] == nil }
      let page = try #require(Self.site.get()[reference.path])
      let advice = counted.count { $0["weight"].text != "decides" }
      #expect(page.matches(of: #/class="reason advice"/#).count == advice, "\(reference.path)")
      #expect(page.matches(of: #/class="reason"/#).count == counted.count - advice, "\(reference.path)")
    }
  }

  @Test("a page of a case other than the main one says that the text is about the scenario")
  func difference() throws {
    let plan = SitePlan(try Self.content())
    for reference in plan.cases {
      let page = try #require(Self.site.get()[reference.path])
      #expect(page.contains("class=\"notice\"") == !reference.isMain, "\(reference.path)")
    }
  }

  @Test("the first use of each term of a lesson is a link, as a whole word only")
  func terms() {
    var links = Links()
    for term in ["client", "client key", "CA"] { links.add(term, path: "\(term.count).html", inText: false) }
    let html = Linker(links, path: "a.html").words(
      "Clients: a client key of a client. CAs, `os` and client.os; a CA.",
      terms: ["client", "CA", "client key", "none"])
    let expected: HTML = """
      Clients: a <a href="10.html">client key</a> of a <a href="6.html">client</a>. CAs, <code>os</code> and client.os; \
      a <a href="2.html">CA</a>.
      """
    #expect(html == expected)
  }

  @Test(
    "in a scenario file, keys and whole values are links, and in texts only names",
    arguments: [
      ("before: only before", ["before"]),
      ("before: >\n  only before `chain.expired`.\nclock: 1", ["before", "chain.expired", "clock"]),
      ("cases:\n  - name: only\n    with: { client.clock: 1 }", ["cases", "name", "with", "client", "clock"]),
      ("title: client # only chain.expired", ["title", "chain.expired"]), ("# client: only", []),
      ("server: { title: 'a, only', clock: only } # client", ["server", "title", "clock", "only"]),
      ("because: [chain.expired, only, \"only\"]", ["because", "chain.expired", "only"]),
      ("readings:\n  - \"only: before\"\n  - 'only'\nonly:", ["readings", "only"]),
      ("clock: only before", ["clock"]),
    ])
  func source(text: String, linked: [String]) {
    var links = Links()
    let words = [
      "only", "before", "client", "clock", "cases", "name", "with", "title", "server", "because", "readings",
    ]
    for word in words { links.add(word, path: "\(word).html", inText: false) }
    links.add("chain.expired", path: "chain.expired.html", inText: true)
    let html = ScenarioSource(text.split(separator: "\n").map(String.init), Linker(links, path: "a.html")).html.text
    #expect(html.matches(of: #/<a href="[^"]*">([^<]*)</#).map { String($0.1) } == linked)
    #expect(html.replacing(#/<[^>]*>/#, with: "") == HTML(escaping: text).text)
  }

  @Test("scenarios are in the order of the lessons")
  func order() throws {
    var content = try Self.content()
    let lessons = content.lessons.flatMap(\.scenarios)
    content.files.sort { $0.id > $1.id }
    let ids = SitePlan(content).content.files.map(\.id)
    #expect(ids == lessons.filter(ids.contains) && ids.count == content.files.count)
  }

  @Test("a disputed question has its readings and the one that is played")
  func dispute() throws {
    for reference in SitePlan(try Self.content()).cases {
      guard let dispute = reference.scenario.about.disputed, !dispute.question.isEmpty else { continue }
      let page = try #require(Self.site.get()[reference.path])
      let part = try #require(page.split(separator: "<div id=\"dispute\">").last?.split(separator: "</div>").first)
      #expect(part.matches(of: #/<li>/#).count == dispute.readings.count)
    }
  }

  @Test("the search finds scenarios by all their texts, and signalling values are no cipher suites")
  func index() throws {
    let site = try Self.site.get()
    let script = try #require(site["search-index.js"])
    let text = script.dropFirst("const trustlabIndex = ".count).dropLast(";\n".count)
    let entries = JSONValue?.some(try JSONValue(reading: Array(text.utf8))).elements.map { entry in
      JSONValue?.some(entry).elements.map { JSONValue?.some($0).text }
    }
    let scenario = try #require(entries.first { $0[1] == "L1-15" })
    for word in ["secrecy", "seeds", "stolen", "iOS"] { #expect(scenario[4].contains(word.lowercased()), "\(word)") }
    let signals = entries.filter { $0[1].hasSuffix("_SCSV") }
    #expect(signals.count == 2)
    for signal in signals {
      let kind = ExplainView.json(for: signal[1])?["explanations"].elements.first?["kind"].text
      #expect(signal[0] == kind && signal[0] != SearchEntry.Kind.suite.rawValue)
    }
  }

  @Test("a page of a case is small")
  func sizes() throws {
    for (path, text) in try Self.site.get() where path.hasPrefix("scenarios/") {
      // The data is compressed already; Base64 adds a third to it.
      #expect(text.utf8.count < 300_000, "\(path)")
    }
  }

  @Test("hostile names, titles and contents stay text")
  func hostile() throws {
    let hostile = "<img src=x onerror=\"hit()\"></script><script>hit()</script>"
    let quoted = "'\(hostile)'"
    let text = """
      title: \(quoted)
      before: \(quoted)
      after: \(quoted)
      server: { content: { GET /: \(quoted) } }
      cases: [{ name: \(quoted), with: { client.os: iOS 9 } }]
      """
    let reader = try ScenarioLibrary.curriculum().reader
    let file = try reader.read(Array(text.utf8), path: "<b>.yaml")
    let content = SiteContent(
      files: [file], lessons: [], documents: [:], systems: [], releases: [], reader: reader, assets: [])
    let site = try Self.files(of: content, jobs: 1)
    let pages = site.filter { $0.key.hasPrefix("scenarios/") }
    #expect(pages.count == 2)
    for (path, text) in pages {
      #expect(!path.contains("<") && !text.contains("<img") && !text.contains("<script>"), "\(path)")
      #expect(text.contains("&lt;img src=x onerror=&quot;hit()&quot;&gt;"))
    }
  }
}

@Suite("Documents as pages") struct MarkdownTests {
  private func html(_ text: String) -> String {
    Markdown(text) {
      $0.hasPrefix("no") ? nil : $0
    } name: {
      "<code>\($0)</code>"
    }.html.text
      .split(separator: "\n", omittingEmptySubsequences: true).joined(separator: "\n")
  }

  @Test(
    "blocks and text",
    arguments: [
      ("# A `b` c", "<h1 id=\"a-b-c\">A <code>b</code> c</h1>"),
      ("one\ntwo *three* **four**", "<p>one two <em>three</em> <strong>four</strong></p>"),
      ("[a](b.html) [c](none.md) ![d](e.svg)", "<p><a href=\"b.html\">a</a> c <img src=\"e.svg\" alt=\"d\"></p>"),
      ("- a\n- b\n  c", "<ul><li>a</li>\n<li>b c</li></ul>"),
      ("1. a\n   - b\n2. c", "<ol><li>a<ul><li>b</li></ul></li>\n<li>c</li></ol>"),
      ("```sh\na < b\n```", "<pre tabindex=\"0\"><code>a &lt; b</code></pre>"),
      ("<!-- a\nb -->\nc", "<p>c</p>"), ("a <b> & \\* `<i>`", "<p>a &lt;b&gt; &amp; * <code>&lt;i&gt;</code></p>"),
    ])
  func blocks(text: String, expected: String) { #expect(html(text) == expected) }

  @Test("a bar in code or behind a reverse solidus belongs to its cell")
  func table() {
    let table = html("| a | b |\n|---|---|\n| `c|d` | e \\| f |")
    #expect(table.contains("<th scope=\"col\">a</th><th scope=\"col\">b</th>"))
    #expect(table.contains("<td><code>c|d</code></td><td>e | f</td>"))
  }
}
