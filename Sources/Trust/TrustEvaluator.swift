import Explanation
import PKIX

/// Decides whether to trust a server, as Security.framework does.
///
/// The evaluator builds all paths and validates each of them. It then applies the platform's policy, compares the
/// host's name, and selects the best path.
///
/// This type fetches nothing. An evaluation requests the next fetch, such as a missing issuer
/// (`TrustEvaluation.wanted`). A caller with network access passes the response to `receive` and evaluates again.
public struct TrustEvaluator: Sendable {
  /// The requirements that a path must meet.
  public var requirements: TrustRequirements
  /// The available evidence.
  public var evidence: TrustEvidence
  /// The names and rules that are used for findings.
  public var diagnostics: TrustDiagnostics

  /// Creates an evaluator without evidence.
  public init(
    _ requirements: TrustRequirements, evidence: TrustEvidence = TrustEvidence(),
    diagnostics: TrustDiagnostics = TrustDiagnostics()
  ) {
    self.requirements = requirements
    self.evidence = evidence
    self.diagnostics = diagnostics
  }

  /// Evaluates `chain` with the available evidence. The server's own certificate comes first; the others are in any
  /// order.
  ///
  /// If `host` is nil, only the chain is evaluated (SecPolicyCreateBasicX509).
  public func evaluate(_ chain: [Certificate], host: String?) -> TrustEvaluation {
    var own = self
    own.requirements.store = requirements.store.asTreated(by: requirements.os)
    own.requirements.host = host
    own.evidence.chain = chain
    return own.evaluation
  }

  private var evaluation: TrustEvaluation {
    guard let leaf = evidence.chain.first else {
      return TrustEvaluation(nothingBut: diagnostics.enforcement.check(.noCertificate, on: .connection, false), self)
    }
    let memory = SignatureCache(limit: requirements.limits.maximumSignatures)
    let building = building(from: leaf, verifiesSignatures: false, memory)
    let evaluation = evaluation(building, leaf, memory).ordered
    guard !evaluation.accepted else { return evaluation }
    guard !building.isComplete else { return building.isTooLong ? evaluation.limited : evaluation }
    // The limit may have dropped a valid path, so this builds again and keeps only paths with valid signatures.
    let second = self.evaluation(self.building(from: leaf, verifiesSignatures: true, memory), leaf, memory)
    return second.accepted ? second : evaluation.limited
  }

  private func building(
    from leaf: Certificate, verifiesSignatures: Bool, _ memory: SignatureCache
  ) -> PathBuilding {
    PathBuilding(
      from: leaf,
      over: evidence.chain.dropFirst() + requirements.store.known + (evidence.issuers?.certificates ?? []),
      to: requirements.store.anchors, at: requirements.date, verifiesSignatures: verifiesSignatures,
      decisions: diagnostics.decisions, memory: memory)
  }

  private func evaluation(
    _ building: PathBuilding, _ leaf: Certificate, _ memory: SignatureCache
  ) -> TrustEvaluation {
    let common = commonFindings(leaf, building)
    let search =
      diagnostics.decisions.requiresCA == nil
      ? PathSearch() : PathSearch(presented: Set(evidence.chain), discarded: building.deadEnds)
    let candidates = building.paths.map { path -> CandidatePath in
      var candidate = CandidatePath(path, findings: chainFindings(path, search, memory))
      candidate.findings += common
      candidate.findings += fetchFindings(path)
      if !requirements.pins.isEmpty {
        let isTrusted = !candidate.findings.refuses
        candidate.findings += requirements.pins.map { pins in
          pins.finding(on: path.certificates, isTrusted: isTrusted, host: requirements.host, self)
        }
      }
      return candidate
    }
    return TrustEvaluation(
      candidates.bestFirst().map { candidate in
        TrustEvaluation.Candidate(
          path: candidate.path, anchorKind: requirements.store.kind(ofAnchorOf: candidate.path),
          findings: candidate.findings.map(evidence.helping))
      }, by: self)
  }

  /// Returns the findings on issuers that had to be fetched.
  private func fetchFindings(_ path: CertificatePath) -> [Finding] {
    guard let issuers = evidence.issuers, !issuers.answers.isEmpty else { return [] }
    let sources = requirements.store.sources(of: path, chain: Set(evidence.chain), fetched: Set(issuers.certificates))
    return zip(path.certificates.dropFirst(), sources).enumerated().compactMap { index, link in
      guard link.1 == .network, let url = issuers.origin(of: link.0) else { return nil }
      let subject = Finding.Subject.certificate(index: index + 1, name: diagnostics.names(link.0))
      return diagnostics.enforcement.check(
        .issuerFetched, on: subject, false, required: .word("presented by the server"), found: .word(url))
    }
  }

  /// Returns the findings on the leaf that do not depend on the path.
  private func commonFindings(_ leaf: Certificate, _ building: PathBuilding) -> [Finding] {
    let subject = Finding.Subject.certificate(index: 0, name: diagnostics.names(leaf))
    let identity = requirements.host.map { host in
      ServerIdentity(
        host, os: requirements.os, suffixes: evidence.publicSuffixes,
        labelsAfterWildcard: requirements.profile == .rfc5280 ? 1 : 2, enforcement: diagnostics.enforcement)
    }
    let order = order(leaf, subject)
    var names = identity?.findings(on: leaf) ?? []
    if order.outcome == .violated, identity?.names(oneOf: evidence.chain.dropFirst()) == true {
      names = names.map { $0.outcome == .violated ? $0.of($0.rule.forHostNotFirst) : $0 }
    }
    return [building.finding(on: subject, diagnostics.enforcement), order] + names
  }

  /// Checks that the first certificate is not that of a CA that issued one of the others.
  private func order(_ leaf: Certificate, _ subject: Finding.Subject) -> Finding {
    let isCA = leaf.basicConstraints?.isCA == true
    let issued = evidence.chain.dropFirst().first { isCA && !$0.isSelfIssued && $0.issuer.matches(leaf.subject) }
    return diagnostics.enforcement.check(
      .leafNotFirst, on: subject, issued == nil, required: issued.map { .word(diagnostics.names($0)) } ?? .none,
      found: issued == nil ? .none : .word(diagnostics.names(leaf)))
  }

  private func chainFindings(
    _ path: CertificatePath, _ search: PathSearch, _ memory: SignatureCache
  ) -> [Finding] {
    let purpose = requirements.purpose ?? (requirements.host == nil ? .any : .server)
    let validation = PathValidation(
      path, at: requirements.date, inputs: requirements.validationInputs(for: purpose), names: diagnostics.names,
      enforcement: diagnostics.enforcement, search: search, memory: memory)
    let judged = PathContext(path, validation.subjects, self, purpose: purpose, memory: memory)
    // Path validation does not check revocation, so the revocation result replaces its finding.
    var findings = (consume validation).findings  // consumed, to avoid a copy of many findings
    if requirements.revocation.mode != .none { findings.removeAll { $0.rule == .revoked } }
    if requirements.profile == .apple { findings.removeAll { $0.rule == .keyIdentifier } }  // it decides there
    for demand in requirements.profile.checks { findings += demand.findings(judged) }
    return findings
  }
}
