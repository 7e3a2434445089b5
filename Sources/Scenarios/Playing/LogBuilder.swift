import Cryptography
import Explanation
import Laboratory
import PKIX
import Simulator
import TLS
import Trust

/// Creates the CT logs of a scenario, with their keys.
struct LogBuilder {
  let scenario: Scenario
  var shift: Int64 = 0
  var signing: CertificateAuthority.Signing = CertificateAuthority.sign

  /// The names of all logs, in the order of the SCTs in certificates.
  private var names: [String] {
    (scenario.authorities + scenario.certificates).flatMap { $0.timestamps?.logs ?? [] }
      .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Returns the log list of a client; nil disables its CT check, because no presented certificate has described SCTs.
  func list(for shown: [String]) -> LogList? {
    let described = (scenario.authorities + scenario.certificates).filter { $0.timestamps != nil }
    guard described.contains(where: { shown.contains($0.name) }) else { return nil }
    return LogList(names.filter { description($0).state != .unknown }.map { log($0).log })
  }

  /// All logs, each with its own key.
  var all: [LogOperator] { names.map(log) }

  /// Returns the operator whose key signs a log's SCTs.
  func signer(_ name: String) -> LogOperator {
    // A forged SCT still names the log.
    description(name).isForged ? log(name).signing(with: key("\(name)/forger")) : log(name)
  }

  private func description(_ name: String) -> LogDescription { scenario.logs[name] ?? LogDescription() }

  private func log(_ name: String) -> LogOperator {
    let description = description(name)
    let since = description.since?.adding(seconds: shift) ?? Instant(secondsSince1970: 0)
    let state: TransparencyLog.State? =
      switch description.state {
      case .usable: .usable
      case .qualified: .qualified
      case .readonly: .readonly(since)
      case .retired: .retired(since)
      case .pending: .pending
      case .rejected: .rejected
      case .unknown: nil
      }
    var log = LogOperator(name, operator: description.operator ?? name, key: key(name), state: state, signing: signing)
    if description.from != nil || description.until != nil {
      let end = Instant(secondsSince1970: 253_402_300_799)
      log.accept(
        from: description.from?.adding(seconds: shift) ?? Instant(secondsSince1970: 0),
        until: description.until?.adding(seconds: shift) ?? end)
    }
    return log
  }

  private func key(_ name: String) -> PrivateKey { .ec(KeyStore.ecKey(owner: "log/\(name)", curve: .p256)) }

  /// Returns the SCTs of these logs for an issued certificate, in the format for TLS and OCSP; nil for none.
  func timestamps(_ names: [String], over certificate: Certificate) -> SignedCertificateTimestampList? {
    guard !names.isEmpty else { return nil }
    var random = DeterministicRandom(seed: scenario.seed, label: "timestamps")
    return SignedCertificateTimestampList(
      names.compactMap {
        try? signer($0).timestamp(
          .x509(certificate.der), at: certificate.notBefore.millisecondsSince1970, random: &random)
      })
  }
}

extension LogBuilder {
  /// Returns the logs' responses to auditors after the connections. Each is about the first certificate with the log's
  /// SCT.
  func audits(_ hierarchy: Hierarchy) -> [World.Audit] {
    let moments = names.compactMap { name in description(name).audited.map { (name, $0) } }
    return moments.sorted { $0.1 < $1.1 }.compactMap { name, after in
      let owner = (scenario.certificates + scenario.authorities).first { $0.timestamps?.logs.contains(name) == true }
      guard let owner, let (timestamp, entry) = promise(of: name, for: owner, hierarchy) else { return nil }
      var random = DeterministicRandom(seed: scenario.seed, label: "audit/\(name)")
      let audit = try? signer(name).audit(
        of: entry, timestamp, conduct: description(name).conduct, at: scenario.clock.adding(seconds: after),
        mergeDelay: description(name).mergeDelay, random: &random)
      return audit.map { World.Audit(of: owner.name, $0) }
    }
  }

  /// Returns the SCT of a log for a certificate, and the signed entry.
  private func promise(
    of name: String, for owner: CertificateDescription, _ hierarchy: Hierarchy
  ) -> (SignedCertificateTimestamp, LogEntry)? {
    guard let own = hierarchy[owner.name]?.certificates.first?.certificate else { return nil }
    let (items, entry): ([[UInt8]], LogEntry?)
    if owner.timestamps?.embedded.contains(name) == true {
      items = own.embeddedSCTs?.items ?? []
      let issuer = owner.issuer.flatMap { hierarchy[$0]?.certificates.first?.certificate }
      entry = issuer.flatMap { LogEntry(embeddedIn: own, issuer: $0) }
    } else {
      items = timestamps([name], over: own)?.items ?? []
      entry = .x509(own.der)
    }
    let timestamp = items.lazy.compactMap { try? SignedCertificateTimestamp(bytes: $0) }
      .first { $0.logID == log(name).log.id }
    guard let timestamp, let entry else { return nil }
    return (timestamp, entry)
  }
}

extension PlanBuilder {
  /// Returns the SCTs that a server sends in the TLS extension for its certificate; nil for none.
  func sctList(of leaf: String) -> [UInt8]? { timestamps(of: leaf, \.tlsExtension)?.bytes }

  /// The SCTs of every certificate that an eavesdropper has seen.
  var publicSCTs: [Certificate: [UInt8]] {
    let lists = (scenario.authorities + scenario.certificates).compactMap { description in
      hierarchy[description.name]?.certificates.first.flatMap { own in
        sctList(of: description.name).map { (own.certificate, $0) }
      }
    }
    return Dictionary(lists) { first, _ in first }
  }

  /// Returns the SCTs of a certificate by delivery method.
  func timestamps(
    of name: String, _ way: KeyPath<SCTsDescription, [String]>
  ) -> SignedCertificateTimestampList? {
    guard let description = (scenario.certificates + scenario.authorities).first(where: { $0.name == name }),
      let names = description.timestamps?[keyPath: way], let own = hierarchy[name]?.certificates.first?.certificate
    else { return nil }
    return LogBuilder(scenario: scenario, shift: shift, signing: cast.keys.signatures.sign).timestamps(names, over: own)
  }
}
