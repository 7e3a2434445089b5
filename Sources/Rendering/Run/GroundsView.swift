import Explanation
import Simulator
import Trust
import URLLoading

/// The reasons for accepting a connection: the path, the name, App Transport Security, and overridden findings.
public struct GroundsView: Sendable {
  private let simulation: Simulation

  /// Creates a view of the reasons why the connections of a run were accepted.
  public init(_ simulation: Simulation) { self.simulation = simulation }

  /// Returns a few lines for each accepted connection.
  public func document() -> Document {
    var document = Document()
    let accounts = simulation.accounts.filter { $0.verdict.word == .accepted && $0.plan.replayed == nil }
    for account in accounts {
      if accounts.count > 1 {
        document.paragraph(
          RichText("accepted because, in \(account.plan.name ?? account.plan.url.description)", .dim), indent: 4)
      } else {
        document.paragraph(RichText("accepted because", .dim), indent: 4)
      }
      document.facts(facts(of: account), indent: 6)
    }
    return document
  }

  private func facts(of account: ConnectionRecord) -> [Document.Fact] {
    let decision = account.plan.client.decision
    let isSecure = account.plan.url.isSecure
    var facts = [
      Document.Fact("transport", isSecure ? "" : "plain HTTP: no certificate was presented, and nothing was checked"),
      Document.Fact("path", isSecure ? path(of: account) : ""),
      Document.Fact("name", isSecure ? name(of: account) : ""),
      Document.Fact("ATS", "\(decision.reason)\(decision.decidedBy == "default" ? "" : " (\(decision.decidedBy))")"),
    ]
    let beside = account.findings.filter { $0.outcome == .violated }
    facts.append(.init("overridden", "\(Self.ids(of: beside.filter { $0.weight != .advises }))"))
    facts.append(.init("advises", "\(Self.ids(of: beside.filter { $0.weight == .advises }))"))
    let open = account.findings.filter { $0.outcome == .notEvaluated || $0.outcome == .unknown }
    facts.append(.init("not checked", "\(Self.ids(of: open))"))
    return facts
  }

  /// Returns the certificate path: `api ← Issuing ← Root A, a system anchor`.
  private func path(of account: ConnectionRecord) -> RichText {
    guard let evaluation = account.client.evaluation, !evaluation.path.isEmpty else {
      return account.client.parameters == nil ? "" : "none: the session was resumed"
    }
    let names = evaluation.path.map { simulation.world.names($0) }.joined(separator: " ← ")
    let anchor = evaluation.anchorKind.map { ", \($0.rawValue) anchor" } ?? ", no anchor"
    return "\(names)\(anchor)"
  }

  /// Returns the matching name: `*.example, of subjectAltName, for api.example`.
  private func name(of account: ConnectionRecord) -> RichText {
    let findings = account.findings.filter { $0.rule.layer == .name && $0.outcome == .satisfied }
    guard let finding = findings.first(where: { $0.rule.id == "name.mismatch" }) else { return "" }
    let host = account.plan.url.host
    guard case .words(let presented) = finding.found else { return "" }
    let identity = ServerIdentity(host, os: account.plan.client.trust.requirements.os)
    let matching = account.client.evaluation?.path.first.map(identity.matchingNames) ?? []
    let hasAlternativeName = findings.contains { $0.rule.id == "name.no-san" }
    let place = hasAlternativeName ? "in subjectAltName" : "the common name"
    return "\((matching.isEmpty ? presented : matching).joined(separator: ", ")) (\(place)) for \(host)"
  }

  private static func ids(of findings: [Finding]) -> String {
    var seen: Set<String> = []
    return findings.map(\.rule.id).filter { seen.insert($0).inserted }.joined(separator: ", ")
  }
}

/// The reason why a run does not have another verdict: the smallest set of findings that would have to change.
public struct ObstacleView: Sendable {
  private let outcome: Outcome
  private let isOver: Bool

  /// Creates a view of the outcome of a run or of a part of it.
  public init(_ outcome: Outcome, isOver: Bool) {
    self.outcome = outcome
    self.isOver = isOver
  }

  /// Returns the findings that would have to change for the verdict `word`.
  public func document(to word: Verdict.Word) -> Document {
    var document = Document()
    let now = outcome.verdict.word
    if !isOver { document.paragraph(RichText("The run is not complete: only the current findings are listed.", .dim)) }
    guard now != word || !isOver else {
      document.bullet(word.glyph, "the verdict is already \(word.rawValue)")
      return document
    }
    switch word {
    case .accepted, .hangs: document += refusing(word)
    case .refused: document += missing
    case .notApplicable:
      document.paragraph("Only a calculation or a recording is not-applicable. In this run, a client decides.")
    }
    return document
  }

  /// Returns all refusing findings. All of them would have to change, because changing one is not enough.
  private func refusing(_ word: Verdict.Word) -> Document {
    let refusing = outcome.findings.settled.filter(\.refuses)
    var document = Document()
    if refusing.isEmpty {
      let why =
        word == .accepted
        ? "No deciding rule is violated, but the content has not arrived."
        : "No deciding rule is violated, and the content arrived. The load would hang if a delegate never answered."
      document.paragraph("\(why)")
      return document
    }
    let count =
      refusing.count == 1 ? "1 finding has to change" : "All of these \(refusing.count) findings have to change"
    document.paragraph("\(count) for the verdict \(word.rawValue):")
    for finding in refusing {
      document.bullet(finding.glyph, finding.line, indent: 2)
      document.facts(finding.facts.filter { ["required", "found", "fix"].contains($0.key) }, indent: 6)
    }
    let beside = outcome.findings.filter { $0.outcome == .violated && $0.weight == .advises }
    let consequences = beside.filter(\.isConsequence).map(\.rule.id)
    if !consequences.isEmpty {
      document.paragraph(RichText("Consequences, which disappear with their cause: \(Self.list(consequences)).", .dim))
    }
    let implied = beside.count - consequences.count
    if implied > 0 {
      document.paragraph(
        RichText(
          "\(implied) more only \(implied == 1 ? "advises and does" : "advise and do") not have to change.", .dim))
    }
    let open = outcome.findings.filter { $0.outcome == .notEvaluated || $0.outcome == .unknown }.map(\.rule.id)
    if !open.isEmpty {
      document.paragraph(RichText("Not checked in this run: \(Self.list(open)).", .dim))
    }
    if word == .accepted, outcome.content == nil {
      document.paragraph(RichText("Later checks were not reached: try a change with 'set'.", .dim))
    }
    return document
  }

  /// A text about the single finding that would be enough: one that was overridden, or any that is satisfied.
  private var missing: Document {
    var document = Document()
    let overridden = outcome.findings.filter { finding in
      if finding.outcome == .violated, case .overridden = finding.weight { true } else { false }
    }
    if !overridden.isEmpty {
      document.paragraph("The verdict would be refused if one of these findings were not overridden:")
      for finding in overridden {
        document.bullet(finding.glyph, finding.line, indent: 2)
        document.facts(finding.facts.filter { ["overridden", "required", "found"].contains($0.key) }, indent: 6)
      }
    }
    let holding = Self.unique(outcome.findings.filter { $0.outcome == .satisfied && $0.rule.decides }.map(\.rule))
    if !holding.isEmpty {
      let lead = overridden.isEmpty ? "The verdict would be refused if" : "Or if"
      document.paragraph("\(lead) one of the \(holding.count) satisfied rules were violated, such as:")
      document.facts(
        Layer.allCases.map { Document.Fact($0.rawValue, Self.examples(of: $0, among: holding)) }, indent: 2)
    }
    if document.blocks.isEmpty { document.paragraph("No check that ran could refuse the connection.") }
    return document
  }

  /// Returns the names of the first rules of a layer.
  private static func examples(of layer: Layer, among rules: [Rule]) -> RichText {
    let own = rules.filter { $0.layer == layer }.map(\.id)
    let more = own.count > fewest ? ", and \(own.count - fewest) more" : ""
    return RichText(own.prefix(fewest).joined(separator: ", "), .name) + RichText(more, .dim)
  }

  private static func unique(_ rules: [Rule]) -> [Rule] {
    var seen: Set<String> = []
    return rules.filter { seen.insert($0.id).inserted }
  }

  /// Returns the ids without duplicates, up to a readable number.
  private static func list(_ ids: [String]) -> String {
    var seen: Set<String> = []
    let each = ids.filter { seen.insert($0).inserted }
    let more = each.count > shown ? ", and \(each.count - shown) more" : ""
    return each.prefix(shown).joined(separator: ", ") + more
  }

  private static let shown = 12
  private static let fewest = 2
}
