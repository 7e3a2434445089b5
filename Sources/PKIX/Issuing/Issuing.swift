import Cryptography

/// One certificate in the making: from template to signed bytes, RFC 5280 section 4.1.
struct Issuing {
  private let template: CertificateTemplate
  private let subjectKey: PublicKey
  private let issuer: DistinguishedName
  private let issuerKeyIdentifier: [UInt8]

  init(
    _ template: CertificateTemplate, for subjectKey: PublicKey, issuer: DistinguishedName,
    issuerKeyIdentifier: [UInt8]
  ) {
    self.template = template
    self.subjectKey = subjectKey
    self.issuer = issuer
    self.issuerKeyIdentifier = issuerKeyIdentifier
  }

  func sign(
    with key: PrivateKey, impostor: PrivateKey?, random: inout DeterministicRandom
  ) throws -> Certificate {
    guard let algorithm = AlgorithmIdentifier(template.signatureScheme) else {
      throw IssuingError.unnamedScheme(template.signatureScheme)
    }
    var signer = key
    if has(.issuerKey) {
      guard let impostor else { throw IssuingError.noImpostorKey }
      signer = impostor
    }
    let serial = template.serialNumber.map { DER.element(DERTag.integer, $0) } ?? DER.integer(drawSerialNumber(&random))
    let signed = tbsCertificate(serial, has(.signatureAlgorithm) ? other(than: algorithm) : algorithm)
    var signature = try SignatureMemory.signature(of: signed, by: signer, template.signatureScheme, random: &random)
    if has(.signature), let last = signature.popLast() { signature.append(last ^ 1) }
    return try Certificate(der: DER.sequence(signed, algorithm.der, DER.bitString(signature)))
  }

  private func has(_ fault: Fault) -> Bool { template.faults.contains(fault) }

  /// 16 bytes with the highest bit clear and the next set: positive, and always as long (section 4.1.2.2).
  private func drawSerialNumber(_ random: inout DeterministicRandom) -> [UInt8] {
    var serial = random.bytes(16)
    if let first = serial.first { serial[0] = first & 0x7F | 0x40 }
    return serial
  }

  private func other(than algorithm: AlgorithmIdentifier) -> AlgorithmIdentifier {
    let scheme: SignatureScheme = template.signatureScheme == .rsaPKCS1SHA384 ? .rsaPKCS1SHA256 : .rsaPKCS1SHA384
    return AlgorithmIdentifier(scheme) ?? algorithm
  }

  private func tbsCertificate(_ serial: [UInt8], _ algorithm: AlgorithmIdentifier) -> [UInt8] {
    let name = has(.issuerName) ? DistinguishedName(commonName: "Somebody Else") : issuer
    let extensions = template.version < 3 ? [] : extensions.map(\.der)
    let version = has(.version) ? 1 : template.version
    return DER.sequence(
      version == 1 ? [] : DER.element(DERTag.context(0, constructed: true), DER.integer(version - 1)),
      serial,
      algorithm.der,
      name.der,
      DER.sequence(DERTime.encoded(template.notBefore), DERTime.encoded(template.notAfter)),
      template.subject.der,
      subjectKey.subjectPublicKeyInfo,
      extensions.isEmpty ? [] : DER.element(DERTag.context(3, constructed: true), DER.sequence(of: extensions)))
  }

  private var extensions: [Certificate.Extension] {
    var list: [Certificate.Extension] = []
    if let constraints = basicConstraints { list.append(.init(constraints, critical: constraints.isAuthority)) }
    if let usage = keyUsage {
      list.append(.init(usage, critical: true))
      if has(.duplicateExtension) { list.append(.init(usage, critical: true)) }
    }
    if let purposes = extendedKeyUsage { list.append(.init(purposes)) }
    if let names = subjectAlternativeName { list.append(names) }
    if let constraints = template.nameConstraints { list.append(.init(constraints, critical: true)) }
    if template.hasKeyIdentifiers { list += keyIdentifiers }
    if !template.issuerLocations.isEmpty {
      list.append(.init(AuthorityInformationAccess(caIssuers: template.issuerLocations)))
    }
    if has(.unknownCriticalExtension) {
      list.append(.init(OID(1, 3, 6, 1, 4, 1, 32473, 1), critical: true, value: DER.octetString([])))
    }
    return list + template.otherExtensions
  }

  private var basicConstraints: BasicConstraints? {
    if has(.noBasicConstraints) { return nil }
    return has(.notAuthority) ? BasicConstraints(isAuthority: false) : template.basicConstraints
  }

  private var keyUsage: KeyUsage? {
    guard has(.noCertificateSigning) else { return template.keyUsage }
    return template.keyUsage?.subtracting(.keyCertSign)
  }

  private var extendedKeyUsage: ExtendedKeyUsage? {
    has(.clientPurpose) ? ExtendedKeyUsage([ExtendedKeyUsage.clientAuth]) : template.extendedKeyUsage
  }

  private var subjectAlternativeName: Certificate.Extension? {
    if has(.malformedExtension) { return .init(.subjectAltName, value: DER.integer(0)) }
    if has(.noAlternativeName) { return nil }
    return template.subjectAlternativeName.map { .init($0, critical: template.subject.isEmpty) }
  }

  private var keyIdentifiers: [Certificate.Extension] {
    let subject = Hash.sha1.digest(subjectKey.subjectPublicKey)
    let issuer = has(.keyIdentifier) ? issuerKeyIdentifier.map { ~$0 } : issuerKeyIdentifier
    return (has(.noSubjectKeyIdentifier) ? [] : [.init(SubjectKeyIdentifier(subject))])
      + (has(.noAuthorityKeyIdentifier) ? [] : [.init(AuthorityKeyIdentifier(issuer))])
  }
}
