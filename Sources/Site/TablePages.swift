import Rendering
import Scenarios

/// A list of the tables.
struct TablesPage {
  let site: SitePlan

  static let path = "tables/index.html"
  /// The pages that it lists.
  static let tables: [(path: String, title: String, about: String)] = [
    (SystemsPage.path, "Systems", "the same connection on old and new systems"),
    (PinsPage.path, "Pinning libraries", "the attackers that each setting of a library accepts"),
    (BugsPage.path, "Historical bugs", "affected versions, and the scenarios that catch each bug"),
  ]

  var plan: PagePlan {
    PagePlan(Self.path) {
      let linker = Linker(site.links, path: Self.path)
      return Page(
        path: Self.path, title: "Tables",
        body: """
          <h1>Tables</h1>
          <ul class="cards">\(Self.tables.html { path, title, about in
            "<li>\(linker.link(path, "<b>\(title)</b>")) \(about)</li>"
          })</ul>
          """)
    }
  }
}

/// The attackers that each setting of a pinning library accepts.
struct PinsPage {
  let site: SitePlan
  let rows: [PinMatrix.Row]

  static let path = "tables/pins.html"
  /// The name by which commands in documents refer to the page.
  static let name = "matrix pins"

  /// Plays every setting of the releases against every attacker.
  static func rows(_ content: SiteContent, jobs: Int, _ player: ScenarioPlayer) throws -> [PinMatrix.Row] {
    try ParallelMap.results(of: content.releases, jobs: jobs) { release in
      Result { try PinMatrix(of: [release], by: player, content.reader).rows }
    }.flatMap { try $0.get() }
  }

  var plan: PagePlan { PagePlan(Self.path) { page } }

  private var page: Page {
    let linker = Linker(site.links, path: Self.path)
    let releases = rows.reduce(into: [String]()) { if $0.last != $1.library { $0.append($1.library) } }
    return Page(
      path: Self.path, title: "Pinning libraries",
      body: """
        <h1>Pinning libraries</h1>
        <p>Each cell is one connection that TrustLab plays. App Transport Security is lifted, so only the library \
        decides. Settings that are not listed have the release's default. A result is wrong if the server itself is \
        refused, or if an attacker connects. Pins do not protect against a stolen key.</p>
        <h2>The attackers</h2>
        \(Markup.facts(PinMatrix.attackers.map { ($0.name, HTML(escaping: $0.meaning)) }))
        \(releases.html { section($0, linker) })
        """)
  }

  private func section(_ release: String, _ linker: Linker) -> HTML {
    let library = String(release.prefix { $0 != " " })
    return """
      <section><h2>\(linker.linked(library, HTML(escaping: release)))</h2>
      \(PinMatrixView.note(on: release).map { "<p>\($0)</p>" } ?? "")
      \(Markup.table(
        ["setting"] + PinMatrix.attackers.map { HTML(escaping: $0.name) },
        rows.filter { $0.library == release }.map { row in
          ["<b>\(row.setting)</b><br><code class=\"small\">\(row.words)</code>"] + row.cells.map { cell($0, linker) }
        }, label: release))</section>
      """
  }

  /// The result in words, and the rules behind it: those that refused, or those that are violated without effect.
  private func cell(_ cell: PinMatrix.Cell, _ linker: Linker) -> HTML {
    let connects = cell.verdict.word == .accepted
    let style: HTML = cell.isRight ? "good" : "bad"
    let result: HTML = """
      <span class="\(style)"><span aria-hidden="true">\(connects ? "●" : "–")</span> \
      \(connects ? "connects" : cell.verdict.word.rawValue)\(cell.isRight ? "" : " <b class=\"whole\">✗ wrong</b>")</span>
      """
    let rules = (connects ? cell.ignored : cell.verdict.because).html(separator: "<br>") { linker.name($0.id) }
    return rules == "" ? result : "\(result)<br><span class=\"small\">\(connects ? "ignores<br>" : "")\(rules)</span>"
  }
}

/// The historical bugs, with the scenarios that catch each one.
struct BugsPage {
  let site: SitePlan

  static let path = "tables/bugs.html"

  var plan: PagePlan { PagePlan(Self.path) { page } }

  private var page: Page {
    let linker = Linker(site.links, path: Self.path)
    return Page(
      path: Self.path, title: "Historical bugs",
      body: """
        <h1>Historical bugs</h1>
        <p>A scenario can give each of these bugs to its client, server or app. A scenario catches a bug if the bug \
        changes the result of one of its cases.</p>
        \(Markup.table(
          ["bug", "party", "affected versions", "date", "source", "caught by"],
          Mutant.all.map { row($0, linker) }, label: "Historical bugs"))
        """)
  }

  private func row(_ mutant: Mutant, _ linker: Linker) -> [HTML] {
    let files = site.content.files.filter { $0.cases.contains { $0.about.kills.contains(mutant.name) } }
    let scenarios = files.html(separator: "<br>") { linker.linked($0.id, HTML(escaping: $0.id)) }
    return [
      "\(linker.name(mutant.name))<br>\(mutant.meaning)", HTML(escaping: mutant.placeText),
      HTML(escaping: mutant.affected ?? "–"), "<span class=\"whole\">\(mutant.date ?? "–")</span>",
      HTML(escaping: mutant.source), files.isEmpty ? "–" : "<span class=\"whole\">\(scenarios)</span>",
    ]
  }
}
