import SwiftASN1

/// A public key that nothing can be verified with here, and what can be told about it.
public struct UnsupportedPublicKey: Sendable, Hashable {
  /// The algorithm's object identifier.
  public let algorithm: [UInt]
  /// The algorithm's parameters in DER; nil when there are none.
  public let parameters: [UInt8]?
  /// The algorithm, with its curve where it has one: `EC P-256`; its object identifier when it has no name here.
  public let algorithmName: String
  /// The size of the key as it is spoken of; nil when nobody knows.
  public let bits: Int?
  /// The whole SubjectPublicKeyInfo, as it was read.
  public let subjectPublicKeyInfo: [UInt8]
  /// The content of its BIT STRING.
  public let subjectPublicKey: [UInt8]

  init(_ algorithm: KeyDER.Algorithm, _ key: ASN1BitString, _ der: [UInt8], size: Int? = nil) {
    let parameters = algorithm.parameters
    let curve = parameters.flatMap { try? ASN1ObjectIdentifier(derEncoded: $0) }
    let known = UnsupportedPublicKey.known(algorithm.oid, curve: curve)
    self.algorithm = algorithm.oid.oidComponents
    self.parameters = parameters.map { Array($0.encodedBytes) }
    algorithmName = known?.name ?? algorithm.oid.description
    bits = size ?? known?.bits ?? UnsupportedPublicKey.modulusSize(algorithm, key)
    subjectPublicKeyInfo = der
    subjectPublicKey = Array(key.bytes)
  }

  /// The size of the modulus, where the key is one for RSASSA-PSS (RFC 4055 section 1.2).
  private static func modulusSize(_ algorithm: KeyDER.Algorithm, _ key: ASN1BitString) -> Int? {
    guard algorithm.oid == .AlgorithmIdentifier.rsaPSS else { return nil }
    return try? KeyDER.naturals(DER.parse(key.bytes), count: 2).first?.bitWidth
  }

  private struct Known {
    let name: String
    let bits: Int?
  }

  private static func known(_ algorithm: ASN1ObjectIdentifier, curve: ASN1ObjectIdentifier?) -> Known? {
    switch algorithm {
    case .AlgorithmIdentifier.rsaEncryption: Known(name: "RSA", bits: nil)
    case .AlgorithmIdentifier.rsaPSS: Known(name: "RSASSA-PSS", bits: nil)
    case .AlgorithmIdentifier.idEcPublicKey: curves[curve ?? [0, 0]] ?? Known(name: "EC", bits: nil)
    default: others[algorithm]
    }
  }

  private static let curves: [ASN1ObjectIdentifier: Known] = [
    .NamedCurves.secp256r1: Known(name: "EC P-256", bits: 256),
    .NamedCurves.secp384r1: Known(name: "EC P-384", bits: 384),
    .NamedCurves.secp521r1: Known(name: "EC P-521", bits: 521),
    [1, 2, 840, 10045, 3, 1, 1]: Known(name: "EC P-192", bits: 192),
    [1, 3, 132, 0, 33]: Known(name: "EC P-224", bits: 224),
    [1, 3, 132, 0, 10]: Known(name: "EC secp256k1", bits: 256),
  ]

  private static let others: [ASN1ObjectIdentifier: Known] = [
    [1, 3, 101, 110]: Known(name: "X25519", bits: 255),
    [1, 3, 101, 111]: Known(name: "X448", bits: 448),
    [1, 3, 101, 112]: Known(name: "Ed25519", bits: 255),
    [1, 3, 101, 113]: Known(name: "Ed448", bits: 456),
    [1, 2, 840, 10040, 4, 1]: Known(name: "DSA", bits: nil),
    [1, 2, 840, 10046, 2, 1]: Known(name: "DH", bits: nil),
  ]
}
