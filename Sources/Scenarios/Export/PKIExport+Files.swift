import Cryptography
import Explanation
import PKIX

extension PKIExport {
  /// NAME.pem, NAME.der and, where the key is at hand, NAME.key.pem and NAME.p12.
  mutating func add(_ entry: Hierarchy.Entry, _ stem: String, _ hierarchy: Hierarchy) throws(Diagnostics) {
    guard let certificate = entry.certificates.first?.certificate else { return }
    add("\(stem).pem", Array(certificate.pem.utf8), "certificate of \(entry.name)")
    add("\(stem).der", certificate.der, "the same in DER")
    guard let key = entry.key else {
      remarks.append("the key of '\(entry.name)' is not at hand")
      return
    }
    do {
      let information = try key.pkcs8
      let strength = Self.strength(key.publicKey)
      // RFC 7468 section 2 lets text stand before a block.
      let caption = strength.isEmpty ? "" : "\(entry.name): \(key.publicKey.description)\(strength)\n"
      add(
        "\(stem).key.pem", Array((caption + PEM.encode("PRIVATE KEY", information)).utf8),
        "private key, \(key.publicKey.description)\(strength)", isSecret: true)
      var random = DeterministicRandom(seed: scenario.seed, label: "export/\(entry.name).p12")
      let archive = PKCS12(
        friendlyName: entry.name, key: information, certificates: presented(with: entry, hierarchy))
      add(
        "\(stem).p12", try archive.encoded(passphrase: Self.passphrase, random: &random),
        "key and certificates, PKCS #12", isSecret: true)
    } catch {
      throw Diagnostics("the key of '\(entry.name)' cannot be written: \(error)")
    }
  }

  /// What the server that presents `entry` sends along with it; else the certificate alone.
  private func presented(with entry: Hierarchy.Entry, _ hierarchy: Hierarchy) -> [Certificate] {
    let server = scenario.servers.first { $0.presents.first == entry.name }
    let names = server?.presents ?? [entry.name]
    return names.compactMap { hierarchy[$0] }.flatMap(\.certificates).map(\.certificate)
  }

  /// NAME.chain.pem: what the server presents, its own certificate first.
  mutating func add(
    _ server: ServerDescription, _ stems: [String: String], _ hierarchy: Hierarchy, _ names: inout FileNames
  ) {
    let entries = server.presents.compactMap { hierarchy[$0] }
    guard let leaf = entries.first, let stem = stems[leaf.name] else { return }
    let certificates = entries.flatMap(\.certificates)
    let bytes = Array(certificates.map(\.certificate.pem).joined().utf8)
    var name = "\(stem).chain.pem"
    if let other = files.first(where: { $0.name == name }), other.bytes != bytes {
      name = "\(names.name(for: "\(stem).\(server.host)")).chain.pem"
    }
    if !files.contains(where: { $0.name == name }) {
      add(name, bytes, "what \(server.host) presents: \(certificates.map(\.name).joined(separator: ", "))")
    }
    servers.append(
      Server(
        host: server.host, certificate: "\(stem).pem", chain: name, key: leaf.key == nil ? nil : "\(stem).key.pem"))
  }

  /// NAME.chain.pem for what an attacker presents, unless a server presents the same.
  mutating func addIntercepted(
    _ description: InterceptorDescription, _ stems: [String: String], _ hierarchy: Hierarchy
  ) {
    let entries = description.presents.compactMap { hierarchy[$0] }
    guard let leaf = entries.first, let stem = stems[leaf.name] else { return }
    let name = "\(stem).chain.pem"
    guard !files.contains(where: { $0.name == name }) else { return }
    let certificates = entries.flatMap(\.certificates)
    let bytes = Array(certificates.map(\.certificate.pem).joined().utf8)
    add(name, bytes, "what the interceptor presents: \(certificates.map(\.name).joined(separator: ", "))")
  }

  /// The anchors of one kind in one file.
  mutating func addRoots(_ store: CertificateDescription.Store, _ name: String, _ hierarchy: Hierarchy) {
    let anchors = (scenario.authorities + scenario.certificates).filter { $0.trust == store }.compactMap {
      hierarchy[$0.name]?.certificates.last?.certificate
    }
    guard !anchors.isEmpty else { return }
    roots[store] = "\(name).pem"
    add("\(name).pem", Array(anchors.map(\.pem).joined().utf8), "anchors: \(store.rawValue)")
  }

  /// What is said of keys that nobody should use.
  private static func strength(_ key: PublicKey) -> String {
    guard case .rsa(let key) = key, key.bits < 2048 else { return "" }
    return key.bits < 1024 ? " (a toy)" : " (weak)"
  }
}
