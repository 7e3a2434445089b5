import Endpoint
import Explanation
import PKIX

extension World {
  /// An audit of a CT log after the connections. Two parties check a certificate with an SCT from the log.
  public struct Audit: Sendable {
    /// The name of the audited certificate.
    public let certificate: String
    /// The data that the log presents to both parties.
    public let audit: LogAudit

    /// Creates an audit about `certificate`.
    public init(of certificate: String, _ audit: LogAudit) {
      self.certificate = certificate
      self.audit = audit
    }

    /// The actions of the two parties, which take one step each.
    public enum Part: Sendable, Hashable, CaseIterable {
      /// The auditor requests an inclusion proof.
      case inclusion
      /// The monitor reads all entries.
      case entries
      /// The auditor and the monitor compare their tree heads.
      case comparison
    }
  }
}

extension Party {
  /// A party that has an SCT and requests a proof that the certificate is in the log's tree (RFC 6962 section 5.4).
  static let auditor = Party("auditor")
  /// A party that reads every entry of a log (RFC 6962 section 5.3).
  static let monitor = Party("monitor")
}

// Audits use separate connections, of which only the responses are shown.
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
    // The findings belong to the audited connection but do not decide it.
    note(step.findings, by: .client)
  }
}

extension SignedTreeHead {
  /// The tree head in words: `tree_size 8, sha256_root_hash 0123456789abcdef…`.
  public var meaning: String { "tree_size \(size), sha256_root_hash \(Hex.string(Array(root.prefix(8))))…" }
}
