import Explanation
import Scenarios
import Simulator

/// A question about which rule refuses the connection, if any. The wrong options are satisfied rules of the same layer,
/// and common misconceptions.
struct ReasonQuestion {
  let subject: Subject
  let student: Student

  /// The number of rules among the options, which also include the option "none".
  private static let count = 3

  func question() -> Question? {
    let because = subject.outcome.verdict.because
    guard !subject.isDecided, subject.isCertain, let telling = subject.telling,
      !because.isEmpty || subject.outcome.verdict.word == .accepted
    else { return nil }
    let label = "reason/\(subject.scenario.name)"
    let right = because.isEmpty ? nil : because[student.choice(of: because.count, for: label)]
    let wrong = Array(distractors(near: right ?? telling.rule).prefix(right == nil ? Self.count : Self.count - 1))
    guard wrong.count > 1 else { return nil }
    let choice = Choice(
      right: right.map(option) ?? Self.none, wrong: wrong.map(option) + (right == nil ? [] : [Self.none]))
    let (options, solution) = choice.arranged(for: student, label)
    let near = Hints(subject, about: right)
    let finding = right.flatMap { rule in subject.outcome.findings.first { $0.refuses && $0.rule == rule } }
    return Question(
      kind: .reason, scenario: subject.scenario.name, text: text, given: [], options: options,
      format: Choice.format(options.count),
      hints: [near.place, near.comparison, Choice.narrowing(options, solution, student, label)], solution: solution,
      reason: finding.map(Question.Reason.finding) ?? subject.reason)
  }

  private var text: String {
    subject.scenario.calculation == nil
      ? "Which of these rules will refuse the connection, if any?" : "Which of these rules will be violated, if any?"
  }

  private func option(_ rule: Rule) -> Question.Option { Question.Option(rule.id, rule.statement) }

  private static let none = Question.Option("none", "none of these rules causes a refusal")

  /// Returns rules that do not refuse: overridden rules, common misconceptions, satisfied rules, and others of the
  /// layer.
  private func distractors(near rule: Rule) -> [Rule] {
    let findings = subject.outcome.findings
    let isAccepted = subject.outcome.verdict.because.isEmpty
    let violated = Set(findings.filter { $0.outcome == .violated }.map(\.rule))
    let overridden = isAccepted ? findings.filter { $0.outcome == .violated }.map(\.rule) : []
    let held = findings.filter { $0.outcome == .satisfied && $0.rule.layer == rule.layer }.map(\.rule)
    let layer = RuleCatalogue.all.filter { $0.layer == rule.layer }
    let label = "distractors/\(subject.scenario.name)"
    var seen: Set<Rule> = isAccepted ? [] : violated
    let usual = isAccepted && !violated.contains(rule) ? [rule] : []
    let near = usual + Misconception.blamed(for: rule)
    return
      (overridden + near + student.shuffled(held, for: label) + student.shuffled(layer, for: label)
      + Misconception.usual).filter { $0.decides && seen.insert($0).inserted }
  }
}

/// The rules that are often mistaken for the cause of a failure. They are known from recurring questions in the issue
/// trackers of networking libraries.
enum Misconception {
  /// Returns the rules that are mistaken for the cause if `rule` decides.
  static func blamed(for rule: Rule) -> [Rule] { (blamed[rule.id] ?? []).compactMap(RuleCatalogue.rule) }

  /// The rules that are blamed for all kinds of failures.
  static let usual = ["chain.no-anchor", "name.mismatch", "chain.expired", "handshake.no-common-suite"]
    .compactMap(RuleCatalogue.rule)

  private static let blamed: [String: [String]] = [
    // Apps often mistake every error -1200 for a bad certificate.
    "ats.no-forward-secrecy": ["chain.no-anchor", "handshake.no-common-suite"],
    "ats.tls-version": ["handshake.no-common-version", "chain.no-anchor"],
    "ats.cipher-suite": ["handshake.no-common-suite"],
    "ats.leaf-hash": ["chain.signature-invalid"],
    "ats.insecure-http": ["chain.no-certificate"],
    // Users call a private CA "self-signed", and a self-signed certificate "expired" or "wrong".
    "chain.no-anchor": ["chain.self-signed", "chain.no-issuer"],
    "chain.self-signed": ["chain.no-anchor", "chain.signature-invalid"],
    "chain.no-issuer": ["chain.no-anchor"],
    "chain.not-a-ca": ["chain.signature-invalid", "chain.path-length"],
    "chain.path-length": ["chain.not-a-ca"],
    "chain.revoked": ["chain.expired"],
    "chain.expired": ["chain.revoked", "chain.not-yet-valid"],
    "name.mismatch": ["chain.no-anchor", "chain.signature-invalid"],
    "pin.mismatch": ["chain.no-anchor", "name.mismatch"],
    // Many believe that arbitrary loads, or a delegate, disable every check of a certificate.
    "ats.trust-loosening": ["chain.no-anchor", "challenge.not-evaluated"],
    "challenge.unanswered": ["challenge.cancelled", "http-auth.unauthorized"],
    "challenge.cancelled": ["chain.no-anchor", "challenge.unanswered"],
    "http-auth.unauthorized": ["challenge.unanswered", "http-auth.realm-mismatch"],
    "chain.key-size": ["ats.cipher-suite", "chain.weak-signature"],
    "chain.certificate-transparency": ["chain.no-anchor", "chain.revoked"],
    "record.bad-mac": ["handshake.finished-mismatch"],
    "handshake.finished-mismatch": ["record.bad-mac", "handshake.bad-signature"],
    "handshake.no-common-suite": ["handshake.no-common-version", "chain.no-anchor"],
    "handshake.no-common-version": ["handshake.no-common-suite"],
  ]
}
