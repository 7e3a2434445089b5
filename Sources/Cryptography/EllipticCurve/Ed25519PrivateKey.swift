import Crypto
import SwiftASN1

/// An Ed25519 private key (RFC 8032 section 5.1.5): 32 bytes.
///
/// Its signatures need no randomness: the same key and message give the same signature (RFC 8032 section 5.1.6). This
/// is true if swift-crypto uses BoringSSL.
public struct Ed25519PrivateKey: Sendable {
  /// The public key.
  public let publicKey: Ed25519PublicKey
  /// The secret seed of the key.
  public let rawRepresentation: [UInt8]

  /// Creates the key with these 32 bytes; nil for another length.
  public init?(rawRepresentation: [UInt8]) {
    guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: rawRepresentation) else { return nil }
    self.rawRepresentation = rawRepresentation
    publicKey = Ed25519PublicKey(point: Array(key.publicKey.rawRepresentation))
  }

  /// Generates a key with bytes from `random`.
  public static func generate(random: inout DeterministicRandom) -> Ed25519PrivateKey {
    while true {
      if let key = Ed25519PrivateKey(rawRepresentation: random.bytes(32)) { return key }
    }
  }

  /// Signs `message` with 64 bytes (RFC 8032 section 5.1.6).
  ///
  /// Throws `SignatureError.malformed` only if the library could not sign.
  public func sign(message: [UInt8]) throws(SignatureError) -> [UInt8] {
    guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: rawRepresentation),
      let signature = try? key.signature(for: message)
    else { throw .malformed }
    return Array(signature)
  }

  /// PrivateKeyInfo in DER (RFC 8410 section 7), which contains the secret.
  public var pkcs8: [UInt8] {
    var content = DER.Serializer()
    // The serialization of bytes never fails.
    try? content.serialize(ASN1OctetString(contentBytes: rawRepresentation[...]))
    return KeyDER.sequence { fields in
      try fields.serialize(0)
      try fields.appendConstructedNode(identifier: .sequence) { fields in
        try fields.serialize(Ed25519PublicKey.algorithm)
      }
      try fields.serialize(ASN1OctetString(contentBytes: content.serializedBytes[...]))
    }
  }

  /// Reads CurvePrivateKey, RFC 8410 section 7: an OCTET STRING of 32 bytes.
  init(curvePrivateKey node: ASN1Node) throws {
    let bytes = try ASN1OctetString(derEncoded: node)
    guard let key = Ed25519PrivateKey(rawRepresentation: Array(bytes.bytes)) else {
      throw KeyError.malformed(structure: "CurvePrivateKey", reason: "not 32 bytes")
    }
    self = key
  }
}
