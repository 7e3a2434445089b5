import Cryptography
import Explanation
import PKIX
import Trust

/// The certificates of a scenario with their keys, by the author's names.
struct Hierarchy: Sendable {
  /// One entry of `authorities` or `certificates`.
  struct Entry: Sendable {
    let name: String
    /// The certificate; several where a file holds a chain, the entry's own first.
    let certificates: [(name: String, certificate: Certificate)]
    /// The key of the first certificate; nil when nobody here has it.
    let key: PrivateKey?
    /// What a server that presents it signs with: its key, or one that stands in for it.
    let signingKey: PrivateKey

    var authority: Authority? {
      guard let key, let own = certificates.first else { return nil }
      return Authority(own.certificate, key: key)
    }
  }

  private(set) var entries: [Entry] = []

  subscript(name: String) -> Entry? { entries.first { $0.name == name } }

  mutating func add(_ entry: Entry) { entries.append(entry) }

  var names: CertificateNames { CertificateNames(entries.flatMap(\.certificates)) }

  /// Keys that stand in for those that nobody here has.
  var standIns: [[UInt8]: PublicKey] {
    var standIns: [[UInt8]: PublicKey] = [:]
    for entry in entries where entry.key == nil {
      if let leaf = entry.certificates.first { standIns[leaf.certificate.der] = entry.signingKey.publicKey }
    }
    return standIns
  }

  /// The client's trust store: an authority from a file with several certificates is its last one, the root.
  func store(for scenario: Scenario) -> TrustStore {
    func anchors(_ kind: CertificateDescription.Store) -> [Certificate] {
      (scenario.authorities + scenario.certificates).filter { $0.trust == kind }
        .compactMap { self[$0.name]?.certificates.last?.certificate }
    }
    return TrustStore(
      system: anchors(.system), user: anchors(.user), installedNotTrusted: anchors(.installedNotTrusted),
      distrusted: anchors(.distrusted))
  }

  /// The certificates that their authorities have revoked, and when.
  func revoked(in scenario: Scenario) -> [Certificate: Instant] {
    let dated = (scenario.authorities + scenario.certificates).compactMap { description in
      description.revoked.flatMap { date in self[description.name]?.certificates.first.map { ($0.certificate, date) } }
    }
    return Dictionary(dated) { first, _ in first }
  }

  /// The timestamps that certificates come with, where the scenario says so.
  func timestamps(in scenario: Scenario) -> [Certificate: CertificateTimestamps] {
    let counted = (scenario.authorities + scenario.certificates).compactMap { description in
      description.timestamps.flatMap { count in
        self[description.name]?.certificates.first.map { ($0.certificate, count) }
      }
    }
    return Dictionary(counted) { first, _ in first }
  }

  /// What a server of `description` trusts for clients: nothing but the authorities it names.
  func clientStore(for description: ServerDescription) -> TrustStore {
    TrustStore(app: description.clientAuthorities.compactMap { self[$0]?.certificates.last?.certificate })
  }

  /// The certificate called `name` and those of its issuers, below the root.
  func chain(of name: String, in scenario: Scenario) -> [(name: String, certificate: Certificate)] {
    let issuers = Dictionary((scenario.authorities + scenario.certificates).map { ($0.name, $0.issuer) }) { one, _ in
      one
    }
    var chain: [(name: String, certificate: Certificate)] = []
    var next: String? = name
    while let current = next, let entry = self[current], chain.count < 32 {
      next = issuers[current] ?? nil
      if next != nil || chain.isEmpty { chain += entry.certificates }
    }
    return chain
  }

  /// The private keys, each held by whoever it belongs to: the server or client that presents it, the attacker who does, or the
  /// authority itself.
  func keyValues(for scenario: Scenario) -> [Value] {
    entries.compactMap { entry in
      guard let key = entry.key else { return nil }
      return Value("\(entry.name).key", (try? key.pkcs8) ?? [], .generated(by: owner(of: entry.name, in: scenario)))
    }
  }

  private func owner(of name: String, in scenario: Scenario) -> Party {
    if let presenter = scenario.servers.first(where: { $0.presents.first == name }) {
      return scenario.servers.count == 1 ? .server : Party(presenter.host)
    }
    if scenario.connections.contains(where: { $0.client.identity.first == name }) { return .client }
    let isAttackers = scenario.network.contains { verb in
      if case .intercept(let description) = verb { description.presents.first == name } else { false }
    }
    return isAttackers ? .interceptor : Party(name)
  }
}
