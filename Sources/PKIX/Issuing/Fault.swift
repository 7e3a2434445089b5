/// A way to issue a certificate that is wrong on purpose. Raw values are the scenario language's words.
public enum Fault: String, Sendable, Hashable, CaseIterable {
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
}
