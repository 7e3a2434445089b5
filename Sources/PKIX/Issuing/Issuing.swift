import Cryptography
import Explanation

/// A CA: a certificate and its private key.
public struct CertificateAuthority: Sendable {
  /// Signs a message with a key under a scheme.
  ///
  /// A caller that often signs the same messages can pass a function that caches signatures.
  public typealias Signing =
    @Sendable (
      _ message: [UInt8], _ key: PrivateKey, _ scheme: SignatureScheme, _ random: inout DeterministicRandom
    ) throws -> [UInt8]

  /// The CA's own certificate.
  public let certificate: Certificate
  /// The CA's key.
  public let key: PrivateKey
  private let signing: Signing

  /// Creates a CA from `certificate` and its `key`.
  public init(_ certificate: Certificate, key: PrivateKey, signing: @escaping Signing = CertificateAuthority.sign) {
    self.certificate = certificate
    self.key = key
    self.signing = signing
  }

  /// Signs `message` without caching the signature.
  public static func sign(
    _ message: [UInt8], _ key: PrivateKey, _ scheme: SignatureScheme, _ random: inout DeterministicRandom
  ) throws -> [UInt8] {
    try key.sign(message, scheme, random: &random)
  }

  /// Signs `message` with the key of the CA.
  func signature(
    of message: [UInt8], _ scheme: SignatureScheme, random: inout DeterministicRandom
  ) throws -> [UInt8] {
    try signing(message, key, scheme, &random)
  }

  /// Creates a root: a CA whose certificate is signed with its own key.
  ///
  /// Throws `IssuingError`, or the error that occurred when signing.
  public init(
    root template: CertificateTemplate, key: PrivateKey, impostor: PrivateKey? = nil,
    signing: @escaping Signing = CertificateAuthority.sign, random: inout DeterministicRandom
  ) throws {
    let identifier = Hash.sha1.digest((template.subjectKey ?? key.publicKey).subjectPublicKey)
    let issuing = Issuing(template, for: key.publicKey, issuer: template.subject, issuerKeyIdentifier: identifier)
    let certificate = try issuing.sign(with: key, impostor: impostor, signing, random: &random)
    self.init(certificate, key: key, signing: signing)
  }

  /// Issues a certificate for `subjectKey`, signed by this CA.
  ///
  /// If the template has `CertificateFault.issuerKey`, the key `impostor` signs instead. Equal templates, keys and
  /// random generators produce equal certificates. Throws `IssuingError`, or the error that occurred when signing.
  public func issue(
    _ template: CertificateTemplate, for subjectKey: PublicKey, impostor: PrivateKey? = nil,
    random: inout DeterministicRandom
  ) throws -> Certificate {
    let identifier =
      certificate.subjectKeyIdentifier?.keyIdentifier ?? Hash.sha1.digest(key.publicKey.subjectPublicKey)
    let issuing = Issuing(
      template, for: subjectKey, issuer: certificate.subject, issuerKeyIdentifier: identifier)
    return try issuing.sign(with: key, impostor: impostor, signing, random: &random)
  }
}

/// The reason why a certificate could not be issued.
public enum IssuingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// X.509 has no identifier for this signature scheme.
  case unnamedScheme(SignatureScheme)
  /// `CertificateFault.issuerKey` requires a second key, which is missing.
  case noImpostorKey

  /// The missing part.
  public var description: String {
    switch self {
    case .unnamedScheme(let scheme): "certificates cannot be signed with \(scheme.name)"
    case .noImpostorKey: "the fault \(CertificateFault.issuerKey.rawValue) needs another signing key"
    }
  }
}

/// Builds and signs one certificate from a template (RFC 5280 section 4.1).
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
    self.subjectKey = template.subjectKey ?? subjectKey
    self.issuer = issuer
    self.issuerKeyIdentifier = issuerKeyIdentifier
  }

  func sign(
    with key: PrivateKey, impostor: PrivateKey?, _ signing: CertificateAuthority.Signing,
    random: inout DeterministicRandom
  ) throws -> Certificate {
    guard let named = AlgorithmIdentifier(template.signatureScheme) else {
      throw IssuingError.unnamedScheme(template.signatureScheme)
    }
    let algorithm = has(.unknownSignatureAlgorithm) ? Issuing.unknownAlgorithm : named
    var signer = key
    if has(.issuerKey) {
      guard let impostor else { throw IssuingError.noImpostorKey }
      signer = impostor
    }
    let serial = template.serialNumber.map { DER.element(DERTag.integer, $0) } ?? DER.integer(drawSerialNumber(&random))
    let signed = tbsCertificate(serial, has(.signatureAlgorithm) ? other(than: algorithm) : algorithm)
    var signature = try signing(signed, signer, template.signatureScheme, &random)
    if has(.signature), let last = signature.popLast() { signature.append(last ^ 1) }
    return try Certificate(der: DER.sequence(signed, algorithm.der, DER.bitString(signature)))
  }

  /// An unknown algorithm, from the arc for examples (RFC 5612).
  private static let unknownAlgorithm = AlgorithmIdentifier(OID(1, 3, 6, 1, 4, 1, 32473, 2))

  private func has(_ fault: CertificateFault) -> Bool { template.faults.contains(fault) }

  /// Generates a serial number of 16 bytes (section 4.1.2.2).
  ///
  /// The highest bit is clear and the next bit is set, so that the number is positive and always has the same length.
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
      DER.sequence(time(template.notBefore), time(template.notAfter)),
      has(.emptySubject) ? DistinguishedName([]).der : template.subject.der,
      subjectKey.subjectPublicKeyInfo,
      extensions.isEmpty ? [] : DER.element(DERTag.context(3, constructed: true), DER.sequence(of: extensions)))
  }

  private var extensions: [Certificate.Extension] {
    var list: [Certificate.Extension] = []
    if let constraints = basicConstraints { list.append(.init(constraints, critical: constraints.isCA)) }
    if let usage = keyUsage {
      list.append(.init(usage, critical: true))
      if has(.duplicateExtension) { list.append(.init(usage, critical: true)) }
    }
    if let purposes = extendedKeyUsage { list.append(.init(purposes)) }
    if let names = subjectAlternativeName { list.append(names) }
    if let constraints = template.nameConstraints { list.append(.init(constraints, critical: true)) }
    if template.hasKeyIdentifiers { list += keyIdentifiers }
    if !template.issuerLocations.isEmpty || !template.responderLocations.isEmpty {
      list.append(
        .init(
          AuthorityInformationAccess(caIssuers: template.issuerLocations, responders: template.responderLocations)))
    }
    if !template.crlLocations.isEmpty {
      list.append(.init(CRLDistributionPoints(locations: template.crlLocations, issuer: template.crlIssuer)))
    }
    if !template.deltaLocations.isEmpty {
      list.append(.init(FreshestCRL(locations: template.deltaLocations, issuer: template.crlIssuer)))
    }
    if let information = template.proxyInformation { list.append(.init(information, critical: true)) }
    if has(.unknownCriticalExtension) {
      list.append(.init(OID(1, 3, 6, 1, 4, 1, 32473, 1), critical: true, value: DER.octetString([])))
    }
    return list + template.otherExtensions
  }

  private func time(_ instant: Instant) -> [UInt8] {
    has(.generalizedTime) ? DERTime.generalized(instant) : DERTime.encoded(instant)
  }

  private var basicConstraints: BasicConstraints? {
    if has(.noBasicConstraints) { return nil }
    if has(.isCA) { return BasicConstraints(isCA: true) }
    return has(.notCA) ? BasicConstraints(isCA: false) : template.basicConstraints
  }

  private var keyUsage: KeyUsage? {
    if has(.noKeyUsage) { return nil }
    if has(.isCA) { return template.keyUsage?.union(.keyCertSign) }
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
    return
      (has(.noSubjectKeyIdentifier)
      ? [] : [.init(SubjectKeyIdentifier(subject), critical: has(.criticalKeyIdentifier))])
      + (has(.noAuthorityKeyIdentifier) ? [] : [.init(AuthorityKeyIdentifier(issuer))])
  }
}
