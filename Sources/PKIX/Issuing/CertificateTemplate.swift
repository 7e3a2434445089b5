import Cryptography
import Explanation

/// The content of a certificate before a CA signs it.
///
/// `authority` and `server` create the two most common kinds. Every property can be changed afterwards.
public struct CertificateTemplate: Sendable, Hashable {
  /// The subject's name.
  public var subject: DistinguishedName
  /// The first moment of the validity period.
  public var notBefore: Instant
  /// The last moment of the validity period.
  public var notAfter: Instant
  /// The version. Extensions need version 3; version 1 omits them.
  public var version = 3
  /// The contents of the serial number's INTEGER (X.690 section 8.3), with any sign and length; nil generates 16 random
  /// bytes.
  public var serialNumber: [UInt8]?
  /// The signature scheme that the issuer uses.
  public var signatureScheme = SignatureScheme.rsaPKCS1SHA256
  /// Whether the subject is a CA; nil omits the extension. The extension is critical for a CA.
  public var basicConstraints: BasicConstraints?
  /// The permitted uses of the key; nil omits the extension, which is critical.
  public var keyUsage: KeyUsage?
  /// The permitted purposes of the key; nil omits the extension.
  public var extendedKeyUsage: ExtendedKeyUsage?
  /// The subject's hosts and addresses; nil omits the extension.
  public var subjectAlternativeName: SubjectAlternativeName?
  /// The names that certificates below a CA may have; nil omits the extension, which is critical.
  public var nameConstraints: NameConstraints?
  /// The URLs of the issuer's certificate; an empty list omits authorityInformationAccess.
  public var issuerLocations: [String] = []
  /// The URLs of the issuer's OCSP responder; an empty list omits them.
  public var responderLocations: [String] = []
  /// The URLs of the issuer's CRLs; an empty list omits cRLDistributionPoints.
  public var crlLocations: [String] = []
  /// The issuer of these CRLs if it is not the certificate's issuer; nil omits cRLIssuer.
  public var crlIssuer: DistinguishedName?
  /// The URLs of delta CRLs; an empty list omits freshestCRL.
  public var deltaLocations: [String] = []
  /// Whether subjectKeyIdentifier and authorityKeyIdentifier are included.
  public var hasKeyIdentifiers = true
  /// Marks a proxy certificate; nil omits the extension, which is critical.
  public var proxyInformation: ProxyCertificateInformation?
  /// The public key in the certificate; nil for the key that the caller passes.
  public var subjectKey: PublicKey?
  /// Additional extensions, which are appended unchanged.
  public var otherExtensions: [Certificate.Extension] = []
  /// The deliberate faults of the certificate.
  public var faults: Set<CertificateFault> = []

  /// Creates a template for `subject`, valid from `notBefore` to `notAfter`, with no extensions.
  public init(subject: DistinguishedName, notBefore: Instant, notAfter: Instant) {
    self.subject = subject
    self.notBefore = notBefore
    self.notAfter = notAfter
  }

  /// Creates a template for a root or another CA, with cA, keyCertSign and cRLSign.
  public static func authority(
    _ subject: DistinguishedName, notBefore: Instant, notAfter: Instant, pathLength: Int? = nil
  ) -> CertificateTemplate {
    var template = CertificateTemplate(subject: subject, notBefore: notBefore, notAfter: notAfter)
    template.basicConstraints = BasicConstraints(isCA: true, pathLength: pathLength)
    template.keyUsage = [.keyCertSign, .cRLSign]
    return template
  }

  /// Creates a template for a TLS server's certificate with the given host names and addresses. The certificate allows
  /// every key exchange of RSA keys.
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

/// A deliberate fault in a certificate. The raw values are keywords in scenario files.
public enum CertificateFault: String, Sendable, Hashable, CaseIterable {
  /// One bit of the signature is flipped.
  case signature
  /// A key other than the issuer's key signs the certificate under the issuer's name.
  case issuerKey = "issuer-key"
  /// The issuer's name differs from the name of the CA that signs.
  case issuerName = "issuer-name"
  /// authorityKeyIdentifier identifies a key other than the signing key.
  case keyIdentifier = "key-identifier"
  /// authorityKeyIdentifier is missing.
  case noAuthorityKeyIdentifier = "no-authority-key-identifier"
  /// subjectKeyIdentifier is missing.
  case noSubjectKeyIdentifier = "no-subject-key-identifier"
  /// basicConstraints is missing, although the subject issues certificates.
  case noBasicConstraints = "no-basic-constraints"
  /// basicConstraints states that the subject is not a CA.
  case notCA = "not-a-ca"
  /// basicConstraints and keyUsage state that the subject is a CA.
  case isCA = "is-a-ca"
  /// keyUsage lacks keyCertSign.
  case noCertificateSigning = "no-key-cert-sign"
  /// keyUsage is missing, although the use of the key is limited.
  case noKeyUsage = "no-key-usage"
  /// The subject alternative name is missing.
  case noAlternativeName = "no-subject-alt-name"
  /// The subject's name is empty, and subjectAltName is not critical.
  case emptySubject = "empty-subject"
  /// subjectKeyIdentifier is critical.
  case criticalKeyIdentifier = "critical-key-identifier"
  /// The dates are encoded as GeneralizedTime.
  case generalizedTime = "generalized-time"
  /// extKeyUsage has clientAuth but not serverAuth.
  case clientPurpose = "client-auth-only"
  /// The version is 1, although the certificate has extensions.
  case version = "version-1"
  /// The certificate has an unknown critical extension.
  case unknownCriticalExtension = "unknown-critical-extension"
  /// The subject alternative name is malformed.
  case malformedExtension = "malformed-extension"
  /// keyUsage appears twice.
  case duplicateExtension = "duplicate-extension"
  /// The algorithm outside the signed part differs from the one inside it.
  case signatureAlgorithm = "signature-algorithm"
  /// Both algorithm identifiers name an unknown algorithm.
  case unknownSignatureAlgorithm = "unknown-signature-algorithm"
}
