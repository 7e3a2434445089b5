import Cryptography
import Explanation
import PKIX
import Trust

/// One case of an x509-limbo file: a chain, what it is asked, and what should come out.
public struct LimboCase: Sendable {
  /// What comes out of a validation.
  public enum Outcome: String, Sendable, Hashable {
    case success = "SUCCESS"
    case failure = "FAILURE"
    case skipped = "SKIPPED"
  }

  /// A name that the leaf must have.
  public struct PeerName: Sendable, Hashable {
    /// `DNS`, `IP`, `RFC822`.
    public let kind: String
    /// The name as text.
    public let value: String

    /// A name of this kind.
    public init(kind: String, value: String) {
      self.kind = kind
      self.value = value
    }
  }

  /// The case's name, `NAMESPACE::…::NAME`.
  public let id: String
  /// What should come out.
  public let expected: Outcome
  /// What a validator must be able to do for the expectation to hold: `pedantic-…`.
  public var features: [String] = []
  /// `SERVER` or `CLIENT`.
  public let kind: String
  /// The anchors, as PEM.
  public var trusted: [String] = []
  /// The candidates, as PEM.
  public var untrusted: [String] = []
  /// The certificate itself, as PEM.
  public let leaf: String
  /// Revocation lists, as PEM.
  public var lists: [String] = []
  /// When; nil is now.
  public var time: Instant?
  /// The signature algorithms that are accepted; none is any.
  public var signatureAlgorithms: [String] = []
  /// What the leaf's key must be allowed to do, by the standard's names.
  public var keyUsage: [String] = []
  /// What the leaf must be good for, by the standard's names.
  public var extendedKeyUsage: [String] = []
  /// The names that the leaf must have.
  public var peerNames: [PeerName] = []
  /// How many intermediates the path may have.
  public var maximumDepth: Int?

  /// A case with this leaf and nothing else; what it is asked is set afterwards.
  public init(id: String, expected: Outcome, kind: String, leaf: String) {
    self.id = id
    self.expected = expected
    self.kind = kind
    self.leaf = leaf
  }

  /// What the id begins with: `rfc5280::nc` of `rfc5280::nc::permitted-dns-match`.
  public var namespace: String {
    let parts = id.split(separator: ":", omittingEmptySubsequences: true)
    return parts.count < 2 ? id : parts.dropLast().joined(separator: "::")
  }
}

extension LimboCase {
  /// Evaluates the case, as of `now` where it has no time of its own, by these rules.
  public func evaluated(
    now: Instant, enforcement: Enforcement = .standard
  ) -> LimboRun.Result {
    LimboEvaluation(item: self, now: now, enforcement: enforcement).result
  }
}

/// One case of an x509-limbo file, evaluated.
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

  /// A certificate that cannot be read is none: no path leads over it.
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
    // CRLs must tell about the leaf; about authorities they may. A CRL that cannot be read is none.
    if !item.lists.isEmpty {
      evaluator.requirements.revocation = RevocationPolicy(.hardFail)
      evaluator.requirements.revocation.modeForAuthorities = .softFail
      evaluator.evidence.revocation.lists = item.lists.flatMap {
        (try? CertificateRevocationList.lists(inPEMOrDER: Array($0.utf8))) ?? []
      }
    }
    return evaluator
  }

  /// Why the case asks for something that is not modelled here; nil when it does not.
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

  /// The host that was asked for: the first name that is one. An address is written so that it is never a name.
  private var host: String? {
    item.peerNames.first { $0.kind == "DNS" || $0.kind == "IP" }.map(\.value)
  }

  /// The other names the leaf must have.
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

/// The results of a file of chains: the namespace of a case chooses its profile.
public struct LimboRun: Sendable {
  /// What came out of one case.
  public struct Result: Sendable, Hashable {
    /// The case's name.
    public let id: String
    /// The namespace of the case.
    public let namespace: String
    /// Whose demands were held against the chain.
    public let profile: TrustProfile
    /// What should have come out.
    public let expected: LimboCase.Outcome
    /// What came out.
    public let actual: LimboCase.Outcome
    /// The violated rules that decided; why it was skipped, or what could not be read.
    public let because: [String]

    /// Whether the case was evaluated and came out as it should.
    public var agrees: Bool { actual == expected }
  }

  /// The results in the order of the cases.
  public let results: [Result]

  /// The results of cases that were evaluated.
  public init(_ results: [Result]) { self.results = results }

  /// Whether every case that was evaluated came out as it should.
  public var agrees: Bool { results.allSatisfy { $0.agrees || $0.actual == .skipped } }

  /// How many cases came out so.
  public func count(expected: LimboCase.Outcome? = nil, actual: LimboCase.Outcome) -> Int {
    results.count { $0.actual == actual && (expected == nil || $0.expected == expected) }
  }
}
