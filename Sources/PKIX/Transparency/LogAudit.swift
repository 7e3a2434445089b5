import Cryptography
import Explanation

/// The proofs about one certificate that a log sends to an auditor and a monitor (RFC 6962 sections 5.3 and 5.4).
///
/// The auditor has the SCT, and requests a proof that the certificate is in the tree. The monitor reads all entries.
/// Neither knows the other's tree until they compare their tree heads.
public struct LogAudit: Sendable {
  /// The log.
  public let log: TransparencyLog
  /// The SCT, in which the log promises to include the certificate.
  public let timestamp: SignedCertificateTimestamp
  /// The time at which the auditor and the monitor send their requests.
  public let moment: Instant
  /// The maximum merge delay of the log in seconds, within which it must include the certificate (section 3).
  public let mergeDelay: Int64
  /// The tree head that the log sends to the auditor.
  public let auditorHead: SignedTreeHead
  /// The index and the audit path of the certificate (section 2.1.1); nil if the log returns none.
  public let inclusion: (index: Int, path: [[UInt8]])?
  /// The tree head that the log sends to the monitor.
  public let monitorHead: SignedTreeHead
  /// The proof that the monitor's tree extends the auditor's (section 2.1.2).
  public let consistency: [[UInt8]]
  /// Whether the certificate is among the entries that the monitor reads.
  public let isMonitored: Bool
  private let leafHash: [UInt8]

  /// Creates the proofs about the certificate with the given leaf hash.
  package init(
    log: TransparencyLog, timestamp: SignedCertificateTimestamp, moment: Instant, mergeDelay: Int64,
    auditorHead: SignedTreeHead, inclusion: (index: Int, path: [[UInt8]])?, monitorHead: SignedTreeHead,
    consistency: [[UInt8]], isMonitored: Bool, leafHash: [UInt8]
  ) {
    self.log = log
    self.timestamp = timestamp
    self.moment = moment
    self.mergeDelay = mergeDelay
    self.auditorHead = auditorHead
    self.inclusion = inclusion
    self.monitorHead = monitorHead
    self.consistency = consistency
    self.isMonitored = isMonitored
    self.leafHash = leafHash
  }

  /// The end of the merge delay.
  public var deadline: Instant { timestamp.deadline(mergeDelay) }

  /// Whether the audit path leads from the certificate to the auditor's tree head.
  public var isIncluded: Bool {
    guard let inclusion else { return false }
    return auditorHead.isSigned(by: log)
      && MerkleTree.includes(
        leafHash, at: UInt64(inclusion.index), size: auditorHead.size, root: auditorHead.root, proof: inclusion.path)
  }

  /// Whether both tree heads belong to one tree that has only grown.
  public var isConsistent: Bool {
    auditorHead.isSigned(by: log) && monitorHead.isSigned(by: log)
      && MerkleTree.verifyConsistency(
        from: auditorHead.size, auditorHead.root, to: monitorHead.size, monitorHead.root, proof: consistency)
  }

  /// Returns the auditor's finding about the certificate `name`.
  public func inclusionFinding(on name: String, _ enforcement: Enforcement = .standard) -> Finding {
    let subject = Finding.Subject.certificate(index: 0, name: name)
    if !isIncluded, moment <= deadline {
      return enforcement.note(.logInclusion, on: subject, .unknown, required: .atMost(.date(deadline)))
    }
    return enforcement.check(
      .logInclusion, on: subject, isIncluded, required: .atMost(.date(deadline)),
      found: isIncluded ? .none : .word("not in the tree of \(log.name)"))
  }

  /// Returns the finding about the certificate `name` after the auditor and the monitor compare their tree heads.
  public func consistencyFinding(on name: String, _ enforcement: Enforcement = .standard) -> Finding {
    enforcement.check(
      .logConsistency, on: .certificate(index: 0, name: name), isConsistent, required: .word("one tree"),
      found: isConsistent
        ? .none : .word("two different trees of \(auditorHead.size) entries, both signed by \(log.name)"))
  }
}

extension SignedCertificateTimestamp {
  /// Returns the time by which a log with this merge delay, in seconds, must have included the certificate.
  package func deadline(_ mergeDelay: Int64) -> Instant {
    Instant(secondsSince1970: Int64(timestamp / 1000)).adding(seconds: mergeDelay)
  }
}

extension SignedTreeHead {
  /// The tree head as the JSON response to get-sth (section 4.3).
  public var json: String {
    """
    {"tree_size":\(size),"timestamp":\(timestamp),"sha256_root_hash":"\(Base64.encode(root))",\
    "tree_head_signature":"\(Base64.encode(signature.bytes))"}
    """
  }
}

/// Rules that auditors and monitors check on logs.
///
/// Clients do not check these rules, so the rules never decide the result of a connection.
extension Rule {
  /// RFC 6962 section 3.
  public static let logInclusion = Rule(
    .chain, "log-inclusion",
    "A log includes every certificate within its maximum merge delay after it signs the SCT.",
    .rfc(6962, "3"),
    fix: "Report the SCT and the tree head to the maintainers of the log list: the signatures prove the violation.",
    decides: false)

  /// RFC 6962 section 2.1.2.
  public static let logConsistency = Rule(
    .chain, "log-consistency",
    "All tree heads that a log signs belong to a single tree that only grows.",
    .rfc(6962, "2.1.2"),
    fix: "Compare tree heads with other clients, and report contradictory heads to the maintainers of the log list.",
    decides: false)

  static let logAudits = [logInclusion, logConsistency]

  /// Whether auditors or monitors check the rule after the connection.
  public var isOfAudits: Bool { Rule.logAudits.contains(self) }
}
