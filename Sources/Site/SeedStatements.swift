import Scenarios

/// A numbered statement of the five documents that the lessons began with.
struct SeedStatement: Sendable {
  let number: String
  /// The statement in Markdown, without the marks of claims.
  let text: String
  /// The heading above the statement's table.
  let section: String
  /// The keys of the documents that make the statement: `000`. No document makes some of them.
  let documents: [String]
  /// The commands that show it, in Markdown.
  let commands: String
  /// The numbers of the claims that correct it.
  let claims: [String]

  var path: String { "\(SeedStatements.folder)/\(number).html" }

  /// The statement without markup.
  var plain: String { text.filter { $0 != "`" && $0 != "\\" } }

  /// The scenarios that the commands play.
  var scenarios: [String] {
    commands.split(separator: "`").compactMap { command in
      let words = command.split(separator: " ")
      return words.count > 1 && ["run", "repl"].contains(words[0]) ? String(words[1]) : nil
    }
  }

  fileprivate init?(_ cells: [String], section: String) {
    guard cells.count == 4, !cells[0].isEmpty, cells[0].allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
    number = cells[0]
    claims = cells[1].matches(of: #/\*\(claim (\d+)\)\*/#).map { String($0.1) }
    text = cells[1].replacing(#/ *\*\(claim \d+\)\*/#, with: "")
    documents = cells[2].split(separator: ",").map(\.trimmed).filter { $0.allSatisfy(\.isNumber) }
    commands = cells[3]
    self.section = section
  }
}

/// The statements in the document `docs/seeds.md`, with the claims that correct some of them.
struct SeedStatements: Sendable {
  /// The statements in the order of the document.
  let all: [SeedStatement]
  /// The title of the document.
  let title: String
  /// The title of each of the five documents by its key: `000`.
  let documents: [String: String]
  /// The rows of the table of claims by their numbers.
  let claims: [String: [String]]
  /// The names of the columns of that table.
  let claimColumns: [String]
  private let byScenario: [String: [SeedStatement]]

  static let folder = "seeds"
  static let document = "docs/seeds.md"

  init(_ text: String) {
    let tables = Markdown.tables(of: text)
    func rows(_ column: String) -> [[String]] { tables.filter { $0.header.first == column }.flatMap(\.rows) }
    all = tables.filter { $0.header.first == "no." }.flatMap { table in
      table.rows.compactMap { SeedStatement($0, section: table.heading) }
    }
    title = Markdown.headings(of: text).first?.title ?? ""
    let keys = rows("key").filter { $0.count > 1 }
    documents = Dictionary(keys.map { (String($0[0].filter(\.isNumber)), $0[1]) }) { first, _ in first }
    claimColumns = tables.first { $0.header.first == "claim" }?.header ?? []
    claims = Dictionary(rows("claim").map { ($0[0], $0) }) { first, _ in first }
    byScenario = all.reduce(into: [:]) { map, statement in
      for name in Set(statement.scenarios) { map[name, default: []].append(statement) }
    }
  }

  /// The statements that a scenario or a case shows.
  func shown(by scenario: String) -> [SeedStatement] { byScenario[scenario] ?? [] }
}

/// A page for every statement, and a list of them.
struct SeedPages {
  let site: SitePlan

  private var seeds: SeedStatements { site.seeds }
  static let index = "\(SeedStatements.folder)/index.html"

  var plans: [PagePlan] {
    guard !seeds.all.isEmpty else { return [] }
    return [PagePlan(Self.index) { list }] + seeds.all.map { statement in PagePlan(statement.path) { page(statement) } }
  }

  private var list: Page {
    let linker = Linker(site.links, path: Self.index)
    let sections = seeds.all.reduce(into: [String]()) { if $0.last != $1.section { $0.append($1.section) } }
    return Page(
      path: Self.index, title: "Statements",
      body: """
        <h1>Statements</h1>
        <p>The lessons began with five documents for iOS developers. This page lists their statements, and the scenarios \
        that show whether each one holds. The mark \(Self.claimMark) links to a correction. \
        \(linker.link(DocumentPages.path(of: SeedStatements.document), HTML(escaping: seeds.title))) has all tables.</p>
        \(sections.html { section in
          let rows = seeds.all.filter { $0.section == section }
          return """
            <section><h2>\(section)</h2>
            \(Markup.table(
              ["no.", "statement", "shown by"], rows.map { row($0, linker) }, label: section))</section>
            """
        })
        """)
  }

  private static let claimMark: HTML = "<span class=\"warning whole\">! claim</span>"

  private func row(_ statement: SeedStatement, _ linker: Linker) -> [HTML] {
    let claims = statement.claims.html(separator: "") {
      " \(linker.link(statement.path, Self.claimMark + " " + HTML(escaping: $0)))"
    }
    return [
      linker.link(statement.path, HTML(escaping: statement.number)),
      Self.text(statement.text, linker) + claims, Self.text(statement.commands, linker),
    ]
  }

  private func page(_ statement: SeedStatement) -> Page {
    let linker = Linker(site.links, path: statement.path)
    let documents = statement.documents.html(separator: "<br>") { "seed \($0): \(seeds.documents[$0] ?? "")" }
    let table = DocumentPages.path(of: SeedStatements.document)
    return Page(
      path: statement.path, title: "Statement \(statement.number)",
      body: """
        <p class="crumbs">\(linker.link(Self.index, "Statements")) › \(statement.section)</p>
        <h1>Statement \(statement.number)</h1>
        <blockquote>\(Self.text(statement.text, linker))</blockquote>
        \(Markup.facts([
          ("document", documents), ("shown by", Self.text(statement.commands, linker)),
          ("table", linker.link(table, HTML(escaping: seeds.title))),
        ]))
        \(statement.claims.compactMap { seeds.claims[$0] }.html { claim($0, linker) })
        \(scenarios(of: statement, linker))
        \(neighbours(of: statement, linker))
        """)
  }

  /// A correction: the row of the table of claims.
  private func claim(_ cells: [String], _ linker: Linker) -> HTML {
    let facts = zip(seeds.claimColumns, cells).dropFirst().map { (key: $0, value: Self.text($1, linker)) }
    return """
      <article class="reason advice"><h2>\(Self.claimMark) \(cells[0])</h2>
      <p>The statement is wrong, half true or out of date, or the documents contradict each other.</p>
      \(Markup.facts(facts))</article>
      """
  }

  private func scenarios(of statement: SeedStatement, _ linker: Linker) -> HTML {
    let references = statement.scenarios.compactMap(site.reference(named:))
    guard !references.isEmpty else { return "" }
    return """
      <section><h2>Scenarios</h2><ul class="cases">
      \(references.html { reference in
        let word = reference.scenario.expectedWord
        let name: HTML = "<b>\(reference.scenario.name)</b> \(reference.title)"
        return "<li>\(CasePage.mark(of: word)) \(linker.link(reference.path, name)) <span class=\"dim\">\(word)</span></li>"
      })
      </ul></section>
      """
  }

  private func neighbours(of statement: SeedStatement, _ linker: Linker) -> HTML {
    let place = seeds.all.firstIndex { $0.number == statement.number } ?? 0
    let back = place > 0 ? linker.link(seeds.all[place - 1].path, "‹ Statement \(seeds.all[place - 1].number)") : ""
    let onward = place + 1 < seeds.all.count ? seeds.all[place + 1] : nil
    let next = onward.map { linker.link($0.path, "Statement \($0.number) ›") } ?? ""
    return "<nav class=\"neighbours\" aria-label=\"Statements\"><span>\(back)</span><span>\(next)</span></nav>"
  }

  /// A cell of the document, in which each command links to the page about its subject.
  static func text(_ cell: String, _ linker: Linker) -> HTML {
    Markdown.inline(cell) { code in
      let words = code.split(separator: " ", maxSplits: 1).map(String.init)
      guard words.count == 2 else { return linker.name(code) }
      let subject =
        switch words[0] {
        case "explain": words[1].filter { $0 != "'" }
        case "matrix": PinsPage.name
        default: String(words[1].prefix { $0 != " " })
        }
      return linker.linked(subject, "<code>\(code)</code>")
    }
  }
}
