import Explanation
import Scenarios
import Simulator

/// What must come out of a case, in sentences.
struct ExpectationStory {
  let expectation: Expectation

  init(_ expectation: Expectation) { self.expectation = expectation }

  var sentences: [String] {
    var sentences = [verdict]
    if let path = expectation.path {
      sentences.append(path.isEmpty ? "There is no path." : "The path is \(path.joined(separator: ", ")).")
    }
    if let sources = expectation.issuerSources {
      sentences.append("Its issuers come from: \(sources.isEmpty ? "nowhere" : sources.joined(separator: ", ")).")
    }
    if let key = expectation.decidedBy { sentences.append("What decides is \(key).") }
    if let keys = expectation.appReview {
      sentences.append(
        keys.isEmpty
          ? "App Review asks about nothing." : "App Review asks about \(keys.joined(separator: " and ")).")
    }
    if let suite = expectation.cipherSuite { sentences.append("The cipher suite is \(suite).") }
    if let result = expectation.trustResult { sentences.append("The trust result is \(result).") }
    if let content = expectation.content { sentences.append("The app receives “\(content)”.") }
    for (name, value) in expectation.values.sorted(by: { $0.key < $1.key }) {
      sentences.append("\(name) is \(value).")
    }
    if let rules = expectation.overridden {
      sentences.append(
        rules.isEmpty ? "Nothing is overridden." : "Overridden: \(rules.joined(separator: ", ")).")
    }
    if let errors = expectation.errors, !errors.isEmpty {
      let names = errors.map { $0.name.isEmpty ? $0.description : "\($0.description) (\($0.name))" }
      sentences.append("The app sees \(names.joined(separator: " or ")).")
    }
    let goals = Goal.allCases.compactMap { goal in
      expectation.goals[goal].map { "\(goal.rawValue) \($0.rawValue)" }
    }
    if !goals.isEmpty { sentences.append("The risks: \(goals.joined(separator: ", ")).") }
    return sentences + onServer + onValues + expectation.knowledge.map(Self.sentence) + byConnection
  }

  private var onServer: [String] {
    var sentences: [String] = []
    if let verdict = expectation.serverVerdict { sentences.append("The server's verdict is \(verdict.rawValue).") }
    if let rules = expectation.serverBecause, !rules.isEmpty {
      sentences.append("The server refuses because of \(rules.joined(separator: ", ")).")
    }
    if let executed = expectation.executed {
      sentences.append(
        executed.isEmpty ? "Nothing is carried out." : "Carried out: \(executed.joined(separator: ", ")).")
    }
    return sentences
  }

  private var onValues: [String] {
    let hidden = expectation.neverOnWire.joined(separator: ", ")
    return expectation.equal.map { "The same bytes: \($0.joined(separator: ", "))." }
      + expectation.different.map { "Different bytes: \($0.joined(separator: ", "))." }
      + (hidden.isEmpty ? [] : ["Never on the wire: \(hidden)."])
  }

  private var byConnection: [String] {
    expectation.connections.sorted { $0.key < $1.key }.flatMap { name, expectation in
      ExpectationStory(expectation).sentences.map { "\(name): \($0)" }
    }
  }

  private var verdict: String {
    let because = expectation.because ?? []
    switch expectation.verdict ?? .accepted {
    case .accepted: return "The client must accept."
    case .hangs: return "The client must wait in vain."
    case .notApplicable: return "There must be nothing to decide."
    case .refused:
      let layer = expectation.layer.map { " by the layer \($0.rawValue)" } ?? ""
      let rules = because.map { id in RuleCatalogue.rule(id).map { "\(id) (\($0.statement.dropPeriod))" } ?? id }
      return "The client must refuse\(layer)" + (rules.isEmpty ? "." : ", because of \(rules.joined(separator: ", ")).")
    }
  }

  private static func sentence(_ knowledge: Expectation.KnowledgeExpectation) -> String {
    let knows = knowledge.knows.isEmpty ? nil : "must know \(knowledge.knows.joined(separator: ", "))"
    let lacks = knowledge.lacks.isEmpty ? nil : "must not come by \(knowledge.lacks.joined(separator: ", "))"
    let party = knowledge.party == .client || knowledge.party == .server || knowledge.party == .eavesdropper
    let name = party ? "The \(knowledge.party.name)" : knowledge.party.name
    return "\(name) \([knows, lacks].compactMap { $0 }.joined(separator: " and "))."
  }

  /// `accepted`, or `refused: ats.no-forward-secrecy`.
  static func summary(_ scenario: Scenario) -> String {
    let expected = scenario.dates.flatMap { [$0.expectation] + $0.connections.map(\.expectation) }.compactMap(\.self)
    let words = expected.map { expectation in
      let because = expectation.because ?? []
      let word = (expectation.verdict ?? .accepted).rawValue
      return because.isEmpty ? word : "\(word), \(because.joined(separator: ", "))"
    }
    return words.isEmpty ? "accepted" : words.joined(separator: "; ")
  }

  static func glyph(_ scenario: Scenario) -> RichText {
    scenario.expectsAcceptance ? Verdict.Word.accepted.glyph : Verdict.Word.refused.glyph
  }
}

extension String {
  fileprivate var dropPeriod: String { hasSuffix(".") ? String(dropLast()) : self }
}
