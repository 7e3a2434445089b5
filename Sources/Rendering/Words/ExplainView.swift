import Advice
import Explanation
import Scenarios
import TLS
import Trust
import URLLoading

/// Explains a name or a term: a rule, an App Transport Security key, an error code, or a cipher suite.
public enum ExplainView {
  /// Returns the explanations of `word`; nil if the word is unknown.
  ///
  /// - Parameters:
  ///   - word: a rule, a key, an error, a suite or a term.
  ///   - scenarios: the ids of scenarios that exercise the word.
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

  /// Returns the explanations as JSON: `{trustlab, word, explanations: […]}`; nil if the word is unknown.
  public static func json(for word: String, scenarios: [String] = []) -> JSONValue? {
    let found = explanations(of: word, scenarios)
    guard !found.isEmpty else { return nil }
    return ["trustlab": 1, "word": .string(word), "explanations": .array(found.map(\.json))]
  }

  /// Returns a hint for an unknown word: the nearest known word, or the lists that `command` prints.
  public static func nearest(_ word: String, listedBy command: String = "trustlab list") -> String {
    // Every word is similar to a single letter.
    let near =
      word.count < 2
      ? nil : phrase(word) ?? Spelling.nearest(to: word, among: words) ?? part(word) ?? beginning(word)
    return near.map { "did you mean '\($0)'?" }
      ?? "'\(command) rules', 'list words', 'list suites' and 'list errors' print the known words"
  }

  /// Returns the longest known name in a line of several words: `description: certificate expired`.
  private static func phrase(_ line: String) -> String? {
    guard line.contains(" ") else { return nil }
    let text = " " + key(line) + " "
    let names = words.filter { $0.contains("_") || $0.contains(" ") || $0.contains { $0.isUppercase } }
    return names.filter { text.contains(" " + key($0) + " ") }.max { $0.count < $1.count }
  }

  /// Returns the letters and digits of a name in lower case, with single spaces between its words.
  private static func key(_ text: String) -> String {
    text.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: " ")
  }

  /// Returns the shortest known word that contains `word` or a similar word.
  private static func part(_ word: String) -> String? {
    let parts = words.flatMap { known in
      known.lowercased().split { !$0.isLetter && !$0.isNumber }.map { (part: String($0), known: known) }
    }
    let near = Spelling.nearest(to: word, among: parts.map(\.part))
    return parts.filter { $0.part == near }.map(\.known).min { $0.count < $1.count }
  }

  /// Returns the shortest rule that begins with `word` or with a similar word: `ats.no-forwrd`.
  private static func beginning(_ word: String) -> String? {
    guard word.contains(".") else { return nil }
    let starts = RuleCatalogue.ids.map { (start: String($0.prefix(word.count)), id: $0) }
    let near = Spelling.nearest(to: word, among: starts.map(\.start), within: max(1, word.count / 6))
    return starts.filter { $0.start == near }.map(\.id).min { $0.count < $1.count }
  }

  /// All words that can be explained.
  public static let words: [String] =
    RuleCatalogue.ids + AppTransportSecurity.Key.catalogue.map(\.name)
    + AppError.all.flatMap { ["\($0.code)", $0.name] }.filter { !$0.isEmpty }
    + SecTrustResultType.allCases.map(\.description) + CipherSuite.registry.map(\.name)
    + ValueEntry.all.map(\.name.description)
    + Glossary.names
    + Vocabulary.sections.flatMap { $0.words.map(\.name) } + AlertDescription.registry.map(\.name)
    + Mutant.all.map(\.name) + challengeWords + interfaceNames.map(\.name) + ListView.nameMeanings.map(\.word)

  static func explanations(of word: String, _ scenarios: [String]) -> [WordExplanation] {
    let keys = AppTransportSecurity.Key.named(word).map { explanation(of: $0, scenarios) }
    return rules(word).map { explanation(of: $0, scenarios) } + keys
      + errors(word, scenarios) + trustResult(word, scenarios) + suite(word) + value(word) + term(word) + alert(word)
      + mutant(word) + challengeWord(word)
      + interfaceName(word) + languageWord(word) + languageName(word)
  }

  /// Returns the rule with this id, or every rule whose id has this name after its layer: `expired`.
  private static func rules(_ word: String) -> [Rule] {
    RuleCatalogue.rule(word).map { [$0] } ?? RuleCatalogue.all.filter { $0.id.hasSuffix(".\(word)") }
  }

  /// Explains a name that scenarios use as a value, in each list that contains it. Also explains any release of a
  /// system.
  private static func languageName(_ word: String) -> [WordExplanation] {
    let uses = ListView.nameMeanings.filter { $0.word == word }
    let system =
      uses.isEmpty && OSVersion(word) != nil ? [("system", "an operating system that a client can run")] : []
    let facts = uses.map { ($0.section, [$0.meaning]) } + system.map { ($0.0, [$0.1]) }
    return facts.isEmpty ? [] : [WordExplanation("name in the scenario language", word, facts)]
  }

  /// Explains a keyword of the scenario language, in every section that contains it.
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
          ("does", ["a \(mutant.placeText) with this bug \(mutant.meaning)"]),
          ("breaks", mutant.rules.isEmpty ? [] : [mutant.ruleText]), ("source", [mutant.source]),
          ("affected", [mutant.affected].compactMap(\.self)), ("date", [mutant.date].compactMap(\.self)),
        ].filter { !$0.1.isEmpty })
    }
  }

  private static func alert(_ word: String) -> [WordExplanation] {
    AlertDescription(name: word).map { alert in
      [
        WordExplanation(
          "alert", word,
          [("says", [alert.statement]), ("on the wire", ["\(alert.rawValue)"]), ("source", [alert.source])])
      ]
    } ?? []
  }

  static func explanation(of rule: Rule, _ scenarios: [String]) -> WordExplanation {
    WordExplanation(
      "rule", rule.id,
      [
        ("statement", [rule.statement]), ("clause", [rule.clause.description]),
        ("in TLS 1.3", Rule.inTLS13.filter { $0 == rule }.map(\.clause.description)), ("layer", [rule.layer.rawValue]),
        ("profiles of verify", [.chain, .name].contains(rule.layer) ? rule.profiles.map(\.rawValue) : []),
        ("on Apple's systems", rule.since),
        ("weight", [weight(of: rule)]),
        ("implies", rule.implies.sorted()),
      ] + errors(of: rule) + [("fix", [rule.fix]), ("scenarios", scenarios)])
  }

  private static func weight(of rule: Rule) -> String {
    if rule.decides { return "a violation refuses the connection" }
    let severities = rule.lintSeverities
    if severities.isEmpty { return "a violation is only reported" }
    let words = severities.map { $0 == .error ? "an error (exit status 1)" : "a \($0.rawValue)" }
    return "'trustlab ats lint' reports \(words.joined(separator: " or "))"
  }

  private static func suite(_ word: String) -> [WordExplanation] {
    let named =
      CipherSuite(name: OpenSSLSuite.registered(word) ?? word)
      ?? CipherSuite.registry.first { $0.suite.number == word }?.suite
    guard let suite = named, let row = suite.registration else { return [] }
    if let meaning = suite.signal {
      return [
        WordExplanation(
          "signaling cipher suite value", row.name, [("code point", [suite.number]), ("says", [meaning])])
      ]
    }
    return [
      WordExplanation(
        "cipher suite", row.name,
        [
          ("code point", [suite.number]), ("key exchange", [row.keyExchange.rawValue]),
          ("cipher", [row.cipher.rawValue]), ("records authenticated by", [row.mac.rawValue]),
          (row.keyExchange == .tls13 ? "HKDF hash" : "PRF", [row.prf.rawValue]),
          ("forward secrecy", [suite.hasForwardSecrecy ? "yes" : "no"]),
          ("played", [suite.isPlayed ? "yes" : "known by name only"]),
        ])
    ]
  }

  private static func value(_ word: String) -> [WordExplanation] {
    let name = ValueName(word).bare
    guard let value = ValueEntry.all.first(where: { $0.name == name }) else { return [] }
    return [WordExplanation("value", value.name.description, [("meaning", [value.meaning])])]
  }

  private static func term(_ word: String) -> [WordExplanation] {
    guard let term = Glossary.term(word) else { return [] }
    return [
      WordExplanation(
        "term", term.name,
        [
          ("meaning", [term.meaning]), ("also", term.others),
          ("in Chinese", Glossary.chinese[term.name].map { [$0] } ?? []), ("source", [term.source]),
        ])
    ]
  }
}

/// Explains the keys of App Transport Security: current, historical and misspelt ones.
extension ExplainView {
  static func explanation(of key: AppTransportSecurity.Key, _ scenarios: [String]) -> WordExplanation {
    WordExplanation(
      "App Transport Security key", key.name,
      [
        ("meaning", [key.meaning]), ("where", [key.level.rawValue]), ("type", [key.valueType.rawValue]),
        ("default", [key.defaultValue]), ("since", [key.since.description]), ("standing", [standing(key)]),
        ("App Review", [review(key)]), ("interplay", key.interplay), ("scenarios", scenarios),
      ])
  }

  private static func standing(_ key: AppTransportSecurity.Key) -> String {
    switch key.standing {
    case .current: "current"
    case .historical(let use):
      key.wasEverRead ? "historical; use \(use)" : "no known system reads it; use \(use)"
    case .obsolete: "once documented; no current system reads it"
    case .misspelling(let use): "never a key" + (use.map { "; the intended key is \($0)" } ?? "")
    }
  }

  private static func review(_ key: AppTransportSecurity.Key) -> String {
    if case .misspelling = key.standing { return "" }
    return switch key.review {
    case .never: "requires no justification"
    case .whenYes: "requires a justification if it is YES"
    case .whenLowered: "requires a justification if it is lower than TLSv1.2"
    }
  }
}

extension CipherSuite {
  /// The meaning of a signalling cipher suite value (SCSV); nil for a cipher suite.
  fileprivate var signal: String? {
    switch self {
    case .fallback:
      "this is a retry with a lower version; a server that supports a newer one responds with inappropriate_fallback "
        + "(RFC 7507)"
    case .emptyRenegotiationInfo: "the client supports secure renegotiation (RFC 5746 section 3.3)"
    default: nil
    }
  }
}
