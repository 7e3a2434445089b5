import Cryptography
import Explanation

/// A CRL as received (RFC 5280 section 5.1).
///
/// The CRL keeps every byte. A CRL with a malformed extension can be read, but not used. Two CRLs are equal if their
/// bytes are equal.
public final class CertificateRevocationList: Sendable {
  /// The whole encoding.
  public let der: [UInt8]
  /// The bytes that are signed.
  public let tbsCertList: Range<Int>
  /// 1, or 2 (written as 1).
  public let version: Int
  /// The signature algorithm in the signed part.
  public let signedSignatureAlgorithm: AlgorithmIdentifier
  /// The issuer of the CRL.
  public let issuer: DistinguishedName
  /// The time at which the CRL was issued.
  public let thisUpdate: Instant
  /// The latest time at which the next CRL is issued; nil if absent.
  public let nextUpdate: Instant?
  /// The revoked certificates, in order.
  public let entries: [Entry]
  /// The extensions of the CRL, as encoded.
  public let extensions: [Certificate.Extension]
  /// The signature algorithm outside the signed part.
  public let signatureAlgorithm: AlgorithmIdentifier
  /// The signature, which may use an unsupported scheme.
  let signatureValue: Signature
  /// The decoded extensions.
  let decodedExtensions: DecodedCRLExtensions
  /// The indexes of the entries of each serial number.
  private let bySerialNumber: [[UInt8]: [Int]]

  /// Reads one CRL. `der` must contain no other data.
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

  /// The CRL number in big-endian bytes; nil if absent.
  public var number: [UInt8]? { decodedExtensions.number }
  /// The number of the complete CRL on which a delta CRL is based, in big-endian bytes. It is nil for a complete CRL.
  public var baseNumber: [UInt8]? { decodedExtensions.baseNumber }

  /// The http URLs of delta CRLs that this CRL lists (freshestCRL, section 5.2.6).
  public var deltaLocations: [String] {
    extensions.first { $0.oid == .freshestCRL }.flatMap { try? FreshestCRL(der: $0.value) }?.points.locations ?? []
  }

  /// Returns the entry of a certificate; nil if it is not on the CRL.
  public func entry(for certificate: Certificate) -> Entry? {
    bySerialNumber[certificate.serialNumber]?.lazy.map { self.entries[$0] }.first { entry in
      entry.certificateIssuer.contains { $0.matches(certificate.issuer) }
    }
  }

  /// Verifies the signature with `key`. Throws the reason if it does not verify.
  func verify(with key: PublicKey) throws(SignatureError) {
    guard signatureAlgorithm == signedSignatureAlgorithm, let scheme = signatureAlgorithm.signatureScheme else {
      throw .unsupportedScheme(signatureAlgorithm.description)
    }
    try signatureValue.verify(key, over: Array(der[tbsCertList]), scheme, signatureAlgorithm)
  }
}

extension CertificateRevocationList: Hashable {
  /// Returns whether two CRLs have equal bytes.
  public static func == (left: CertificateRevocationList, right: CertificateRevocationList) -> Bool {
    left === right || left.der == right.der
  }
  /// Hashes the end of the signature.
  public func hash(into hasher: inout Hasher) { hasher.combine(signatureValue.bytes.suffix(16)) }
}

extension CertificateRevocationList {
  /// One revoked certificate (RFC 5280 sections 5.1.2.6 and 5.3).
  public struct Entry: Sendable, Hashable {
    /// The content octets of the certificate's serial number.
    public let serialNumber: [UInt8]
    /// The date of the revocation.
    public let date: Instant
    /// The reason for the revocation; nil means unspecified.
    public let reason: RevocationReason?
    /// The issuer of the certificate.
    ///
    /// It is the CRL's issuer, unless this entry or an earlier one names another issuer.
    let certificateIssuer: [DistinguishedName]
    /// The defect of an entry extension: it is malformed, or critical and not supported.
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

    /// Returns the directory names among GeneralNames; empty if they are malformed.
    private static func issuers(_ der: [UInt8]) -> [DistinguishedName] {
      guard let names = try? SubjectAlternativeName(der: der).names else { return [] }
      return names.compactMap { if case .directoryName(let name) = $0 { name } else { nil } }
    }
  }
}

/// The reason for a revocation: CRLReason (RFC 5280 section 5.3.1).
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

  /// Reads a reason from an ENUMERATED; nil for any other value.
  init?(der: [UInt8]) {
    guard der.count == 3, der[0] == 0x0A, der[1] == 1 else { return nil }
    self.init(rawValue: der[2])
  }

  /// The RFC's name.
  public var name: String { "\(self)" }

  /// The bit of the reason in ReasonFlags (section 4.2.1.13), the reasons that a CRL covers.
  ///
  /// The last two bits follow without a gap. A value that is not a revocation reason has no bit.
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
  /// Reads the CRLs in a file, in order.
  ///
  /// The file is PEM (RFC 7468 section 6), or the DER of one CRL. PEM blocks with other labels are ignored. The result
  /// is empty for a certificate file.
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
