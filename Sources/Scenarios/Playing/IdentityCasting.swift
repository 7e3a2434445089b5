import Cryptography
import Endpoint
import Explanation
import PKIX
import TLS
import Trust
import URLLoading

// The identities of clients.
extension PlanBuilder {
  /// The identity of a client: its own, or one that its system imports from a file.
  struct BuiltIdentity {
    /// The key and certificates of the client; nil for none.
    var identity: ClientIdentity?
    /// The certificates of the identity by name.
    var certificates: [(name: String, certificate: Certificate)] = []
    /// The result of the import; nil if the identity is not from a file.
    var imported: PKCS12Import?
    /// The identity's key, if the scenario does not define it.
    var foreignKey: Value?

    /// The name of the certificate with the identity's key; nil for none.
    var name: String? { identity.map { $0.privateKeyName.scope.owner } }
  }

  /// Returns the identity of the client.
  func castIdentity(_ client: ClientDescription, _ mark: SourceMark) throws(Diagnostics) -> BuiltIdentity {
    guard let file = client.identityFile else {
      return BuiltIdentity(identity: try identity(client, mark), certificates: identityChain(client))
    }
    let imported = PKCS12Import(
      try bytes(of: file, mark), passphrase: file.givenPassphrase, os: client.os, name: file.name,
      passphraseIsInBinary: file.source == .binary, isRetained: file.isRetained,
      enforcement: cast.enforcement(.client, client.mutant))
    guard let item = imported.items.first else { return BuiltIdentity(imported: imported) }
    let keyName = ValueScope(file.certificate ?? "identity").name(.key)
    return BuiltIdentity(
      identity: ClientIdentity(
        certificates: item.chain.map(\.der), privateKey: item.key, privateKeyName: keyName,
        issuers: item.chain.map(\.issuer.der)),
      certificates: item.chain.map { (hierarchy.names($0), $0) }, imported: imported,
      foreignKey: file.certificate == nil
        ? Value(keyName, (try? item.key.pkcs8) ?? [], .generated(by: .client)) : nil)
  }

  /// Returns the contents of the file, which is either generated or read.
  private func bytes(
    of file: IdentityFileDescription, _ mark: SourceMark
  ) throws(Diagnostics) -> [UInt8] {
    if let reference = file.file { return try cast.bytes(of: reference) }
    guard let name = file.certificate else {
      throw Diagnostics("there is no certificate to put into the PKCS #12 file", at: mark)
    }
    var packed = RegistrationDescription()
    (packed.certificate, packed.passphrase) = (name, file.passphrase)
    (packed.protection, packed.mac) = (file.protection, file.mac)
    return try bytes(of: packed, mark)
  }

  /// Returns the responses of a server, with the files that it issues.
  func answers(of server: ServerDescription) throws(Diagnostics) -> [String: HTTPAnswer] {
    var answers = server.content
    for (line, registration) in server.registrations {
      let file = try bytes(of: registration, server.mark)
      answers[line] = .identity(IssuedIdentity(registration.certificate, file: file, pin: registration.pin))
    }
    return answers
  }

  /// Packs an identity into a file. The file that a server issues has the same bytes as the file that an app imports.
  private func bytes(
    of registration: RegistrationDescription, _ mark: SourceMark
  ) throws(Diagnostics) -> [UInt8] {
    let name = registration.certificate
    guard let entry = hierarchy[name] else {
      throw Diagnostics("there is no certificate to put into the PKCS #12 file", at: mark)
    }
    guard let key = entry.key else {
      throw Diagnostics(
        "cannot create a PKCS #12 file for '\(name)': its private key is missing",
        hint: "add privateKey next to the certificate's pem",
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
      throw Diagnostics("cannot create a PKCS #12 file for '\(name)': \(error)", at: mark)
    }
  }
}

extension PlanBuilder {
  /// Returns the client's chain: the certificates it names, or a single certificate and its issuers below the root.
  func identityChain(_ client: ClientDescription) -> [(name: String, certificate: Certificate)] {
    hierarchy.identityChain(of: client, in: scenario)
  }

  /// Returns the certificates that the client can send in a Certificate message.
  func shownIdentities(_ client: ClientDescription, _ identity: BuiltIdentity) -> [Value] {
    let others = client.challengeNames.flatMap { hierarchy.chain(of: $0, in: scenario) }
    var seen: Set<String> = []
    return (identity.certificates + others).filter { seen.insert($0.name).inserted }.map {
      Value(ValueScope($0.name).name(.certificate), $0.certificate.der, .published)
    }
  }

  /// Returns the identities that the delegate can use in addition to the client's own.
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
        "the client cannot prove that it is '\(name)': its private key is missing",
        hint: "add privateKey next to the certificate's pem", at: mark)
    }
    return ClientIdentity(
      certificates: chain.map(\.der), privateKey: key, privateKeyName: ValueScope(name).name(.key),
      issuers: chain.map(\.issuer.der))
  }

  /// Adds the client authentication of `server` to `endpoint`, in the first handshake or in a renegotiation.
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
    endpoint.tls.acceptedCAs = store.anchors.certificates.map(\.subject.der)
    var trust = TrustEvaluator(
      TrustRequirements(
        profile: .rfc5280, os: nil, purpose: .client, date: scenario.clock, store: store,
        revocation: RevocationPolicy(server.revocation)),
      diagnostics: TrustDiagnostics(names: hierarchy.names))
    server.profile?.apply(to: &trust.requirements)
    if server.revocation != .none {
      // The server has the current CRLs, and queries no responder.
      trust.evidence.revocation.lists = hierarchy.issuers(in: scenario).filter { $0.responder == nil }
        .compactMap { $0.list(at: scenario.clock) }
    }
    endpoint.clientTrust = trust.enforcing(cast.enforcement(.clientValidation, server.mutant))
    return endpoint
  }
}
