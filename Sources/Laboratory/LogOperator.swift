import Cryptography
import Explanation
import PKIX

/// The operator of a CT log, whose key signs SCTs and tree heads.
public struct LogOperator: Sendable {
  /// The log in the form that clients know.
  public private(set) var log: TransparencyLog
  private let key: PrivateKey
  private let signing: CertificateAuthority.Signing
  private let scheme: SignatureScheme

  /// Creates the operator of a log with this key.
  public init(
    _ name: String, operator: String, key: PrivateKey, state: TransparencyLog.State? = .usable,
    signing: @escaping CertificateAuthority.Signing = CertificateAuthority.sign
  ) {
    log = TransparencyLog(name, operator: `operator`, key: key.publicKey, state: state)
    self.key = key
    self.signing = signing
    if case .ec = key { scheme = .ecdsaSHA256 } else { scheme = .rsaPKCS1SHA256 }
  }

  /// The same log, except that another key signs in its name.
  public func signing(with other: PrivateKey) -> LogOperator {
    var forged = LogOperator(log.name, operator: log.operator, key: other, signing: signing)
    forged.log = log
    return forged
  }

  /// Limits the log to certificates that expire in this interval.
  public mutating func accept(from start: Instant, until end: Instant) { log.interval = (start, end) }

  /// Signs an SCT for `entry`. Its timestamp is in milliseconds since 1970. Throws an error if signing fails.
  public func timestamp(
    _ entry: LogEntry, at timestamp: UInt64, random: inout DeterministicRandom
  ) throws -> SignedCertificateTimestamp {
    let signature = try signing(entry.timestamped(timestamp, extensions: []), key, scheme, &random)
    return SignedCertificateTimestamp(
      logID: log.id, timestamp: timestamp, signature: signed(signature))
  }

  private func signed(_ signature: [UInt8]) -> DigitallySigned {
    DigitallySigned(algorithm: SignatureAndHashAlgorithm(scheme), signature: signature)
  }

  /// Signs the head of the tree. Throws an error if signing fails.
  public func head(
    of tree: MerkleTree, at timestamp: UInt64, random: inout DeterministicRandom
  ) throws -> SignedTreeHead {
    let octets = SignedTreeHead.signedOctets(timestamp: timestamp, size: UInt64(tree.size), root: tree.root)
    let signature = try key.sign(octets, scheme, random: &random)
    return SignedTreeHead(
      timestamp: timestamp, size: UInt64(tree.size), root: tree.root, signature: signed(signature))
  }
}
