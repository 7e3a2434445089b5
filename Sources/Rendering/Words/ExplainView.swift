import Explanation
import Scenarios
import TLS
import Trust
import URLLoading

/// Explains a word: a rule, a key of App Transport Security, an error code, a cipher suite, a value or a term.
public enum ExplainView {
  /// Everything there is to say about `word`; nil when nobody knows it.
  ///
  /// - Parameter scenarios: the ids of scenarios that exercise it.
  public static func document(for word: String, scenarios: [String] = []) -> Document? {
    let found = explanations(of: word, scenarios)
    guard !found.isEmpty else { return nil }
    var document = Document()
    for (index, explanation) in found.enumerated() {
      if index > 0 { document.blocks.append(.space) }
      document += explanation.document
    }
    return document
  }

  /// The same as JSON: `{trustlab, word, explanations: […]}`; nil when nobody knows the word.
  public static func json(for word: String, scenarios: [String] = []) -> JSONValue? {
    let found = explanations(of: word, scenarios)
    guard !found.isEmpty else { return nil }
    return ["trustlab": 1, "word": .string(word), "explanations": .array(found.map(\.json))]
  }

  /// A hint for a word that nobody knows: the nearest known one, or where to look.
  public static func nearest(_ word: String) -> String {
    let near = Spelling.nearest(to: word, among: words) ?? part(word)
    return near.map { "did you mean '\($0)'?" }
      ?? "'trustlab list rules', 'list words', 'list suites' and 'list errors' print the words it knows"
  }

  /// The shortest known word that has `word`, or something near it, as a part.
  private static func part(_ word: String) -> String? {
    let parts = words.flatMap { known in
      known.lowercased().split { !$0.isLetter && !$0.isNumber }.map { (part: String($0), known: known) }
    }
    let near = Spelling.nearest(to: word, among: parts.map(\.part))
    return parts.filter { $0.part == near }.map(\.known).min { $0.count < $1.count }
  }

  /// Every word that can be explained.
  public static let words: [String] =
    RuleCatalogue.ids + AppTransportSecurity.Key.catalogue.map(\.name)
    + AppError.all.flatMap { ["\($0.code)", $0.name] }.filter { !$0.isEmpty }
    + CipherSuite.registry.map(\.name) + ValueName.all.map(\.name) + Glossary.names
    + Vocabulary.sections.flatMap { $0.words.map(\.name) } + AlertDescription.registry.map(\.name)
    + Mutant.all.map(\.name)

  static func explanations(of word: String, _ scenarios: [String]) -> [WordExplanation] {
    let keys = AppTransportSecurity.Key.named(word).map(explanation)
    return (RuleCatalogue.rule(word).map { [explanation(of: $0, scenarios)] } ?? []) + keys
      + errors(named: word).map(explanation) + suite(word) + value(word) + term(word) + alert(word) + mutant(word)
      + languageWord(word)
  }

  /// A word of the scenario language, in every section that has it.
  private static func languageWord(_ word: String) -> [WordExplanation] {
    let uses = Vocabulary.sections.flatMap { section in
      section.words.filter { $0.name == word }.map { (section: section.name, meaning: $0.meaning) }
    }
    guard !uses.isEmpty else { return [] }
    return [
      WordExplanation(
        "word of the scenario language", word,
        uses.map { ($0.section == "scenario" ? "in the file" : "in \($0.section)", [$0.meaning]) })
    ]
  }

  private static func mutant(_ word: String) -> [WordExplanation] {
    Mutant.all.filter { $0.name == word }.map { mutant in
      WordExplanation(
        "mutant", mutant.name,
        [
          ("does", ["a \(mutant.place.rawValue) with this bug \(mutant.meaning)"]), ("breaks", [mutant.rule]),
          ("source", [mutant.source]),
        ])
    }
  }

  private static func alert(_ word: String) -> [WordExplanation] {
    AlertDescription(name: word).map { alert in
      [
        WordExplanation(
          "alert", word,
          [("says", [alert.statement]), ("on the wire", ["\(alert.rawValue)"]), ("source", ["RFC 5246 section 7.2"])])
      ]
    } ?? []
  }

  private static func explanation(of rule: Rule, _ scenarios: [String]) -> WordExplanation {
    WordExplanation(
      "rule", rule.id,
      [
        ("statement", [rule.statement]), ("clause", [rule.clause.description]), ("layer", [rule.layer.rawValue]),
        ("profiles of verify", [.chain, .name].contains(rule.layer) ? rule.profiles.map(\.rawValue) : []),
        ("weight", [rule.decides ? "a violation refuses the connection" : "a violation is only worth saying"]),
        ("implies", rule.implies.sorted()),
      ] + errors(of: rule) + [("fix", [rule.fix]), ("scenarios", scenarios)])
  }

  private static func errors(of rule: Rule) -> [(key: String, values: [String])] {
    let with = surfaced(rule, atsInForce: true)
    let without = surfaced(rule, atsInForce: false)
    return with == without ? [("errors", with)] : [("errors under ATS", with), ("errors without ATS", without)]
  }

  private static func surfaced(_ rule: Rule, atsInForce: Bool) -> [String] {
    guard rule.decides else { return [] }
    let os = OSVersion(.iOS, 18)
    return surfacing(rule, atsInForce: atsInForce, os).map { "\($0.description) \($0.name)" }
  }

  /// What an app may see, whichever side notices: a failed negotiation shows as the server's alert too.
  private static func surfacing(_ rule: Rule, atsInForce: Bool, _ os: OSVersion) -> [AppError] {
    let own = AppError.surfacing([rule], atsInForce: atsInForce, os: os).errors
    let negotiation: [Rule] = [.atsNoForwardSecrecy, .atsCipherSuite, .atsTLSVersion, .noCommonSuite, .noCommonVersion]
    guard negotiation.contains(rule) else { return own }
    let isVersion = rule == .atsTLSVersion || rule == .noCommonVersion
    let alert = AppError.FatalAlert(isVersion ? .protocolVersion : .handshakeFailure, isFromServer: true)
    let received = AppError.surfacing([rule], atsInForce: atsInForce, os: os, alert: alert).errors
    return own + received.filter { !own.contains($0) }
  }

  private static func explanation(of key: AppTransportSecurity.Key) -> WordExplanation {
    let standing: String
    switch key.standing {
    case .current: standing = "current"
    case .historical(let use): standing = "read by older systems only; today: \(use)"
    case .obsolete: standing = "documented once and read by nothing today"
    case .misspelling(let use): standing = "never a key" + (use.map { "; what was meant is \($0)" } ?? "")
    }
    let review: String
    switch key.review {
    case .never: review = ""
    case .whenYes: review = "asks for a justification when it is YES"
    case .whenLowered: review = "asks for a justification when it is lower than TLSv1.2"
    }
    return WordExplanation(
      "App Transport Security key", key.name,
      [
        ("meaning", [key.meaning]), ("where", [key.level.rawValue]), ("type", [key.valueType]),
        ("default", [key.defaultValue]), ("since", [key.since]), ("standing", [standing]), ("App Review", [review]),
      ])
  }

  /// Errors by code (`-9802`), by name (`errSSLFatalAlert`) or as scenarios write them (`NSURLErrorDomain -1200`).
  private static func errors(named word: String) -> [AppError] {
    if let error = AppError(word) { return [error] }
    if let code = Int(word) { return AppError.named(code: code > 0 ? -code : code) }
    return word.isEmpty ? [] : AppError.all.filter { $0.name == word }
  }

  private static func explanation(of error: AppError) -> WordExplanation {
    let os = OSVersion(.iOS, 18)
    let rules = RuleCatalogue.all.filter { rule in
      rule.decides
        && [true, false].contains { surfacing(rule, atsInForce: $0, os).contains(error) }
    }
    return WordExplanation(
      "error", error.description,
      [("name", [error.name]), ("meaning", [error.meaning]), ("surfaces for", grouped(rules))])
  }

  /// The ids of rules; a layer all of whose deciding rules are among them by its name alone: `chain.*`.
  private static func grouped(_ rules: [Rule]) -> [String] {
    Layer.allCases.flatMap { layer -> [String] in
      let own = rules.filter { $0.layer == layer }.map(\.id)
      let all = RuleCatalogue.all.count { $0.layer == layer && $0.decides }
      return own.count == all && all > 2 ? ["\(layer.rawValue).*"] : own
    }
  }

  private static func suite(_ word: String) -> [WordExplanation] {
    let named = CipherSuite(name: word) ?? CipherSuite.registry.first { $0.suite.number == word }?.suite
    guard let suite = named, let row = suite.registration else { return [] }
    return [
      WordExplanation(
        "cipher suite", row.name,
        [
          ("code point", [suite.number]), ("key exchange", [row.keyExchange.rawValue]),
          ("cipher", [row.cipher.rawValue]), ("records authenticated by", [row.mac.rawValue]),
          ("PRF", [row.prf.rawValue]), ("forward secrecy", [suite.hasForwardSecrecy ? "yes" : "no"]),
          ("played", [suite.isImplemented ? "yes" : "known by name only"]),
        ])
    ]
  }

  private static func value(_ word: String) -> [WordExplanation] {
    let last = word.split(separator: ".").last.map(String.init) ?? word
    guard let value = ValueName.all.first(where: { $0.name == word }) ?? ValueName.all.first(where: { $0.name == last })
    else { return [] }
    return [WordExplanation("value", value.name, [("meaning", [value.meaning])])]
  }

  private static func term(_ word: String) -> [WordExplanation] {
    guard let term = Glossary.term(word) else { return [] }
    return [
      WordExplanation(
        "term", term.name, [("meaning", [term.meaning]), ("also", term.others), ("source", [term.source])])
    ]
  }
}
