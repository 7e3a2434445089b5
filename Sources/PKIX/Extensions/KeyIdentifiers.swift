import Explanation

/// An identifier of the issuer's key that signed the certificate (RFC 5280 section 4.2.1.1).
public struct AuthorityKeyIdentifier: CertificateExtension {
  /// id-ce-authorityKeyIdentifier.
  public static let oid = OID.authorityKeyIdentifier
  /// The identifier of the issuer's key.
  public let keyIdentifier: [UInt8]?
  /// The encoded names of the issuer of the issuer's certificate, without the tag.
  public let authorityCertIssuer: [UInt8]?
  /// The serial number of the issuer's certificate.
  public let authorityCertSerialNumber: [UInt8]?

  /// Creates the extension with the identifier of the issuer's key.
  public init(_ keyIdentifier: [UInt8]) {
    self.keyIdentifier = keyIdentifier
    authorityCertIssuer = nil
    authorityCertSerialNumber = nil
  }

  /// Reads an AuthorityKeyIdentifier.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    var parts = whole.inside(try whole.next("AuthorityKeyIdentifier", DERTag.sequence))
    try whole.finish("AuthorityKeyIdentifier")
    keyIdentifier = try parts.optional("keyIdentifier", DERTag.context(0)).map { parts.content($0) }
    authorityCertIssuer = try parts.optional("authorityCertIssuer", DERTag.context(1, constructed: true))
      .map { parts.content($0) }
    authorityCertSerialNumber = try parts.optional("authorityCertSerialNumber", DERTag.context(2))
      .map { parts.content($0) }
    try parts.finish("AuthorityKeyIdentifier")
  }

  /// The encoding.
  public var der: [UInt8] {
    DER.sequence(
      keyIdentifier.map { DER.element(DERTag.context(0), $0) } ?? [],
      authorityCertIssuer.map { DER.element(DERTag.context(1, constructed: true), $0) } ?? [],
      authorityCertSerialNumber.map { DER.element(DERTag.context(2), $0) } ?? [])
  }

  /// The identifier in hexadecimal.
  public var meaning: String { keyIdentifier.map { Hex.string($0) } ?? "by issuer and serial number" }
}

/// An identifier of the subject's key (RFC 5280 section 4.2.1.2).
public struct SubjectKeyIdentifier: CertificateExtension {
  /// id-ce-subjectKeyIdentifier.
  public static let oid = OID.subjectKeyIdentifier
  /// The identifier, which is usually a hash of the key.
  public let keyIdentifier: [UInt8]

  /// Creates the extension with the identifier of the subject's key.
  public init(_ keyIdentifier: [UInt8]) { self.keyIdentifier = keyIdentifier }

  /// Reads a SubjectKeyIdentifier.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    keyIdentifier = whole.content(try whole.next("SubjectKeyIdentifier", DERTag.octetString))
    try whole.finish("SubjectKeyIdentifier")
  }

  /// The encoding.
  public var der: [UInt8] { DER.octetString(keyIdentifier) }
  /// The identifier in hexadecimal.
  public var meaning: String { Hex.string(keyIdentifier) }
}

extension Certificate {
  /// The authority key identifier; nil if the extension is absent or malformed.
  public var authorityKeyIdentifier: AuthorityKeyIdentifier? { decoded() }
  /// The subject key identifier; nil if the extension is absent or malformed.
  public var subjectKeyIdentifier: SubjectKeyIdentifier? { decoded() }
}
