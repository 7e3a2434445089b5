import Explanation
import PKIX

/// Decides whether to trust a server, as Security.framework does: builds all paths, validates each, holds the
/// platform's policy and the host's name against it, and takes the best.
///
/// A fetch is an effect: nothing is fetched here. An evaluation says which issuer it lacks (`TrustEvaluation.wanted`);
/// whoever has a network adds the answer to `TrustPolicy.issuers` and evaluates again.
public enum TrustEvaluator {
  /// Evaluates `chain`, the server's own certificate first and the others in any order, with what was fetched so far;
  /// `host` is the one requested, nil evaluates the chain alone (SecPolicyCreateBasicX509).
  public static func evaluate(_ chain: [Certificate], host: String?, _ policy: TrustPolicy) -> TrustEvaluation {
    var policy = policy
    policy.store = policy.store.asTreated(by: policy.os)
    policy.transparencyHost = host
    let revocation = policy.revocation
    if revocation.mode != .none, revocation.isReachable, let publishes = revocation.publishes {
      policy.revocation.lists += publishes(policy.date)
    }
    guard let leaf = chain.first else {
      return TrustEvaluation(nothingBut: policy.enforcement.check(.noCertificate, on: .connection, false), policy)
    }
    let candidates: [Certificate] = chain.dropFirst() + policy.store.known + (policy.issuers?.certificates ?? [])
    let memory = SignatureMemory()
    let building = PathBuilding(
      from: leaf, over: candidates, to: policy.store.anchors, at: policy.date, decisions: policy.decisions,
      memory: memory)
    let evaluation = evaluate(building, leaf, chain, host, policy, memory).ordered(host)
    guard !evaluation.accepted else { return evaluation }
    guard !building.isComplete else { return building.isTooLong ? evaluation.limited : evaluation }
    // Among more paths than are kept there may be a good one: those that signatures make.
    let linked = PathBuilding(
      from: leaf, over: candidates, to: policy.store.anchors, at: policy.date, verifiesSignatures: true,
      decisions: policy.decisions, memory: memory)
    let second = evaluate(linked, leaf, chain, host, policy, memory)
    return second.accepted ? second : evaluation.limited
  }

  private static func evaluate(
    _ building: PathBuilding, _ leaf: Certificate, _ chain: [Certificate], _ host: String?, _ policy: TrustPolicy,
    _ memory: SignatureMemory
  ) -> TrustEvaluation {
    var policy = policy
    let purpose = policy.purpose ?? (host == nil ? .any : .server)
    if !policy.revocation.lists.isEmpty { policy.revocation.listIssuers += chain }
    let common = commonFindings(leaf, chain, host, building, policy)
    let search =
      policy.decisions.holdsAuthority == nil
      ? PathSearch() : PathSearch(presented: Set(chain), discarded: building.deadEnds)
    let candidates = building.paths.map { path -> CandidatePath in
      var candidate = CandidatePath(path, findings: chainFindings(path, search, purpose, policy, memory))
      candidate.findings += common
      candidate.findings += fetchFindings(path, chain, policy)
      if !policy.pins.isEmpty {
        let isTrusted = !candidate.findings.refuses
        candidate.findings += policy.pins.map { pins in
          pins.finding(on: path.certificates, isTrusted: isTrusted, host: host, policy)
        }
      }
      return candidate
    }
    return TrustEvaluation(
      candidates.bestFirst().map { candidate in
        TrustEvaluation.Candidate(
          path: candidate.path, anchorKind: policy.store.kind(ofAnchorOf: candidate.path),
          findings: candidate.findings.map(policy.helping))
      }, of: chain, policy)
  }

  /// Whether an issuer had to be fetched, where one was.
  private static func fetchFindings(
    _ path: CertificatePath, _ chain: [Certificate], _ policy: TrustPolicy
  ) -> [Finding] {
    guard let issuers = policy.issuers, !issuers.answers.isEmpty else { return [] }
    let sources = policy.store.sources(of: path, chain: Set(chain), fetched: Set(issuers.certificates))
    return zip(path.certificates.dropFirst(), sources).enumerated().compactMap { index, link in
      guard link.1 == .network, let url = issuers.origin(of: link.0) else { return nil }
      let subject = Finding.Subject.certificate(index: index + 1, name: policy.names(link.0))
      return policy.enforcement.check(
        .issuerFetched, on: subject, false, required: .word("presented by the server"), found: .word(url))
    }
  }

  /// What is found on the leaf whatever the path.
  private static func commonFindings(
    _ leaf: Certificate, _ chain: [Certificate], _ host: String?, _ building: PathBuilding, _ policy: TrustPolicy
  ) -> [Finding] {
    let subject = Finding.Subject.certificate(index: 0, name: policy.names(leaf))
    let identity = host.map { host in
      ServerIdentity(
        host, os: policy.os, suffixes: policy.publicSuffixes,
        labelsAfterWildcard: policy.profile == .rfc5280 ? 1 : 2, enforcement: policy.enforcement)
    }
    let order = order(of: chain, leaf, subject, policy)
    var names = identity?.findings(on: leaf) ?? []
    if order.outcome == .violated, identity?.names(oneOf: chain.dropFirst()) == true {
      names = names.map { $0.outcome == .violated ? $0.of($0.rule.forHostNotFirst) : $0 }
    }
    return [building.finding(on: subject, policy.enforcement), order] + names
  }

  /// Whether the first certificate is that of a CA that issued a later one.
  private static func order(
    of chain: [Certificate], _ leaf: Certificate, _ subject: Finding.Subject, _ policy: TrustPolicy
  ) -> Finding {
    let isAuthority = leaf.basicConstraints?.isAuthority == true
    let issued = chain.dropFirst().first { isAuthority && !$0.isSelfIssued && $0.issuer.matches(leaf.subject) }
    return policy.enforcement.check(
      .leafNotFirst, on: subject, issued == nil, required: issued.map { .word(policy.names($0)) } ?? .none,
      found: issued == nil ? .none : .word(policy.names(leaf)))
  }

  private static func chainFindings(
    _ path: CertificatePath, _ search: PathSearch, _ purpose: TrustPolicy.Purpose, _ policy: TrustPolicy,
    _ memory: SignatureMemory
  ) -> [Finding] {
    let validation = PathValidation(
      path, at: policy.date, inputs: policy.validationInputs(for: purpose), names: policy.names,
      enforcement: policy.enforcement, search: search, memory: memory)
    let judged = JudgedPath(path, validation.subjects, policy, purpose: purpose, memory: memory)
    // Path validation leaves revocation alone: where it is asked about, what came of that stands in its place.
    var findings = (consume validation).findings  // which are many: none is copied to add to them
    if policy.revocation.mode != .none { findings.removeAll { $0.rule == .revoked } }
    if policy.profile == .apple { findings.removeAll { $0.rule == .keyIdentifier } }  // it decides there
    for demand in policy.profile.checks { findings += demand.findings(judged) }
    return findings
  }
}
