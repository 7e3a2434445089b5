/// Marks a certificate that an end entity issued to act on its behalf: ProxyCertInfo (RFC 3820 section 3.8).
public struct ProxyCertificateInformation: CertificateExtension {
  /// id-pe-proxyCertInfo.
  public static let oid = OID(1, 3, 6, 1, 5, 5, 7, 1, 14)
  /// The number of proxy certificates that may follow; nil for any number.
  public let pathLength: Int?
  /// The language of the policy that limits the delegated rights.
  public let policyLanguage: OID

  /// Creates the extension of a proxy certificate.
  public init(pathLength: Int?, policyLanguage: OID) {
    self.pathLength = pathLength
    self.policyLanguage = policyLanguage
  }

  /// Reads a ProxyCertInfo value. The content of its policy is ignored.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    var parts = whole.inside(try whole.next("ProxyCertInfo", DERTag.sequence))
    try whole.finish("ProxyCertInfo")
    pathLength = parts.nextTag == DERTag.integer ? try parts.smallInteger("pCPathLenConstraint") : nil
    var policy = parts.inside(try parts.next("proxyPolicy", DERTag.sequence))
    policyLanguage = try policy.objectIdentifier("policyLanguage")
    _ = try policy.optional("policy", DERTag.octetString)
    try policy.finish("proxyPolicy")
    try parts.finish("ProxyCertInfo")
  }

  /// The encoded ProxyCertInfo, without a policy.
  public var der: [UInt8] {
    DER.sequence(pathLength.map { DER.integer($0) } ?? [], DER.sequence(DER.objectIdentifier(policyLanguage)))
  }

  /// `proxy, pathLen 0`.
  public var meaning: String { "proxy" + (pathLength.map { ", pathLen \($0)" } ?? "") }
}

extension OID {
  /// id-ppl-inheritAll: the proxy has all rights of its issuer (RFC 3820 section 3.8.2).
  public static let inheritAllRights = OID(1, 3, 6, 1, 5, 5, 7, 21, 1)
}

extension Certificate {
  /// The ProxyCertInfo of a proxy certificate; nil if the extension is absent or malformed.
  var proxyInformation: ProxyCertificateInformation? { decoded() }
}
