import Cryptography
import Explanation

/// The content of a CRL before its issuer signs it (RFC 5280 section 5.1).
public struct CRLTemplate: Sendable {
  /// One revoked certificate.
  public struct Entry: Sendable {
    /// The content octets of the certificate's serial number.
    public let serialNumber: [UInt8]
    /// The revocation date.
    public let date: Instant
    /// The reason for the revocation; nil omits it.
    public let reason: RevocationReason?
    /// The certificate's issuer, for an indirect CRL (section 5.3.3); nil omits it.
    public var certificateIssuer: DistinguishedName?

    /// Creates an entry for `certificate`.
    public init(_ certificate: Certificate, _ date: Instant, _ reason: RevocationReason? = nil) {
      serialNumber = certificate.serialNumber
      self.date = date
      self.reason = reason
    }

    fileprivate var der: [UInt8] {
      let reasonCode = reason.map {
        Certificate.Extension(.reasonCode, value: DER.element(DERTag.enumerated, [$0.rawValue]))
      }
      let issuer = certificateIssuer.map {
        Certificate.Extension(
          .certificateIssuer, critical: true, value: DER.sequence(GeneralName.directoryName($0).der))
      }
      let extensions = [reasonCode, issuer].compactMap(\.self)
      return DER.sequence(
        DER.element(DERTag.integer, serialNumber), DERTime.encoded(date),
        extensions.isEmpty ? [] : DER.sequence(of: extensions.map(\.der)))
    }
  }

  /// The time at which the CRL is issued.
  public var thisUpdate: Instant
  /// The latest time at which the next CRL will be issued.
  public var nextUpdate: Instant?
  /// The CRL number.
  public var number: Int
  /// For a delta CRL, the number of the complete CRL on which it is based.
  public var base: Int?
  /// The scope of the CRL; nil covers all certificates of its issuer.
  public var scope: IssuingDistributionPoint?
  /// The URLs of delta CRLs (section 5.2.6); an empty list omits freshestCRL.
  public var deltaLocations: [String] = []
  /// The revoked certificates.
  public var entries: [Entry] = []
  /// Additional extensions, which are appended unchanged.
  public var otherExtensions: [Certificate.Extension] = []

  /// Creates a CRL without entries.
  public init(thisUpdate: Instant, nextUpdate: Instant?, number: Int = 1) {
    self.thisUpdate = thisUpdate
    self.nextUpdate = nextUpdate
    self.number = number
  }

  fileprivate func signed(by authority: CertificateAuthority, _ algorithm: AlgorithmIdentifier) -> [UInt8] {
    let key =
      authority.certificate.subjectKeyIdentifier?.keyIdentifier
      ?? Hash.sha1.digest(authority.key.publicKey.subjectPublicKey)
    var extensions = [
      Certificate.Extension(AuthorityKeyIdentifier(key)), .init(.cRLNumber, value: DER.integer(number)),
    ]
    if let base { extensions.append(.init(.deltaCRLIndicator, critical: true, value: DER.integer(base))) }
    if let scope { extensions.append(.init(.issuingDistributionPoint, critical: true, value: scope.der)) }
    if !deltaLocations.isEmpty {
      extensions.append(.init(FreshestCRL(locations: deltaLocations)))
    }
    return DER.sequence(
      DER.integer(1), algorithm.der, authority.certificate.subject.der, DERTime.encoded(thisUpdate),
      nextUpdate.map(DERTime.encoded) ?? [], entries.isEmpty ? [] : DER.sequence(of: entries.map(\.der)),
      DER.element(
        DERTag.context(0, constructed: true), DER.sequence(of: (extensions + otherExtensions).map(\.der))))
  }
}

extension CertificateAuthority {
  /// The default signature scheme of the CA's key.
  public var defaultScheme: SignatureScheme {
    switch key {
    case .rsa: .rsaPKCS1SHA256
    case .ec: .ecdsaSHA256
    case .ed25519: .ed25519
    }
  }

  /// Issues a CRL signed by this CA. Throws `IssuingError`, or the error that occurred when signing.
  public func issue(
    _ list: CRLTemplate, random: inout DeterministicRandom
  ) throws -> CertificateRevocationList {
    guard let algorithm = AlgorithmIdentifier(defaultScheme) else { throw IssuingError.unnamedScheme(defaultScheme) }
    let signed = list.signed(by: self, algorithm)
    let signature = try signature(of: signed, defaultScheme, random: &random)
    return try CertificateRevocationList(der: DER.sequence(signed, algorithm.der, DER.bitString(signature)))
  }
}

extension CertificateRevocationList {
  /// The CRL in PEM (RFC 7468 section 6).
  public var pem: String { PEM.encode("X509 CRL", der) }
}
