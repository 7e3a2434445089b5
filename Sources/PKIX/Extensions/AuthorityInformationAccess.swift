/// The locations of more information about the issuer or the subject (RFC 5280 sections 4.2.2.1 and 4.2.2.2).
public struct AuthorityInformationAccess: CertificateExtension {
  /// An access method and its location.
  public struct Description: Sendable, Hashable {
    /// The access method, such as id-ad-ocsp or id-ad-caIssuers.
    public let method: OID
    /// The location.
    public let location: GeneralName
  }

  /// id-pe-authorityInfoAccess.
  public static let oid = OID(1, 3, 6, 1, 5, 5, 7, 1, 1)
  /// id-pe-subjectInfoAccess, an extension with the same syntax.
  static let subjectOID = OID(1, 3, 6, 1, 5, 5, 7, 1, 11)
  /// The access descriptions, in order.
  public let descriptions: [Description]

  /// Creates the extension with the URLs of the issuer's certificate and of its OCSP responders.
  public init(caIssuers urls: [String], responders: [String] = []) {
    descriptions =
      responders.map { Description(method: .ocsp, location: .uniformResourceIdentifier($0)) }
      + urls.map { Description(method: .caIssuers, location: .uniformResourceIdentifier($0)) }
  }

  /// Reads an AuthorityInfoAccessSyntax value with at least one description.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    var list = whole.inside(try whole.next("AuthorityInfoAccessSyntax", DERTag.sequence))
    try whole.finish("AuthorityInfoAccessSyntax")
    var descriptions: [Description] = []
    repeat {
      var parts = list.inside(try list.next("AccessDescription", DERTag.sequence))
      let method = try parts.objectIdentifier("accessMethod")
      descriptions.append(Description(method: method, location: try GeneralName.read(&parts)))
      try parts.finish("AccessDescription")
    } while !list.isAtEnd
    self.descriptions = descriptions
  }

  /// The encoding.
  public var der: [UInt8] {
    DER.sequence(of: descriptions.map { DER.sequence(DER.objectIdentifier($0.method), $0.location.der) })
  }

  /// The locations in one line, such as `caIssuers URI:http://ca.example/ca.cer`.
  public var meaning: String {
    descriptions.map { "\($0.method.name) \($0.location.meaning)" }.joined(separator: ", ")
  }
}

extension Certificate {
  /// The locations of the issuer's certificate and OCSP responder; nil if the extension is absent or malformed.
  public var authorityInformationAccess: AuthorityInformationAccess? { decoded() }
}
