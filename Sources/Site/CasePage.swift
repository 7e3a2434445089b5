import Explanation
import Rendering
import Scenarios
import Simulator

/// A case with its place on the site.
struct CaseReference: Sendable {
  let file: ScenarioFile
  let scenario: Scenario
  let path: String

  var title: String { scenario.about.title.isEmpty ? scenario.id : scenario.about.title }
  /// Whether it is the file without changes.
  var isMain: Bool { scenario.caseName == Scenario.mainCase }
}

/// A played case, as other pages list it.
struct CaseSummary: Sendable {
  let reference: CaseReference
  let verdict: Verdict.Word
  /// The rules that decided.
  let because: [String]
  /// All violated rules, the deciding ones too.
  let violated: Set<String>
  /// The codes of the errors that the app sees.
  let errors: Set<String>
  /// The part of the front page that shows the case; nil for most cases.
  let front: HTML?
  /// Its verdict on each system of the table of systems; empty unless it is a main case.
  var systems: [SystemsPage.Cell] = []

  /// Summarises a run, whose page is `front` if it is the case of the front page.
  init(_ reference: CaseReference, _ result: CaseResult, front: CasePage?) {
    self.reference = reference
    self.front = front.map(FrontPage.part)
    verdict = result.outcome.verdict.word
    because = result.outcome.verdict.because.map(\.id)
    violated = Set(result.outcome.findings.filter { $0.outcome == .violated }.map(\.rule.id) + because)
    errors = Set(result.outcome.errors.map { String($0.code) })
  }
}

/// The page of a case: its words, its steps, its verdict and its data.
struct CasePage {
  let reference: CaseReference
  let run: JSONValue
  let questions: JSONValue
  let site: SitePlan

  /// The page of a played case.
  init(_ reference: CaseReference, _ result: CaseResult, _ player: ScenarioPlayer, site: SitePlan) {
    self.reference = reference
    self.site = site
    run = RunView(result, cases: reference.file.cases.map(\.caseName)).json()
    questions = PredictionQuestions.json(about: reference, player)
  }

  private var scenario: Scenario { reference.scenario }
  private var linker: Linker { Linker(site.links, path: reference.path) }

  var page: Page {
    Page(
      path: reference.path, title: scenario.name + ": " + reference.title,
      body: """
        \(head)
        \(Self.player)
        \(data)
        \(Self.transcript(run, linker))
        \(Self.verdict(run, linker))
        \(afterwards)
        \(others)
        \(statements)
        \(source)
        \(neighbours)
        """, scripts: ["player.js"])
  }

  /// The run as data, with the pages that it refers to.
  var data: HTML {
    RunData.element(["run": RunData.brief(run), "links": site.links.pages(in: run), "questions": questions])
  }

  /// The element that the player fills.
  static let player: HTML = """
    <section id="player" aria-label="Player"><noscript><p>Without JavaScript, open the list of steps below.</p></noscript>\
    </section>
    """

  private var head: HTML {
    let lesson = site.lessonPath(ofScenario: scenario.id).map { linker.link($0.path, HTML(escaping: $0.title)) + " › " }
    return """
      <p class="crumbs">\(lesson ?? "")\(scenario.id)</p>
      <h1>\(reference.title)</h1>
      <p class="facts"><span>case: <b>\(scenario.caseName)</b></span> \(changes) \
      <span>system: <b>\(run["os"].text)</b></span> <span>clock: <b>\(run["clock"].text)</b></span></p>
      \(notice)
      \(paragraphs(scenario.about.before))
      """
  }

  /// The main case of the scenario; nil on its own page.
  private var main: CaseReference? { reference.isMain ? nil : site.reference(named: scenario.id) }

  private var changes: HTML {
    let differences = main.map(differences) ?? ""
    return differences == "" ? "" : "<span>changes: \(differences)</span>"
  }

  /// A remark on the text, which the cases of a scenario share.
  private var notice: HTML {
    guard let main else { return "" }
    return """
      <p class="notice">This page is about one case of the scenario \(linker.link(main.path, "<b>\(main.title)</b>")). \
      \(scenario.about.before == nil ? "" : "The text below is about the scenario.")</p>
      """
  }

  /// The words of the scenario language in which the case differs from another.
  private func differences(from other: CaseReference) -> HTML {
    scenario.differences(from: other.scenario).html(separator: ", ") { "<code>\($0)</code>" }
  }

  private func paragraphs(_ words: String?) -> HTML {
    guard let words, !words.isEmpty else { return "" }
    let lesson = site.content.lessons.lesson(of: scenario.id)
    return "<p>\(linker.words(words, terms: lesson?.introduces ?? []))</p>"
  }

  static func transcript(_ run: JSONValue, _ linker: Linker) -> HTML {
    """
    <details id="transcript"><summary><h2>All steps as text</h2></summary>
    <ol>
    \(run["steps"].elements.html { step in
      """
      <li><b>\(actors(step))</b> \(step["title"].text)\
      \(step["narration"].text.isEmpty ? "" : "<br><span class=\"dim\">\(step["narration"].text)</span>")</li>
      """
    })
    </ol></details>
    """
  }

  private static func actors(_ step: JSONValue) -> String {
    let (from, to) = (step["from"].text, step["to"].text)
    return to.isEmpty || step["interference"] != nil ? from : "\(from) → \(to)"
  }

  static func verdict(_ run: JSONValue, _ linker: Linker) -> HTML {
    let word = run["verdict"].text
    let layer = run["layer"].text
    let errors = run["errors"].elements
    return """
      <section id="verdict"><h2>Verdict: \(mark(of: word)) \(word)\(layer.isEmpty ? "" : " (layer \(layer))")</h2>
      \(reasons(run, linker))
      \(errors.isEmpty ? "" : "<h3>Errors that the app sees</h3>\n<ul>\(errors.html { error($0, linker) })</ul>")
      </section>
      """
  }

  private static func error(_ error: JSONValue, _ linker: Linker) -> HTML {
    let code = error["code"].text
    return "<li>\(error["domain"].text) \(linker.name(code)) \(error["name"].text)</li>"
  }

  /// The glyph of a verdict, in its colour.
  static func mark(of verdict: String) -> HTML {
    switch verdict {
    case "accepted": "<span class=\"good\" aria-hidden=\"true\">✓</span>"
    case "refused": "<span class=\"bad\" aria-hidden=\"true\">✗</span>"
    default: "<span class=\"warning\" aria-hidden=\"true\">…</span>"
    }
  }

  /// Every violated finding that the verdict counts: the rule, the values and the fix.
  private static func reasons(_ run: JSONValue, _ linker: Linker) -> HTML {
    let rules = run["rules"].elements
    let violated = run["findings"].elements.filter { $0["outcome"].text == "violated" && $0["setAside"] == nil }
    guard !violated.isEmpty else { return "<p>No rule is violated.</p>" }
    let isDeciding = { (finding: JSONValue) in finding["weight"].text == "decides" }
    return (violated.filter(isDeciding) + violated.filter { !isDeciding($0) }).html { finding in
      guard case .integer(let index)? = finding["rule"], rules.indices.contains(index) else { return "" }
      return reason(finding, rules[index], linker)
    }
  }

  private static func reason(_ finding: JSONValue, _ rule: JSONValue, _ linker: Linker) -> HTML {
    let facts: [(String, HTML)] = [
      ("statement", linker.text(rule["statement"].text)), ("subject", HTML(escaping: finding["subject"].text)),
      ("required", linker.text(finding["required"].text)), ("found", linker.text(finding["found"].text)),
      ("source", linker.text(rule["clause"].text)), ("fix", linker.text(rule["fix"].text)),
    ]
    let decides = finding["weight"].text == "decides"
    let mark: HTML = decides ? "<span class=\"bad\" aria-hidden=\"true\">✗</span>" : "<span class=\"warning\">!</span>"
    return """
      <article class="reason\(decides ? "" : " advice")"><h3>\(mark) \(linker.name(rule["id"].text)) \
      <span class="dim">\(finding["weight"].text)</span></h3>
      \(Markup.facts(facts))</article>
      """
  }

  private var afterwards: HTML {
    let words = paragraphs(scenario.about.after)
    if words == "", scenario.about.disputed == nil { return "" }
    return """
      <section id="after"><h2>Afterwards</h2>
      \(scenario.about.disputed.map(dispute) ?? "")\(words)
      <p class="dim">Sources: \(scenario.about.sources.joined(separator: ", "))</p></section>
      """
  }

  /// A claim on which sources disagree: the question, the reading of each source, and the reading that is played.
  private func dispute(_ dispute: Scenario.Dispute) -> HTML {
    guard !dispute.question.isEmpty else { return "<p><b>Disputed:</b> \(linker.text(dispute.chosen))</p>" }
    return """
      <div id="dispute"><p><b>Disputed:</b> \(linker.text(dispute.question))</p>
      <ul>\(dispute.readings.html { "<li>\(linker.text($0))</li>" })</ul>
      <p><b>Played here:</b> \(linker.text(dispute.chosen))</p></div>
      """
  }

  private var others: HTML {
    let cases = reference.file.cases.compactMap { site.reference(named: $0.name) }
    return """
      <section id="cases" data-path="\(reference.path)"><h2>Cases of this scenario</h2>\(sibling)
      <ul class="cases">\(cases.html { other in
        let word = other.scenario.expectedWord
        let name: HTML = "\(Self.mark(of: word)) \(other.scenario.caseName)"
        let isThis = other.path == reference.path
        return """
          <li>\(isThis ? "<b aria-current=\"page\">\(name)</b>" : linker.link(other.path, name)) \
          <span class="dim">\(word)</span></li>
          """
      })</ul></section>
      """
  }

  private var sibling: HTML {
    guard let sibling = site.sibling(of: reference) else { return "" }
    let differences = self.differences(from: sibling)
    return """
      <p>The accepted sibling is \(linker.link(sibling.path, HTML(escaping: sibling.scenario.name))). \
      \(differences == "" ? "" : "It differs in \(differences). ")\
      \(linker.link("compare.html?left=\(reference.path)&right=\(sibling.path)", "Compare the two runs"))</p>
      """
  }

  private var statements: HTML {
    let shown = site.seeds.shown(by: scenario.name)
    guard !shown.isEmpty else { return "" }
    return """
      <section id="statements"><h2>Statements that it checks</h2>
      <ul>\(shown.html { "<li>\(linker.link($0.path, "Statement \($0.number)")) \($0.plain)</li>" })</ul></section>
      """
  }

  private var source: HTML {
    guard reference.isMain else {
      let main = site.reference(named: scenario.id).map { linker.link($0.path + "#file", "The scenario file") }
      return main.map { "<p>\($0) has all cases.</p>" } ?? ""
    }
    let change = linker.link(WorkbenchPage.scenario.path + "?scenario=\(scenario.id)", "Change the scenario")
    return """
      <details id="file"><summary><h2>The scenario file</h2></summary>
      <p>Each linked word has a page that explains it. \(site.links.hasEngine ? change : "")</p>
      <pre tabindex="0">\(ScenarioSource(reference.file.lines, linker).html)</pre></details>
      """
  }

  private var neighbours: HTML {
    let (previous, next) = site.neighbours(ofScenario: scenario.id)
    let back = previous.map { linker.link($0.path, "‹ \($0.scenario.id) \($0.title)") } ?? ""
    let onward = next.map { linker.link($0.path, "\($0.scenario.id) \($0.title) ›") } ?? ""
    return "<nav class=\"neighbours\" aria-label=\"Lesson\"><span>\(back)</span><span>\(onward)</span></nav>"
  }
}

extension Links {
  /// The pages about the names that a run mentions, apart from rules, whose pages are named by their ids.
  func pages(in run: JSONValue) -> JSONValue {
    let values = run["values"].elements.map { $0["name"].text }
    let names = values + [run["cipherSuite"].text, run["trustResult"].text]
    let connections = run["connections"].elements.map { $0["name"].text + "." }
    let found = Set(names).sorted().compactMap { name in
      // A value's name may begin with that of its connection.
      let prefix = connections.first(where: name.hasPrefix) ?? ""
      return path(of: String(name.dropFirst(prefix.count))).map { JSONValue.Member(name, .string($0)) }
    }
    return .object(found)
  }
}

extension Scenario {
  /// The verdict that the case expects.
  var expectedWord: String { expectation?.expectedVerdict.rawValue ?? Verdict.Word.accepted.rawValue }
}

extension JSONValue? {
  /// A string or a number as text; empty for anything else.
  var text: String {
    switch self {
    case .string(let text)?: text
    case .integer(let number)?: String(number)
    default: ""
    }
  }

  /// The elements of an array; empty for anything else.
  var elements: [JSONValue] {
    guard case .array(let elements)? = self else { return [] }
    return elements
  }
}
