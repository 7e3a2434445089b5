import Learning
import Scenarios
import TLS
import Trust
import URLLoading

/// Everything that the language, the engines and the lessons know, as lists.
public enum ListView {
  /// A list as text and as JSON.
  public typealias Listing = (Document, JSONValue)

  /// Every rule, layer by layer.
  public static func rules() -> Listing {
    listing(
      ListTable(
        name: "rules", columns: ["rule", "clause", "statement", "layer", "weight", "fix"],
        rows: RuleCatalogue.all.map {
          [$0.id, $0.clause.description, $0.statement, $0.layer.rawValue, $0.decides ? "decides" : "advises", $0.fix]
        }, hidden: ["layer", "weight", "fix"], isStacked: true))
  }

  /// Every case of these files; as text without their names and verdicts where a question is open.
  public static func scenarios(_ files: [ScenarioFile], isAsking: Bool = false) -> Listing {
    let rows = files.flatMap { file in file.cases.map { [$0.name, word($0)] + about($0, in: file) } }
    let table = ListTable(
      name: "scenarios", columns: ["scenario", "expects", "case", "title", "lesson", "file"], rows: rows)
    var document = Document()
    for file in files {
      let title = file.cases.first?.about.title ?? ""
      let toy = file.cases.first?.calculation == nil ? [] : [Span("  toy", .warning)]
      document.paragraph(RichText([Span(file.id, .name), Span("  \(title)", .strong)] + toy))
      guard !isAsking else { continue }
      document.blocks.append(.table(header: [], rows: file.cases.map { ["\($0.caseName)", "\(word($0))"] }, indent: 4))
    }
    if isAsking {
      document.paragraph(RichText("cases and verdicts are shown when the open question is answered", .dim))
    }
    return (document, table.json)
  }

  /// One line for each of these files, lesson by lesson.
  public static func overview(_ files: [ScenarioFile]) -> Document {
    let rows = files.map { file -> [RichText] in
      let title = file.cases.first?.about.title ?? ""
      let count = file.cases.count
      return [
        RichText(file.id, .name), "\(title)", RichText(count == 1 ? "1 case" : "\(count) cases", .dim),
      ]
    }
    var document = Document()
    document.blocks.append(.table(header: [], rows: rows, indent: 0))
    document.paragraph(
      "'list L1' shows the cases of a lesson, 'open L1-01' opens a scenario, 'open L1-01 CASE' a case.")
    return document
  }

  /// The verdict a case expects; of several connections those that differ.
  private static func word(_ scenario: Scenario) -> String {
    let all = [scenario.expectation] + scenario.connections.map(\.expectation)
    let words = all.compactMap { $0.map { ($0.verdict ?? .accepted).rawValue } }
    return words.isEmpty
      ? "accepted"
      : words.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        .joined(separator: ", ")
  }

  private static func about(_ scenario: Scenario, in file: ScenarioFile) -> [String] {
    [scenario.caseName, scenario.about.title, scenario.about.lesson ?? "", file.path]
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

  /// Every error that an app may see, and every answer of SecTrustEvaluate.
  public static func errors() -> Listing {
    let errors = AppError.all.map { error in
      [
        String(error.code), error.name, error.domain.rawValue, error.meaning, error.localizedText,
        error.situations.map(\.id).joined(separator: ", "),
      ]
    }
    let answers = SecTrustResultType.allCases.map {
      [String($0.rawValue), $0.description, "SecTrustResultType", $0.meaning, "", ""]
    }
    return listing(
      ListTable(
        name: "errors", columns: ["code", "name", "domain", "meaning", "text", "situations"], rows: errors + answers,
        hidden: ["text", "situations"], isStacked: true))
  }

  /// Every lesson, in the order in which they build on each other.
  public static func lessons(_ lessons: [Lesson]) -> Listing {
    let rows = lessons.map { lesson -> JSONValue in
      [
        "lesson": .string(lesson.id), "title": .string(lesson.title), "goal": .string(lesson.goal),
        "minutes": .integer(lesson.minutes), "scenarios": .strings(lesson.scenarios),
        "planned": .strings(lesson.all.filter { !lesson.scenarios.contains($0) }),
      ]
    }
    var document = Document()
    for lesson in lessons {
      let count =
        lesson.scenarios.isEmpty
        ? "to come" : "\(lesson.scenarios.count) scenario\(lesson.scenarios.count == 1 ? "" : "s")"
      document.paragraph(
        RichText([
          Span(lesson.id, .name), Span("  \(lesson.title)", .strong), Span("  \(lesson.minutes) min, \(count)", .dim),
        ]))
      document.paragraph("\(lesson.goal)", indent: 4)
    }
    return (document, ["trustlab": 1, "lessons": .array(rows)])
  }

  /// The historical bugs that scenarios can give to a party.
  public static func mutants() -> Listing {
    listing(
      ListTable(
        name: "mutants", columns: ["mutant", "of", "rule", "source", "meaning"],
        rows: Mutant.all.map { [$0.name, $0.place.rawValue, $0.rule, $0.source, $0.meaning] }, isStacked: true))
  }

  static func listing(_ table: ListTable) -> Listing { (table.document, table.json) }
}
