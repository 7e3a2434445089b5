import Explanation

/// A name for the subject's key, RFC 5280 section 4.2.1.2.
public struct SubjectKeyIdentifier: CertificateExtension {
  /// id-ce-subjectKeyIdentifier.
  public static let oid = OID.subjectKeyIdentifier
  /// The identifier, usually a hash of the key.
  public let keyIdentifier: [UInt8]

  /// The identifier of a key.
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
