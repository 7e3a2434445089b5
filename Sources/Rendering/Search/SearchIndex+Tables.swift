import Scenarios
import TLS
import Trust
import URLLoading

/// The search entries for the program's own tables.
extension SearchIndex {
  /// The entries for every name that `explain` knows.
  public static let tables: [SearchEntry] =
    rules + keys + errors + trustResults + terms + interfaces + values + words + mutants + alerts + suites

  private static func explained(
    _ kind: SearchEntry.Kind, _ name: String, others: [String] = [], _ text: String
  ) -> SearchEntry {
    SearchEntry(
      kind, name, others: others.filter { !$0.isEmpty && $0 != name }, summary: text, command: ["explain", name])
  }

  private static var rules: [SearchEntry] {
    RuleCatalogue.all.map { rule in
      let bare = rule.id.split(separator: ".").dropFirst().joined(separator: ".")
      return explained(.rule, rule.id, others: [bare], "\(rule.statement) \(rule.fix) \(rule.clause.description)")
    }
  }

  private static var keys: [SearchEntry] {
    AppTransportSecurity.Key.catalogue.map { explained(.key, $0.name, "\($0.meaning) \($0.valueType.rawValue)") }
  }

  private static var errors: [SearchEntry] {
    AppError.all.map { error in
      let text = [error.name, error.domain.rawValue, error.meaning, error.localizedText]
      return SearchEntry(
        .error, String(error.code), others: [error.name, error.description].filter { !$0.isEmpty },
        summary: text.filter { !$0.isEmpty }.joined(separator: " · "), command: ["explain", String(error.code)])
    }
  }

  private static var trustResults: [SearchEntry] {
    SecTrustResultType.allCases.map { explained(.trustResult, $0.description, $0.meaning) }
  }

  private static var terms: [SearchEntry] {
    Glossary.terms.map { term in
      explained(
        .term, term.name, others: term.others + [Glossary.chinese[term.name] ?? ""], "\(term.meaning) (\(term.source))")
    }
  }

  private static var interfaces: [SearchEntry] {
    let names = ExplainView.interfaceNames.map { explained(.interface, $0.name, $0.meaning) }
    let known = Set(ExplainView.interfaceNames.map(\.name))
    return names
      + ExplainView.challengeWords.filter { !known.contains($0) }.map { word in
        explained(.interface, word, ExplainView.challengeWord(word).first?.summary ?? "")
      }
  }

  private static var values: [SearchEntry] {
    ValueEntry.all.map { explained(.value, $0.name.description, $0.meaning) }
  }

  private static var words: [SearchEntry] {
    var seen: Set<String> = []
    let language = Vocabulary.sections.flatMap(\.words).map { ($0.name, $0.meaning) }
    return (language + ListView.nameMeanings.map { ($0.word, $0.meaning) }).filter { seen.insert($0.0).inserted }
      .map { explained(.word, $0.0, $0.1) }
  }

  private static var mutants: [SearchEntry] {
    Mutant.all.map { mutant in
      explained(.mutant, mutant.name, "\(mutant.source): \(mutant.meaning)")
    }
  }

  private static var alerts: [SearchEntry] {
    AlertDescription.registry.map { explained(.alert, $0.name, AlertDescription(name: $0.name)?.statement ?? "") }
  }

  private static var suites: [SearchEntry] {
    CipherSuite.registry.map { row in
      let secrecy = row.suite.hasForwardSecrecy ? "with forward secrecy" : "without forward secrecy"
      return explained(.suite, row.name, others: [row.suite.number], "\(row.suite.number), \(secrecy)")
    }
  }
}
