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
  public let findings: [Finding]

  init(_ candidates: [Candidate]) {
    self.candidates = candidates
    findings = candidates.first?.findings ?? []
  }

  /// Nothing was presented.
  init(nothingBut finding: Finding) {
    candidates = []
    findings = [finding]
  }

  private init(_ candidates: [Candidate], _ findings: [Finding]) {
    self.candidates = candidates
    self.findings = findings
  }

  /// The certificates of the best path, the leaf first, the anchor last where one was reached.
  public var path: [Certificate] { candidates.first?.path.certificates ?? [] }

  /// Who made the anchor of the best path one.
  public var anchorKind: TrustStore.Kind? { candidates.first?.anchorKind }

  /// The violated rules that decide.
  public var deciding: [Rule] { findings.deciding }

  /// Whether nothing found refuses the server.
  public var accepted: Bool { !candidates.isEmpty && !findings.refuses }

  /// What SecTrustEvaluate answers.
  public var result: SecTrustResultType {
    if candidates.isEmpty { return .invalid }
    let rules = Set(deciding)
    if rules.isEmpty { return isUsersWord ? .proceed : .unspecified }
    return TrustEvaluation.refusal(by: rules)
  }

  /// What SecTrustEvaluate answers where these rules decide.
  public static func refusal(by rules: Set<Rule>) -> SecTrustResultType {
    if rules.contains(.distrusted) { return .deny }
    return rules.isDisjoint(with: fatal) ? .recoverableTrustFailure : .fatalTrustFailure
  }

  /// This evaluation where `override` lets every violation pass: SecTrustSetExceptions, a delegate's credential.
  public func overridden(by override: Finding.Override) -> TrustEvaluation {
    TrustEvaluation(candidates, findings.settled.map { $0.refuses ? $0.overridden(by: override) : $0 })
  }

  private var isUsersWord: Bool {
    anchorKind == .user || findings.contains { $0.outcome == .violated && $0.weight == .overridden(by: .user) }
  }

  /// Security, SecPolicyChecks.list, column TRUSTRESULT.
  private static let fatal: Set<Rule> = [.keySize, .weakSignature, .revoked, .malformedExtension]
}
