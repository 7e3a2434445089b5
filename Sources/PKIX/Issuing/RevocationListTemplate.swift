import Cryptography
import Explanation

/// What a list of revoked certificates shall say, before its issuer signs it: RFC 5280 section 5.1.
public struct RevocationListTemplate: Sendable {
  /// One certificate on it.
  public struct Entry: Sendable {
    /// The content octets of its serial number.
    public let serialNumber: [UInt8]
    /// When it was revoked.
    public let date: Instant
    /// Why; nil leaves that out.
    public let reason: RevocationReason?
    /// Who issued the certificate, where the list is an indirect one (section 5.3.3); nil leaves that out.
    public var certificateIssuer: DistinguishedName?

    /// An entry about `certificate`.
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

  /// When the list is issued.
  public var thisUpdate: Instant
  /// When the next one will be, at the latest.
  public var nextUpdate: Instant?
  /// The number of the list.
  public var number: Int
  /// The number of the list that this one adds to: a delta list.
  public var base: Int?
  /// What it covers; nil is all that its issuer has issued.
  public var scope: IssuingDistributionPoint?
  /// Where the list is that adds to this one (section 5.2.6); empty leaves freshestCRL out.
  public var deltaLocations: [String] = []
  /// The certificates on it.
  public var entries: [Entry] = []
  /// More extensions, written after the others as they are.
  public var otherExtensions: [Certificate.Extension] = []

  /// A list of nobody.
  public init(thisUpdate: Instant, nextUpdate: Instant?, number: Int = 1) {
    self.thisUpdate = thisUpdate
    self.nextUpdate = nextUpdate
    self.number = number
  }

  fileprivate func signed(by authority: Authority, _ algorithm: AlgorithmIdentifier) -> [UInt8] {
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

extension Authority {
  /// How the authority's key signs where nobody says otherwise.
  public var usualScheme: SignatureScheme {
    switch key {
    case .rsa: .rsaPKCS1SHA256
    case .ec: .ecdsaSHA256
    case .ed25519: .ed25519
    }
  }

  /// A list signed by this authority. Throws `IssuingError`, or what signing throws.
  public func issue(
    _ list: RevocationListTemplate, random: inout DeterministicRandom
  ) throws -> CertificateRevocationList {
    guard let algorithm = AlgorithmIdentifier(usualScheme) else { throw IssuingError.unnamedScheme(usualScheme) }
    let signed = list.signed(by: self, algorithm)
    let signature = try signature(of: signed, usualScheme, random: &random)
    return try CertificateRevocationList(der: DER.sequence(signed, algorithm.der, DER.bitString(signature)))
  }
}

extension CertificateRevocationList {
  /// The list as PEM (RFC 7468 section 6).
  public var pem: String { PEM.encode("X509 CRL", der) }
}
