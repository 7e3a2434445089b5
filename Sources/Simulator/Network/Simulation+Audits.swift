import Endpoint
import Explanation
import PKIX

extension World {
  /// Two who ask a log, after the connections, what has become of a certificate that it has signed a timestamp for.
  public struct Audit: Sendable {
    /// The certificate, by the author's name.
    public let certificate: String
    /// What the log shows them.
    public let audit: LogAudit

    /// An audit about `certificate`.
    public init(of certificate: String, _ audit: LogAudit) {
      self.certificate = certificate
      self.audit = audit
    }

    /// What the two do, one step each.
    public enum Part: Sendable, Hashable, CaseIterable {
      /// The auditor requests an inclusion proof.
      case inclusion
      /// The monitor reads all entries.
      case entries
      /// They compare their tree heads.
      case comparison
    }
  }
}

extension Party {
  /// Who has a timestamp, and asks the log whether the certificate is in its tree: RFC 6962 section 5.4.
  static let auditor = Party("auditor")
  /// Who reads every entry of a log: RFC 6962 section 5.3.
  static let monitor = Party("monitor")
}

// What logs show to those who ask them: over connections of their own, of which only the answers are shown.
extension Simulation {
  mutating func play(_ part: World.Audit.Part, of audit: World.Audit) {
    let (shown, name) = (audit.audit, audit.certificate)
    clock = max(clock, shown.moment)
    switch part {
    case .inclusion: record(part, of: audit, by: .auditor, shown.auditorHead, shown.inclusionFinding(on: name))
    case .entries: record(part, of: audit, by: .monitor, shown.monitorHead, nil)
    case .comparison: record(part, of: audit, by: .auditor, nil, shown.consistencyFinding(on: name))
    }
  }

  private mutating func record(
    _ part: World.Audit.Part, of audit: World.Audit, by party: Party, _ head: SignedTreeHead?, _ finding: Finding?
  ) {
    var step = Step(.audited(audit, part), at: clock, from: party)
    step.findings = [finding].compactMap(\.self)
    if let head {
      step.bytes = Array(head.json.utf8)
      step.fields = [Field("get-sth", step.bytes.indices, meaning: head.meaning)]
    }
    trace.record(step)
    // It hangs on the connection that it is about, of which it decides nothing.
    note(step.findings, by: .client)
  }
}

extension SignedTreeHead {
  /// `tree_size 8, sha256_root_hash 0123456789abcdef…`
  public var meaning: String { "tree_size \(size), sha256_root_hash \(Hex.string(Array(root.prefix(8))))…" }
}
