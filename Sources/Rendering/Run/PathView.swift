import Explanation
import PKIX
import Scenarios
import Simulator
import TLS
import Trust
import URLLoading

/// The certificate paths that clients tried, with findings about each certificate and the host.
public struct PathView: Sendable {
  let simulation: Simulation

  /// Creates a view of the trust evaluations that the run has made.
  public init(_ simulation: Simulation) { self.simulation = simulation }

  /// Returns every evaluation as a tree from the leaf to the anchors, or a note if there is none yet.
  public func document() -> Document {
    var document = Document()
    for account in simulation.accounts {
      guard let challenge = account.client.challenge else { continue }
      if simulation.plans.count > 1 { document.heading("\(account.plan.name ?? account.plan.url.description)") }
      document += lines(of: challenge.evaluation, host: account.plan.url.host, result: Self.result(of: challenge))
    }
    if document.blocks.isEmpty { document.paragraph("No client has evaluated a certificate path yet.") }
    return document
  }

  /// Every candidate path of every evaluation, best first.
  var candidates: [(account: ConnectionRecord, evaluation: TrustEvaluation, candidate: TrustEvaluation.Candidate)] {
    simulation.accounts.flatMap { account in
      let evaluation = account.client.challenge?.evaluation
      return (evaluation?.candidates ?? []).compactMap { candidate in evaluation.map { (account, $0, candidate) } }
    }
  }

  /// Returns the candidate paths as JSON. They refer to findings by index.
  func json(_ table: FindingTable) -> JSONValue {
    .array(
      candidates.map { account, evaluation, candidate in
        [
          "connection": .optional(account.plan.name), "host": .string(account.plan.url.host),
          "path": .strings(candidate.path.certificates.map { simulation.world.names($0) }),
          "anchor": .optional(candidate.anchorKind?.rawValue),
          "issuerSources": .strings(evaluation.sources(of: candidate).map(\.rawValue)),
          "findings": table.references(to: candidate.findings.settled),
        ]
      })
  }

  /// Returns the result that the app read, with the system's own result if they differ.
  private static func result(of challenge: ServerTrustChallenge) -> String {
    let (read, own) = (challenge.result, challenge.evaluation.result)
    return read == own ? own.description : "\(read) for the app, \(own) for the system"
  }

  private func lines(of evaluation: TrustEvaluation, host: String, result: String) -> Document {
    var document = Document()
    let tree = PathTree(evaluation.candidates).lines { $0.line(simulation.world.names, in: evaluation) }
    document.blocks.append(.tree(tree, indent: 2))
    let onHost = evaluation.findings.settled.filter { $0.subject == .host(host) }
    if !onHost.isEmpty { document.bullet(VerifyView.state(onHost), "host \(host)", indent: 2) }
    document += VerifyView.violations(evaluation.findings.settled, indent: 2, isNamed: true)
    document.facts(
      [
        .init("issuers from", "\(evaluation.issuerSources.map(\.rawValue).joined(separator: ", "))"),
        .init("SecTrust", "\(result)"),
      ], indent: 2)
    return document
  }
}

/// The certificates of a scenario as a tree by issuer, from the roots down.
public struct HierarchyView: Sendable {
  private let scenario: Scenario
  private let certificates: [String: Certificate]
  private let run: Simulation

  /// Creates a view of the hierarchy of `scenario`, with certificates by the author's names and the state of `run`.
  public init(_ scenario: Scenario, certificates: [(name: String, certificate: Certificate)], in run: Simulation) {
    self.scenario = scenario
    self.run = run
    self.certificates = Dictionary(certificates.map { ($0.name, $0.certificate) }) { first, _ in first }
  }

  /// Returns one line for every certificate: name, key, dates, trust stores, and the parties that present it.
  public func document() -> Document {
    var rows: [Document.Branch] = []
    for root in all where root.issuer == nil { append(root, lead: "", rest: "", to: &rows) }
    return Document([.tree(rows, indent: 0)])
  }

  private var all: [CertificateDescription] { scenario.authorities + scenario.certificates }

  private func append(_ entry: CertificateDescription, lead: String, rest: String, to rows: inout [Document.Branch]) {
    rows.append(.init(lead, line(entry)))
    // The reader has already rejected cycles. A tree deeper than the longest path is truncated.
    guard rest.count < 3 * Self.deepest else { return }
    let issued = all.filter { $0.issuer == entry.name && $0.name != entry.name }
    for (index, child) in issued.enumerated() {
      let isLast = index == issued.count - 1
      append(child, lead: rest + (isLast ? "└─ " : "├─ "), rest: rest + (isLast ? "   " : "│  "), to: &rows)
    }
  }

  private func line(_ entry: CertificateDescription) -> RichText {
    var spans = [Span(entry.name, .strong)]
    if let certificate = certificates[entry.name] {
      spans.append(Span("  \(certificate.publicKey.description)", .dim))
      spans.append(Span("  \(day(certificate.notBefore)) to \(day(certificate.notAfter))", .dim))
      if certificate.notAfter < scenario.clock { spans.append(Span("  ✗ expired", .bad)) }
      if certificate.notBefore > scenario.clock { spans.append(Span("  ✗ not yet valid", .bad)) }
    }
    if let revoked = entry.revoked { spans.append(Span("  ! revoked \(day(revoked))", .warning)) }
    for store in entry.stores {
      spans.append(Span("  \(store.rawValue)", [.distrusted, .denied].contains(store) ? .bad : .good))
    }
    if !entry.distrusts.isEmpty { spans.append(Span("  ! conditionally distrusted", .warning)) }
    let presenting =
      scenario.servers.filter { $0.chains.joined().contains(entry.name) }.map(\.host)
      + (isAttackers(entry.name) ? [Party.interceptor.name] : [])
    if !presenting.isEmpty { spans.append(sending(entry.name, by: presenting.joined(separator: ", "))) }
    return RichText(spans)
  }

  /// Returns whether an attacker presents the certificate in place of the server's certificate.
  private func isAttackers(_ name: String) -> Bool {
    scenario.network.contains { verb in
      if case .intercept(let attacker) = verb { attacker.presents.contains(name) } else { false }
    }
  }

  /// Returns the parties that present a certificate, and whether they have sent it in this run.
  private func sending(_ name: String, by hosts: String) -> Span {
    if run.trace.valueNames.contains(ValueScope(name).name(.certificate)) {
      return Span("  sent by \(hosts)", .name)
    }
    return Span(run.isAtEnd ? "  of \(hosts), not sent in this run" : "  of \(hosts), not sent yet", .dim)
  }

  private func day(_ instant: Instant) -> String { String(instant.description.prefix(10)) }

  private static let deepest = 16
}
