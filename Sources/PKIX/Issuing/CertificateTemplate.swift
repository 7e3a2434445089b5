import Cryptography
import Explanation

/// What a certificate shall say, before an authority signs it.
///
/// `authority` and `server` give the two usual shapes; everything can be changed afterwards.
public struct CertificateTemplate: Sendable, Hashable {
  /// The subject's name.
  public var subject: DistinguishedName
  /// The first moment of the validity period.
  public var notBefore: Instant
  /// The last moment of the validity period.
  public var notAfter: Instant
  /// The version; 3 is what extensions need, and 1 leaves them out.
  public var version = 3
  /// The contents of the serial number's INTEGER (X.690 section 8.3), whatever sign and length; nil draws 16 bytes.
  public var serialNumber: [UInt8]?
  /// How the issuer signs.
  public var signatureScheme = SignatureScheme.rsaPKCS1SHA256
  /// Whether the subject is an authority; nil leaves the extension out. Critical for authorities.
  public var basicConstraints: BasicConstraints?
  /// What the key may do; nil leaves the extension out. Critical.
  public var keyUsage: KeyUsage?
  /// What the key is for; nil leaves the extension out.
  public var extendedKeyUsage: ExtendedKeyUsage?
  /// The hosts and addresses; nil leaves the extension out.
  public var subjectAlternativeName: SubjectAlternativeName?
  /// The names that certificates below may have; nil leaves the extension out. Critical.
  public var nameConstraints: NameConstraints?
  /// Where the issuer's certificate can be had; empty leaves authorityInformationAccess out.
  public var issuerLocations: [String] = []
  /// Where the issuer's responder answers; empty leaves that out.
  public var responderLocations: [String] = []
  /// Where the issuer's lists are; empty leaves cRLDistributionPoints out.
  public var listLocations: [String] = []
  /// Who issues these lists, where that is another than the issuer; nil leaves cRLIssuer out.
  public var listIssuer: DistinguishedName?
  /// Where the lists are that add to these; empty leaves freshestCRL out.
  public var deltaLocations: [String] = []
  /// Whether subjectKeyIdentifier and authorityKeyIdentifier are written.
  public var hasKeyIdentifiers = true
  /// More extensions, written after the others as they are.
  public var otherExtensions: [Certificate.Extension] = []
  /// What shall be wrong with the certificate.
  public var faults: Set<CertificateFault> = []

  /// A certificate for `subject`, valid from `notBefore` to `notAfter`, that says nothing else.
  public init(subject: DistinguishedName, notBefore: Instant, notAfter: Instant) {
    self.subject = subject
    self.notBefore = notBefore
    self.notAfter = notAfter
  }

  /// A root or any other authority: cA, keyCertSign and cRLSign.
  public static func authority(
    _ subject: DistinguishedName, notBefore: Instant, notAfter: Instant, pathLength: Int? = nil
  ) -> CertificateTemplate {
    var template = CertificateTemplate(subject: subject, notBefore: notBefore, notAfter: notAfter)
    template.basicConstraints = BasicConstraints(isAuthority: true, pathLength: pathLength)
    template.keyUsage = [.keyCertSign, .cRLSign]
    return template
  }

  /// A TLS server's certificate for these host names and addresses, which fits every key exchange of RSA keys.
  public static func server(
    _ subject: DistinguishedName, names: [GeneralName], notBefore: Instant, notAfter: Instant
  ) -> CertificateTemplate {
    var template = CertificateTemplate(subject: subject, notBefore: notBefore, notAfter: notAfter)
    template.basicConstraints = BasicConstraints(isAuthority: false)
    template.keyUsage = [.digitalSignature, .keyEncipherment]
    template.extendedKeyUsage = ExtendedKeyUsage([ExtendedKeyUsage.serverAuth])
    template.subjectAlternativeName = names.isEmpty ? nil : SubjectAlternativeName(names)
    return template
  }
}

/// A way to issue a certificate that is wrong on purpose. Raw values are the scenario language's words.
public enum CertificateFault: String, Sendable, Hashable, CaseIterable {
  /// One bit of the signature is flipped.
  case signature
  /// Signed with another key than the issuer's, under the issuer's name.
  case issuerKey = "issuer-key"
  /// The issuer's name is another than the one of the authority that signs.
  case issuerName = "issuer-name"
  /// authorityKeyIdentifier names another key than the one that signs.
  case keyIdentifier = "key-identifier"
  /// No authorityKeyIdentifier.
  case noAuthorityKeyIdentifier = "no-authority-key-identifier"
  /// No subjectKeyIdentifier.
  case noSubjectKeyIdentifier = "no-subject-key-identifier"
  /// No basicConstraints, though the subject issues certificates.
  case noBasicConstraints = "no-basic-constraints"
  /// basicConstraints says that the subject is no authority.
  case notAuthority = "not-a-ca"
  /// keyUsage lacks keyCertSign.
  case noCertificateSigning = "no-key-cert-sign"
  /// No keyUsage, though the key's use is limited.
  case noKeyUsage = "no-key-usage"
  /// No subject alternative name.
  case noAlternativeName = "no-subject-alt-name"
  /// extKeyUsage lacks serverAuth: it says clientAuth only.
  case clientPurpose = "client-auth-only"
  /// Version 1, and extensions all the same.
  case version = "version-1"
  /// A critical extension that nobody knows.
  case unknownCriticalExtension = "unknown-critical-extension"
  /// A subject alternative name that holds something else.
  case malformedExtension = "malformed-extension"
  /// keyUsage twice.
  case duplicateExtension = "duplicate-extension"
  /// The algorithm beside the signature differs from the one that was signed.
  case signatureAlgorithm = "signature-algorithm"
  /// Both algorithms are one that nobody knows.
  case unknownSignatureAlgorithm = "unknown-signature-algorithm"
}
