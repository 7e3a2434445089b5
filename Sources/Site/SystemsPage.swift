import Explanation
import Scenarios
import Simulator

/// The scenarios whose verdict depends on the operating system, as a table.
struct SystemsPage {
  let site: SitePlan
  let cases: [CaseSummary]

  /// A verdict and the rules that decided; nil if the scenario cannot be played on the system.
  typealias Cell = Verdict?

  static let path = "tables/systems.html"

  /// Plays a main case on each of `systems`.
  static func verdicts(
    of reference: CaseReference, on systems: [String], _ player: ScenarioPlayer
  ) -> [Cell] {
    let scenario = reference.scenario
    guard scenario.calculation == nil else { return [] }
    let path = ScenarioPath(segments: ["client", "os"])
    let mark = SourceMark(file: reference.file.path, line: 1, column: 1)
    return systems.map { system in
      let other = try? scenario.changing(path, to: .scalar(system, quoted: false, mark), beside: reference.file.cases)
      return try? other.map(player.play)?.outcome.verdict
    }
  }

  var plan: PagePlan { PagePlan(Self.path) { page } }

  private var page: Page {
    let linker = Linker(site.links, path: Self.path)
    let rows = cases.filter { Set($0.systems.compactMap(Self.answer)).count > 1 }
    let equal = cases.count { !$0.systems.isEmpty } - rows.count
    return Page(
      path: Self.path, title: "Systems",
      body: """
        <h1>Systems</h1>
        <p>Each row is one scenario, played on each of these systems. The other \(equal) scenarios have \
        the same verdict, for the same reasons, on all of them.</p>
        \(Markup.table(
          ["scenario"] + site.content.systems.map { HTML(escaping: $0) },
          rows.map { row in [name(of: row, linker)] + row.systems.map { cell($0, linker) } }, label: "Systems"))
        """)
  }

  private static func answer(_ cell: Cell) -> [String]? { cell.map { [$0.word.rawValue] + $0.because.map(\.id) } }

  private func name(of row: CaseSummary, _ linker: Linker) -> HTML {
    linker.link(row.reference.path, "<b>\(row.reference.scenario.id)</b> \(row.reference.title)")
  }

  private func cell(_ cell: Cell, _ linker: Linker) -> HTML {
    guard let cell else { return "–" }
    let word = cell.word.rawValue
    return "\(CasePage.mark(of: word)) \(word) \(cell.because.map { linker.name($0.id) }.joined(separator: " "))"
  }
}
