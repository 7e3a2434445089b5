import Explanation
import Laboratory
import Learning
import PKIX
import Scenarios
import Simulator
import TLS
import Trust
import URLLoading

/// The lists that `trustlab list` prints: keywords, rules, suites, errors, scenarios and lessons.
public enum ListView {
  /// A list as text and as JSON.
  public typealias Listing = (Document, JSONValue)

  /// Returns every rule, grouped by layer.
  public static func rules() -> Listing {
    listing(
      ListTable(
        name: "rules", columns: ["rule", "clause", "statement", "layer", "weight", "fix"],
        rows: RuleCatalogue.all.map {
          [$0.id, $0.clause.description, $0.statement, $0.layer.rawValue, $0.decides ? "decides" : "advises", $0.fix]
        }, hidden: ["layer", "weight", "fix"], isStacked: true))
  }

  /// Returns every case of these files. While a question is open, the text omits case names and verdicts.
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
      document.paragraph(RichText("answer the open question to see cases and verdicts", .dim))
    }
    return (document, table.json)
  }

  /// Returns one line for each of these files, grouped by lesson.
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
      "'list L1' shows the cases of a lesson, 'open L1-01' opens a scenario, and 'open L1-01 CASE' opens a case.")
    return document
  }

  /// Returns the expected verdict of a case. For several connections, it is each distinct verdict.
  private static func word(_ scenario: Scenario) -> String {
    let all = [scenario.expectation] + scenario.connections.map(\.expectation)
    let words = all.compactMap { $0.map { $0.expectedVerdict.rawValue } }
    return words.isEmpty
      ? "accepted"
      : words.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        .joined(separator: ", ")
  }

  private static func about(_ scenario: Scenario, in file: ScenarioFile) -> [String] {
    [scenario.caseName, scenario.about.title, scenario.about.lesson ?? "", file.path]
  }

  /// Returns every cipher suite that TrustLab knows by name or simulates.
  public static func suites() -> Listing {
    listing(
      ListTable(
        name: "suites",
        columns: ["suite", "code", "forward secrecy", "played", "key exchange", "cipher", "mac", "prf"],
        rows: CipherSuite.registry.map { row in
          [
            row.name, row.suite.number, row.suite.hasForwardSecrecy ? "yes" : "no",
            row.suite.isPlayed ? "yes" : "no", row.keyExchange.rawValue, row.cipher.rawValue, row.mac.rawValue,
            row.prf.rawValue,
          ]
        }, hidden: ["key exchange", "cipher", "mac", "prf"]))
  }

  /// Returns every error that an app may receive, and every result of SecTrustEvaluate.
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

  /// Returns every lesson, in teaching order.
  public static func lessons(_ lessons: [Lesson]) -> Listing {
    let rows = lessons.map { lesson -> JSONValue in
      [
        "lesson": .string(lesson.id), "title": .string(lesson.title), "about": .string(lesson.about),
        "goal": .string(lesson.goal),
        "minutes": .integer(lesson.minutes), "prerequisites": .strings(lesson.prerequisites),
        "introduces": .strings(lesson.introduces), "labs": .strings(lesson.labs),
        "scenarios": .strings(lesson.scenarios),
        "planned": .strings(lesson.all.filter { !lesson.scenarios.contains($0) }),
      ]
    }
    var document = Document()
    for lesson in lessons {
      let count =
        lesson.scenarios.isEmpty
        ? "planned" : "\(lesson.scenarios.count) scenario\(lesson.scenarios.count == 1 ? "" : "s")"
      document.paragraph(
        RichText([
          Span(lesson.id, .name), Span("  \(lesson.title)", .strong), Span("  \(lesson.minutes) min, \(count)", .dim),
        ]))
      document.paragraph("\(lesson.goal)", indent: 4)
    }
    return (document, ["trustlab": 1, "lessons": .array(rows)])
  }

  /// Returns the historical bugs that a scenario can give to a client, server or app.
  public static func mutants() -> Listing {
    let table = ListTable(
      name: "mutants", columns: ["mutant", "group", "of", "rule", "source", "affected", "date", "meaning"],
      rows: Mutant.all.map { mutant in
        [
          mutant.name, mutant.group.rawValue, mutant.placeText, mutant.ruleText, mutant.source, mutant.affected ?? "",
          mutant.date ?? "", mutant.meaning,
        ]
      })
    var document = Document()
    for mutant in Mutant.all {
      let place = RichText("of a \(mutant.placeText)\(mutant.mark)", .dim)
      document.bullet(RichText([Span(mutant.name, .name), Span(" ")]), place)
      document.paragraph("\(mutant.meaning)", indent: 4)
      document.facts(
        [
          .init("bypasses", "\(mutant.ruleText)"), .init("source", "\(mutant.source)"),
          .init("affected", "\(mutant.affected ?? "")"), .init("known", "\(mutant.date ?? "")"),
        ], indent: 4)
    }
    return (document, table.json)
  }

  static func listing(_ table: ListTable) -> Listing { (table.document, table.json) }
}

extension ListView {
  /// Returns every keyword of the scenario language: keys by section, followed by the names that are used as values.
  public static func words() -> Listing {
    var document = Document()
    var sections: [JSONValue] = []
    func add(_ name: String, _ meaning: String, _ words: [(String, String)]) {
      document.heading(RichText([Span(name), Span("  \(meaning)", .dim)]))
      document.blocks.append(
        .table(header: [], rows: words.map { [RichText($0.0, .name), "\($0.1)"] }, indent: 2))
      sections.append([
        "section": .string(name), "meaning": .string(meaning),
        "words": .array(words.map { ["word": .string($0.0), "meaning": .string($0.1)] }),
      ])
    }
    for section in Vocabulary.sections {
      add(section.name, section.meaning, section.words.map { ($0.name, $0.meaning + choices(of: $0.shape)) })
    }
    for (name, meaning, words) in names { add(name, meaning, words) }
    return (document, ["trustlab": 1, "sections": .array(sections)])
  }

  private static func choices(of shape: Word.Shape) -> String {
    switch shape {
    case .choice(let words): " (\(words.joined(separator: ", ")))"
    case .list(let inner), .named(let inner): choices(of: inner)
    case .either(let shapes): shapes.map(choices).first { !$0.isEmpty } ?? ""
    default: ""
    }
  }

  /// The names that are written as values, each with the list that contains it.
  static let nameMeanings: [(word: String, section: String, meaning: String)] = names.dropFirst().flatMap {
    name, _, words in
    words.map { ($0.0, name, $0.1) }
  }

  private static let names: [(String, String, [(String, String)])] = [
    ("values", "Names of a connection's values.", ValueEntry.all.map { ($0.name.description, $0.meaning) }),
    (
      "parties", "The parties of a connection, and the attackers.",
      [
        ("client", "the app, whose verdict a scenario is about"), ("server", "the server that the URL names"),
        ("eavesdropper", "a third party that sees every byte"),
        ("interceptor", "a third party between client and server that can change messages"),
      ]
    ),
    (
      "systems", "The client's operating system.",
      [
        ("iOS 18.4", "iOS 2 to 18 and 26, optionally with a minor version"),
        ("macOS 15", "macOS 10.0 to 10.15, 11 to 15 and 26, optionally with a minor version"),
        ("doc", "a system that follows Apple's documentation literally"),
      ]
    ),
    (
      "loaders", "The API that loads the URL.",
      Loader.allCases.map {
        ($0.rawValue, $0.isCovered ? "covered by App Transport Security" : "not covered by App Transport Security")
      }
    ),
    (
      "break", "Deliberate faults of a certificate.",
      CertificateFault.allCases.map { ($0.rawValue, meaning(of: $0)) }
    ),
    (
      "misbehaves", "Deviations of a client or a server from the protocol.",
      Misbehavior.allCases.map { ($0.rawValue, $0.meaning) }
    ),
    (
      "keys", "Kinds of keys.",
      [
        ("rsa-2048", "RSA with a modulus of 512 to 8192 bits"), ("ec-p256", "a key on the curve P-256"),
        ("ec-p384", "a key on the curve P-384"), ("ec-p521", "a key on the curve P-521"),
        ("ed25519", "an Ed25519 key (RFC 8410), which iOS does not accept from servers"),
      ]
    ),
    (
      "layers", "The part of a connection whose rules decide the verdict.",
      Layer.deciding.map { ($0.rawValue, meaning(of: $0)) }
    ),
  ]

  private static func meaning(of layer: Layer) -> String {
    let count = RuleCatalogue.all.count { $0.layer == layer }
    return count == 1 ? "1 rule" : "\(count) rules"
  }

  private static func meaning(of fault: CertificateFault) -> String {
    switch fault {
    case .signature: "one bit of the signature is flipped"
    case .issuerKey: "the certificate has the issuer's name but is signed with a key that is not the issuer's"
    case .issuerName: "the issuer's name is not the name of the signing CA"
    case .keyIdentifier: "authorityKeyIdentifier identifies a key that did not sign the certificate"
    case .noAuthorityKeyIdentifier: "no authorityKeyIdentifier"
    case .noSubjectKeyIdentifier: "no subjectKeyIdentifier"
    case .noBasicConstraints: "no basicConstraints, although the subject issues certificates"
    case .notCA: "basicConstraints states that the subject is not a CA"
    case .isCA: "basicConstraints and keyUsage state that the subject is a CA"
    case .emptySubject: "no subject, and a subjectAltName that is not critical"
    case .criticalKeyIdentifier: "subjectKeyIdentifier is critical"
    case .generalizedTime: "the dates are encoded as GeneralizedTime"
    case .noCertificateSigning: "keyUsage lacks keyCertSign"
    case .noKeyUsage: "no keyUsage, so that the key's use is not restricted"
    case .noAlternativeName: "no subject alternative name"
    case .clientPurpose: "extKeyUsage contains only clientAuth"
    case .version: "version 1, although the certificate has extensions"
    case .unknownCriticalExtension: "an unknown critical extension"
    case .malformedExtension: "a subject alternative name with malformed content"
    case .duplicateExtension: "the keyUsage extension occurs twice"
    case .signatureAlgorithm: "the outer signatureAlgorithm differs from the signed one"
    case .unknownSignatureAlgorithm: "both signature algorithms are unknown"
    }
  }
}

/// A list of names with their meanings, as text and as JSON.
struct ListTable {
  /// The JSON member with the rows.
  let name: String
  /// The names of the columns, which are also the JSON member names.
  let columns: [String]
  /// The rows of the list.
  let rows: [[String]]
  /// The columns that only JSON contains.
  var hidden: Set<String> = []

  /// Whether the first columns share a line and the last column is below them.
  var isStacked = false

  var document: Document { isStacked ? stack : table }

  private var stack: Document {
    let shown = columns.indices.filter { !hidden.contains(columns[$0]) }
    var document = Document()
    for row in rows {
      let texts = shown.filter { row.indices.contains($0) }.map { row[$0] }
      guard let name = texts.first, let last = texts.last else { continue }
      let beside = texts.dropFirst().dropLast().filter { !$0.isEmpty }.joined(separator: "  ")
      document.bullet(RichText([Span(name, .name), Span(" ")]), RichText(beside, .dim))
      if texts.count > 1 { document.paragraph("\(last)", indent: 4) }
    }
    return document
  }

  private var table: Document {
    let shown = columns.indices.filter { !hidden.contains(columns[$0]) }
    let texts = rows.map { row in
      shown.map { column in
        let text = row.indices.contains(column) ? row[column] : ""
        return column == shown.first ? RichText(text, .name) : RichText(text)
      }
    }
    return Document([.table(header: shown.map { "\(columns[$0])" }, rows: texts, indent: 0)])
  }

  var json: JSONValue {
    .object([.init("trustlab", 1), .init(name, .array(rows.map(json)))])
  }

  private func json(_ row: [String]) -> JSONValue {
    .object(zip(columns, row).map { .init($0, .string($1)) })
  }
}

extension CipherSuite {
  /// The code point as written in the registry: `0xc02f`.
  var number: String { "0x" + Hex.string([UInt8(rawValue >> 8), UInt8(rawValue & 0xff)]) }
}
