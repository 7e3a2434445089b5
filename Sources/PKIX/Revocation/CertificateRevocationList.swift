import Cryptography
import Explanation

/// A list of revoked certificates as received, RFC 5280 section 5.1.
///
/// It keeps every byte; what its extensions hold that is not what they promise makes it unusable, not unreadable.
/// Equality is equality of bytes.
public final class CertificateRevocationList: Sendable {
  /// The whole encoding.
  public let der: [UInt8]
  /// The bytes that are signed.
  public let tbsCertList: Range<Int>
  /// 1, or 2 (written as 1).
  public let version: Int
  /// The signature algorithm named inside the signed part.
  public let signedSignatureAlgorithm: AlgorithmIdentifier
  /// Who issued the list.
  public let issuer: DistinguishedName
  /// When it was issued.
  public let thisUpdate: Instant
  /// When the next one will be issued at the latest; nil where nobody said.
  public let nextUpdate: Instant?
  /// The certificates on it, in order.
  public let entries: [Entry]
  /// Its extensions, as they stand.
  public let extensions: [Certificate.Extension]
  /// The signature algorithm beside the signature.
  public let signatureAlgorithm: AlgorithmIdentifier
  /// The signature, which may be one that no scheme makes.
  let signatureValue: Signature
  /// What the extensions say.
  let readings: RevocationListReadings
  /// The entries of each serial number.
  private let bySerialNumber: [[UInt8]: [Int]]

  /// Reads one list; `der` must hold it and nothing else.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    var parts = whole.inside(try whole.next("CertificateList", DERTag.sequence))
    try whole.finish("CertificateList")
    let signed = try parts.next("tbsCertList", DERTag.sequence)
    var tbs = parts.inside(signed)
    self.der = der
    tbsCertList = signed.range
    version = try CertificateRevocationList.readVersion(&tbs)
    signedSignatureAlgorithm = try AlgorithmIdentifier.read(&tbs, "signature")
    issuer = try DistinguishedName.read(&tbs, "issuer")
    let tag = tbs.nextTag
    thisUpdate = try tbs.time("thisUpdate")
    let nextTag = tbs.nextTag
    let hasNext = nextTag == DERTag.utcTime || nextTag == DERTag.generalizedTime
    nextUpdate = hasNext ? try tbs.time("nextUpdate") : nil
    let hasUsualTimes =
      DERTime.isUsual(tag, thisUpdate) && nextUpdate.map { DERTime.isUsual(nextTag, $0) } ?? true
    entries = try Entry.readAll(&tbs, issuer: issuer)
    extensions = try Certificate.readExtensions(&tbs, "crlExtensions", DERTag.context(0, constructed: true))
    try tbs.finish("tbsCertList")
    signatureAlgorithm = try AlgorithmIdentifier.read(&parts, "signatureAlgorithm")
    signatureValue = try parts.signatureValue()
    try parts.finish("CertificateList")
    readings = RevocationListReadings(
      extensions, version: version, isInForm: hasUsualTimes && nextUpdate != nil, entries: entries)
    bySerialNumber = Dictionary(grouping: entries.indices) { [entries] in entries[$0].serialNumber }
  }

  private static func readVersion(_ tbs: inout DERCursor) throws(CertificateError) -> Int {
    guard tbs.nextTag == DERTag.integer else { return 1 }
    let place = tbs.position
    guard try tbs.smallInteger("version") == 1 else {
      throw tbs.error("version", at: place, "not v2", "RFC 5280 section 5.1.2.1: the version, if present, is v2.")
    }
    return 2
  }

  /// The entry about a certificate, nil when it is not on the list.
  func entry(for certificate: Certificate) -> Entry? {
    bySerialNumber[certificate.serialNumber]?.lazy.map { self.entries[$0] }.first { entry in
      entry.certificateIssuer.contains { $0.matches(certificate.issuer) }
    }
  }

  /// Returns when the signature verifies with `key`, else throws why not.
  func verify(with key: PublicKey) throws(SignatureError) {
    guard signatureAlgorithm == signedSignatureAlgorithm, let scheme = signatureAlgorithm.signatureScheme else {
      throw .unsupportedScheme(signatureAlgorithm.description)
    }
    try signatureValue.verify(key, over: Array(der[tbsCertList]), scheme, signatureAlgorithm)
  }
}

extension CertificateRevocationList: Hashable {
  /// Lists are equal when their bytes are.
  public static func == (left: CertificateRevocationList, right: CertificateRevocationList) -> Bool {
    left === right || left.der == right.der
  }
  /// Hashes the end of the signature.
  public func hash(into hasher: inout Hasher) { hasher.combine(signatureValue.bytes.suffix(16)) }
}
