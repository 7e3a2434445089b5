import Explanation
import Simulator
import Trust
import URLLoading

/// What carried a connection that was accepted: the path, the name, App Transport Security, and what was let pass.
public struct GroundsView: Sendable {
  private let simulation: Simulation

  /// A view of the grounds on which the connections of a run were accepted.
  public init(_ simulation: Simulation) { self.simulation = simulation }

  /// A few lines for each connection that was accepted.
  public func document() -> Document {
    var document = Document()
    let accounts = simulation.accounts.filter { $0.verdict.word == .accepted && $0.plan.replayed == nil }
    for account in accounts {
      if accounts.count > 1 {
        document.paragraph(
          RichText("carried by, in \(account.plan.name ?? account.plan.url.description)", .dim), indent: 4)
      } else {
        document.paragraph(RichText("carried by", .dim), indent: 4)
      }
      document.facts(facts(of: account), indent: 6)
    }
    return document
  }

  private func facts(of account: ConnectionAccount) -> [Document.Fact] {
    let decision = account.plan.client.decision
    let isSecure = account.plan.url.isSecure
    var facts = [
      Document.Fact("transport", isSecure ? "" : "plain HTTP: no certificate was shown, and nothing was checked"),
      Document.Fact("path", isSecure ? path(of: account) : ""),
      Document.Fact("name", isSecure ? name(of: account) : ""),
      Document.Fact("ATS", "\(decision.reason)\(decision.decidedBy == "default" ? "" : " (\(decision.decidedBy))")"),
    ]
    let beside = account.findings.filter { $0.outcome == .violated }
    facts.append(.init("let pass", "\(Self.ids(of: beside.filter { $0.weight != .advises }))"))
    facts.append(.init("advises", "\(Self.ids(of: beside.filter { $0.weight == .advises }))"))
    let open = account.findings.filter { $0.outcome == .notEvaluated || $0.outcome == .unknown }
    facts.append(.init("not checked", "\(Self.ids(of: open))"))
    return facts
  }

  /// `api ← Issuing ← Root A, a system anchor`
  private func path(of account: ConnectionAccount) -> RichText {
    guard let evaluation = account.client.evaluation, !evaluation.path.isEmpty else {
      return account.client.parameters == nil ? "" : "none: the session went on from an earlier one"
    }
    let names = evaluation.path.map { simulation.world.names($0) }.joined(separator: " ← ")
    let anchor = evaluation.anchorKind.map { ", \($0.rawValue) anchor" } ?? ", no anchor"
    return "\(names)\(anchor)"
  }

  /// `*.example, of subjectAltName, for api.example`
  private func name(of account: ConnectionAccount) -> RichText {
    let findings = account.findings.filter { $0.rule.layer == .name && $0.outcome == .satisfied }
    guard let finding = findings.first(where: { $0.rule.id == "name.mismatch" }) else { return "" }
    let host = account.plan.url.host
    guard case .words(let presented) = finding.found else { return "" }
    let identity = ServerIdentity(host, os: account.plan.client.trust.os)
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
