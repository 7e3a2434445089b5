import Cryptography
import Explanation
import PKIX
import Scenarios
import Simulator
import Trust
import URLLoading

/// The result of `verify` for a real chain: the settings and the evaluation, as text and as JSON.
public struct VerifyView: Sendable {
  /// A certificate chain and the settings of its evaluation.
  public struct Question: Sendable {
    /// The certificates of the chain, leaf first.
    public let chain: [Certificate]
    /// The requested host; nil to evaluate the chain alone.
    public let host: String?
    /// The evaluator with which the chain is validated.
    public let evaluator: TrustEvaluator
    /// Whether the validation date is the current time.
    public let isNow: Bool
    /// The app's App Transport Security decision about https loads of the host; nil without a property list.
    public var ats: AppTransportSecurity.Decision?

    /// Creates a question about `chain`.
    public init(chain: [Certificate], host: String?, evaluator: TrustEvaluator, isNow: Bool) {
      self.chain = chain
      self.host = host
      self.evaluator = evaluator
      self.isNow = isNow
    }

    /// The evaluation of the chain.
    public var evaluation: TrustEvaluation { evaluator.evaluate(chain, host: host) }

    /// Returns the finding about an app whose own anchors make it accept a chain that the system alone refuses.
    ///
    /// Anchors that the app sets (SecTrustSetAnchorCertificates) only affect the decision of its delegate.
    func loosening(_ evaluation: TrustEvaluation) -> Finding? {
      let store = evaluator.requirements.store
      guard let ats, evaluation.accepted,
        store.anchors.certificates.contains(where: { store.kind(of: $0) == .app })
      else { return nil }
      var system = evaluator
      system.requirements.store = store.settingAnchors([], only: false)
      guard !system.evaluate(chain, host: host).accepted else { return nil }
      return ats.findingOnLooseningTrust()
    }
  }

  let question: Question
  let evaluation: TrustEvaluation
  /// The finding about a chain that is trusted only because of the app's own anchors; nil without a property list.
  private let loosening: Finding?
  var names: CertificateNames { question.evaluator.diagnostics.names }

  /// Creates a view by evaluating `question`.
  public init(_ question: Question) {
    self.question = question
    evaluation = question.evaluation
    loosening = question.loosening(evaluation)
  }

  /// The verdict, computed as for a connection that received its content.
  public var verdict: Verdict { Verdict(evaluation.findings + atsFindings, hasContent: true) }

  /// The findings of App Transport Security about the server's own certificate, if a property list was given.
  var atsFindings: [Finding] {
    guard let ats = question.ats, let leaf = question.chain.first else { return [] }
    return ats.findings + ats.findings(on: .init(leaf, name: names(leaf))) + [loosening].compactMap(\.self)
  }

  /// The findings with an unknown outcome that could refuse an accepted chain, one for each rule.
  var doubts: [Finding] {
    guard isAccepted else { return [] }
    var seen: Set<String> = []
    return evaluation.findings.filter { finding in
      [.unknown, .notEvaluated].contains(finding.outcome) && finding.weight == .decides
        && seen.insert(finding.rule.id).inserted
    }
  }

  /// Whether the chain is accepted.
  public var isAccepted: Bool { evaluation.accepted && !atsFindings.refuses }

  /// The errors of an app that evaluates the trust itself, and of one that only loads a URL.
  var errors: [AppError] {
    guard !isAccepted else { return [] }
    let os = question.evaluator.requirements.os ?? .documentation
    // An app that evaluates with its own anchors sees no error, because the system refuses the connection afterwards.
    return AppError.evaluation(verdict.because.filter { $0 != .atsTrustLoosening })
      + AppError.surfacing(verdict.because, atsInForce: question.ats?.isRequired ?? false, os: os).errors.prefix(1)
  }

  /// The certificates in reading order, each once: those of the best path, those of other paths, and unused ones.
  var certificates: [Certificate] {
    var seen: Set<Certificate> = []
    return (evaluation.candidates.flatMap(\.path.certificates) + question.chain).filter { seen.insert($0).inserted }
  }

  /// The provided certificates that no path uses.
  var unused: [Certificate] {
    let used = Set(evaluation.candidates.flatMap(\.path.certificates))
    return question.chain.filter { !used.contains($0) }
  }
}

extension CertificateNames {
  /// Returns unique display names. If several certificates have the same name, all but the first are numbered.
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

extension VerifyView {
  /// Returns the findings about the certificate at `index` of a path. A finding that another one implies only advises.
  static func findings(of candidate: TrustEvaluation.Candidate, at index: Int) -> [Finding] {
    candidate.findings.settled.filter { finding in
      if case .certificate(index, _) = finding.subject { true } else { false }
    }
  }

  /// Returns ✗ if a rule refuses, ! if a rule is violated, · if the signature could not be checked, and otherwise ✓.
  static func state(_ findings: [Finding]) -> RichText {
    if findings.refuses { return RichText("✗", .bad) }
    if findings.contains(where: { $0.outcome == .violated }) { return RichText("!", .warning) }
    let isUnchecked = findings.contains { $0.rule == .signatureInvalid && $0.outcome == .notEvaluated }
    return isUnchecked ? RichText("·", .dim) : RichText("✓", .good)
  }

  /// Returns the violations among `findings` without duplicates, deciding ones first.
  static func violations(_ findings: [Finding], indent: Int, isNamed: Bool = false) -> Document {
    var seen: Set<String> = []
    let violated = findings.filter { $0.outcome == .violated }
    var document = Document()
    for finding in violated.filter(\.refuses) + violated.filter({ !$0.refuses })
    where seen.insert("\(finding.rule.id) \(finding.subject.description)").inserted {
      let standing = finding.refuses ? "" : " (advises only)"
      document.bullet(finding.glyph, RichText(finding.rule.id, .name) + RichText(standing), indent: indent)
      document.facts(finding.facts.filter { isNamed || $0.key != "about" }, indent: indent + 4)
    }
    return document
  }

  static func facts(of certificate: Certificate) -> [Document.Fact] {
    let alternatives = certificate.subjectAlternativeName?.names.map(\.meaning) ?? []
    let more = alternatives.count > namesShown ? ", and \(alternatives.count - namesShown) more" : ""
    let names = alternatives.prefix(namesShown).map { $0.shortened(to: 100) }.joined(separator: ", ") + more
    return [
      .init("subject", "\(certificate.subject.description.shortened())"),
      .init("issuer", "\(certificate.issuer.description.shortened())\(certificate.isSelfIssued ? " (itself)" : "")"),
      .init("valid", "\(certificate.notBefore.description) to \(certificate.notAfter.description)"),
      .init("key", "\(certificate.publicKey.description)"),
      .init("pin", "\(Base64.encode(PublicKeyPins.Pin.fingerprint(of: certificate)))"),
      .init("signature", "\(certificate.signatureAlgorithm.description)"), .init("names", "\(names)"),
    ]
  }

  private static let namesShown = 12

  /// Returns the result as JSON, version 1, with everything in the text and every candidate with all its findings.
  public func json() -> JSONValue {
    let findings = evaluation.findings + evaluation.candidates.flatMap(\.findings) + atsFindings
    return .object([.init("trustlab", 1)] + members + [.init("rules", FindingsView.rules(of: findings))])
  }

  /// The names of the result's members after `trustlab`. `ats` is present if a property list was provided.
  public static let memberNames = [
    "verdict", "result", "path", "candidates", "findings", "layer", "because", "unknown", "errors", "host", "purpose",
    "at", "profile", "os", "anchors", "certificates", "unused",
  ]

  /// The members of the result after `trustlab`.
  public var members: [JSONValue.Member] {
    let requirements = question.evaluator.requirements
    let candidates = evaluation.candidates.map(json)
    let answer: JSONValue = [
      "verdict": .string(verdict.word.rawValue), "result": .string(evaluation.result.description),
      "path": .strings(evaluation.path.map(names.callAsFunction)),
      "candidates": .array(candidates),
      "findings": candidates.first?["findings"] ?? Self.json(evaluation.findings),  // the best one's
      "layer": .optional(verdict.layer?.rawValue), "because": .strings(verdict.because.map(\.id)),
      "unknown": .strings(doubts.map(\.rule.id)),
      "errors": .array(errors.map(\.json)), "host": .optional(question.host),
      "purpose": .string((requirements.purpose ?? .any).rawValue), "at": .string(requirements.date.description),
      "profile": .string(requirements.profile.rawValue), "os": .optional(requirements.os?.description),
      "anchors": anchors, "certificates": .array(certificates.map(json)),
      "unused": .strings(unused.map(names.callAsFunction)),
    ]
    guard let ats = question.ats else { return answer.members ?? [] }
    let judged: JSONValue = [
      "decidedBy": .string(ats.decidedBy), "atsRequired": .boolean(ats.isRequired),
      "trustMayBeLoosened": .boolean(ats.trustMayBeLoosened), "reason": .string(ats.reason),
      "findings": Self.json(atsFindings),
    ]
    return (answer.members ?? []) + [.init("ats", judged)]
  }

  private func json(_ candidate: TrustEvaluation.Candidate) -> JSONValue {
    [
      "path": .strings(candidate.path.certificates.map(names.callAsFunction)),
      "anchor": .optional(candidate.anchorKind?.rawValue), "findings": Self.json(candidate.findings),
      "issuerSources": .strings(evaluation.sources(of: candidate).map(\.rawValue)),
    ]
  }

  /// Returns the findings with a known result, each once.
  private static func json(_ findings: [Finding]) -> JSONValue {
    var seen: Set<Finding> = []
    return .array(findings.settled.filter { seen.insert($0).inserted }.map(\.json))
  }

  private var anchors: JSONValue {
    let store = question.evaluator.requirements.store
    return .object(
      TrustStore.Kind.allCases.map { kind in
        .init(kind.rawValue, .integer(store.anchors.certificates.count { store.kind(of: $0) == kind }))
      })
  }

  private func json(_ certificate: Certificate) -> JSONValue {
    let alternatives = certificate.subjectAlternativeName?.names ?? []
    return [
      "name": .string(self.names(certificate)), "subject": .string(certificate.subject.description),
      "issuer": .string(certificate.issuer.description), "serial": .string(Hex.string(certificate.serialNumber)),
      "notBefore": .string(certificate.notBefore.description), "notAfter": .string(certificate.notAfter.description),
      "key": .string(certificate.publicKey.description),
      "pin": .string(Base64.encode(PublicKeyPins.Pin.fingerprint(of: certificate))),
      "signature": .string(certificate.signatureAlgorithm.description),
      "names": .strings(alternatives.map(\.meaning)),
      "sha256": .string(Hex.string(Hash.sha256.digest(certificate.der))),
    ]
  }
}
