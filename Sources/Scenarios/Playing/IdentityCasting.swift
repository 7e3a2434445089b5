import Cryptography
import Explanation
import PKIX
import TLS
import URLLoading

// What a client shows a server that asks who it is.
extension PlanCasting {
  /// A client's identity as it has it: its own, or what its system makes of a file.
  struct CastIdentity {
    /// Key and certificates; nil where it has none.
    var identity: ClientIdentity?
    /// The certificates by name.
    var certificates: [(name: String, certificate: Certificate)] = []
    /// How it was imported; nil where it comes from no file.
    var imported: PKCS12Import?
    /// The key, where it is none of the scenario's.
    var foreignKey: Value?
  }

  /// Who the client is.
  func castIdentity(_ client: ClientDescription, _ mark: SourceMark) throws(Diagnostics) -> CastIdentity {
    guard let file = client.identityFile else {
      return CastIdentity(identity: try identity(client, mark), certificates: identityChain(client))
    }
    let imported = PKCS12Import(
      try bytes(of: file, client, mark), passphrase: file.givenPassphrase, os: client.os, name: file.name,
      passphraseIsInBinary: file.source == .binary, isRetained: file.isRetained)
    guard let item = imported.items.first else { return CastIdentity(imported: imported) }
    let keyName = "\(file.certificate ?? "identity").key"
    return CastIdentity(
      identity: ClientIdentity(
        certificates: item.chain.map(\.der), privateKey: item.key, privateKeyName: keyName,
        issuers: item.chain.map(\.issuer.der)),
      certificates: item.chain.map { (hierarchy.names($0), $0) }, imported: imported,
      foreignKey: file.certificate == nil
        ? Value(keyName, (try? item.key.pkcs8) ?? [], .generated(by: .client)) : nil)
  }

  /// The file, packed for the occasion or read.
  private func bytes(
    of file: IdentityFileDescription, _ client: ClientDescription, _ mark: SourceMark
  ) throws(Diagnostics) -> [UInt8] {
    if let reference = file.file { return try cast.bytes(of: reference) }
    guard let name = file.certificate, let entry = hierarchy[name] else {
      throw Diagnostics("there is no certificate to pack", at: mark)
    }
    guard let key = entry.key else {
      throw Diagnostics(
        "'\(name)' cannot be packed: its private key is not given", hint: "give it a privateKey beside its pem",
        at: mark)
    }
    do {
      var random = DeterministicRandom(seed: scenario.seed, label: "\(name).p12")
      return try PKCS12(
        friendlyName: name, key: key.pkcs8, certificates: identityChain(client).map(\.certificate)
      ).encoded(passphrase: file.passphrase, protection: file.protection, mac: file.mac, random: &random)
    } catch {
      throw Diagnostics("'\(name)' cannot be packed: \(error)", at: mark)
    }
  }
}
