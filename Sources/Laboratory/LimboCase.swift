import Cryptography
import Explanation
import PKIX
import Trust

/// A case in an x509-limbo file: a certificate chain, the inputs of the validation, and the expected outcome.
public struct LimboCase: Sendable {
  /// The outcome of validating a case.
  public enum Outcome: String, Sendable, Hashable {
    case success = "SUCCESS"
    case failure = "FAILURE"
    case skipped = "SKIPPED"
  }

  /// A name that the leaf certificate must contain.
  public struct PeerName: Sendable, Hashable {
    /// The kind of name: `DNS`, `IP` or `RFC822`.
    public let kind: String
    /// The text of the name.
    public let value: String

    /// Creates a name of this kind.
    public init(kind: String, value: String) {
      self.kind = kind
      self.value = value
    }
  }

  /// The name of the case: `NAMESPACE::…::NAME`.
  public let id: String
  /// The outcome that the file expects.
  public let expected: Outcome
  /// The features that a validator must have for the expectation to apply, such as `pedantic-…`.
  public var features: [String] = []
  /// The kind of leaf certificate: `SERVER` or `CLIENT`.
  public let kind: String
  /// The trust anchors in PEM.
  public var trusted: [String] = []
  /// The candidate intermediates in PEM.
  public var untrusted: [String] = []
  /// The leaf certificate in PEM.
  public let leaf: String
  /// The CRLs in PEM.
  public var lists: [String] = []
  /// The time of validation; nil for the current time.
  public var time: Instant?
  /// The accepted signature algorithms; empty if all are accepted.
  public var signatureAlgorithms: [String] = []
  /// The required key usages of the leaf, by their names in the standard.
  public var keyUsage: [String] = []
  /// The required extended key usages of the leaf, by their names in the standard.
  public var extendedKeyUsage: [String] = []
  /// The names that the leaf must have.
  public var peerNames: [PeerName] = []
  /// The maximum number of intermediates.
  public var maximumDepth: Int?

  /// Creates a case with this leaf. The caller sets the inputs of the validation afterwards.
  public init(id: String, expected: Outcome, kind: String, leaf: String) {
    self.id = id
    self.expected = expected
    self.kind = kind
    self.leaf = leaf
  }

  /// The namespace of the id, such as `rfc5280::nc` for `rfc5280::nc::permitted-dns-match`.
  public var namespace: String {
    let parts = id.split(separator: ":", omittingEmptySubsequences: true)
    return parts.count < 2 ? id : parts.dropLast().joined(separator: "::")
  }
}

extension LimboCase {
  /// Evaluates the case with these rules. The time is `now` if the case has none.
  public func evaluated(
    now: Instant, enforcement: Enforcement = .standard
  ) -> LimboRun.Result {
    LimboEvaluation(item: self, now: now, enforcement: enforcement).result
  }
}

/// The evaluation of one case.
private struct LimboEvaluation {
  let item: LimboCase
  let now: Instant
  let enforcement: Enforcement

  var result: LimboRun.Result {
    if let reason = reasonToSkip { return result(.skipped, [reason]) }
    let leaf: [Certificate]
    do throws(Certificate.FileError) {
      leaf = try Certificate.certificates(inPEMOrDER: Array(item.leaf.utf8))
    } catch {
      return result(.failure, ["the certificate cannot be read: \(error)"])
    }
    let evaluation = evaluator.evaluate(leaf.prefix(1) + readable(item.untrusted), host: host)
    let findings = evaluation.findings + (leaf.first.map(peerFindings) ?? [])
    let isAccepted = evaluation.accepted && !findings.refuses
    return result(isAccepted ? .success : .failure, findings.deciding.map(\.id))
  }

  private func result(_ actual: LimboCase.Outcome, _ because: [String]) -> LimboRun.Result {
    LimboRun.Result(
      id: item.id, namespace: item.namespace, profile: profile, expected: item.expected, actual: actual,
      because: because)
  }

  /// Decodes certificates, and skips malformed ones, which no path can use.
  private func readable(_ texts: [String]) -> [Certificate] {
    texts.flatMap { (try? Certificate.certificates(inPEMOrDER: Array($0.utf8))) ?? [] }
  }

  private var profile: TrustProfile { item.id.hasPrefix("webpki::") ? .webpki : .rfc5280 }

  private var evaluator: TrustEvaluator {
    var requirements = TrustRequirements(
      profile: profile, os: nil, purpose: purpose, date: item.time ?? now,
      store: TrustStore(system: readable(item.trusted)))
    requirements.limits.checksAnchorDates = true  // the file trusts certificates, not keys
    requirements.limits.maximumIntermediates = item.maximumDepth
    requirements.limits.keyUsage = KeyUsage(words: item.keyUsage)
    requirements.conformance = item.features.contains { $0.hasPrefix("pedantic-") } ? .pedantic : .required
    var evaluator = TrustEvaluator(requirements, diagnostics: TrustDiagnostics(enforcement: enforcement))
    // CRLs must cover the leaf; covering CAs is optional. Malformed CRLs are ignored.
    if !item.lists.isEmpty {
      evaluator.requirements.revocation = RevocationPolicy(.hardFail)
      evaluator.requirements.revocation.modeForCAs = .softFail
      evaluator.evidence.revocation.lists = item.lists.flatMap {
        (try? CertificateRevocationList.crls(inPEMOrDER: Array($0.utf8))) ?? []
      }
    }
    return evaluator
  }

  /// The reason why TrustLab cannot run the case; nil if it can.
  private var reasonToSkip: String? {
    if item.kind != "SERVER", item.kind != "CLIENT" { return "validation_kind \(item.kind) is not modelled" }
    if !item.signatureAlgorithms.isEmpty { return "signature_algorithms are not modelled" }
    let purposes = item.extendedKeyUsage.filter { purposeNames[$0] == nil }
    if let purpose = purposes.first { return "the purpose \(purpose) is not modelled" }
    if item.extendedKeyUsage.count > 1 { return "several purposes at once are not modelled" }
    if let usage = item.keyUsage.first(where: { KeyUsage(words: [$0]).isEmpty }) {
      return "the key usage \(usage) is not modelled"
    }
    if let name = item.peerNames.first(where: { !["DNS", "IP", "RFC822"].contains($0.kind) }) {
      return "names of kind \(name.kind) are not modelled"
    }
    return nil
  }

  private var purposeNames: [String: TrustRequirements.Purpose] {
    ["serverAuth": .server, "clientAuth": .client, "anyExtendedKeyUsage": .any]
  }

  private var purpose: TrustRequirements.Purpose {
    item.extendedKeyUsage.first.flatMap { purposeNames[$0] } ?? (item.kind == "SERVER" ? .server : .client)
  }

  /// The requested host: the first DNS name or IP address. An IP address cannot be mistaken for a DNS name.
  private var host: String? {
    item.peerNames.first { $0.kind == "DNS" || $0.kind == "IP" }.map(\.value)
  }

  /// The findings on the leaf's other required names.
  private func peerFindings(_ leaf: Certificate) -> [Finding] {
    let hosts = item.peerNames.filter { $0.kind != "RFC822" }.dropFirst().flatMap {
      ServerIdentity($0.value, os: nil, enforcement: enforcement).findings(on: leaf)
    }
    let mailboxes = item.peerNames.filter { $0.kind == "RFC822" }.map {
      MailIdentity($0.value, enforcement: enforcement).finding(on: leaf)
    }
    return hosts + mailboxes
  }
}

/// The results of an x509-limbo file. The namespace of a case determines its profile.
public struct LimboRun: Sendable {
  /// The result of one case.
  public struct Result: Sendable, Hashable {
    /// The name of the case.
    public let id: String
    /// The namespace of the case.
    public let namespace: String
    /// The trust profile that was applied.
    public let profile: TrustProfile
    /// The outcome that the file expects.
    public let expected: LimboCase.Outcome
    /// The outcome of TrustLab's validation.
    public let actual: LimboCase.Outcome
    /// The violated rules that determined the outcome, or the reason why the case was skipped or could not be decoded.
    public let because: [String]

    /// Whether the actual outcome equals the expected one.
    public var agrees: Bool { actual == expected }
  }

  /// The results, in the order of the cases.
  public let results: [Result]

  /// Creates a run from its results.
  public init(_ results: [Result]) { self.results = results }

  /// Whether every evaluated case had the expected outcome.
  public var agrees: Bool { results.allSatisfy { $0.agrees || $0.actual == .skipped } }

  /// The number of cases with these outcomes.
  public func count(expected: LimboCase.Outcome? = nil, actual: LimboCase.Outcome) -> Int {
    results.count { $0.actual == actual && (expected == nil || $0.expected == expected) }
  }
}
