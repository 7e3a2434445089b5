import Cryptography
import Endpoint
import Explanation
import PKIX
import TLS
import Trust
import URLLoading

extension NodeReader {
  /// One entry of `authorities` or `certificates`.
  func certificate(named name: String, isAuthority: Bool, mark: SourceMark, folder: String) -> CertificateDescription? {
    guard let map = map(Vocabulary.certificate) else { return nil }
    let issuer = map["issuer"]?.text()
    return CertificateDescription(
      name: name, isAuthority: isAuthority, issuer: issuer == "self" ? nil : issuer,
      key: map["key"]?.keyKind() ?? CertificateDescription.usualKey,
      signature: map["signature"]?.choice(Vocabulary.signatureWords, called: "hash")
        ?? CertificateDescription.usualSignature,
      names: map["names"]?.list { $0.alternativeName() } ?? [], entropy: map["entropy"]?.integer(0...63),
      sharesPrimeWith: map["sharesPrimeWith"]?.text(), commonName: map["commonName"]?.text(),
      notBefore: map["notBefore"]?.date(), notAfter: map["notAfter"]?.date(), days: map["days"]?.integer(0...73_000),
      trust: map["trust"]?.choice(CertificateDescription.Store.allCases.map(\.rawValue), called: "store")
        .flatMap(CertificateDescription.Store.init) ?? .none,
      distrusts: map["distrust"]?.distrusts() ?? [], issuerLocation: map["caIssuers"]?.issuerLocation(),
      crossSigned: map["crossSigns"]?.text(), nameConstraints: map["nameConstraints"]?.nameConstraints(),
      version: map["version"]?.integer(1...3), serial: map["serial"]?.serialNumber(),
      revoked: map["revoked"]?.date(),
      pathLength: map["pathLength"]?.integer(0...100),
      keyUsage: map["keyUsage"]?.list { $0.choice(KeyUsage.names, called: "key usage") },
      extendedKeyUsage: map["extendedKeyUsage"]?.list {
        $0.choice(ExtendedKeyUsage.named.map(\.name), called: "purpose")
      },
      timestamps: map["timestamps"]?.timestamps(), faults: map["break"]?.faults() ?? [],
      pem: map["pem"]?.file(in: folder),
      privateKey: map["privateKey"]?.file(in: folder), mark: mark)
  }

  /// A number of embedded timestamps, or how many come in which way.
  private func timestamps() -> CertificateTimestamps? {
    guard node.entries != nil else { return integer(0...100).map { CertificateTimestamps(embedded: $0) } }
    guard let map = map(Vocabulary.timestamps) else { return nil }
    func count(_ key: String) -> Int { map[key]?.integer(0...100) ?? 0 }
    return CertificateTimestamps(
      embedded: count("embedded"), tlsExtension: count("tlsExtension"), ocsp: count("ocsp"))
  }

  /// `server`, or one entry of `servers` whose key is the host.
  func server(host: String?, mark: SourceMark) -> ServerDescription? {
    guard let map = map(Vocabulary.server) else { return nil }
    return ServerDescription(
      host: (host ?? map["host"]?.text() ?? "").lowercased(), presents: map["presents"]?.list { $0.text() } ?? [],
      versions: map["versions"]?.list { $0.version() } ?? [],
      cipherSuites: map["cipherSuites"]?.list { $0.cipherSuite() } ?? [],
      groups: map["groups"]?.list { $0.group() } ?? [],
      signatureSchemes: map["signatureAlgorithms"]?.list { $0.signatureScheme() },
      applicationProtocols: map["alpn"]?.list { $0.applicationProtocol() } ?? [],
      clientAuthentication: map["clientAuthentication"]?
        .choice(Vocabulary.clientAuthenticationWords, called: "way of client authentication")
        .flatMap(ClientAuthentication.init) ?? .none,
      clientAuthorities: map["clientAuthorities"]?.list { $0.text() } ?? [],
      resumesSessions: map["sessions"]?.resumesSessions() ?? false, content: map["content"]?.content() ?? [:],
      random: map["random"]?.randomQualities(of: ["server_random"]) ?? [:],
      mutant: map["mutant"]?.choice(Vocabulary.serverMutants, called: "mutant").flatMap(Mutant.named), mark: mark)
  }

  func client(folder: String) -> ClientDescription? {
    guard let map = map(Vocabulary.client) else { return nil }
    // What cannot be read was reported: something stands for it so that all else is checked, too.
    let os = map["os"].map { $0.os() ?? .documentation }
    let loader = map["loader"].map { $0.loader() ?? .urlSession }
    let infoPlist = map["infoPlist"].flatMap { $0.infoPlist(folder) } ?? .inline(.dictionary(.init()))
    guard let os, let loader else { return nil }
    return ClientDescription(
      os: os, loader: loader, infoPlist: infoPlist, linkedSDK: map["linkedSDK"]?.os(),
      isDirect: map["direct"]?.flag(), serverTrust: map["serverTrust"]?.serverTrust() ?? .standard,
      fetchesIssuers: map["fetchesIssuers"]?.flag() ?? true,
      revocation: map["revocation"]?.choice(RevocationPolicy.Mode.allCases.map(\.rawValue), called: "revocation check")
        .flatMap(RevocationPolicy.Mode.init) ?? .none,
      signatureSchemes: map["signatureAlgorithms"]?.list { $0.signatureScheme() },
      identity: map["identity"]?.identity() ?? [],
      resumesSessions: map["sessions"]?.resumesSessions() ?? false,
      applicationProtocols: map["alpn"]?.list { $0.applicationProtocol() } ?? [],
      random: map["random"]?.randomQualities(of: ["premaster_secret", "client_random"]) ?? [:],
      mutant: map["mutant"]?.choice(Vocabulary.clientMutants, called: "mutant").flatMap(Mutant.named))
  }

  /// `none`, a certificate's name, or those of all that are shown.
  private func identity() -> [String] {
    if case .list = node { return list { $0.text() } ?? [] }
    return text().map { $0 == "none" ? [] : [$0] } ?? []
  }

  private func resumesSessions() -> Bool {
    choice(Vocabulary.sessionWords, called: "way with sessions") == "resumable"
  }

  private func keyKind() -> KeyKind? {
    guard let text = text() else { return nil }
    if let kind = KeyKind(text) { return kind }
    fail("'\(text)' is not a key", hint: "write rsa-2048 (512 to 8192 bits), ec-p256, ec-p384 or ec-p521")
    return nil
  }

  private func faults() -> [Fault] {
    let words = Fault.allCases.map(\.rawValue)
    if case .list = node {
      return list { $0.choice(words, called: "fault") }?.compactMap(Fault.init(rawValue:)) ?? []
    }
    return choice(words, called: "fault").flatMap(Fault.init(rawValue:)).map { [$0] } ?? []
  }

  private func file(in folder: String) -> FileReference? {
    guard let text = text() else { return nil }
    let path = text.hasPrefix("/") || folder.isEmpty ? text : "\(folder)/\(text)"
    return FileReference(path: path, mark: node.mark)
  }

  private func version() -> ProtocolVersion? {
    choice(Vocabulary.versionWords, called: "protocol version").flatMap(ProtocolVersion.init)
  }

  func cipherSuite() -> CipherSuite? {
    choice(CipherSuite.registry.map(\.name), called: "cipher suite").flatMap(CipherSuite.init(name:))
  }

  private func group() -> NamedGroup? {
    guard let name = choice(NamedGroup.registry.map(\.name), called: "group"), let group = NamedGroup(name: name) else {
      return nil
    }
    if group.isImplemented { return group }
    fail(
      "the group '\(name)' is not played yet",
      hint: "played today: \(NamedGroup.implemented.map(\.description).joined(separator: ", "))")
    return nil
  }

  private func signatureScheme() -> SignatureScheme? {
    choice(Vocabulary.schemeWords, called: "signature algorithm").flatMap(SignatureScheme.init(name:))
  }

  /// RFC 7301 section 3.1: 1 to 255 bytes.
  private func applicationProtocol() -> ApplicationProtocol? {
    guard let text = text() else { return nil }
    if (1...255).contains(text.utf8.count) { return ApplicationProtocol(text) }
    fail("a protocol's name has 1 to 255 bytes", hint: "write http/1.1, or h2")
    return nil
  }

  func content() -> [String: HTTPAnswer] {
    let answers = named { line, mark, reader -> (String, HTTPAnswer)? in
      let parts = line.split(separator: " ")
      guard parts.count == 2, HTTPRequest.methods.contains(String(parts[0])), parts[1].hasPrefix("/") else {
        sink.error("'\(line)' is not a request line", hint: "write GET /path", at: mark)
        return nil
      }
      return reader.answer().map { (line, $0) }
    }
    return Dictionary(answers) { first, _ in first }
  }

  /// A body, or where to look instead.
  private func answer() -> HTTPAnswer? {
    guard node.entries != nil else { return text().map(HTTPAnswer.content) }
    guard let map = map(Vocabulary.answer) else { return nil }
    guard let target = map["redirect"]?.text() else {
      if map["redirect"] == nil { fail("\(path) does not say where to look", hint: "write { redirect: /path }") }
      return nil
    }
    let url = try? LoadURL(target)
    guard target.hasPrefix("/") || url.map({ ["http", "https"].contains($0.scheme) }) == true else {
      map["redirect"]?.fail("'\(target)' is nothing to be redirected to", hint: "write http://other.example/ or /path")
      return nil
    }
    guard let status = map["status"] else { return .redirect(to: target, status: 302) }
    guard let code = status.integer(300...399) else { return nil }
    let known = HTTPAnswer.statuses.map(\.code)
    guard known.contains(code) else {
      status.fail("\(code) is no redirect", hint: "known: \(known.map(String.init).joined(separator: ", "))")
      return nil
    }
    return .redirect(to: target, status: code)
  }

  func os() -> OSVersion? {
    guard let text = text() else { return nil }
    guard let os = OSVersion(text) else {
      fail("unknown operating system '\(text)'", hint: "write iOS 10, iOS 18.4, macOS 10.13 or doc")
      return nil
    }
    return os
  }

  private func loader() -> Loader? {
    choice(Loader.allCases.map(\.rawValue), called: "loader").flatMap(Loader.init)
  }

  private func infoPlist(_ folder: String) -> ClientDescription.InfoPlist? {
    if case .map = node { return .inline(propertyList()) }
    return file(in: folder).map(ClientDescription.InfoPlist.file)
  }
}
