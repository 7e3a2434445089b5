import Cryptography
import Explanation

/// A CRL as received (RFC 5280 section 5.1).
///
/// It keeps every byte. A malformed extension makes it unusable, not unreadable. Two CRLs are equal if their bytes are.
public final class CertificateRevocationList: Sendable {
  /// The whole encoding.
  public let der: [UInt8]
  /// The bytes that are signed.
  public let tbsCertList: Range<Int>
  /// 1, or 2 (written as 1).
  public let version: Int
  /// The signature algorithm named inside the signed part.
  public let signedSignatureAlgorithm: AlgorithmIdentifier
  /// The issuer of the CRL.
  public let issuer: DistinguishedName
  /// When it was issued.
  public let thisUpdate: Instant
  /// The latest time of the next CRL; nil if absent.
  public let nextUpdate: Instant?
  /// The revoked certificates, in order.
  public let entries: [Entry]
  /// Its extensions as encoded.
  public let extensions: [Certificate.Extension]
  /// The signature algorithm next to the signature.
  public let signatureAlgorithm: AlgorithmIdentifier
  /// The signature, which may use an unsupported scheme.
  let signatureValue: Signature
  /// The decoded extensions.
  let decodedExtensions: DecodedCRLExtensions
  /// The entries of each serial number.
  private let bySerialNumber: [[UInt8]: [Int]]

  /// Reads one CRL; `der` must contain nothing else.
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
    let hasStandardTimes =
      DERTime.isUsual(tag, thisUpdate) && nextUpdate.map { DERTime.isUsual(nextTag, $0) } ?? true
    entries = try Entry.readAll(&tbs, issuer: issuer)
    extensions = try Certificate.readExtensions(&tbs, "crlExtensions", DERTag.context(0, constructed: true))
    try tbs.finish("tbsCertList")
    signatureAlgorithm = try AlgorithmIdentifier.read(&parts, "signatureAlgorithm")
    signatureValue = try parts.signatureValue()
    try parts.finish("CertificateList")
    decodedExtensions = DecodedCRLExtensions(
      extensions, version: version, isInForm: hasStandardTimes && nextUpdate != nil, entries: entries)
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

  /// The CRL number, big-endian; nil if absent.
  public var number: [UInt8]? { decodedExtensions.number }
  /// The number of the complete CRL that a delta CRL is based on, big-endian; nil for a complete CRL.
  public var baseNumber: [UInt8]? { decodedExtensions.baseNumber }

  /// The http URLs of delta CRLs in this CRL (freshestCRL, section 5.2.6).
  public var deltaLocations: [String] {
    extensions.first { $0.oid == .freshestCRL }.flatMap { try? FreshestCRL(der: $0.value) }?.points.locations ?? []
  }

  /// The entry of a certificate; nil if it is not on the CRL.
  public func entry(for certificate: Certificate) -> Entry? {
    bySerialNumber[certificate.serialNumber]?.lazy.map { self.entries[$0] }.first { entry in
      entry.certificateIssuer.contains { $0.matches(certificate.issuer) }
    }
  }

  /// Verifies the signature with `key`; throws the reason if it does not verify.
  func verify(with key: PublicKey) throws(SignatureError) {
    guard signatureAlgorithm == signedSignatureAlgorithm, let scheme = signatureAlgorithm.signatureScheme else {
      throw .unsupportedScheme(signatureAlgorithm.description)
    }
    try signatureValue.verify(key, over: Array(der[tbsCertList]), scheme, signatureAlgorithm)
  }
}

extension CertificateRevocationList: Hashable {
  /// CRLs are equal if their bytes are.
  public static func == (left: CertificateRevocationList, right: CertificateRevocationList) -> Bool {
    left === right || left.der == right.der
  }
  /// Hashes the end of the signature.
  public func hash(into hasher: inout Hasher) { hasher.combine(signatureValue.bytes.suffix(16)) }
}

extension CertificateRevocationList {
  /// One revoked certificate, RFC 5280 sections 5.1.2.6 and 5.3.
  public struct Entry: Sendable, Hashable {
    /// The content octets of its serial number.
    public let serialNumber: [UInt8]
    /// When it was revoked.
    public let date: Instant
    /// The reason; nil means unspecified.
    public let reason: RevocationReason?
    /// The issuer of the certificate: the CRL's issuer, unless this entry or an earlier one names another.
    let certificateIssuer: [DistinguishedName]
    /// A malformed extension, or a critical one that is not supported.
    let defect: CRLExtensionDefect?

    static func readAll(
      _ tbs: inout DERCursor, issuer: DistinguishedName
    ) throws(CertificateError) -> [Entry] {
      guard let element = try tbs.optional("revokedCertificates", DERTag.sequence) else { return [] }
      var crl = tbs.inside(element)
      var entries: [Entry] = []
      var current = [issuer]
      while !crl.isAtEnd {
        let entry = try Entry(&crl, current)
        current = entry.certificateIssuer
        entries.append(entry)
      }
      return entries
    }

    private init(_ crl: inout DERCursor, _ issuer: [DistinguishedName]) throws(CertificateError) {
      var parts = crl.inside(try crl.next("revokedCertificate", DERTag.sequence))
      serialNumber = try parts.integer("userCertificate")
      date = try parts.time("revocationDate")
      var reason: RevocationReason?
      var certificateIssuer = issuer
      var defect: CRLExtensionDefect?
      if !parts.isAtEnd {
        for item in try Certificate.readExtensionList(&parts, "crlEntryExtensions") {
          switch item.oid {
          case .reasonCode:
            reason = RevocationReason(der: item.value)
            if reason == nil { defect = CRLExtensionDefect(item.oid, .malformed, entry: serialNumber) }
          case .certificateIssuer:
            let names = Entry.issuers(item.value)
            if names.isEmpty {
              defect = CRLExtensionDefect(item.oid, .malformed, entry: serialNumber)
            } else {
              certificateIssuer = names
            }
          case .invalidityDate: continue
          default:
            if item.critical { defect = CRLExtensionDefect(item.oid, .unknownCritical, entry: serialNumber) }
          }
        }
      }
      try parts.finish("revokedCertificate")
      self.reason = reason
      self.certificateIssuer = certificateIssuer
      self.defect = defect
    }

    /// The directory names among GeneralNames; empty if they are malformed.
    private static func issuers(_ der: [UInt8]) -> [DistinguishedName] {
      guard let names = try? SubjectAlternativeName(der: der).names else { return [] }
      return names.compactMap { if case .directoryName(let name) = $0 { name } else { nil } }
    }
  }
}

/// The reason of a revocation: CRLReason, RFC 5280 section 5.3.1.
public enum RevocationReason: UInt8, Sendable, Hashable, CaseIterable {
  case unspecified = 0
  case keyCompromise = 1
  case cACompromise = 2
  case affiliationChanged = 3
  case superseded = 4
  case cessationOfOperation = 5
  case certificateHold = 6
  case removeFromCRL = 8
  case privilegeWithdrawn = 9
  case aACompromise = 10

  /// Reads an ENUMERATED; nil for another value.
  init?(der: [UInt8]) {
    guard der.count == 3, der[0] == 0x0A, der[1] == 1 else { return nil }
    self.init(rawValue: der[2])
  }

  /// The RFC's name.
  public var name: String { "\(self)" }

  /// Its bit among the reasons that a CRL covers (ReasonFlags, section 4.2.1.13). The last two bits follow without a
  /// gap; a value that is not a reason has none.
  public var flag: RevocationReasons {
    switch self {
    case .unspecified, .removeFromCRL: []
    case .privilegeWithdrawn: RevocationReasons(rawValue: 1 << 7)
    case .aACompromise: RevocationReasons(rawValue: 1 << 8)
    default: RevocationReasons(rawValue: 1 << UInt16(rawValue))
    }
  }
}

extension CertificateRevocationList {
  /// The CRLs in a file, in order.
  ///
  /// The file is PEM (RFC 7468 section 6), in which blocks with other labels are ignored, or the DER of one CRL. A file
  /// with a certificate has none.
  public static func crls(inPEMOrDER bytes: [UInt8]) throws(Certificate.FileError) -> [CertificateRevocationList] {
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.first != DERTag.sequence else {
      do throws(CertificateError) { return [try CertificateRevocationList(der: bytes)] } catch {
        if (try? Certificate(der: bytes)) != nil { return [] }
        throw .certificate(error, line: nil)
      }
    }
    let blocks: [PEM.Block]
    do throws(PEMError) { blocks = try PEM.decode(String(decoding: bytes, as: UTF8.self)) } catch { throw .pem(error) }
    var crls: [CertificateRevocationList] = []
    for block in blocks where block.label == "X509 CRL" || block.label == "CRL" {
      do throws(CertificateError) { crls.append(try CertificateRevocationList(der: block.bytes)) } catch {
        throw .certificate(error, line: block.line)
      }
    }
    return crls
  }
}
