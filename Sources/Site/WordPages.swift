import Explanation
import Rendering
import Scenarios

/// A word that has a page: a rule, a key, an error, a term and so on.
struct WordReference: Sendable {
  let entry: SearchEntry
  let path: String

  /// Whether running text links it: names of rules, keys, suites and interfaces are no ordinary words.
  var isInText: Bool {
    switch entry.kind {
    case .rule, .key, .error, .trustResult, .suite: true
    case .interface: entry.name.dropFirst().contains(where: \.isUppercase)
    default: false
    }
  }

  /// The kind as readers see it. A signalling value is registered as a cipher suite, but is none.
  var kind: String { signal?["kind"].text ?? entry.kind.rawValue }

  /// The text next to the name in lists.
  var summary: String { signal.map { "\($0["code point"].text), \($0["says"].text)" } ?? entry.summary }

  /// The explanation of a signalling cipher suite value; nil for any other word.
  private var signal: JSONValue? {
    guard entry.kind == .suite, entry.name.hasSuffix("_SCSV") else { return nil }
    return ExplainView.json(for: entry.name)?["explanations"].elements.first
  }

  /// The kinds in the order of the site, each with its folder and its title.
  static let kinds: [(kind: SearchEntry.Kind, folder: String, title: String)] = [
    (.rule, "rules", "Rules"), (.key, "keys", "ATS keys"), (.error, "errors", "Error codes"),
    (.trustResult, "trust-results", "Trust results"), (.term, "terms", "Terms"),
    (.mutant, "mutants", "Historical bugs"),
    (.interface, "interfaces", "API names"), (.value, "values", "Values of a connection"),
    (.word, "language", "Words of the scenario language"), (.alert, "alerts", "Alerts"),
    (.suite, "suites", "Cipher suites"),
  ]

  /// Every word that `explain` knows.
  static let all: [WordReference] = kinds.flatMap { kind, folder, _ in
    var names = FileNames()
    _ = names.take("index")
    var seen: Set<String> = []
    return SearchIndex.tables.filter { $0.kind == kind && seen.insert($0.name).inserted }.map {
      WordReference(entry: $0, path: "\(folder)/\(names.take($0.name)).html")
    }
  }
}

/// A page for every word, a list of each kind, and a list of the kinds.
struct WordPages {
  let site: SitePlan
  let cases: [CaseSummary]

  var plans: [PagePlan] {
    [PagePlan("words.html") { overview }]
      + WordReference.kinds.map { kind in
        PagePlan("\(kind.folder)/index.html") { list(kind.kind, kind.folder, kind.title) }
      } + site.words.map { word in PagePlan(word.path) { page(word) } }
  }

  private var overview: Page {
    let linker = Linker(site.links, path: "words.html")
    return Page(
      path: "words.html", title: "Words",
      body: """
        <h1>Words</h1>
        <ul class="cards">\(WordReference.kinds.html { kind, folder, title in
          let count = site.words.count { $0.entry.kind == kind }
          return "<li>\(linker.link("\(folder)/index.html", "<b>\(title)</b>")) \(count)</li>"
        })</ul>
        """)
  }

  private func list(_ kind: SearchEntry.Kind, _ folder: String, _ title: String) -> Page {
    let path = "\(folder)/index.html"
    let linker = Linker(site.links, path: path)
    let rows = site.words.filter { $0.entry.kind == kind }.map { word -> [HTML] in
      [linker.link(word.path, "<code>\(word.entry.name)</code>"), HTML(escaping: word.summary)]
    }
    return Page(
      path: path, title: title,
      body: "<h1>\(title)</h1>\n\(Markup.table(["name", "meaning"], rows, label: title))")
  }

  private func page(_ word: WordReference) -> Page {
    let linker = Linker(site.links, path: word.path)
    let kind = WordReference.kinds.first { $0.kind == word.entry.kind }
    let explanations = ExplainView.json(for: word.entry.name)?["explanations"].elements ?? []
    return Page(
      path: word.path, title: word.entry.name,
      body: """
        <p class="crumbs">\(kind.map { linker.link("\($0.folder)/index.html", HTML(escaping: $0.title)) } ?? "")</p>
        <h1>\(word.entry.name)</h1>
        \(explanations.html { explanation($0, linker) })
        \(examples(of: word, linker))
        """)
  }

  private func explanation(_ explanation: JSONValue, _ linker: Linker) -> HTML {
    let facts = (explanation.members ?? []).filter { !["kind", "word"].contains($0.name) }.map { member in
      let value: JSONValue? = member.value
      let texts = value.elements.isEmpty ? [value.text] : value.elements.map { JSONValue?.some($0).text }
      return (member.name, texts.html(separator: "<br>") { linker.text($0) })
    }
    return "<p class=\"dim\">\(explanation["kind"].text)</p>\n\(Markup.facts(facts))"
  }

  /// The cases that violate the rule, surface the error, use the key or catch the bug.
  private func examples(of word: WordReference, _ linker: Linker) -> HTML {
    let name = word.entry.name
    switch word.entry.kind {
    case .rule:
      return section("Cases in which it decides", cases.filter { $0.because.contains(name) }, linker)
        + section(
          "Cases that violate it without effect",
          cases.filter { $0.violated.contains(name) && !$0.because.contains(name) }, linker)
    case .error: return section("Cases in which the app sees it", cases.filter { $0.errors.contains(name) }, linker)
    case .key, .trustResult:
      return section("Cases that use it", cases.filter { $0.reference.scenario.exercises(name) }, linker)
    case .mutant:
      return section("Cases that catch it", cases.filter { $0.reference.scenario.about.kills.contains(name) }, linker)
    default: return ""
    }
  }

  private func section(_ title: String, _ cases: [CaseSummary], _ linker: Linker) -> HTML {
    cases.isEmpty ? "" : "<section><h2>\(title): \(cases.count)</h2>\n\(CaseList.html(cases, linker))</section>"
  }
}
