import Cryptography
import Explanation
import PKIX

/// What came of evaluating a server's certificates: every path that was tried, the best first, and what was found.
///
/// Verdict and result are computed from the findings; there is no other way to either.
public struct TrustEvaluation: Sendable {
  /// One path that was tried.
  public struct Candidate: Sendable {
    /// The path.
    public let path: CertificatePath
    /// Who made its last certificate an anchor; nil when it is none.
    public let anchorKind: TrustStore.Kind?
    /// What was found on it, and on the host.
    public let findings: [Finding]
  }

  /// All paths that were tried, the best first; empty when the server presented nothing.
  public let candidates: [Candidate]
  /// What was found on the best path.
  public private(set) var findings: [Finding]
  /// What would be asked for next over the network: an issuer that is missing, or what is to be known of revocation; nil where
  /// nothing is missing or nobody asks.
  public let wanted: TrustFetch?
  private let evaluator: TrustEvaluator

  init(_ candidates: [Candidate], by evaluator: TrustEvaluator) {
    self.candidates = candidates
    self.evaluator = evaluator
    let found = candidates.first?.findings ?? []
    findings = found.refuses ? found.map(evaluator.requirements.store.helping) : found
    wanted =
      (findings.refuses ? evaluator.evidence.issuers?.next(for: candidates) : nil)
      ?? candidates.first.flatMap { evaluator.evidence.statuses?.next(for: $0, evaluator) }
    if let exceptions = evaluator.requirements.exceptions { except(exceptions) }
  }

  /// Nothing was presented.
  init(nothingBut finding: Finding, _ evaluator: TrustEvaluator) {
    candidates = []
    wanted = nil
    self.evaluator = evaluator
    findings = [finding]
  }

  /// The certificates of the best path, the leaf first, the anchor last where one was reached.
  public var path: [Certificate] { candidates.first?.path.certificates ?? [] }

  /// The SCTs of the server's certificate, and whether they satisfy Apple's policy (kSecTrustCertificateTransparency); nil if
  /// the client knows no logs.
  public var transparency: (delivered: DeliveredTimestamps, verdict: AppleTransparency)? {
    guard let (judged, leaf, logs) = logged else { return nil }
    return ApplePolicy(judged).transparency(of: leaf, logs)
  }

  private var logged: (JudgedPath, Certificate, LogList)? {
    guard let best = candidates.first, let leaf = path.first, let logs = evaluator.evidence.logs else { return nil }
    return (JudgedPath(best.path, [], evaluator, purpose: evaluator.requirements.purpose ?? .any), leaf, logs)
  }

  /// Checks the SCTs of `leaf` against Apple's policy under another rule; not evaluated if the client knows no logs.
  public func transparencyFinding(
    _ rule: Rule, of leaf: Certificate, on subject: Finding.Subject, confidence: Finding.Confidence = .certain,
    enforcement: Enforcement
  ) -> Finding {
    guard let (judged, leaf, logs) = logged else {
      return enforcement.unverifiedTransparency(rule, of: leaf, on: subject)
    }
    return ApplePolicy(judged).transparencyFinding(rule, leaf, subject, logs, confidence, enforcement)
  }

  /// Who made the anchor of the best path one.
  public var anchorKind: TrustStore.Kind? { candidates.first?.anchorKind }

  /// The rules in force in it.
  public var enforcement: Enforcement { evaluator.diagnostics.enforcement }

  /// The violated rules that decide.
  public var deciding: [Rule] { findings.deciding }

  /// Whether nothing found refuses the server.
  public var accepted: Bool { !candidates.isEmpty && !findings.refuses }

  /// Where the issuers of a path were found, the leaf's issuer first.
  public func sources(of candidate: Candidate) -> [IssuerSource] {
    evaluator.requirements.store.sources(
      of: candidate.path, chain: Set(evaluator.evidence.chain),
      fetched: Set(evaluator.evidence.issuers?.certificates ?? []))
  }

  /// Where the issuers of the best path were found, the leaf's issuer first.
  public var issuerSources: [IssuerSource] { candidates.first.map(sources) ?? [] }

  /// This evaluation where the search for paths met a limit: what was found on one path is not known of all. Only what holds
  /// of the server's own certificate on any path still refuses, and that the limit was met.
  var limited: TrustEvaluation {
    guard let limit = findings.last(where: { $0.rule == .buildingLimit && $0.outcome == .violated }) else {
      return self
    }
    var evaluation = self
    evaluation.findings = findings.map { finding in
      guard finding.refuses, !finding.isOfLeafAlone else { return finding }
      return Finding(
        finding.rule, on: finding.subject, .unknown, weight: finding.weight, required: finding.required,
        found: finding.found, confidence: finding.confidence)
    }
    evaluation.findings.removeAll { $0 == limit }
    evaluation.findings.append(
      Finding(
        limit.rule, on: limit.subject, .violated, weight: .decides, required: limit.required, found: limit.found))
    return evaluation
  }

  /// This evaluation, with the fix of the order for each violation that the same chain in order does not have: a profile
  /// applies its rules about a server's certificate to the first one.
  var ordered: TrustEvaluation {
    guard !accepted, findings.contains(where: { $0.rule == .leafNotFirst && $0.outcome == .violated }),
      let place = evaluator.evidence.chain.firstIndex(where: { $0.basicConstraints?.isAuthority != true })
    else { return self }
    var inOrder = evaluator.evidence.chain
    inOrder.insert(inOrder.remove(at: place), at: 0)
    let remaining = Set(evaluator.evaluate(inOrder, host: evaluator.requirements.host).deciding)
    var evaluation = self
    evaluation.findings = findings.map { finding in
      guard finding.refuses, finding.rule.layer == .chain, !remaining.contains(finding.rule) else { return finding }
      return finding.of(finding.rule.fixed(by: Rule.leafNotFirst.fix))
    }
    return evaluation
  }

  /// This evaluation where `override` lets every violation pass: a delegate's credential.
  public func overridden(by override: Finding.Override) -> TrustEvaluation {
    var evaluation = self
    evaluation.findings = findings.settled.map { $0.refuses ? $0.overridden(by: override) : $0 }
    return evaluation
  }
}

// What SecTrustEvaluate answers.
extension TrustEvaluation {
  /// What SecTrustEvaluate answers.
  public var result: SecTrustResultType {
    if candidates.isEmpty { return .invalid }
    let rules = Set(deciding)
    if rules.isEmpty { return isUsersWord ? .proceed : .unspecified }
    return TrustEvaluation.refusal(by: rules, isFatal: isFatal, on: evaluator.requirements.os)
  }

  /// What SecTrustEvaluate can answer where this rule alone decides, on any system of the last ten years.
  ///
  /// A key or a hash can be merely too weak for servers, or weak whatever it is for: the latter is fatal.
  public static func refusals(by rule: Rule) -> Set<SecTrustResultType> {
    let dependent: Set<Rule> = [.keySize, .keyAlgorithm, .weakSignature]
    let fatality = dependent.contains(rule) ? [false, true] : [fatal.contains(rule)]
    return Set(fatality.map { refusal(by: [rule], isFatal: $0, on: nil) })
  }

  /// Until OS X 10.10 what its list of errors did not know was another error, revocation among it: Security, Trust.cpp,
  /// diagnoseOutcome. A chain that the system blocks is fatal: SecTrust.c, SecTrustPostEvaluate.
  private static func refusal(by rules: Set<Rule>, isFatal: Bool, on os: OSVersion?) -> SecTrustResultType {
    if rules.contains(.denied) { return .deny }
    if rules == [.asksUser] { return .confirm }
    if rules.contains(.revoked), let os, os.family == .macOS, os < OSVersion(.macOS, 10, 11) { return .otherError }
    return isFatal ? .fatalTrustFailure : .recoverableTrustFailure
  }

  /// Whether something that nothing can change is among what decides: WeakKeySize and WeakSignature are fatal, and
  /// KeySize and SignatureHashAlgorithms, which hold for servers alone, are recoverable.
  private var isFatal: Bool {
    findings.settled.contains { finding in
      guard finding.refuses else { return false }
      guard case .certificate(let index, _) = finding.subject, path.indices.contains(index) else {
        return TrustEvaluation.fatal.contains(finding.rule)
      }
      switch finding.rule {
      case .keySize, .keyAlgorithm: return path[index].publicKey.isWeak
      case .weakSignature: return ApplePolicy.weakAlgorithms.contains(path[index].signatureAlgorithm.description)
      default: return TrustEvaluation.fatal.contains(finding.rule)
      }
    }
  }

  /// Lets pass what the app excepted, unless something fatal is among what decides.
  private mutating func except(_ exceptions: TrustExceptions) {
    guard evaluator.evidence.chain.first == exceptions.certificate, candidates.first != nil else { return }
    let rules = Set(deciding)
    guard
      TrustEvaluation.refusal(by: rules, isFatal: isFatal, on: evaluator.requirements.os) == .recoverableTrustFailure
    else {
      return
    }
    findings = findings.settled.map {
      $0.refuses && exceptions.permits($0, on: path) ? $0.overridden(by: .user) : $0
    }
  }

  /// The user trusts the anchor or the leaf, or decided once that this certificate shall pass: SecTrust.c,
  /// SecTrustEvaluate.
  private var isUsersWord: Bool {
    let exceptions = evaluator.requirements.exceptions
    return anchorKind == .user || exceptions != nil && evaluator.evidence.chain.first == exceptions?.certificate
      || findings.contains { $0.outcome == .violated && $0.weight == .overridden(by: .user) }
  }

  /// Security, SecPolicyChecks.list, column TRUSTRESULT; SecTrust.c.
  private static let fatal: Set<Rule> = [.revoked, .malformedExtension, .distrusted]
}

extension PublicKey {
  /// Whether Security calls the key weak whatever it is for: RSA below 1024 bits, curves below 160, and all others.
  fileprivate var isWeak: Bool {
    let minimum = algorithmName == "RSA" ? 1024 : algorithmName.hasPrefix("EC") ? 160 : nil
    return minimum.map { (bits ?? 0) < $0 } ?? true
  }
}

extension Finding {
  /// Whether the finding is about the server's own certificate, whatever path leads up from it.
  fileprivate var isOfLeafAlone: Bool {
    switch subject {
    case .certificate(index: 0, _):
      [
        .expired, .notYetValid, .malformedExtension, .unhandledCriticalExtension, .certificateVersion, .nameMismatch,
        .wildcardDepth, .wildcardForm, .noAlternativeName, .extendedKeyUsage,
      ].contains(rule)
    case .certificate: false
    default: true
    }
  }
}
