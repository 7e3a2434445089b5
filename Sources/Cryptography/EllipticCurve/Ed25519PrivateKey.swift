import Crypto
import SwiftASN1

/// An Ed25519 private key of 32 bytes (RFC 8032 section 5.1.5).
///
/// Signatures need no randomness: the same key and message result in the same signature (RFC 8032 section 5.1.6), as
/// long as swift-crypto uses BoringSSL.
public struct Ed25519PrivateKey: Sendable {
  /// The public key.
  public let publicKey: Ed25519PublicKey
  /// The secret seed of the key.
  public let rawRepresentation: [UInt8]

  /// Creates the key with these 32 bytes; nil for any other length.
  public init?(rawRepresentation: [UInt8]) {
    guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: rawRepresentation) else { return nil }
    self.rawRepresentation = rawRepresentation
    publicKey = Ed25519PublicKey(point: Array(key.publicKey.rawRepresentation))
  }

  /// Generates a key from the bytes of `random`.
  public static func generate(random: inout DeterministicRandom) -> Ed25519PrivateKey {
    while true {
      if let key = Ed25519PrivateKey(rawRepresentation: random.bytes(32)) { return key }
    }
  }

  /// Signs `message`; the signature has 64 bytes (RFC 8032 section 5.1.6).
  ///
  /// Throws `SignatureError.malformed` only if the library fails to sign.
  public func sign(message: [UInt8]) throws(SignatureError) -> [UInt8] {
    guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: rawRepresentation),
      let signature = try? key.signature(for: message)
    else { throw .malformed }
    return Array(signature)
  }

  /// The PrivateKeyInfo in DER (RFC 8410 section 7), which contains the secret.
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

  /// Decodes a CurvePrivateKey: an OCTET STRING of 32 bytes (RFC 8410 section 7).
  init(curvePrivateKey node: ASN1Node) throws {
    let bytes = try ASN1OctetString(derEncoded: node)
    guard let key = Ed25519PrivateKey(rawRepresentation: Array(bytes.bytes)) else {
      throw KeyError.malformed(structure: "CurvePrivateKey", reason: "not 32 bytes")
    }
    self = key
  }
}
