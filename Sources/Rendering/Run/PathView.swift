import Explanation
import Simulator
import Trust

/// The certificate paths that clients tried, with what was found on each certificate and on the host.
public struct PathView: Sendable {
  let simulation: Simulation

  /// A view of the evaluations of a run so far.
  public init(_ simulation: Simulation) { self.simulation = simulation }

  /// Every evaluation as a tree from the leaf to the anchors; says so where none was made yet.
  public func document() -> Document {
    var document = Document()
    for account in simulation.accounts {
      guard let evaluation = account.client.evaluation else { continue }
      if simulation.plans.count > 1 { document.heading("\(account.plan.name ?? account.plan.url.description)") }
      document += lines(of: evaluation, host: account.plan.url.host)
    }
    if document.blocks.isEmpty { document.paragraph("No client has evaluated a certificate path so far.") }
    return document
  }

  private func lines(of evaluation: TrustEvaluation, host: String) -> Document {
    var document = Document()
    let tree = PathTree(evaluation.candidates).lines { $0.line(simulation.world.names, in: evaluation) }
    document.blocks.append(.tree(tree, indent: 2))
    let onHost = evaluation.findings.settled.filter { $0.subject == .host(host) }
    if !onHost.isEmpty { document.bullet(VerifyView.state(onHost), "host \(host)", indent: 2) }
    document += VerifyView.violations(evaluation.findings.settled, indent: 2, isNamed: true)
    document.facts(
      [
        .init("issuers from", "\(evaluation.issuerSources.map(\.rawValue).joined(separator: ", "))"),
        .init("SecTrust", "\(evaluation.result.description)"),
      ], indent: 2)
    return document
  }
}
