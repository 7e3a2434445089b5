import Cryptography
import Explanation

/// An OCSP responder for a CA.
///
/// The responder is the CA itself, or a delegate with a certificate for this purpose (RFC 6960 section 4.2.2.2).
public struct OCSPResponder: Sendable {
  /// The certificate and the key that sign responses.
  public let signer: CertificateAuthority
  /// The signature scheme.
  public var signatureScheme: SignatureScheme
  /// Whether responses include the responder's certificate. Clients already have the certificate of the CA.
  public var includesCertificate: Bool
  /// Whether responses identify the responder by its name. Otherwise, they contain the hash of its key.
  public var isNamed = false
  /// Whether the last bit of every signature is flipped.
  public var breaksSignature = false

  /// Creates a responder with a certificate and a key. `isDelegate` is whether responses must include the certificate.
  public init(_ signer: CertificateAuthority, isDelegate: Bool = false, signatureScheme: SignatureScheme? = nil) {
    self.signer = signer
    self.signatureScheme = signatureScheme ?? signer.defaultScheme
    includesCertificate = isDelegate
  }

  /// Creates a signed response. Throws `IssuingError`, or the error that occurred when signing.
  public func answer(
    _ responses: [SingleResponse], producedAt: Instant, nonce: [UInt8]? = nil, random: inout DeterministicRandom
  ) throws -> OCSPResponse {
    guard let algorithm = AlgorithmIdentifier(signatureScheme) else {
      throw IssuingError.unnamedScheme(signatureScheme)
    }
    let key = Hash.sha1.digest(signer.certificate.publicKey.subjectPublicKey)
    let responder =
      isNamed
      ? DER.element(DERTag.context(1, constructed: true), signer.certificate.subject.der)
      : DER.element(DERTag.context(2, constructed: true), DER.octetString(key))
    let extensions = nonce.map { [Certificate.Extension(.ocspNonce, value: $0)] } ?? []
    let signed = DER.sequence(
      responder, DERTime.generalized(producedAt), DER.sequence(of: responses.map(\.der)),
      OCSPResponder.tagged(extensions))
    var signature = try signer.signature(of: signed, signatureScheme, random: &random)
    if breaksSignature, let last = signature.popLast() { signature.append(last ^ 1) }
    let certificates =
      includesCertificate
      ? DER.element(DERTag.context(0, constructed: true), DER.sequence(signer.certificate.der)) : []
    let basic = DER.sequence(signed, algorithm.der, DER.bitString(signature), certificates)
    let bytes = DER.sequence(DER.objectIdentifier(.ocspBasic), DER.octetString(basic))
    return try OCSPResponse(
      der: DER.sequence(
        DER.element(DERTag.enumerated, [OCSPResponse.Status.successful.rawValue]),
        DER.element(DERTag.context(0, constructed: true), bytes)))
  }

  /// Creates an error response, which is an unsigned status.
  public static func failure(_ status: OCSPResponse.Status) throws(CertificateError) -> OCSPResponse {
    try OCSPResponse(der: DER.sequence(DER.element(DERTag.enumerated, [status.rawValue])))
  }

  static func tagged(_ extensions: [Certificate.Extension]) -> [UInt8] {
    guard !extensions.isEmpty else { return [] }
    return DER.element(DERTag.context(1, constructed: true), DER.sequence(of: extensions.map(\.der)))
  }
}

extension SingleResponse {
  var der: [UInt8] {
    DER.sequence(
      certificate.der, status.der, DERTime.generalized(thisUpdate),
      nextUpdate.map { DER.element(DERTag.context(0, constructed: true), DERTime.generalized($0)) } ?? [],
      OCSPResponder.tagged(extensions))
  }
}

extension SingleResponse.Status {
  fileprivate var der: [UInt8] {
    switch self {
    case .good: DER.element(DERTag.context(0), [])
    case .unknown: DER.element(DERTag.context(2), [])
    case .revoked(let date, let reason):
      DER.element(
        DERTag.context(1, constructed: true),
        DERTime.generalized(date)
          + (reason.map {
            DER.element(DERTag.context(0, constructed: true), DER.element(DERTag.enumerated, [$0.rawValue]))
          } ?? []))
    }
  }
}
