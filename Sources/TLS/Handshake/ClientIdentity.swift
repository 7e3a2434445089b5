import Cryptography
import Explanation

/// What a client proves who it is with: its certificates and the key of the first.
public struct ClientIdentity: Sendable {
  /// Certificates in DER, the client's own first. Their bytes mean nothing here.
  public var certificates: [[UInt8]]
  /// The key of the first certificate.
  public var privateKey: PrivateKey
  /// The name of that key among the values: `alice.key`.
  public var privateKeyName: Value.ID
  /// The distinguished names, in DER, of those that issued the certificates: what a server's list is compared with.
  public var issuers: [[UInt8]]

  /// An identity that shows `certificates` and holds the key of the first.
  public init(
    certificates: [[UInt8]], privateKey: PrivateKey, privateKeyName: Value.ID, issuers: [[UInt8]] = []
  ) {
    self.certificates = certificates
    self.privateKey = privateKey
    self.privateKeyName = privateKeyName
    self.issuers = issuers
  }

  /// How the client signs for a server that asks in this way, by the order of `schemes`; nil where it has nothing that
  /// suits: RFC 5246 sections 7.4.4 and 7.4.6.
  func scheme(for request: CertificateRequestMessage, among schemes: [SignatureScheme]) -> SignatureScheme? {
    let key = privateKey.publicKey
    guard let type = key.keyKind?.certificateType, request.certificateTypes.contains(type) else { return nil }
    return schemes.first { scheme in
      scheme.isImplemented && scheme.suits(key)
        && request.supportedSignatureAlgorithms.contains(SignatureAndHashAlgorithm(scheme))
    }
  }
}

/// What a server asks of its clients: RFC 5246 section 7.4.4.
public enum ClientAuthentication: String, Sendable, Hashable, CaseIterable {
  /// It asks for no certificate.
  case none
  /// It asks for one, and goes on without.
  case optional
  /// It asks for one, and gives up without.
  case required
}

extension SignatureScheme.KeyKind {
  /// ClientCertificateType: `rsa_sign` (RFC 5246 section 7.4.4), `ecdsa_sign` (RFC 8422 section 5.5).
  var certificateType: UInt8? {
    switch self {
    case .rsa: 1
    case .ecdsa: 64
    case .eddsa: nil
    }
  }
}
