import Explanation
import Scenarios

/// The references among the documents, in Markdown, made from the program's own tables.
public enum ReferencePages {
  private static let source = "made by the program; change its tables, not this page"

  /// Every rule with all that `explain` says of it, layer by layer.
  ///
  /// - Parameter scenarios: the ids of the scenarios that exercise a rule.
  public static func rules(scenarios: (Rule) -> [String]) -> String {
    var document = Document()
    document.heading("Rule reference", level: 1)
    document.paragraph(
      """
      A rule is one thing that must hold. Each verdict names the rules that decided it. Rules are listed by layer; \
      'trustlab explain RULE' prints one of them, and 'trustlab list rules --format markdown' prints this page.
      """)
    for layer in Layer.allCases {
      let rules = RuleCatalogue.all.filter { $0.layer == layer }
      guard !rules.isEmpty else { continue }
      document.heading("\(layer.rawValue)")
      for rule in rules {
        document.heading("\(rule.id)", level: 3)
        document.facts(ExplainView.explanation(of: rule, scenarios(rule)).lines)
      }
    }
    return marked(document.markdown())
  }

  /// Every word of the scenario language, section by section.
  public static var words: String {
    var document = Document()
    document.heading("Every word of the scenario language", level: 1)
    document.paragraph(
      """
      A scenario file is a map; each section below is a part of it. 'trustlab explain WORD' prints one word, and \
      'trustlab list words --format markdown' prints this page.
      """)
    return marked((document + ListView.words().0).markdown())
  }

  /// Says where a page comes from, below its title.
  static func marked(_ page: String) -> String { "<!-- \(source) -->\n\n\(page)" }
}
