import Cryptography
import Endpoint
import Explanation
import PKIX
import Simulator
import Trust
import URLLoading

/// The certificates and keys of a scenario, by the names that its author chose.
struct Hierarchy: Sendable {
  /// One entry of `authorities` or `certificates`.
  struct Entry: Sendable {
    let name: String
    /// The certificate of the entry. If a file contains a chain, the issuers follow.
    let certificates: [(name: String, certificate: Certificate)]
    /// The key of the first certificate; nil if it is unknown.
    let key: PrivateKey?
    /// The key with which a server that presents the certificate signs: the entry's key, or a substitute.
    let signingKey: PrivateKey
    /// The name of the entry that owns the key. For a cross-certificate, it is another entry.
    let keyOwner: String
    /// The function that signs for the certificate as a CA.
    let signing: CertificateAuthority.Signing

    var authority: CertificateAuthority? {
      guard let key, let own = certificates.first else { return nil }
      return CertificateAuthority(own.certificate, key: key, signing: signing)
    }
  }

  private(set) var entries: [Entry] = []

  subscript(name: String) -> Entry? { entries.first { $0.name == name } }

  mutating func add(_ entry: Entry) { entries.append(entry) }

  var names: CertificateNames { CertificateNames(entries.flatMap(\.certificates)) }

  /// The substitutes for unknown keys.
  var standIns: [[UInt8]: PublicKey] {
    var standIns: [[UInt8]: PublicKey] = [:]
    for entry in entries where entry.key == nil {
      if let leaf = entry.certificates.first { standIns[leaf.certificate.der] = entry.signingKey.publicKey }
    }
    return standIns
  }

  /// Returns the client's trust store. If a CA's file has several certificates, the last one, the root, is the anchor.
  func store(for scenario: Scenario) -> TrustStore {
    func anchors(_ kind: CertificateDescription.Store) -> [Certificate] {
      (scenario.authorities + scenario.certificates).filter { $0.stores.contains(kind) }
        .compactMap { self[$0.name]?.certificates.last?.certificate }
    }
    var store = TrustStore(
      system: anchors(.system), user: anchors(.user), installedNotTrusted: anchors(.installedNotTrusted),
      distrusted: anchors(.distrusted))
    store.denied = Set(anchors(.denied))
    store.asked = Set(anchors(.asked))
    store.distrusts = distrusts(in: scenario)
    return store
  }

  /// Returns the systems' distrust of certificates in the scenario.
  private func distrusts(in scenario: Scenario) -> [Distrust] {
    (scenario.authorities + scenario.certificates).flatMap { description -> [Distrust] in
      guard let certificate = self[description.name]?.certificates.last?.certificate else { return [] }
      return description.distrusts.map { list in
        Distrust(
          certificate, from: list.from, since: list.since, issuedFrom: list.issuedFrom, issuedBefore: list.issuedBefore,
          exempt: Set(list.except.flatMap { self[$0]?.certificates.map(\.certificate) ?? [] }))
      }
    }
  }

  /// Returns the issuer certificates that CAs publish.
  func publications(in scenario: Scenario) -> [World.Publication] {
    (scenario.authorities + scenario.certificates).compactMap { description in
      guard let url = description.issuerLocation, let own = self[description.name]?.certificates.first else {
        return nil
      }
      return World.Publication(of: description.name, at: url, own.certificate.der)
    }
  }

  /// Returns a server's trust store for clients, which contains only the CAs that `description` names.
  func clientStore(for description: ServerDescription) -> TrustStore {
    func certificates(_ setting: ClientTrustSetting) -> [Certificate] {
      description.clientTrustSettings.filter { $0.value == setting }.keys.sorted()
        .compactMap { self[$0]?.certificates.last?.certificate }
    }
    var store = TrustStore(
      app: description.acceptedCAs.compactMap { self[$0]?.certificates.last?.certificate },
      distrusted: certificates(.distrusted))
    store.denied = Set(certificates(.never))
    return store
  }

  /// Returns the certificate called `name` and its issuers below the root.
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

  /// Returns the chain of a client's identity.
  ///
  /// A list is the whole chain. The issuers below the root follow a single certificate.
  func identityChain(of client: ClientDescription, in scenario: Scenario) -> [(name: String, certificate: Certificate)]
  {
    if client.identityIsComplete { return client.identity.compactMap { self[$0] }.flatMap(\.certificates) }
    return client.identity.first.map { chain(of: $0, in: scenario) } ?? []
  }

  /// Returns every certificate with its issuers and its key.
  func holdings(in scenario: Scenario) -> [Holding] {
    entries.map { entry in
      Holding(
        name: entry.name, chain: chain(of: entry.name, in: scenario).map(\.certificate), key: entry.key,
        keyName: ValueScope(entry.keyOwner).name(.key), signing: entry.signing)
    }
  }

  /// Returns the private keys, each with its owner: the server, client or attacker that presents it, or the CA itself.
  func keyValues(for scenario: Scenario) -> [Value] {
    entries.compactMap { entry in
      guard let key = entry.key, entry.keyOwner == entry.name else { return nil }
      let value = Value(
        ValueScope(entry.name).name(.key), (try? key.pkcs8) ?? [], .generated(by: owner(of: entry.name, in: scenario)))
      if case .ec(let key) = key, scenario.hasSpoofedKey(entry.name) {
        return value.adding(.computed(.unitKey(curve: key.curve.rawValue), from: []))
      }
      // The issuer of the file generates the key, and the client that opens the file obtains it.
      guard let issued = scenario.registrations.first(where: { $0.registration.certificate == entry.name }) else {
        return value
      }
      return value.adding(.generated(by: issued.issuer)).adding(IssuedIdentity.opening(entry.name))
    }
  }

  /// Returns the certificates that attackers need for `weaknesses` and that no server presents to the clients.
  ///
  /// These certificates are public: they can be found on other servers, in trust stores and in logs.
  func publicCertificates(for weaknesses: [Value.ID: Value.Derivation], in scenario: Scenario) -> [Value] {
    let presented = scenario.presentedToClients
    let needed = Set(
      weaknesses.values.flatMap { derivation -> [Value.ID] in
        if case .computed(_, let inputs) = derivation { inputs } else { [] }
      })
    return entries.filter { !presented.contains($0.name) }.flatMap(\.certificates)
      .map { Value(ValueScope($0.name).name(.certificate), $0.certificate.der, .published) }.filter {
        needed.contains($0.id)
      }
  }

  /// Returns these private keys, each with the derivations by which a quantum computer finds it from its certificate.
  ///
  /// A certificate is public even if no server presents it to the clients: in trust stores, in logs or on other servers.
  func brokenKeys(_ keys: [Value], in scenario: Scenario) -> [Value] {
    let presented = scenario.presentedToClients
    return keys.map { key in
      let name = key.id.scope.owner
      guard key.id == ValueScope(name).name(.key), let certificate = self[name]?.certificates.first?.certificate,
        let method = certificate.publicKey.quantumMethod
      else { return key }
      let seen = presented.contains(name) ? key.adding(.computed(method, from: [key.id.sibling(.certificate)])) : key
      return seen.adding(.computed(method, from: []))
    }
  }

  private func owner(of name: String, in scenario: Scenario) -> Party {
    func isKey(of presented: String?) -> Bool { presented.flatMap { self[$0]?.keyOwner } == name }
    if let presenter = scenario.servers.first(where: { $0.chains.contains { isKey(of: $0.first) } }) {
      return scenario.servers.count == 1 ? .server : Party(presenter.host)
    }
    if scenario.connections.contains(where: { isKey(of: $0.client.identity.first) }) { return .client }
    let isAttackers = scenario.network.contains { verb in
      if case .intercept(let description) = verb { isKey(of: description.presents.first) } else { false }
    }
    let isTheirs = isAttackers || scenario.attackers.certificates.contains { self[$0]?.keyOwner == name }
    return isTheirs ? .interceptor : Party(name)
  }
}

extension Scenario {
  /// The names of the certificates that servers present to the clients, without those of redirect targets.
  var presentedToClients: Set<String> {
    let hosts = connections.compactMap { try? LoadURL($0.url).host }
    return Set(servers.filter { hosts.contains($0.host) }.flatMap { $0.chains.joined() })
  }
}

extension Scenario {
  /// Returns whether the certificate with this name spoofs the key of another.
  fileprivate func hasSpoofedKey(_ name: String) -> Bool {
    (authorities + certificates).contains { $0.name == name && $0.spoofedKey != nil }
  }
}
