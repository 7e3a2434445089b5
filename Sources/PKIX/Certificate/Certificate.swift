import Cryptography
import Explanation

/// An X.509 certificate as received (RFC 5280 section 4.1).
///
/// The certificate keeps every byte. Validation reports malformed extensions; only bytes that are not a certificate
/// cause an error. Two certificates are equal if their bytes are equal.
///
/// A certificate is immutable. It is a class so that paths, pools and findings can share it.
public final class Certificate: Sendable {
  /// The whole encoding.
  public let der: [UInt8]
  /// The bytes that are signed.
  public let tbsCertificate: Range<Int>
  /// The version: 1, 2 or 3 (encoded as 0, 1 or 2), or an undefined number.
  public let version: Int
  /// The content octets of the serial number, in two's complement.
  public let serialNumber: [UInt8]
  /// The signature algorithm in the signed part, with its parameters.
  public let signedSignatureAlgorithm: AlgorithmIdentifier
  /// The issuer's name.
  public let issuer: DistinguishedName
  /// The first moment of the validity period.
  public let notBefore: Instant
  /// The last moment of the validity period.
  public let notAfter: Instant
  /// The subject's name.
  public let subject: DistinguishedName
  /// The encoded SubjectPublicKeyInfo.
  public let subjectPublicKeyInfo: [UInt8]
  /// The subject's key.
  public let publicKey: PublicKey
  /// All extensions in order, as encoded.
  public let extensions: [Extension]
  /// The signature algorithm outside the signed part.
  public let signatureAlgorithm: AlgorithmIdentifier
  /// The signature, which may use an unsupported scheme.
  let signatureValue: Signature
  /// The decoded extensions.
  let decodedExtensions: DecodedExtensions

  /// Reads one certificate. `der` must contain no other data.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    var parts = whole.inside(try whole.next("Certificate", DERTag.sequence))
    try whole.finish("Certificate")
    let signed = try parts.next("tbsCertificate", DERTag.sequence)
    var tbs = parts.inside(signed)

    self.der = der
    tbsCertificate = signed.range
    version = try Certificate.readVersion(&tbs)
    serialNumber = try tbs.integer("serialNumber")
    signedSignatureAlgorithm = try AlgorithmIdentifier.read(&tbs, "signature")
    issuer = try DistinguishedName.read(&tbs, "issuer")
    var validity = tbs.inside(try tbs.next("validity", DERTag.sequence))
    notBefore = try validity.time("notBefore")
    notAfter = try validity.time("notAfter")
    try validity.finish("validity")
    subject = try DistinguishedName.read(&tbs, "subject")
    (subjectPublicKeyInfo, publicKey) = try Certificate.readKey(&tbs)
    _ = try tbs.optional("issuerUniqueID", DERTag.context(1))
    _ = try tbs.optional("subjectUniqueID", DERTag.context(2))
    extensions = try Certificate.readExtensions(&tbs)
    try tbs.finish("tbsCertificate")

    signatureAlgorithm = try AlgorithmIdentifier.read(&parts, "signatureAlgorithm")
    signatureValue = try parts.signatureValue()
    try parts.finish("Certificate")
    decodedExtensions = DecodedExtensions(extensions)
  }

  /// The signature's bytes.
  public var signature: [UInt8] { signatureValue.bytes }

  /// The scheme of the signature; nil if it is not supported.
  public var signatureScheme: SignatureScheme? { signatureAlgorithm.signatureScheme }

  /// The most specific common name of the subject.
  public var commonName: String? { subject.commonName }

  /// The name of the certificate in messages: its common name, its first host name, or its subject. A long name is cut
  /// to the maximum length of a common name (RFC 5280 appendix A.1, ub-common-name).
  public var displayName: String {
    let name =
      commonName.map(ShownText.visible)
      ?? subjectAlternativeName?.dnsNames.first.map(ShownText.quotedIfNeeded)
      ?? (subject.isEmpty ? "no subject" : subject.description)
    guard name.utf8.count > 64, name.count > 64 else { return name }
    return name.prefix(64) + "…"
  }

  /// Whether the subject and the issuer are the same entity (RFC 5280 section 6.1).
  public var isSelfIssued: Bool { subject.matches(issuer) }
}

extension Certificate: Hashable {
  /// Returns whether two certificates have equal bytes.
  public static func == (left: Certificate, right: Certificate) -> Bool { left === right || left.der == right.der }
  /// Hashes the end of the signature, which is different for each certificate.
  public func hash(into hasher: inout Hasher) {
    signature.suffix(16).withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

extension Certificate {
  static func readVersion(_ tbs: inout DERCursor) throws(CertificateError) -> Int {
    guard let tagged = try tbs.optional("version", DERTag.context(0, constructed: true)) else { return 1 }
    var inner = tbs.inside(tagged)
    let number = try inner.smallInteger("version")
    try inner.finish("version")
    guard number > 0 else {
      throw tbs.error(
        "version", at: tagged.range.lowerBound, "the default value v1 is encoded",
        "X.690 section 11.5: DER omits default values.")
    }
    return number.addingReportingOverflow(1).partialValue
  }

  static func readKey(_ tbs: inout DERCursor) throws(CertificateError) -> ([UInt8], PublicKey) {
    let element = try tbs.next("subjectPublicKeyInfo", DERTag.sequence)
    let encoding = tbs.encoding(element)
    do {
      return (encoding, try PublicKey(subjectPublicKeyInfo: encoding))
    } catch {
      throw tbs.error(
        "subjectPublicKeyInfo", at: element.range.lowerBound, "\(error)",
        "Encode the key as its algorithm requires (RFC 3279 section 2.3).")
    }
  }

  /// Reads the extensions after the given tag; empty if the tag is absent.
  static func readExtensions(
    _ tbs: inout DERCursor, _ field: String = "extensions", _ tag: UInt8 = DERTag.context(3, constructed: true)
  ) throws(CertificateError) -> [Extension] {
    guard let tagged = try tbs.optional(field, tag) else { return [] }
    var inner = tbs.inside(tagged)
    let extensions = try readExtensionList(&inner, field)
    try inner.finish(field)
    return extensions
  }

  /// Reads an Extensions value with at least one extension.
  static func readExtensionList(
    _ cursor: inout DERCursor, _ field: String
  ) throws(CertificateError) -> [Extension] {
    var list = cursor.inside(try cursor.next(field, DERTag.sequence))
    var extensions: [Extension] = []
    extensions.reserveCapacity(8)
    repeat { extensions.append(try readExtension(&list)) } while !list.isAtEnd
    return extensions
  }

  private static func readExtension(_ list: inout DERCursor) throws(CertificateError) -> Extension {
    let element = try list.next("Extension", DERTag.sequence)
    var parts = list.inside(element)
    let oid = try parts.objectIdentifier("extnID")
    let critical = parts.nextTag == DERTag.boolean ? try parts.boolean("critical") : false
    let value = try parts.next("extnValue", DERTag.octetString)
    try parts.finish("Extension")
    return Extension(
      oid, critical: critical, value: parts.content(value), range: element.range, valueRange: value.content)
  }
}
