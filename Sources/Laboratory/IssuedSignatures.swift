import Cryptography
import Synchronization

/// A cache of signatures.
///
/// Signing is most of the work of a case, and the same certificates occur in many cases. The cache stores only
/// deterministic signatures: PKCS #1 v1.5, and ECDSA according to RFC 6979. PSS uses a random salt.
public final class IssuedSignatures: Sendable {
  private struct Key: Hashable {
    let message: [UInt8]
    let signer: PublicKey
    let scheme: SignatureScheme
  }

  /// The maximum number of signatures, which is enough for a test run. A full cache is emptied.
  private static let limit = 4096
  private let signatures = Mutex<[Key: [UInt8]]>([:])

  /// Signs `message`, or returns the stored signature. Throws an error if signing fails.
  @Sendable public func sign(
    _ message: [UInt8], _ signer: PrivateKey, _ scheme: SignatureScheme, _ random: inout DeterministicRandom
  ) throws -> [UInt8] {
    if scheme.padding == .pss { return try signer.sign(message, scheme, random: &random) }
    let key = Key(message: message, signer: signer.publicKey, scheme: scheme)
    if let known = signatures.withLock({ $0[key] }) { return known }
    let signature = try signer.sign(message, scheme, random: &random)
    signatures.withLock { signatures in
      if signatures.count >= Self.limit { signatures = [:] }
      signatures[key] = signature
    }
    return signature
  }
}
