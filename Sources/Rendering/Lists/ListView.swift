import Scenarios
import TLS
import URLLoading

/// Everything that the language, the engines and the lessons know, as lists.
public enum ListView {
  /// A list as text and as JSON.
  public typealias Listing = (Document, JSONValue)

  /// Every rule, layer by layer.
  public static func rules() -> Listing {
    listing(
      ListTable(
        name: "rules", columns: ["rule", "statement", "clause", "layer", "weight", "fix"],
        rows: RuleCatalogue.all.map {
          [$0.id, $0.statement, $0.clause.description, $0.layer.rawValue, $0.decides ? "decides" : "advises", $0.fix]
        }, hidden: ["layer", "weight", "fix"]))
  }

  /// Every case of these files.
  public static func scenarios(_ files: [ScenarioFile]) -> Listing {
    listing(
      ListTable(
        name: "scenarios", columns: ["scenario", "title", "lesson", "case", "expects", "file"],
        rows: files.flatMap { file in
          file.cases.map { scenario in
            let verdict = (scenario.expectation?.verdict ?? .accepted).rawValue
            let about = scenario.about
            return [scenario.name, about.title, about.lesson ?? "", scenario.caseName, verdict, file.path]
          }
        }, hidden: ["case", "lesson", "file"]))
  }

  /// Every cipher suite, known by name or played.
  public static func suites() -> Listing {
    listing(
      ListTable(
        name: "suites",
        columns: ["suite", "code", "forward secrecy", "played", "key exchange", "cipher", "mac", "prf"],
        rows: CipherSuite.registry.map { row in
          [
            row.name, row.suite.number, row.suite.hasForwardSecrecy ? "yes" : "no",
            row.isImplemented ? "yes" : "no", row.keyExchange.rawValue, row.cipher.rawValue, row.mac.rawValue,
            row.prf.rawValue,
          ]
        }, hidden: ["key exchange", "cipher", "mac", "prf"]))
  }

  /// Every error that an app may see.
  public static func errors() -> Listing {
    listing(
      ListTable(
        name: "errors", columns: ["code", "name", "meaning", "domain"],
        rows: AppError.all.map { [String($0.code), $0.name, $0.meaning, $0.domain.rawValue] }, hidden: ["domain"]))
  }

  /// Every lesson of these files, with its scenarios.
  public static func lessons(_ files: [ScenarioFile]) -> Listing {
    var order: [String] = []
    var byLesson: [String: [ScenarioFile]] = [:]
    for file in files {
      guard let about = file.cases.first?.about else { continue }
      let lesson = about.lesson ?? file.id
      if byLesson[lesson] == nil { order.append(lesson) }
      byLesson[lesson, default: []].append(file)
    }
    return listing(
      ListTable(
        name: "lessons", columns: ["lesson", "title", "scenarios"],
        rows: order.map { lesson in
          let files = byLesson[lesson] ?? []
          return [lesson, files.first?.cases.first?.about.title ?? "", files.map(\.id).joined(separator: ", ")]
        }))
  }

  /// The historical validator bugs that can be put in place of the engine.
  public static func mutants() -> Listing {
    let table = ListTable(name: "mutants", columns: ["mutant", "meaning"], rows: [])
    return (
      Document([.paragraph("This version has no mutants yet: every rule is decided by its engine.", indent: 0)]),
      table.json
    )
  }

  static func listing(_ table: ListTable) -> Listing { (table.document, table.json) }
}
