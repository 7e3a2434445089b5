import Cryptography
import Explanation
import PKIX

/// The result of evaluating a server's certificates: the findings, and every path that was tried, best first.
///
/// The findings determine both the verdict and the result.
public struct TrustEvaluation: Sendable {
  /// One path that was tried.
  public struct Candidate: Sendable {
    /// The path.
    public let path: CertificatePath
    /// The origin of the anchor; nil if the path does not end at one.
    public let anchorKind: TrustStore.Kind?
    /// The findings on the path and the host.
    public let findings: [Finding]
  }

  /// All paths that were tried, best first; empty if the server presented no certificates.
  public let candidates: [Candidate]
  /// The findings on the best path.
  public private(set) var findings: [Finding]
  /// The next fetch over the network: a missing issuer or a revocation status.
  ///
  /// It is nil if nothing is missing, or if the client does not fetch.
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

  /// Creates an evaluation with only one finding, for an empty chain.
  init(nothingBut finding: Finding, _ evaluator: TrustEvaluator) {
    candidates = []
    wanted = nil
    self.evaluator = evaluator
    findings = [finding]
  }

  /// The certificates of the best path, leaf first. If the path ends at an anchor, the anchor is last.
  public var path: [Certificate] { candidates.first?.path.certificates ?? [] }

  /// The SCTs of the server's certificate and the result of Apple's policy; nil if the client knows no logs.
  ///
  /// In the trust result of Security.framework, the verdict is kSecTrustCertificateTransparency.
  public var transparency: (delivered: DeliveredSCTs, verdict: AppleTransparency)? {
    guard let (judged, leaf, logs) = logged else { return nil }
    return ApplePolicy(judged).transparency(of: leaf, logs)
  }

  private var logged: (PathContext, Certificate, LogList)? {
    guard let best = candidates.first, let leaf = path.first, let logs = evaluator.evidence.logs else { return nil }
    return (PathContext(best.path, [], evaluator, purpose: evaluator.requirements.purpose ?? .any), leaf, logs)
  }

  /// Checks the SCTs of `leaf` against Apple's policy under another rule. The finding is not-evaluated if the client
  /// knows no logs.
  public func transparencyFinding(
    _ rule: Rule, of leaf: Certificate, on subject: Finding.Subject, confidence: Finding.Confidence = .certain,
    enforcement: Enforcement
  ) -> Finding {
    guard let (judged, leaf, logs) = logged else {
      return enforcement.unverifiedTransparency(rule, of: leaf, on: subject)
    }
    return ApplePolicy(judged).transparencyFinding(rule, leaf, subject, logs, confidence, enforcement)
  }

  /// The origin of the best path's anchor.
  public var anchorKind: TrustStore.Kind? { candidates.first?.anchorKind }

  /// The rules in force.
  public var enforcement: Enforcement { evaluator.diagnostics.enforcement }

  /// The violated rules that refuse the server.
  public var deciding: [Rule] { findings.deciding }

  /// Whether no finding refuses the server.
  public var accepted: Bool { !candidates.isEmpty && !findings.refuses }

  /// Returns the sources of a path's issuers, beginning with the leaf's issuer.
  public func sources(of candidate: Candidate) -> [IssuerSource] {
    evaluator.requirements.store.sources(
      of: candidate.path, chain: Set(evaluator.evidence.chain),
      fetched: Set(evaluator.evidence.issuers?.certificates ?? []))
  }

  /// The sources of the best path's issuers, beginning with the leaf's issuer.
  public var issuerSources: [IssuerSource] { candidates.first.map(sources) ?? [] }

  /// This evaluation after path building reached a limit. Findings on one path then do not apply to all paths.
  ///
  /// Only the limit itself and violations of the server's own certificate still refuse the server.
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

  /// This evaluation, in which a violation caused by the order of the certificates has a fix for the order.
  ///
  /// Such a violation does not occur if the chain is in order. A profile applies its rules for a server's certificate
  /// to the first certificate.
  var ordered: TrustEvaluation {
    guard !accepted, findings.contains(where: { $0.rule == .leafNotFirst && $0.outcome == .violated }),
      let place = evaluator.evidence.chain.firstIndex(where: { $0.basicConstraints?.isCA != true })
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

  /// Returns this evaluation with every violation overridden by `override`, such as a credential from a delegate.
  public func overridden(by override: Finding.Override) -> TrustEvaluation {
    var evaluation = self
    evaluation.findings = findings.settled.map { $0.refuses ? $0.overridden(by: override) : $0 }
    return evaluation
  }
}

// The result of SecTrustEvaluate.
extension TrustEvaluation {
  /// The result of SecTrustEvaluate.
  public var result: SecTrustResultType {
    if candidates.isEmpty { return .invalid }
    let rules = Set(deciding)
    if rules.isEmpty { return isUserTrusted ? .proceed : .unspecified }
    return TrustEvaluation.refusal(by: rules, isFatal: isFatal, on: evaluator.requirements.os)
  }

  /// Returns the possible results of SecTrustEvaluate if only this rule is violated, on any system of the last ten
  /// years.
  ///
  /// A key or a hash can be too weak for servers only, or for any purpose. A weakness for any purpose is fatal.
  public static func refusals(by rule: Rule) -> Set<SecTrustResultType> {
    let dependent: Set<Rule> = [.keySize, .keyAlgorithm, .weakSignature]
    let fatality = dependent.contains(rule) ? [false, true] : [fatal.contains(rule)]
    return Set(fatality.map { refusal(by: [rule], isFatal: $0, on: nil) })
  }

  /// Returns the result for these violations.
  ///
  /// Until OS X 10.10, errors that Security did not list, including revocation, resulted in "other error" (Security,
  /// Trust.cpp, diagnoseOutcome). A chain that the system blocks results in a fatal failure (SecTrust.c,
  /// SecTrustPostEvaluate).
  private static func refusal(by rules: Set<Rule>, isFatal: Bool, on os: OSVersion?) -> SecTrustResultType {
    if rules.contains(.denied) { return .deny }
    if rules == [.asksUser] { return .confirm }
    if rules.contains(.revoked), let os, os.family == .macOS, os < OSVersion(.macOS, 10, 11) { return .otherError }
    return isFatal ? .fatalTrustFailure : .recoverableTrustFailure
  }

  /// Whether a violation is fatal, so that nothing can change the result.
  ///
  /// WeakKeySize and WeakSignature are fatal. KeySize and SignatureHashAlgorithms, which apply only to servers, are
  /// recoverable.
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

  /// Applies the app's exceptions, unless a fatal violation decides.
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

  /// Whether the user trusts the anchor or the leaf, or has accepted this certificate before (SecTrust.c,
  /// SecTrustEvaluate).
  private var isUserTrusted: Bool {
    let exceptions = evaluator.requirements.exceptions
    return anchorKind == .user || exceptions != nil && evaluator.evidence.chain.first == exceptions?.certificate
      || findings.contains { $0.outcome == .violated && $0.weight == .overridden(by: .user) }
  }

  /// The rules whose violation is fatal (Security, SecPolicyChecks.list, column TRUSTRESULT; SecTrust.c).
  private static let fatal: Set<Rule> = [.revoked, .malformedExtension, .distrusted]
}

extension PublicKey {
  /// Whether Security treats the key as weak for any purpose: RSA below 1024 bits, curves below 160, and all other
  /// kinds.
  fileprivate var isWeak: Bool {
    let minimum = algorithmName == "RSA" ? 1024 : algorithmName.hasPrefix("EC") ? 160 : nil
    return minimum.map { (bits ?? 0) < $0 } ?? true
  }
}

extension Finding {
  /// Whether the finding is about the server's own certificate and does not depend on the path.
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
