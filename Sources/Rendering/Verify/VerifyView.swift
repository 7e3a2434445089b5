import Explanation
import PKIX
import Scenarios
import Simulator
import Trust
import URLLoading

/// What came of `verify`: a real chain, what it was asked, and the evaluation, as text and as JSON.
public struct VerifyView: Sendable {
  /// What was asked about a chain.
  public struct Question: Sendable {
    /// The certificates, the leaf first.
    public let chain: [Certificate]
    /// The host; nil evaluates the chain alone.
    public let host: String?
    /// What it was evaluated against.
    public let policy: TrustPolicy
    /// Whether the date is the moment of asking.
    public let isNow: Bool

    /// A question about `chain`.
    public init(chain: [Certificate], host: String?, policy: TrustPolicy, isNow: Bool) {
      self.chain = chain
      self.host = host
      self.policy = policy
      self.isNow = isNow
    }

    /// The answer.
    public var evaluation: TrustEvaluation { TrustEvaluator.evaluate(chain, host: host, policy) }
  }

  let question: Question
  let evaluation: TrustEvaluation
  var names: CertificateNames { question.policy.names }

  /// Evaluates `question`.
  public init(_ question: Question) {
    self.question = question
    evaluation = question.evaluation
  }

  /// What was decided, as for a connection that got this far.
  public var verdict: Verdict { Verdict(evaluation.findings, hasContent: true) }

  /// What was not found out and could refuse a chain that is accepted: of each rule one finding.
  var doubts: [Finding] {
    guard isAccepted else { return [] }
    var seen: Set<String> = []
    return evaluation.findings.filter { finding in
      [.unknown, .notEvaluated].contains(finding.outcome) && finding.weight == .decides
        && seen.insert(finding.rule.id).inserted
    }
  }

  /// Whether the chain is accepted.
  public var isAccepted: Bool { evaluation.accepted }

  /// What an app that evaluates the trust itself sees, and then what one that only loads a URL sees.
  var errors: [AppError] {
    guard !isAccepted else { return [] }
    let os = question.policy.os ?? .documentation
    return AppError.evaluation(verdict.because)
      + AppError.surfacing(verdict.because, atsInForce: false, os: os).errors.prefix(1)
  }

  /// The certificates in the order in which a reader meets them: the best path's, then those of other paths, then those
  /// that no path used; each once.
  var certificates: [Certificate] {
    var seen: Set<Certificate> = []
    return (evaluation.candidates.flatMap(\.path.certificates) + question.chain).filter { seen.insert($0).inserted }
  }

  /// The certificates that were given and that no path uses.
  var unused: [Certificate] {
    let used = Set(evaluation.candidates.flatMap(\.path.certificates))
    return question.chain.filter { !used.contains($0) }
  }
}

extension CertificateNames {
  /// Display names made distinct: of several certificates with one name, all but the first are numbered.
  public static func distinct(_ certificates: [Certificate]) -> CertificateNames {
    var seen: Set<Certificate> = []
    var counts: [String: Int] = [:]
    var table: [(name: String, certificate: Certificate)] = []
    for certificate in certificates where seen.insert(certificate).inserted {
      let name = certificate.displayName
      let count = counts[name, default: 0] + 1
      counts[name] = count
      table.append((count == 1 ? name : "\(name) [\(count)]", certificate))
    }
    return CertificateNames(table)
  }
}
