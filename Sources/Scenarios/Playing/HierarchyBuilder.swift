import Cryptography
import Explanation
import Laboratory
import PKIX
import URLLoading

/// Issues the certificates of a scenario in the order of the hierarchy, and reads certificates from files.
struct HierarchyBuilder {
  let scenario: Scenario
  let keys: KeyStore
  let readFile: ScenarioSetup.FileReader
  /// The number of seconds by which every date of an issued certificate is moved.
  var shift: Int64 = 0

  func hierarchy() throws(Diagnostics) -> Hierarchy {
    var hierarchy = Hierarchy()
    var waiting = scenario.authorities + scenario.certificates
    while !waiting.isEmpty {
      let ready = waiting.filter { description in
        let needed = [description.issuer, description.crossSigned, description.spoofedKey].compactMap(\.self)
        return description.pem != nil || needed.allSatisfy { hierarchy[$0] != nil }
      }
      guard !ready.isEmpty else {
        throw Diagnostics("the issuers form a cycle", at: waiting.first?.mark)
      }
      for description in ready {
        if let file = description.pem {
          hierarchy.add(try read(description, file))
        } else {
          hierarchy.add(try issue(description, hierarchy))
        }
      }
      waiting.removeAll { description in ready.contains { $0.name == description.name } }
    }
    return hierarchy
  }

  private func issue(_ description: CertificateDescription, _ hierarchy: Hierarchy) throws(Diagnostics)
    -> Hierarchy.Entry
  {
    do {
      let spoofed = try spoofedKey(description, hierarchy)
      let signing = spoofed.map(Self.forging) ?? keys.signatures.sign
      let key = try spoofed.flatMap(Self.privateKeyOne) ?? key(of: description, hierarchy)
      let impostor =
        description.faults.contains(.issuerKey)
        ? try self.key(description.key, owner: "\(description.name)/impostor") : nil
      var random = DeterministicRandom(seed: scenario.seed, label: "certificate/\(description.name)")
      var template = template(
        for: description, key: key, issuerKind: issuerKind(description, hierarchy) ?? key.publicKey)
      template.subjectKey = try subjectKey(description, key, spoofed)
      let named = description.crossSigned ?? description.spoofedKey
      if description.commonName == nil, let other = named.flatMap({ hierarchy[$0] }) {
        template.subject = other.certificates.first?.certificate.subject ?? template.subject
      }
      if description.isProxy { makeProxy(&template, description, hierarchy) }
      let certificate: Certificate
      if let issuer = description.issuer {
        guard let authority = hierarchy[issuer]?.authority else {
          throw Diagnostics(
            "'\(issuer)' cannot sign: its private key is missing",
            hint: "add 'privateKey' next to the certificate's 'pem'", at: description.mark)
        }
        let casting = LogBuilder(scenario: scenario, shift: shift, signing: keys.signatures.sign)
        let logs = (description.timestamps?.embedded ?? []).map(casting.signer)
        certificate =
          logs.isEmpty
          ? try authority.issue(template, for: key.publicKey, impostor: impostor, random: &random)
          : try authority.issue(
            template, for: key.publicKey, loggedBy: logs, at: template.notBefore, impostor: impostor, random: &random
          ).certificate
      } else {
        certificate =
          try CertificateAuthority(
            root: template, key: key, impostor: impostor, signing: signing, random: &random
          ).certificate
      }
      return .init(
        name: description.name, certificates: [(description.name, certificate)], key: key, signingKey: key,
        keyOwner: description.crossSigned ?? description.name, signing: signing)
    } catch let error as Diagnostics {
      throw error
    } catch {
      throw Diagnostics("cannot issue '\(description.name)': \(error)", at: description.mark)
    }
  }

  /// Returns the EC key that the described certificate spoofs; nil if it has its own key.
  private func spoofedKey(
    _ description: CertificateDescription, _ hierarchy: Hierarchy
  ) throws(Diagnostics) -> ECPublicKey? {
    guard let name = description.spoofedKey else { return nil }
    guard case .ec(let key)? = hierarchy[name]?.certificates.first?.certificate.publicKey else {
      throw Diagnostics(
        "'\(name)' has no EC key, so '\(description.name)' cannot spoof it", hint: "write key: ec-p256 for '\(name)'",
        at: description.mark)
    }
    return key
  }

  /// Returns the private key 1, which belongs to every key that is its own generator.
  private static func privateKeyOne(_ key: ECPublicKey) -> PrivateKey? {
    ECPrivateKey.one(on: key.curve).map(PrivateKey.ec)
  }

  /// Returns the function that signs with the private key 1 for a key that is its own generator.
  private static func forging(_ key: ECPublicKey) -> CertificateAuthority.Signing {
    { message, own, scheme, random in
      guard let hash = scheme.hash, scheme.keyKind == .ecdsa,
        let signature = key.forgedSignature(over: message, hash: hash)
      else { return try own.sign(message, scheme, random: &random) }
      return signature
    }
  }

  /// Returns the key in a certificate if it spells out its curve; nil for the usual form.
  private func subjectKey(
    _ description: CertificateDescription, _ key: PrivateKey, _ spoofed: ECPublicKey?
  ) throws(Diagnostics) -> PublicKey? {
    if let spoofed { return spoofed.spellingOutCurve(generator: spoofed.point) }
    guard description.spellsOutCurve else { return nil }
    guard case .ec(let own) = key else {
      throw Diagnostics(
        "the key of '\(description.name)' has no curve", hint: "write key: ec-p256", at: description.mark)
    }
    return own.publicKey.spellingOutCurve()
  }

  private func issuerKind(_ description: CertificateDescription, _ hierarchy: Hierarchy) -> PublicKey? {
    description.issuer.flatMap { hierarchy[$0]?.key?.publicKey }
  }

  /// Returns a key from a good or a weak random generator.
  private func key(of description: CertificateDescription, _ hierarchy: Hierarchy) throws -> PrivateKey {
    if let name = description.crossSigned {
      guard let key = hierarchy[name]?.key else {
        throw Diagnostics(
          "the key of '\(name)' is missing, so it cannot be certified", hint: "add privateKey to that certificate",
          at: description.mark)
      }
      return key
    }
    guard case .rsa(let bits) = description.key else { return try key(description.key, owner: description.name) }
    if let entropy = description.entropy {
      return .rsa(try keys.rsaKey(owner: description.name, bits: bits, entropy: entropy))
    }
    if description.hasSmoothPrime { return .rsa(try keys.rsaKeyWithSmoothPrime(owner: description.name, bits: bits)) }
    guard let name = description.sharesPrimeWith else { return try key(description.key, owner: description.name) }
    guard case .rsa(let other)? = hierarchy[name]?.key, other.publicKey.bits == bits else {
      throw Diagnostics(
        "'\(description.name)' cannot share a prime with '\(name)'",
        hint: "both need RSA keys of the same size, and '\(name)' must come first", at: description.mark)
    }
    return .rsa(try keys.rsaKey(owner: description.name, bits: bits, sharingPrimeWith: other))
  }

  private func key(_ kind: KeyKind, owner: String) throws -> PrivateKey {
    switch kind {
    case .rsa(let bits): .rsa(try keys.rsaKey(owner: owner, bits: bits))
    case .ec(let curve): .ec(KeyStore.ecKey(owner: owner, curve: curve))
    case .ed25519: .ed25519(KeyStore.ed25519Key(owner: owner))
    }
  }

  private func template(
    for description: CertificateDescription, key: PrivateKey, issuerKind: PublicKey
  ) -> CertificateTemplate {
    let (notBefore, notAfter) = description.validity(scenario.epoch)
    let (start, end) = (notBefore.adding(seconds: shift), notAfter.adding(seconds: shift))
    let subject = DistinguishedName(commonName: description.commonName ?? description.defaultCommonName)
    var template =
      description.isCA
      ? CertificateTemplate.authority(subject, notBefore: start, notAfter: end, pathLength: description.pathLength)
      : .server(subject, names: description.names.map(generalName), notBefore: start, notAfter: end)
    template.signatureScheme = scheme(description.signature, for: issuerKind)
    template.faults = Set(description.faults)
    template.version = description.version ?? 3
    template.serialNumber = description.serial
    template.nameConstraints = description.nameConstraints
    let issuer = (scenario.authorities + scenario.certificates).first { $0.name == description.issuer }
    template.issuerLocations = issuer?.issuerLocation.map { [$0] } ?? []
    if description.mustStaple { template.otherExtensions.append(.init(TLSFeature([TLSFeature.statusRequest]))) }
    template.responderLocations = [issuer?.responder].compactMap(\.self)
    template.crlLocations = [issuer?.list?.location].compactMap(\.self)
    template.deltaLocations = [issuer?.list?.delta].compactMap(\.self)
    let signer = (scenario.authorities + scenario.certificates).first { $0.name == issuer?.list?.signer }
    template.crlIssuer = signer.map { DistinguishedName(commonName: $0.commonName ?? $0.defaultCommonName) }
    if let words = description.keyUsage { template.keyUsage = KeyUsage(words: words) }
    if let words = description.extendedKeyUsage {
      template.extendedKeyUsage =
        words.isEmpty ? nil : ExtendedKeyUsage(words.compactMap { ExtendedKeyUsage.purpose(named: $0) })
    }
    leaveOutExtensions(of: description, &template)
    return template
  }

  /// Makes a proxy certificate, whose subject is its issuer's and one common name (RFC 3820 section 3.4).
  private func makeProxy(
    _ template: inout CertificateTemplate, _ description: CertificateDescription, _ hierarchy: Hierarchy
  ) {
    template.proxyInformation = ProxyCertificateInformation(pathLength: nil, policyLanguage: .inheritAllRights)
    let issuer = description.issuer.flatMap { hierarchy[$0]?.certificates.first?.certificate.subject }
    guard description.commonName == nil, let issuer else { return }
    template.subject = issuer.adding(commonName: description.name)
  }

  /// Removes the extensions that the described certificate lacks, as some programs write fewer extensions.
  private func leaveOutExtensions(of description: CertificateDescription, _ template: inout CertificateTemplate) {
    if !description.has(.basicConstraints) { template.basicConstraints = nil }
    if !description.has(.keyUsage) { template.keyUsage = nil }
    if !description.has(.extendedKeyUsage) { template.extendedKeyUsage = nil }
    if !description.has(.subjectKeyIdentifier) { template.faults.insert(.noSubjectKeyIdentifier) }
    if !description.has(.authorityKeyIdentifier) { template.faults.insert(.noAuthorityKeyIdentifier) }
  }

  /// Returns an iPAddress for an address, or a dNSName if the address has a prefix: `DNS:192.0.2.1`.
  private func generalName(_ name: String) -> GeneralName {
    if name.hasPrefix("DNS:") { return .dnsName(String(name.dropFirst(4))) }
    return IPAddress(name).map { .ipAddress($0.bytes) } ?? .dnsName(name)
  }

  private func scheme(_ hash: String, for key: PublicKey) -> SignatureScheme {
    let isRSA = key.keyKind == .rsa
    switch hash {
    case "pss-sha256": return .rsaPSSSHA256
    case "pss-sha384": return .rsaPSSSHA384
    case "pss-sha512": return .rsaPSSSHA512
    case "md5": return .rsaPKCS1MD5
    case "sha1": return isRSA ? .rsaPKCS1SHA1 : .ecdsaSHA1
    case "sha384": return isRSA ? .rsaPKCS1SHA384 : .ecdsaSHA384
    case "sha512": return isRSA ? .rsaPKCS1SHA512 : .ecdsaSHA512
    default: return isRSA ? .rsaPKCS1SHA256 : .ecdsaSHA256
    }
  }
}

extension HierarchyBuilder {
  /// Reads a certificate, or a chain with its leaf first, from a PEM or DER file.
  func read(_ description: CertificateDescription, _ file: FileReference) throws(Diagnostics) -> Hierarchy.Entry {
    let bytes = try bytes(of: file)
    let chain: [Certificate]
    do throws(Certificate.FileError) {
      chain = try Certificate.certificates(inPEMOrDER: bytes)
    } catch {
      throw error.diagnostics(in: file.path, at: file.mark)
    }
    let certificates = chain.enumerated().map { index, certificate in
      (index == 0 ? description.name : "\(description.name)[\(index)]", certificate)
    }
    guard let own = chain.first else {
      throw Diagnostics("there is no certificate in '\(file.path)'", at: file.mark)
    }
    let key = try privateKey(description, beside: bytes, for: own)
    let signingKey: PrivateKey
    if let key { signingKey = key } else { signingKey = try standIn(for: own, description) }
    return .init(
      name: description.name, certificates: certificates, key: key, signingKey: signingKey, keyOwner: description.name,
      signing: keys.signatures.sign)
  }

  /// Returns a substitute of the same kind as the certificate's key, for a server whose own key is unknown.
  private func standIn(for certificate: Certificate, _ description: CertificateDescription) throws(Diagnostics)
    -> PrivateKey
  {
    let owner = "\(description.name)/stand-in"
    do throws(RSAError) {
      if case .ec(let key) = certificate.publicKey { return .ec(KeyStore.ecKey(owner: owner, curve: key.curve)) }
      return .rsa(try keys.rsaKey(owner: owner, bits: 2048))
    } catch {
      throw Diagnostics("cannot generate a substitute key for '\(description.name)': \(error)", at: description.mark)
    }
  }

  private func privateKey(
    _ description: CertificateDescription, beside chain: [UInt8], for certificate: Certificate
  ) throws(Diagnostics) -> PrivateKey? {
    guard let file = description.privateKey else {
      let text = String(decoding: chain, as: UTF8.self)
      return text.contains("PRIVATE KEY-----") ? try? PrivateKey(pem: text) : nil
    }
    let bytes = try bytes(of: file)
    let key: PrivateKey
    do throws(KeyError) {
      key =
        bytes.first == 0x30 ? try PrivateKey(der: bytes) : try PrivateKey(pem: String(decoding: bytes, as: UTF8.self))
    } catch {
      throw Diagnostics(
        "'\(file.path)' has no usable private key: \(error)",
        hint: "convert it with: openssl pkey -in KEY -out KEY.pem", at: file.mark)
    }
    guard key.publicKey.subjectPublicKey == certificate.publicKey.subjectPublicKey else {
      throw Diagnostics(
        "the private key in '\(file.path)' does not match '\(description.name)'",
        hint: "compare: openssl x509 -pubkey -noout -in CERT and openssl pkey -pubout -in KEY", at: file.mark)
    }
    return key
  }

  private func bytes(of file: FileReference) throws(Diagnostics) -> [UInt8] {
    guard let bytes = readFile(file.path) else {
      throw Diagnostics(
        "cannot read the file '\(file.path)'", hint: "paths are relative to the scenario's folder", at: file.mark)
    }
    return bytes
  }
}
