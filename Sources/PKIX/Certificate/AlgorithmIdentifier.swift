import Cryptography
import Explanation

/// An algorithm and its parameters (RFC 5280 section 4.1.1.2).
public struct AlgorithmIdentifier: Sendable, Hashable, CustomStringConvertible {
  /// Which algorithm.
  public let oid: OID
  /// The encoded parameters; empty if they are absent.
  public let parameters: [UInt8]

  /// Creates an identifier from an algorithm and encoded parameters.
  public init(_ oid: OID, parameters: [UInt8] = []) {
    self.oid = oid
    self.parameters = parameters
  }

  static func read(_ cursor: inout DERCursor, _ field: String) throws(CertificateError) -> AlgorithmIdentifier {
    var parts = cursor.inside(try cursor.next(field, DERTag.sequence))
    let oid = try parts.objectIdentifier("algorithm")
    let parameters = parts.isAtEnd ? [] : parts.encoding(try parts.next("parameters"))
    try parts.finish(field)
    return AlgorithmIdentifier(oid, parameters: parameters)
  }

  var der: [UInt8] { DER.sequence(DER.objectIdentifier(oid), parameters) }

  /// The name of the algorithm in the standards, such as `sha256WithRSAEncryption`.
  public var description: String { oid.name }
}

extension AlgorithmIdentifier {
  /// The signature scheme; nil if the algorithm is not supported or its parameters are wrong.
  ///
  /// For RSA PKCS #1 v1.5, the parameters are NULL or absent (RFC 4055 section 5). For ECDSA, they are absent (RFC 5758
  /// section 3.2). For PSS, they are always present, with the hash and the salt length (RFC 4055 section 3.1).
  public var signatureScheme: SignatureScheme? {
    if oid == .rsassaPSS { return pssParameters.flatMap { SignatureScheme(pss: $0.hash) } }
    guard let scheme = AlgorithmIdentifier.schemes[oid] else { return nil }
    let fits = parameters.isEmpty || scheme.keyKind == .rsa && parameters == [DERTag.null, 0]
    return fits ? scheme : nil
  }

  /// Returns whether both are the same identifier (RFC 5280 section 4.1.1.2). If `equatesNull`, absent parameters and
  /// NULL are equal for RSA PKCS #1 v1.5 (RFC 4055 section 5). Security.framework treats them as equal, because
  /// Keychain Access has issued such certificates.
  func matches(_ other: AlgorithmIdentifier, equatesNull: Bool) -> Bool {
    if self == other { return true }
    guard equatesNull else { return false }
    return oid == other.oid && oid != .rsassaPSS && signatureScheme != nil && other.signatureScheme != nil
  }

  /// The parameters of an RSASSA-PSS signature; nil for another algorithm, and for unsupported parameters.
  public var pssParameters: PSSParameters? { oid == .rsassaPSS ? PSSParameters(der: parameters) : nil }

  /// Creates the identifier of a scheme; nil if X.509 has no identifier for it. For PSS, the salt is as long as the
  /// digest.
  public init?(_ scheme: SignatureScheme) {
    if scheme.padding == .pss, let hash = scheme.hash {
      self.init(.rsassaPSS, parameters: PSSParameters(hash: hash).der)
      return
    }
    guard let arcs = scheme.oid else { return nil }
    self.init(OID(arcs: arcs), parameters: scheme.keyKind == .rsa ? [DERTag.null, 0] : [])
  }

  static let schemes: [OID: SignatureScheme] = Dictionary(
    (SignatureScheme.all + SignatureScheme.ofCertificates).compactMap { scheme in
      scheme.oid.map { (OID(arcs: $0), scheme) }
    }
  ) { first, _ in first }
}

/// The contents of a signatureValue field (RFC 5280 section 4.1.1.3).
struct Signature: Sendable {
  let bytes: [UInt8]
  /// The number of unused bits in the last byte. It should be 0, because every scheme produces whole bytes.
  let unusedBits: Int

  /// Verifies the signature with `key` and `algorithm`, whose scheme is `scheme`.
  func verify(
    _ key: PublicKey, over message: [UInt8], _ scheme: SignatureScheme, _ algorithm: AlgorithmIdentifier
  ) throws(SignatureError) {
    let parameters = algorithm.pssParameters
    try key.verify(
      bytes, over: message, scheme, saltLength: parameters?.saltLength, maskHash: parameters?.maskHash)
    guard unusedBits == 0 else { throw .unusedBits(unusedBits) }
  }
}
