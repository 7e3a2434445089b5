import Rendering
import Scenarios

/// The data of the search and of the comparison, as scripts: pages that are opened as files cannot fetch data.
struct SearchScript {
  private let site: SitePlan

  init(_ site: SitePlan) { self.site = site }

  var files: [SiteFile] {
    [
      script("search-index.js", sets: "trustlabIndex", words + scenarios + lessons + documents + statements + tables),
      script(
        "cases.js", sets: "trustlabCases", site.cases.map { .array([.string($0.scenario.name), .string($0.path)]) }),
    ]
  }

  private func script(_ path: String, sets name: String, _ entries: [JSONValue]) -> SiteFile {
    var bytes = Array("const \(name) = ".utf8)
    JSONValue.array(entries).write(to: &bytes)
    return SiteFile(path: path, bytes: bytes + Array(";\n".utf8))
  }

  /// An entry: kind, name, path, summary, and text that is searched but not shown.
  private func entry(_ kind: String, _ name: String, _ path: String, _ summary: String, _ text: String = "")
    -> JSONValue
  {
    [.string(kind), .string(name), .string(path), .string(summary), .string(text)]
  }

  private func entry(_ kind: SearchEntry.Kind, _ name: String, _ path: String, _ summary: String, _ text: String = "")
    -> JSONValue
  {
    entry(kind.rawValue, name, path, summary, text)
  }

  private var words: [JSONValue] {
    site.words.map { word in
      entry(word.kind, word.entry.name, word.path, word.summary, word.entry.others.joined(separator: " "))
    }
  }

  private var scenarios: [JSONValue] {
    site.cases.map { reference in
      let scenario = reference.scenario
      let text = reference.isMain ? Self.text(of: reference) : ""
      return entry(.scenario, scenario.name, reference.path, reference.title, text)
    }
  }

  /// The words of a scenario's texts, each once, so that the index stays small.
  private static func text(of reference: CaseReference) -> String {
    let about = reference.scenario.about
    let texts = [about.before ?? "", about.after ?? ""] + about.sources + reference.file.cases.map(\.caseName)
    var seen: Set<Substring> = []
    let words = texts.joined(separator: " ").lowercased().split { "()\"`".contains($0) || $0.isWhitespace }
    return words.map { $0.last.map(".,:;!?".contains) == true ? $0.dropLast() : $0 }
      .filter { $0.count > 2 && seen.insert($0).inserted }.joined(separator: " ")
  }

  private var lessons: [JSONValue] {
    site.content.lessons.map { entry(.lesson, $0.id, SitePlan.path(of: $0), "\($0.title). \($0.goal)", $0.about) }
  }

  private var documents: [JSONValue] {
    DocumentPages(site: site).sections.map { entry(.document, $0.title, $0.path, $0.summary) }
  }

  private var statements: [JSONValue] {
    site.seeds.all.map { entry("statement", "Statement \($0.number)", $0.path, $0.plain, $0.section) }
  }

  private var tables: [JSONValue] { TablesPage.tables.map { entry("table", $0.title, $0.path, $0.about) } }
}
