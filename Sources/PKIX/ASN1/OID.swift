import Explanation

/// An object identifier (ITU-T X.660), stored as the content octets of its encoding (X.690 section 8.19).
public struct OID: Sendable, Hashable, CustomStringConvertible {
  /// The content octets.
  public let content: [UInt8]

  /// Creates an object identifier from its arcs. The first arc must be 0, 1 or 2.
  public init(_ arcs: UInt...) { self.init(arcs: arcs) }

  /// Creates an object identifier from at least two arcs. The first arc must be 0, 1 or 2.
  public init(arcs: [UInt]) {
    var content: [UInt8] = []
    let first = (arcs.first ?? 0).multipliedReportingOverflow(by: 40).partialValue
    let second = arcs.dropFirst().first ?? 0
    for arc in [first.addingReportingOverflow(second).partialValue] + arcs.dropFirst(2) {
      var digits = [UInt8(arc & 0x7F)]
      var rest = arc >> 7
      while rest > 0 {
        digits.append(UInt8(rest & 0x7F) | 0x80)
        rest >>= 7
      }
      content += digits.reversed()
    }
    self.content = content
  }

  /// Creates an object identifier from its content octets; nil if they do not encode an object identifier.
  public init?(content: some Sequence<UInt8>) {
    let content = Array(content)
    guard OID.isContent(content[...]) else { return nil }
    self.content = content
  }

  /// Returns whether the bytes are the content octets of an object identifier.
  static func isContent(_ content: ArraySlice<UInt8>) -> Bool {
    guard let last = content.last, last & 0x80 == 0 else { return false }
    var starts = true
    for byte in content {
      if starts && byte == 0x80 { return false }
      starts = byte & 0x80 == 0
    }
    return true
  }

  /// Creates an object identifier from its dotted form, such as `2.5.29.19`; nil for other text.
  public init?(_ text: String) {
    var arcs: [UInt] = []
    for part in text.split(separator: ".", omittingEmptySubsequences: false) {
      guard let arc = UInt(part), part.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
      arcs.append(arc)
    }
    guard arcs.count >= 2, arcs[0] <= 2, arcs[0] == 2 || arcs[1] < 40, arcs[1] <= UInt.max - 80 else { return nil }
    self.init(arcs: arcs)
  }

  /// The arcs; nil if an arc exceeds 64 bits.
  public var arcs: [UInt]? {
    var arcs: [UInt] = []
    var arc: UInt = 0
    for byte in content {
      guard arc >> 57 == 0 else { return nil }
      arc = arc << 7 | UInt(byte & 0x7F)
      guard byte & 0x80 == 0 else { continue }
      if arcs.isEmpty {
        let first = min(arc / 40, 2)
        arcs = [first, arc - first * 40]
      } else {
        arcs.append(arc)
      }
      arc = 0
    }
    return arcs
  }

  /// Hashes all content octets in one call.
  public func hash(into hasher: inout Hasher) { content.withUnsafeBytes { hasher.combine(bytes: $0) } }

  /// The dotted form: `2.5.29.19`.
  public var description: String {
    guard let arcs else { return "#\(hexadecimal)" }
    return arcs.map(String.init).joined(separator: ".")
  }

  /// The name in the standards, such as `basicConstraints`; the dotted form if there is no name.
  public var name: String { OID.names[self] ?? description }
}

extension OID {
  // Extensions, RFC 5280 section 4.2.
  static let subjectKeyIdentifier = OID(2, 5, 29, 14)
  static let keyUsage = OID(2, 5, 29, 15)
  static let subjectAltName = OID(2, 5, 29, 17)
  static let basicConstraints = OID(2, 5, 29, 19)
  static let nameConstraints = OID(2, 5, 29, 30)
  static let certificatePolicies = OID(2, 5, 29, 32)
  static let policyMappings = OID(2, 5, 29, 33)
  static let authorityKeyIdentifier = OID(2, 5, 29, 35)
  static let policyConstraints = OID(2, 5, 29, 36)
  static let extKeyUsage = OID(2, 5, 29, 37)
  static let inhibitAnyPolicy = OID(2, 5, 29, 54)
  static let issuerAltName = OID(2, 5, 29, 18)
  static let cRLDistributionPoints = OID(2, 5, 29, 31)
  static let freshestCRL = OID(2, 5, 29, 46)

  // Extensions of CRLs and their entries, RFC 5280 sections 5.2 and 5.3.
  static let cRLNumber = OID(2, 5, 29, 20)
  static let reasonCode = OID(2, 5, 29, 21)
  static let invalidityDate = OID(2, 5, 29, 24)
  static let deltaCRLIndicator = OID(2, 5, 29, 27)
  static let issuingDistributionPoint = OID(2, 5, 29, 28)
  static let certificateIssuer = OID(2, 5, 29, 29)

  // OCSP, RFC 6960 sections 4.2.1, 4.2.2.2.1 and 4.4.1; SCTs, RFC 6962 section 3.3.
  static let ocspBasic = OID(1, 3, 6, 1, 5, 5, 7, 48, 1, 1)
  static let ocspNonce = OID(1, 3, 6, 1, 5, 5, 7, 48, 1, 2)
  /// id-pkix-ocsp-nocheck: clients need not check whether this responder's certificate is revoked.
  public static let ocspNoCheck = OID(1, 3, 6, 1, 5, 5, 7, 48, 1, 5)
  /// The SignedCertificateTimestampList in an OCSP response (RFC 6962 section 3.3).
  public static let ocspSCTs = OID(1, 3, 6, 1, 4, 1, 11129, 2, 4, 5)
  /// The certificate extension that contains SCTs.
  public static let sctList = OID(1, 3, 6, 1, 4, 1, 11129, 2, 4, 2)
  /// The critical extension that prevents clients from accepting a precertificate as a certificate.
  public static let precertificatePoison = OID(1, 3, 6, 1, 4, 1, 11129, 2, 4, 3)
  /// id-pe-tlsfeature (RFC 7633).
  public static let tlsFeature = OID(1, 3, 6, 1, 5, 5, 7, 1, 24)

  // Algorithms, RFC 8017 appendix A.2.3.
  static let rsassaPSS = OID(1, 2, 840, 113549, 1, 1, 10)

  // Access methods, RFC 5280 section 4.2.2.1.
  /// id-ad-ocsp: the location of the issuer's OCSP responder.
  public static let ocsp = OID(1, 3, 6, 1, 5, 5, 7, 48, 1)
  /// id-ad-caIssuers: the location of the issuer's certificate.
  public static let caIssuers = OID(1, 3, 6, 1, 5, 5, 7, 48, 2)

  // Attributes of names, RFC 4519 and RFC 5280 appendix A.1.
  static let commonName = OID(2, 5, 4, 3)
  static let emailAddress = OID(1, 2, 840, 113549, 1, 9, 1)
  static let countryName = OID(2, 5, 4, 6)
  static let organizationName = OID(2, 5, 4, 10)

  /// The names of known object identifiers, from RFC 5280 (extensions, purposes), RFC 4519 and RFC 5280 appendix A
  /// (attributes), RFC 8017 and RFC 5758 (algorithms).
  static let names: [OID: String] = [
    subjectKeyIdentifier: "subjectKeyIdentifier",
    keyUsage: "keyUsage",
    OID(2, 5, 29, 16): "privateKeyUsagePeriod",
    subjectAltName: "subjectAltName",
    basicConstraints: "basicConstraints",
    nameConstraints: "nameConstraints",
    cRLDistributionPoints: "cRLDistributionPoints",
    certificatePolicies: "certificatePolicies",
    anyPolicy: "anyPolicy",
    policyMappings: "policyMappings",
    authorityKeyIdentifier: "authorityKeyIdentifier",
    policyConstraints: "policyConstraints",
    extKeyUsage: "extKeyUsage",
    freshestCRL: "freshestCRL",
    issuerAltName: "issuerAltName",
    cRLNumber: "cRLNumber",
    reasonCode: "reasonCode",
    invalidityDate: "invalidityDate",
    deltaCRLIndicator: "deltaCRLIndicator",
    issuingDistributionPoint: "issuingDistributionPoint",
    certificateIssuer: "certificateIssuer",
    inhibitAnyPolicy: "inhibitAnyPolicy",
    AuthorityInformationAccess.oid: "authorityInfoAccess",
    ProxyCertificateInformation.oid: "proxyCertInfo",
    AuthorityInformationAccess.subjectOID: "subjectInfoAccess",
    ocsp: "ocsp",
    caIssuers: "caIssuers",
    tlsFeature: "tlsFeature",
    sctList: "signedCertificateTimestampList",
    precertificatePoison: "precertificatePoison",
    ocspBasic: "id-pkix-ocsp-basic",
    ocspNonce: "id-pkix-ocsp-nonce",
    ocspNoCheck: "id-pkix-ocsp-nocheck",
    ocspSCTs: "signedCertificateTimestampList (OCSP)",
    OID(2, 5, 29, 37, 0): "anyExtendedKeyUsage",
    OID(1, 3, 6, 1, 5, 5, 7, 3, 1): "serverAuth",
    OID(1, 3, 6, 1, 5, 5, 7, 3, 2): "clientAuth",
    OID(1, 3, 6, 1, 5, 5, 7, 3, 3): "codeSigning",
    OID(1, 3, 6, 1, 5, 5, 7, 3, 4): "emailProtection",
    OID(1, 3, 6, 1, 5, 5, 7, 3, 8): "timeStamping",
    OID(1, 3, 6, 1, 5, 5, 7, 3, 9): "OCSPSigning",
    OID(1, 3, 6, 1, 4, 1, 311, 10, 3, 3): "microsoftServerGatedCrypto",
    OID(2, 16, 840, 1, 113730, 4, 1): "netscapeServerGatedCrypto",
    commonName: "CN",
    OID(2, 5, 4, 4): "SN",
    OID(2, 5, 4, 5): "serialNumber",
    countryName: "C",
    OID(2, 5, 4, 7): "L",
    OID(2, 5, 4, 8): "ST",
    OID(2, 5, 4, 9): "STREET",
    organizationName: "O",
    OID(2, 5, 4, 11): "OU",
    OID(2, 5, 4, 12): "title",
    OID(2, 5, 4, 42): "GN",
    OID(0, 9, 2342, 19_200_300, 100, 1, 1): "UID",
    OID(0, 9, 2342, 19_200_300, 100, 1, 25): "DC",
    emailAddress: "emailAddress",
    OID(1, 2, 840, 113549, 1, 1, 1): "rsaEncryption",
    OID(1, 2, 840, 113549, 1, 1, 2): "md2WithRSAEncryption",
    OID(1, 2, 840, 113549, 1, 1, 3): "md4WithRSAEncryption",
    OID(1, 2, 840, 113549, 1, 1, 4): "md5WithRSAEncryption",
    OID(1, 2, 840, 113549, 1, 1, 5): "sha1WithRSAEncryption",
    rsassaPSS: "id-RSASSA-PSS",
    OID(1, 2, 840, 113549, 1, 1, 11): "sha256WithRSAEncryption",
    OID(1, 2, 840, 113549, 1, 1, 12): "sha384WithRSAEncryption",
    OID(1, 2, 840, 113549, 1, 1, 13): "sha512WithRSAEncryption",
    OID(1, 2, 840, 113549, 1, 1, 14): "sha224WithRSAEncryption",
    OID(1, 2, 840, 10045, 2, 1): "id-ecPublicKey",
    OID(1, 2, 840, 10045, 4, 1): "ecdsa-with-SHA1",
    OID(1, 2, 840, 10045, 4, 3, 1): "ecdsa-with-SHA224",
    OID(1, 2, 840, 10045, 4, 3, 2): "ecdsa-with-SHA256",
    OID(1, 2, 840, 10045, 4, 3, 3): "ecdsa-with-SHA384",
    OID(1, 2, 840, 10045, 4, 3, 4): "ecdsa-with-SHA512",
    OID(1, 3, 101, 112): "id-Ed25519",
    OID(1, 3, 101, 113): "id-Ed448",
    OID(2, 16, 840, 1, 101, 3, 4, 3, 17): "id-ml-dsa-44",
    OID(2, 16, 840, 1, 101, 3, 4, 3, 18): "id-ml-dsa-65",
    OID(2, 16, 840, 1, 101, 3, 4, 3, 19): "id-ml-dsa-87",
  ]

  var hexadecimal: String { Hex.string(content) }
}
