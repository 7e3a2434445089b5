import Cryptography
import Endpoint
import Explanation
import PKIX
import TLS
import Trust
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

    /// What the certificate is called whose key it is; nil where there is none.
    var name: String? { identity.map { $0.privateKeyName.scope.owner } }
  }

  /// Who the client is.
  func castIdentity(_ client: ClientDescription, _ mark: SourceMark) throws(Diagnostics) -> CastIdentity {
    guard let file = client.identityFile else {
      return CastIdentity(identity: try identity(client, mark), certificates: identityChain(client))
    }
    let imported = PKCS12Import(
      try bytes(of: file, mark), passphrase: file.givenPassphrase, os: client.os, name: file.name,
      passphraseIsInBinary: file.source == .binary, isRetained: file.isRetained)
    guard let item = imported.items.first else { return CastIdentity(imported: imported) }
    let keyName = ValueScope(file.certificate ?? "identity").name(.key)
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
    of file: IdentityFileDescription, _ mark: SourceMark
  ) throws(Diagnostics) -> [UInt8] {
    if let reference = file.file { return try cast.bytes(of: reference) }
    guard let name = file.certificate else { throw Diagnostics("there is no certificate to pack", at: mark) }
    var packed = RegistrationDescription()
    (packed.certificate, packed.passphrase) = (name, file.passphrase)
    (packed.protection, packed.mac) = (file.protection, file.mac)
    return try bytes(of: packed, mark)
  }

  /// What a server answers, with the files that it issues.
  func answers(of server: ServerDescription) throws(Diagnostics) -> [String: HTTPAnswer] {
    var answers = server.content
    for (line, registration) in server.registrations {
      let file = try bytes(of: registration, server.mark)
      answers[line] = .identity(IssuedIdentity(registration.certificate, file: file, pin: registration.pin))
    }
    return answers
  }

  /// A file, packed: that which a server issues is, byte for byte, that which an app imports.
  private func bytes(
    of registration: RegistrationDescription, _ mark: SourceMark
  ) throws(Diagnostics) -> [UInt8] {
    let name = registration.certificate
    guard let entry = hierarchy[name] else { throw Diagnostics("there is no certificate to pack", at: mark) }
    guard let key = entry.key else {
      throw Diagnostics(
        "'\(name)' cannot be packed: its private key is not given", hint: "give it a privateKey beside its pem",
        at: mark)
    }
    do {
      var random = DeterministicRandom(seed: scenario.seed, label: "\(name).p12")
      return try PKCS12(
        friendlyName: name, key: key.pkcs8, certificates: hierarchy.chain(of: name, in: scenario).map(\.certificate)
      ).encoded(
        passphrase: registration.passphrase, protection: registration.protection, mac: registration.mac,
        random: &random)
    } catch {
      throw Diagnostics("'\(name)' cannot be packed: \(error)", at: mark)
    }
  }
}

extension PlanCasting {
  /// What the client shows: the certificates it names, or its one and the issuers' below the root.
  func identityChain(_ client: ClientDescription) -> [(name: String, certificate: Certificate)] {
    hierarchy.identityChain(client.identity, in: scenario)
  }

  /// The certificates that may travel in a Certificate message of the client's.
  func shownIdentities(_ client: ClientDescription, _ identity: CastIdentity) -> [Value] {
    let others = client.challengeNames.flatMap { hierarchy.chain(of: $0, in: scenario) }
    var seen: Set<String> = []
    return (identity.certificates + others).filter { seen.insert($0.name).inserted }.map {
      Value(ValueScope($0.name).name(.certificate), $0.certificate.der, .published)
    }
  }

  /// The identities that the delegate may hand in beside the client's own.
  func otherIdentities(_ client: ClientDescription, _ mark: SourceMark) throws(Diagnostics) -> [ClientIdentity] {
    var identities: [ClientIdentity] = []
    for name in client.challengeNames where name != client.identity.first && hierarchy[name]?.key != nil {
      let chain = hierarchy.chain(of: name, in: scenario).map(\.certificate)
      if let identity = try identity(name, chain, mark) { identities.append(identity) }
    }
    return identities
  }

  func identity(_ client: ClientDescription, _ mark: SourceMark) throws(Diagnostics) -> ClientIdentity? {
    guard let name = client.identity.first else { return nil }
    return try identity(name, identityChain(client).map(\.certificate), mark)
  }

  private func identity(
    _ name: String, _ chain: [Certificate], _ mark: SourceMark
  ) throws(Diagnostics) -> ClientIdentity? {
    guard let entry = hierarchy[name] else { return nil }
    guard let key = entry.key else {
      throw Diagnostics(
        "the client cannot prove that it is '\(name)': its private key is not given",
        hint: "give it a privateKey beside its pem", at: mark)
    }
    return ClientIdentity(
      certificates: chain.map(\.der), privateKey: key, privateKeyName: ValueScope(name).name(.key),
      issuers: chain.map(\.issuer.der))
  }

  /// `endpoint`, which asks its clients who they are where `server` says so: in the first handshake, or in another one that
  /// it begins for that.
  func authenticatingClients(
    _ endpoint: ServerEndpoint.Configuration, as server: ServerDescription
  ) -> ServerEndpoint.Configuration {
    var endpoint = endpoint
    endpoint.renegotiates = server.renegotiates
    endpoint.tls.renegotiation = server.renegotiation ?? (server.renegotiates == .never ? .refused : .secure)
    endpoint.knownClients = server.knownClients?.compactMap { hierarchy[$0]?.certificates.first?.certificate }
    guard server.clientAuthentication != .none else { return endpoint }
    let store = hierarchy.clientStore(for: server)
    if server.renegotiates == .never {
      endpoint.tls.clientAuthentication = server.clientAuthentication
    } else {
      endpoint.tls.renegotiatedClientAuthentication = server.clientAuthentication
    }
    endpoint.tls.clientAuthorities = store.anchors.certificates.map(\.subject.der)
    let trust = TrustEvaluator(
      TrustRequirements(profile: .rfc5280, os: nil, purpose: .client, date: scenario.clock, store: store),
      diagnostics: TrustDiagnostics(names: hierarchy.names))
    endpoint.clientTrust = trust.having(server.mutant ?? cast.mutant)
    return endpoint
  }
}
