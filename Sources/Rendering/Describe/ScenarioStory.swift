import Explanation
import Scenarios
import Simulator

/// Describes a scenario in prose: the load, the participants, the certificates, the network, and the expected result.
public struct ScenarioStory: Sendable {
  private let file: ScenarioFile

  /// Creates the description of `file`.
  public init(_ file: ScenarioFile) { self.file = file }

  /// The description as text, followed by the cases as differences from it, and the sources.
  public func document() -> Document {
    guard let main = file.cases.first else { return Document() }
    var document = Document()
    let title = main.about.title.isEmpty ? "" : ": \(main.about.title)"
    document.heading("\(file.id)\(title)", level: 1)
    document.blocks.append(.space)
    document += PartyStory(main).document
    document.heading("Expected result")
    for sentence in Self.sentences(on: main) { document.paragraph("\(sentence)") }
    document += cases
    document += Self.about(main)
    return document
  }

  /// Returns sentences about the expectations of a case and of its loads.
  private static func sentences(on scenario: Scenario) -> [String] {
    var sentences = scenario.expectation?.sentences ?? []
    for connection in scenario.connections {
      guard let expectation = connection.expectation else { continue }
      let name = connection.name ?? connection.url
      sentences += expectation.sentences.map { "\(name): \($0)" }
    }
    for date in scenario.later {
      guard let expectation = date.expectation else { continue }
      sentences += expectation.sentences.map { "\(date.clock.description.prefix(10)): \($0)" }
    }
    return sentences.isEmpty ? ["The file states no expectation, so the client must accept the load."] : sentences
  }

  /// The change of each row and its expected result, on one line if it fits.
  private var cases: Document {
    var document = Document()
    let rows = file.root["cases"]?.items ?? []
    if file.cases.count > 1 {
      document.blocks.append(.space)
      document.heading("Cases, with their differences from this scenario")
    }
    for row in rows {
      guard let name = Self.word(row["name"]), let scenario = file.scenario(named: name) else { continue }
      let changes = row["with"]?.entries?.map { "\($0.key): \($0.value.flowText)" } ?? []
      document.bullet(
        scenario.expectedGlyph, RichText(name, .strong) + RichText(": \(scenario.expectedVerdict)"))
      for change in changes { document.paragraph(RichText(change, .dim), indent: 4) }
      if let sibling = file.sibling(of: scenario) {
        let differences = sibling.differences.joined(separator: ", ")
        document.paragraph(RichText("accepted without: \(differences) (\(sibling.name))", .dim), indent: 4)
      }
    }
    for sweep in file.root["sweep"]?.entries ?? [] {
      let values = sweep.value.items?.map(\.flowText).joined(separator: ", ") ?? ""
      document.bullet(RichText("*", .dim), "\(sweep.key) has the same result with each of these values: \(values)")
    }
    return document
  }

  private static func word(_ node: Node?) -> String? {
    guard case .scalar(let text, _, _) = node else { return nil }
    return text
  }

  private static func about(_ scenario: Scenario) -> Document {
    let about = scenario.about
    var document = Document()
    let facts: [Document.Fact] = [
      .init("lesson", "\(about.lesson ?? "")"), .init("level", "\(about.level.map(String.init) ?? "")"),
      .init("sources", "\(about.sources.joined(separator: "; "))"), .init("disputed", "\(about.disputed?.text ?? "")"),
      .init("catches", "\(about.kills.joined(separator: ", "))"), .init("sibling", "\(scenario.sibling ?? "")"),
    ].filter { !$0.value.isEmpty }
    if !facts.isEmpty { document.blocks.append(.space) }
    document.facts(facts)
    for words in [about.before, about.after].compactMap(\.self) {
      document.blocks.append(.space)
      document.paragraph("\(words)")
    }
    return document
  }
}

/// Describes a calculation in prose: the values that each party has, and the steps.
struct CalculationStory {
  private let calculation: Calculation
  private let scenario: Scenario

  init(_ calculation: Calculation, _ scenario: Scenario) {
    self.calculation = calculation
    self.scenario = scenario
  }

  var document: Document {
    var document = Document()
    document.paragraph(RichText(Calculation.banner, .warning))
    document.blocks.append(.space)
    for value in calculation.held {
      let shown = calculation.quantities[value.id]?.shown ?? ""
      document.bullet("•", RichText(value.id, .name) + RichText(" is \(shown), \(Self.holders(of: value))."), indent: 2)
    }
    document.blocks.append(.space)
    for (number, move) in calculation.moves.enumerated() {
      document.bullet("\(number + 1).", "\(move.step.title)", indent: 2)
    }
    for (rule, check) in mutants {
      document.paragraph("A faulty program checks \(check) instead of \(rule).")
    }
    return document
  }

  private static func holders(of value: Value) -> String {
    let owners = value.derivations.compactMap { way -> String? in
      if case .generated(let party) = way { return party.name }
      return nil
    }
    if value.derivations.contains(.published) { return "known to everyone" }
    return "known to \(owners.joined(separator: ", "))"
  }

  private var mutants: [(String, String)] {
    scenario.tree["calculation"]?["mutant"]?.entries?.map { ($0.key, $0.value.flowText) } ?? []
  }
}

extension Scenario {
  /// The expected verdict with its reason: `accepted`, or `refused, ats.no-forward-secrecy`.
  fileprivate var expectedVerdict: String {
    let expected = dates.flatMap { [$0.expectation] + $0.connections.map(\.expectation) }.compactMap(\.self)
    let words = expected.map { expectation in
      let because = expectation.because ?? []
      let word = expectation.expectedVerdict.rawValue
      return because.isEmpty ? word : "\(word), \(because.joined(separator: ", "))"
    }
    return words.isEmpty ? "accepted" : words.joined(separator: "; ")
  }

  fileprivate var expectedGlyph: RichText {
    expectsAcceptance ? Verdict.Word.accepted.glyph : Verdict.Word.refused.glyph
  }
}
