import Cryptography
import Explanation
import Laboratory
import PKIX
import Simulator
import TLS
import Trust

/// The logs of a scenario, with their keys.
struct LogCasting {
  let scenario: Scenario
  var shift: Int64 = 0
  var signing: Authority.Signing = Authority.sign

  /// The names of all logs, in the order in which certificates have timestamps of them.
  private var names: [String] {
    (scenario.authorities + scenario.certificates).flatMap { $0.timestamps?.logs ?? [] }
      .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// The logs that a client knows; nil if the scenario does not say with which SCTs one of these certificates comes, so that
  /// the client is not asked about them.
  func list(for shown: [String]) -> LogList? {
    let described = (scenario.authorities + scenario.certificates).filter { $0.timestamps != nil }
    guard described.contains(where: { shown.contains($0.name) }) else { return nil }
    return LogList(names.filter { description($0).state != .unknown }.map { log($0).log })
  }

  /// All logs with their own keys.
  var all: [LogOperator] { names.map(log) }

  /// Who signs the timestamps of a log.
  func signer(_ name: String) -> LogOperator {
    // A timestamp that was forged names the log all the same.
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

  /// The timestamps of these logs over a certificate that was issued, as TLS and OCSP have them; nil for none.
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

extension LogCasting {
  /// What logs show, after the connections, of the first certificate that they have signed a timestamp for.
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

  /// The timestamp of a log that a certificate comes with, and what it was signed over.
  private func promise(
    of name: String, for owner: CertificateDescription, _ hierarchy: Hierarchy
  ) -> (SignedCertificateTimestamp, LogEntry)? {
    guard let own = hierarchy[owner.name]?.certificates.first?.certificate else { return nil }
    let (items, entry): ([[UInt8]], LogEntry?)
    if owner.timestamps?.embedded.contains(name) == true {
      items = own.embeddedTimestamps?.items ?? []
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

extension PlanCasting {
  /// The timestamps that a server sends in the TLS extension about its certificate; nil for none.
  func timestampList(of leaf: String) -> [UInt8]? { timestamps(of: leaf, \.tlsExtension)?.bytes }

  /// Returns the SCTs of every certificate that has some: an eavesdropper has seen them.
  var publicTimestamps: [Certificate: [UInt8]] {
    let lists = (scenario.authorities + scenario.certificates).compactMap { description in
      hierarchy[description.name]?.certificates.first.flatMap { own in
        timestampList(of: description.name).map { (own.certificate, $0) }
      }
    }
    return Dictionary(lists) { first, _ in first }
  }

  /// Those that come in an answer about it.
  func timestamps(
    of name: String, _ way: KeyPath<TimestampsDescription, [String]>
  ) -> SignedCertificateTimestampList? {
    guard let description = (scenario.certificates + scenario.authorities).first(where: { $0.name == name }),
      let names = description.timestamps?[keyPath: way], let own = hierarchy[name]?.certificates.first?.certificate
    else { return nil }
    return LogCasting(scenario: scenario, shift: shift, signing: cast.keys.signatures.sign).timestamps(names, over: own)
  }
}
