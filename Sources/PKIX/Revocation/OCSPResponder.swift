import Cryptography
import Explanation

/// A responder for a CA: the CA itself, or a delegate with a certificate for it (RFC 6960 section 4.2.2.2).
public struct OCSPResponder: Sendable {
  /// The owner of the signing key.
  public let signer: Authority
  /// The signature scheme.
  public var signatureScheme: SignatureScheme
  /// Whether responses include its certificate. Clients already have the CA's.
  public var includesCertificate: Bool
  /// Whether responses identify it by its name; otherwise by its key's hash.
  public var isNamed = false
  /// Whether the last bit of its signatures is flipped.
  public var breaksSignature = false

  /// Creates a responder with this certificate and key. `isDelegate` says whether clients need the certificate.
  public init(_ signer: Authority, isDelegate: Bool = false, signatureScheme: SignatureScheme? = nil) {
    self.signer = signer
    self.signatureScheme = signatureScheme ?? signer.usualScheme
    includesCertificate = isDelegate
  }

  /// A signed response. Throws `IssuingError`, or the error of signing.
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

  /// An error response: an unsigned status.
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
