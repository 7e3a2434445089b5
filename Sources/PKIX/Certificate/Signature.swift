import Cryptography

/// The contents of a signatureValue, RFC 5280 section 4.1.1.3.
struct Signature: Sendable {
  let bytes: [UInt8]
  /// How many bits of the last byte are not used; every scheme makes whole bytes.
  let unusedBits: Int

  /// Returns when it verifies with `key` as `algorithm` says, which is of `scheme`.
  func verify(
    _ key: PublicKey, over message: [UInt8], _ scheme: SignatureScheme, _ algorithm: AlgorithmIdentifier
  ) throws(SignatureError) {
    try key.verify(bytes, over: message, scheme, saltLength: algorithm.pssParameters?.saltLength)
    guard unusedBits == 0 else { throw .unusedBits(unusedBits) }
  }
}
