import Learning
import Scenarios

/// The front page, the curriculum, its lessons, the comparison of two runs, and the search.
struct CurriculumPages {
  let site: SitePlan
  let cases: [CaseSummary]

  var plans: [PagePlan] {
    [
      PagePlan("index.html") { front }, PagePlan("curriculum.html") { curriculum },
      PagePlan("compare.html") { compare }, PagePlan("search.html") { search },
    ] + site.content.lessons.map { lesson in PagePlan(SitePlan.path(of: lesson)) { page(of: lesson) } }
  }

  private var front: Page {
    let linker = Linker(site.links, path: "index.html")
    return Page(
      path: "index.html", title: "TrustLab",
      body: """
        <h1>Trust, step by step</h1>
        <p>TrustLab plays TLS connections and explains why a client accepts or refuses them. Each run is computed: \
        every byte, every rule and every attack. Press <kbd>→</kbd> to take the next step.</p>
        \(cases.compactMap(\.front).joined())
        <section><h2>Continue</h2><ul class="cards">
        <li>\(linker.link("curriculum.html", "<b>Curriculum</b>")) \(site.content.files.count) scenarios with \
        \(cases.count) cases, in \(site.content.lessons.count) lessons</li>
        <li>\(linker.link("rules/index.html", "<b>Rules</b>")) what must be true of a connection, and each fix</li>
        <li>\(linker.link("words.html", "<b>Words</b>")) ATS keys, error codes, terms, historical bugs</li>
        \(tables(linker))
        <li>\(linker.link("compare.html", "<b>Compare</b>")) two runs side by side</li>
        \(statements(linker))
        <li>\(linker.link("docs/index.html", "<b>Documents</b>")) guides and references</li>
        <li>\(linker.link("search.html", "<b>Search</b>")) all of it</li>
        </ul></section>
        \(lessonList(linker))
        """, scripts: ["player.js"])
  }

  private func tables(_ linker: Linker) -> HTML {
    "<li>\(linker.link(TablesPage.path, "<b>Tables</b>")) systems, pinning libraries, historical bugs</li>"
  }

  private func statements(_ linker: Linker) -> HTML {
    let count = site.seeds.all.count
    return count == 0
      ? "" : "<li>\(linker.link(SeedPages.index, "<b>Statements</b>")) \(count) statements of the five documents</li>"
  }

  private func lessonList(_ linker: Linker) -> HTML {
    """
    <section><h2>Lessons</h2><ol class="lessons">
    \(site.content.lessons.html { lesson in
      """
      <li>\(linker.link(SitePlan.path(of: lesson), "<b>\(lesson.id)</b> \(lesson.title)")) \
      <span class="dim">\(lesson.goal)</span></li>
      """
    })
    </ol></section>
    """
  }

  private var curriculum: Page {
    let linker = Linker(site.links, path: "curriculum.html")
    let taught = Set(site.content.lessons.flatMap(\.scenarios))
    let rest = site.content.files.filter { !taught.contains($0.id) }
    return Page(
      path: "curriculum.html", title: "Curriculum",
      body: """
        <h1>Curriculum</h1>
        <ul class="cards">\(tables(linker))\(statements(linker))</ul>
        \(site.content.lessons.html { lesson in
          """
          <section><h2>\(linker.link(SitePlan.path(of: lesson), "\(lesson.id) \(lesson.title)"))</h2>
          <p>\(lesson.goal)</p>
          <ul>\(files(of: lesson).html { file in item(file, linker) })</ul></section>
          """
        })
        \(rest.isEmpty ? "" : "<section><h2>Other scenarios</h2><ul>\(rest.html { item($0, linker) })</ul></section>")
        """)
  }

  private func files(of lesson: Lesson) -> [ScenarioFile] {
    lesson.scenarios.compactMap { site.reference(named: $0)?.file }
  }

  private func item(_ file: ScenarioFile, _ linker: Linker) -> HTML {
    let title = file.cases.first?.about.title ?? ""
    let count = file.cases.count == 1 ? "1 case" : "\(file.cases.count) cases"
    return "<li>\(linker.linked(file.id, "<b>\(file.id)</b> \(title)")) <span class=\"dim\">\(count)</span></li>"
  }

  private func page(of lesson: Lesson) -> Page {
    let linker = Linker(site.links, path: SitePlan.path(of: lesson))
    let facts: [(String, HTML)] = [
      ("goal", HTML(escaping: lesson.goal)), ("time", "\(lesson.minutes) minutes"),
      ("after", lesson.prerequisites.map(linker.name).joined(separator: " ")),
      ("terms", lesson.introduces.map { linker.linked($0, HTML(escaping: $0)) }.joined(separator: ", ")),
      ("SEED labs", HTML(escaping: lesson.labs.joined(separator: "; "))),
    ]
    return Page(
      path: SitePlan.path(of: lesson), title: "\(lesson.id) \(lesson.title)",
      body: """
        <p class="crumbs">\(linker.link("curriculum.html", "Curriculum"))</p>
        <h1>\(lesson.id) \(lesson.title)</h1>
        <p>\(linker.words(lesson.about, terms: lesson.introduces))</p>
        \(Markup.facts(facts))
        \(files(of: lesson).html { file in
          """
          <section><h2>\(linker.linked(file.id, "\(file.id) \(file.cases.first?.about.title ?? "")"))</h2>
          \(CaseList.html(cases.filter { $0.reference.file.id == file.id }, linker, isOfOneFile: true))</section>
          """
        })
        """)
  }

  private var compare: Page {
    Page(
      path: "compare.html", title: "Compare two runs",
      body: """
        <h1>Compare two runs</h1>
        <p>Choose two cases. The diagrams appear side by side, and the first step that differs is marked.</p>
        <form id="compare" class="fields">
        <label>Left <input name="left" list="case-names" autocomplete="off"></label>
        <label>Right <input name="right" list="case-names" autocomplete="off"></label>
        <datalist id="case-names"></datalist>
        <button>Compare</button>
        </form>
        <p id="compare-status" role="status"></p>
        <div id="compare-result"></div>
        <noscript><p>Comparing needs JavaScript.</p></noscript>
        """, scripts: ["cases.js", "player.js"])
  }

  private var search: Page {
    Page(
      path: "search.html", title: "Search",
      body: """
        <h1>Search</h1>
        <form id="search" class="fields" role="search">
        <label>Words <input name="words" type="search" autocomplete="off"></label>
        </form>
        <p id="search-status" role="status"></p>
        <ol id="search-result"></ol>
        <noscript><p>Searching needs JavaScript.</p></noscript>
        """, scripts: ["search-index.js", "search.js"])
  }
}

/// The part of the front page that shows a case.
enum FrontPage {
  static func part(of page: CasePage) -> HTML {
    let linker = Linker(page.site.links, path: "index.html")
    let reference = page.reference
    return """
      <section><h2>\(linker.link(reference.path, "\(reference.scenario.id): \(reference.title)"))</h2>
      \(CasePage.player)
      \(page.data)
      \(CasePage.transcript(page.run, linker))</section>
      """
  }
}

/// Cases with their verdicts.
enum CaseList {
  /// Cases by their whole names, or by their own if all are of one file.
  static func html(_ cases: [CaseSummary], _ linker: Linker, isOfOneFile: Bool = false) -> HTML {
    """
    <ul class="cases">
    \(cases.html { item in
      """
      <li>\(CasePage.mark(of: item.verdict.rawValue)) \
      \(linker.link(item.reference.path, name(of: item.reference.scenario, isOfOneFile))) \
      <span class="dim">\(item.verdict.rawValue)</span> \(item.because.map(linker.name).joined(separator: ", "))</li>
      """
    })
    </ul>
    """
  }

  private static func name(of scenario: Scenario, _ isOfOneFile: Bool) -> HTML {
    HTML(escaping: isOfOneFile ? scenario.caseName : scenario.name)
  }
}
