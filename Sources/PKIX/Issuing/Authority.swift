import Cryptography
import Explanation

/// Who issues certificates: a name, a key, and the certificate that says so.
public struct Authority: Sendable {
  /// The authority's own certificate.
  public let certificate: Certificate
  /// The authority's key.
  public let key: PrivateKey

  /// The authority that holds `key` for `certificate`.
  public init(_ certificate: Certificate, key: PrivateKey) {
    self.certificate = certificate
    self.key = key
  }

  /// A root: an authority whose certificate is signed with its own key.
  ///
  /// Throws `IssuingError`, or what signing throws.
  public init(
    root template: CertificateTemplate, key: PrivateKey, impostor: PrivateKey? = nil,
    random: inout DeterministicRandom
  ) throws {
    let identifier = Hash.sha1.digest(key.publicKey.subjectPublicKey)
    let issuing = Issuing(template, for: key.publicKey, issuer: template.subject, issuerKeyIdentifier: identifier)
    self.init(try issuing.sign(with: key, impostor: impostor, random: &random), key: key)
  }

  /// A certificate for `subjectKey`, signed by this authority.
  ///
  /// `impostor` is the key that signs in place of this one where the template asks for `Fault.issuerKey`. Equal
  /// templates, keys and generators give equal certificates. Throws `IssuingError`, or what signing throws.
  public func issue(
    _ template: CertificateTemplate, for subjectKey: PublicKey, impostor: PrivateKey? = nil,
    random: inout DeterministicRandom
  ) throws -> Certificate {
    let identifier =
      certificate.subjectKeyIdentifier?.keyIdentifier ?? Hash.sha1.digest(key.publicKey.subjectPublicKey)
    let issuing = Issuing(
      template, for: subjectKey, issuer: certificate.subject, issuerKeyIdentifier: identifier)
    return try issuing.sign(with: key, impostor: impostor, random: &random)
  }
}

/// Why a certificate could not be issued.
public enum IssuingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// X.509 has no identifier for this signature scheme.
  case unnamedScheme(SignatureScheme)
  /// `Fault.issuerKey` needs the other key.
  case noImpostorKey

  /// What is missing.
  public var description: String {
    switch self {
    case .unnamedScheme(let scheme): "certificates cannot be signed with \(scheme.name)"
    case .noImpostorKey: "the fault \(Fault.issuerKey.rawValue) needs another key to sign with"
    }
  }
}
