import Explanation
import Scenarios
import Simulator
import URLLoading

extension Finding {
  /// The finding as JSON, in the order of the contract.
  var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("rule", .string(rule.id)), .init("clause", .string(rule.clause.description)),
      .init("subject", .string(subject.description)), .init("outcome", .string(outcome.rawValue)),
      .init("weight", .string(weight.word)),
    ]
    if case .overridden(let by) = weight { members.append(.init("overriddenBy", .string(by.rawValue))) }
    members += [.init("required", .string(required.description)), .init("found", .string(found.description))]
    if let note = confidence.note { members.append(.init("confidence", .string(note))) }
    members.append(.init("fix", .string(rule.fix)))
    return .object(members)
  }

  /// Glyph and style of what came of the check.
  var glyph: RichText {
    switch (outcome, weight) {
    case (.satisfied, _): RichText("✓", .good)
    case (.violated, .decides): RichText("✗", .bad)
    case (.violated, _): RichText("!", .warning)
    default: RichText("·", .dim)
    }
  }

  /// Whether it only tells the other side, or the peer's own account, of what decided: an alert, a certificate refused.
  var isConsequence: Bool {
    outcome == .violated && weight == .advises && [Rule.fatalAlert, .certificateRefused].contains(rule)
  }

  /// Rule and outcome on one line.
  var line: RichText {
    RichText([Span(rule.id, .name), Span("  \(subject.description)"), Span(difference, .dim)])
  }

  private var difference: String {
    let found = found.description
    guard !found.isEmpty, found.utf8.count < 240, found.count < 60 else { return "" }
    return ": \(found)"
  }

  /// A long list of names by its first ones, and a long text by its beginning: all of them stand in the message's fields, and in JSON.
  private static func shortened(_ text: String) -> String {
    let names = text.components(separatedBy: ", ")
    guard names.count > 6, names.dropFirst().allSatisfy({ !$0.contains(" ") }) else {
      return text.shortened()
    }
    return names.prefix(4).joined(separator: ", ").shortened() + ", … \(names.count) in all"
  }

  /// Everything there is to say about the finding.
  var facts: [Document.Fact] {
    var facts = [
      Document.Fact("rule", "\(rule.statement)"), Document.Fact("source", "\(rule.clause.description)"),
      Document.Fact("about", "\(subject.description)"),
      Document.Fact("required", "\(Self.shortened(required.description))"),
      Document.Fact("found", "\(Self.shortened(found.description))"),
    ]
    if case .overridden(let by) = weight { facts.append(.init("overridden", "by \(by.rawValue)")) }
    if let note = confidence.note { facts.append(.init("confidence", "\(note)")) }
    facts.append(.init("fix", "\(rule.fix)"))
    return facts
  }
}

extension Verdict.Word {
  var style: Span.Style {
    switch self {
    case .accepted: .good
    case .refused: .bad
    case .hangs: .warning
    case .notApplicable: .dim
    }
  }

  var glyph: RichText { RichText(self == .accepted ? "✓" : self == .notApplicable ? "–" : "✗", style) }
}

extension Goal.State {
  var glyph: RichText {
    switch self {
    case .prevented: RichText("✓", .good)
    case .later: RichText("!", .warning)
    case .possible: RichText("✗", .bad)
    case .detected: RichText("~", .warning)
    case .notApplicable: RichText("–", .dim)
    }
  }
}

extension AppError {
  var json: JSONValue {
    ["domain": .string(domain.rawValue), "code": .integer(code), "name": .string(name)]
  }
}

extension Judgement.Mismatch {
  var json: JSONValue {
    ["path": .string(path), "expected": .string(expected), "found": .string(found)]
  }
}
