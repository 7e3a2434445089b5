import Cryptography
import Explanation
import PKIX
import Trust

/// One case of an x509-limbo file, evaluated.
struct LimboEvaluation {
  private let item: LimboCase
  private let now: Instant

  init(_ item: LimboCase, now: Instant) {
    self.item = item
    self.now = now
  }

  var result: LimboRun.Result {
    if let reason = reasonToSkip { return result(.skipped, [reason]) }
    let leaf: [Certificate]
    do throws(Certificate.FileError) {
      leaf = try Certificate.certificates(inPEMOrDER: Array(item.leaf.utf8))
    } catch {
      return result(.failure, ["the certificate cannot be read: \(error)"])
    }
    let evaluation = TrustEvaluator.evaluate(leaf.prefix(1) + readable(item.untrusted), host: host, policy)
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

  private var policy: TrustPolicy {
    var policy = TrustPolicy(
      profile: profile, os: nil, purpose: purpose, date: item.time ?? now,
      store: TrustStore(system: readable(item.trusted)))
    policy.revocation = revocation
    policy.checksAnchorDates = true  // the file trusts certificates, not keys
    policy.maximumIntermediates = item.maximumDepth
    policy.keyUsage = KeyUsage(words: item.keyUsage)
    policy.requiresConformance = true
    policy.isPedantic = item.features.contains { $0.hasPrefix("pedantic-") }
    return policy
  }
}

extension LimboEvaluation {
  /// Where there are lists, they must tell about the leaf; about authorities they may. A list that cannot be read is
  /// none.
  private var revocation: RevocationPolicy {
    guard !item.lists.isEmpty else { return .none }
    var revocation = RevocationPolicy(.hardFail)
    revocation.modeForAuthorities = .softFail
    revocation.lists = item.lists.flatMap {
      (try? CertificateRevocationList.lists(inPEMOrDER: Array($0.utf8))) ?? []
    }
    // Nothing but unreadable lists: the same as lists that nobody can reach.
    revocation.isReachable = !revocation.lists.isEmpty
    return revocation
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
    if let name = names.first(where: { !["DNS", "IP", "RFC822"].contains($0.kind) }) {
      return "names of kind \(name.kind) are not modelled"
    }
    return nil
  }

  private var names: [LimboCase.PeerName] { (item.peerName.map { [$0] } ?? []) + item.peerNames }

  private var purposeNames: [String: TrustPolicy.Purpose] {
    ["serverAuth": .server, "clientAuth": .client, "anyExtendedKeyUsage": .any]
  }

  private var purpose: TrustPolicy.Purpose {
    item.extendedKeyUsage.first.flatMap { purposeNames[$0] } ?? (item.kind == "SERVER" ? .server : .client)
  }

  /// The host that was asked for: the first name that is one. An address is written so that it is never a name.
  private var host: String? {
    names.first { $0.kind == "DNS" || $0.kind == "IP" }.map(\.value)
  }

  /// The other names the leaf must have.
  private func peerFindings(_ leaf: Certificate) -> [Finding] {
    let hosts = names.filter { $0.kind != "RFC822" }.dropFirst().flatMap {
      ServerIdentity($0.value, os: nil).findings(on: leaf)
    }
    let mailboxes = names.filter { $0.kind == "RFC822" }.map { MailIdentity($0.value).finding(on: leaf) }
    return hosts + mailboxes
  }
}
