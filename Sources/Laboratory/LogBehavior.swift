import Cryptography
import Explanation
import PKIX

/// The way in which a log keeps, or breaks, the promises of its SCTs.
public enum LogBehavior: String, Sendable, Hashable, CaseIterable {
  /// The log includes every certificate for which it signed an SCT, and presents one tree to everyone.
  case honest
  /// The log includes the certificate in the tree for an auditor, but not in the tree for a monitor.
  case splitView = "split-view"
  /// The log never includes the certificate.
  case omits
}

extension LogOperator {
  /// The log's responses about `entry` at `moment`; throws an error if signing fails.
  ///
  /// The other entries in the log's tree are unknown.
  public func audit(
    of entry: LogEntry, _ timestamp: SignedCertificateTimestamp, conduct: LogBehavior, at moment: Instant,
    mergeDelay: Int64, random: inout DeterministicRandom
  ) throws -> LogAudit {
    let leaf = entry.leafHash(timestamp: timestamp.timestamp, extensions: timestamp.extensions)
    let others = (0..<11).map { MerkleTree.leafHash(Array("\(log.name)/entry \($0)".utf8)) }
    let place = 5
    func tree(_ size: Int, isIncluded: Bool) -> MerkleTree {
      var leaves = Array(others[..<size])
      if isIncluded { leaves[place] = leaf }
      return MerkleTree(leaves: leaves)
    }
    // A log includes an entry within the merge delay. Before the deadline, even an honest log may lack the entry.
    let isLate = moment > timestamp.deadline(mergeDelay)
    let isIncluded = conduct == .splitView || conduct == .honest && isLate
    let isMonitored = conduct == .honest && isIncluded
    let now = moment.millisecondsSince1970
    let shown = tree(8, isIncluded: isIncluded)
    let other = tree(conduct == .splitView ? 8 : 11, isIncluded: isMonitored)
    return LogAudit(
      log: log, timestamp: timestamp, moment: moment, mergeDelay: mergeDelay,
      auditorHead: try head(of: shown, at: now, random: &random),
      inclusion: isIncluded ? shown.inclusionProof(of: place).map { (place, $0) } : nil,
      monitorHead: try head(of: other, at: conduct == .splitView ? now : now + 3_600_000, random: &random),
      consistency: other.size > shown.size ? other.consistencyProof(from: shown.size) ?? [] : [],
      isMonitored: isMonitored, leafHash: leaf)
  }
}
