import Cryptography
import Explanation
import PKIX

/// How a log keeps what its timestamps promise.
public enum LogConduct: String, Sendable, Hashable, CaseIterable {
  /// It includes what it has signed a timestamp for, and shows everyone one tree.
  case honest
  /// It includes it in the tree that it shows to an auditor, and not in the one that it shows to a monitor.
  case splitView = "split-view"
  /// It never includes it.
  case omits
}

extension LogOperator {
  /// What the log shows of `entry` at `moment`, where it behaves so. Of the others in its tree nothing is known but that they
  /// are there. Throws what signing throws.
  public func audit(
    of entry: LogEntry, _ timestamp: SignedCertificateTimestamp, conduct: LogConduct, at moment: Instant,
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
    // A log includes within the delay; asked before, an honest one may still be waiting.
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
