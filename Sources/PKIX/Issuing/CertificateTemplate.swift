import Cryptography
import Explanation

/// The content of a certificate before a CA signs it.
///
/// `authority` and `server` create the two usual forms; every property can be changed afterwards.
public struct CertificateTemplate: Sendable, Hashable {
  /// The subject's name.
  public var subject: DistinguishedName
  /// The first moment of the validity period.
  public var notBefore: Instant
  /// The last moment of the validity period.
  public var notAfter: Instant
  /// The version. Extensions need 3; version 1 omits them.
  public var version = 3
  /// The contents of the serial number's INTEGER (X.690 section 8.3), of any sign and length; nil draws 16 bytes.
  public var serialNumber: [UInt8]?
  /// The scheme with which the issuer signs.
  public var signatureScheme = SignatureScheme.rsaPKCS1SHA256
  /// Whether the subject is a CA; nil omits the extension. Critical for a CA.
  public var basicConstraints: BasicConstraints?
  /// The permitted uses of the key; nil omits the extension. Critical.
  public var keyUsage: KeyUsage?
  /// The permitted purposes of the key; nil omits the extension.
  public var extendedKeyUsage: ExtendedKeyUsage?
  /// The hosts and addresses; nil omits the extension.
  public var subjectAlternativeName: SubjectAlternativeName?
  /// The names that certificates below may have; nil omits the extension. Critical.
  public var nameConstraints: NameConstraints?
  /// The URLs of the issuer's certificate; empty omits authorityInformationAccess.
  public var issuerLocations: [String] = []
  /// The URLs of the issuer's OCSP responder; empty omits them.
  public var responderLocations: [String] = []
  /// The URLs of the issuer's CRLs; empty omits cRLDistributionPoints.
  public var crlLocations: [String] = []
  /// The issuer of these CRLs, if it is not the certificate's issuer; nil omits cRLIssuer.
  public var crlIssuer: DistinguishedName?
  /// The URLs of delta CRLs; empty omits freshestCRL.
  public var deltaLocations: [String] = []
  /// Whether subjectKeyIdentifier and authorityKeyIdentifier are included.
  public var hasKeyIdentifiers = true
  /// More extensions, appended unchanged.
  public var otherExtensions: [Certificate.Extension] = []
  /// The deliberate faults of the certificate.
  public var faults: Set<CertificateFault> = []

  /// Creates a template for `subject`, valid from `notBefore` to `notAfter`, with no extensions.
  public init(subject: DistinguishedName, notBefore: Instant, notAfter: Instant) {
    self.subject = subject
    self.notBefore = notBefore
    self.notAfter = notAfter
  }

  /// A template for a root or another CA: cA, keyCertSign and cRLSign.
  public static func authority(
    _ subject: DistinguishedName, notBefore: Instant, notAfter: Instant, pathLength: Int? = nil
  ) -> CertificateTemplate {
    var template = CertificateTemplate(subject: subject, notBefore: notBefore, notAfter: notAfter)
    template.basicConstraints = BasicConstraints(isCA: true, pathLength: pathLength)
    template.keyUsage = [.keyCertSign, .cRLSign]
    return template
  }

  /// A template for a TLS server's certificate with these host names and addresses. It allows every key exchange of RSA
  /// keys.
  public static func server(
    _ subject: DistinguishedName, names: [GeneralName], notBefore: Instant, notAfter: Instant
  ) -> CertificateTemplate {
    var template = CertificateTemplate(subject: subject, notBefore: notBefore, notAfter: notAfter)
    template.basicConstraints = BasicConstraints(isCA: false)
    template.keyUsage = [.digitalSignature, .keyEncipherment]
    template.extendedKeyUsage = ExtendedKeyUsage([ExtendedKeyUsage.serverAuth])
    template.subjectAlternativeName = names.isEmpty ? nil : SubjectAlternativeName(names)
    return template
  }
}

/// A deliberate fault of a certificate. Raw values are words of the scenario language.
public enum CertificateFault: String, Sendable, Hashable, CaseIterable {
  /// One bit of the signature is flipped.
  case signature
  /// Signed with another key than the issuer's, under the issuer's name.
  case issuerKey = "issuer-key"
  /// The issuer's name is not the name of the CA that signs.
  case issuerName = "issuer-name"
  /// authorityKeyIdentifier identifies another key than the signing key.
  case keyIdentifier = "key-identifier"
  /// authorityKeyIdentifier is missing.
  case noAuthorityKeyIdentifier = "no-authority-key-identifier"
  /// subjectKeyIdentifier is missing.
  case noSubjectKeyIdentifier = "no-subject-key-identifier"
  /// basicConstraints is missing, although the subject issues certificates.
  case noBasicConstraints = "no-basic-constraints"
  /// basicConstraints says that the subject is not a CA.
  case notCA = "not-a-ca"
  /// keyUsage lacks keyCertSign.
  case noCertificateSigning = "no-key-cert-sign"
  /// keyUsage is missing, although the key's use is limited.
  case noKeyUsage = "no-key-usage"
  /// The subject alternative name is missing.
  case noAlternativeName = "no-subject-alt-name"
  /// extKeyUsage has clientAuth but not serverAuth.
  case clientPurpose = "client-auth-only"
  /// The version is 1, although there are extensions.
  case version = "version-1"
  /// There is an unknown critical extension.
  case unknownCriticalExtension = "unknown-critical-extension"
  /// The subject alternative name is malformed.
  case malformedExtension = "malformed-extension"
  /// keyUsage appears twice.
  case duplicateExtension = "duplicate-extension"
  /// The algorithm next to the signature differs from the signed one.
  case signatureAlgorithm = "signature-algorithm"
  /// Both algorithms are unknown.
  case unknownSignatureAlgorithm = "unknown-signature-algorithm"
}
