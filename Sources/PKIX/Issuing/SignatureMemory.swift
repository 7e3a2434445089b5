import Cryptography
import Synchronization

/// The signatures of certificates made so far in this process: the same certificates come up in case after case, and
/// signing is most of the work of a case.
///
/// Only what follows from key and message alone is remembered: PKCS #1 v1.5, and ECDSA as RFC 6979 has it. PSS draws
/// its salt.
enum SignatureMemory {
  private struct Key: Hashable {
    let message: [UInt8]
    let signer: PublicKey
    let scheme: SignatureScheme
  }

  /// As many as a test run needs; whoever signs more begins anew.
  private static let limit = 4096
  private static let signatures = Mutex<[Key: [UInt8]]>([:])

  /// The signature of `message`; throws what signing throws.
  static func signature(
    of message: [UInt8], by signer: PrivateKey, _ scheme: SignatureScheme, random: inout DeterministicRandom
  ) throws -> [UInt8] {
    if scheme.padding == .pss { return try signer.sign(message, scheme, random: &random) }
    let key = Key(message: message, signer: signer.publicKey, scheme: scheme)
    if let known = signatures.withLock({ $0[key] }) { return known }
    let signature = try signer.sign(message, scheme, random: &random)
    signatures.withLock { signatures in
      if signatures.count >= limit { signatures = [:] }
      signatures[key] = signature
    }
    return signature
  }
}
