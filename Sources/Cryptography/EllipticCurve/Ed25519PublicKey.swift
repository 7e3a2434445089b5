import Crypto
import SwiftASN1

/// An Ed25519 public key (RFC 8032 section 5.1.5), encoded as in certificates (RFC 8410 section 4).
public struct Ed25519PublicKey: Sendable, Hashable {
  /// The object identifier id-Ed25519.
  static let algorithm: ASN1ObjectIdentifier = [1, 3, 101, 112]
  /// The conventional size of the key in bits.
  static let bits = 255

  /// The 32 bytes that encode the point.
  public let point: [UInt8]
  /// The SubjectPublicKeyInfo that the key was decoded from.
  public let subjectPublicKeyInfo: [UInt8]

  /// Creates the key with this point, which must have 32 bytes.
  init(point: [UInt8]) {
    self.point = point
    subjectPublicKeyInfo = KeyDER.sequence { fields in
      try fields.appendConstructedNode(identifier: .sequence) { fields in
        try fields.serialize(Ed25519PublicKey.algorithm)
      }
      try fields.serialize(ASN1BitString(bytes: point[...]))
    }
  }

  /// Creates the key; nil if the bytes are not a key, or if the algorithm has parameters.
  init?(_ algorithm: KeyDER.Algorithm, _ bits: ASN1BitString, _ der: [UInt8]) {
    guard algorithm.parameters == nil, bits.paddingBits == 0, bits.bytes.count == 32 else { return nil }
    point = Array(bits.bytes)
    subjectPublicKeyInfo = der
  }

  /// Verifies that `signature` is valid for `message` (RFC 8032 section 5.1.7); otherwise throws `SignatureError`.
  public func verify(_ signature: [UInt8], message: [UInt8]) throws(SignatureError) {
    guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: point) else { throw .malformed }
    guard key.isValidSignature(signature, for: message) else { throw .mismatch }
  }
}
