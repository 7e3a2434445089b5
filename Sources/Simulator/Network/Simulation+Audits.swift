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
    enum Part: CaseIterable {
      case inclusion, entries, comparison
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
    case .inclusion:
      record(
        by: .auditor, "the auditor asks the log \(shown.log.name) for its head and for \(name)", shown.auditorHead,
        inclusion(of: name, shown), shown.inclusionFinding(on: name))
    case .entries:
      record(
        by: .monitor, "the monitor reads the log \(shown.log.name)", shown.monitorHead, entries(with: name, shown), nil)
    case .comparison:
      record(
        by: .auditor, "auditor and monitor compare their heads", nil, comparison(shown),
        shown.consistencyFinding(on: name))
    }
  }

  private mutating func record(
    by party: Party, _ title: String, _ head: SignedTreeHead?, _ narration: String, _ finding: Finding?
  ) {
    var step = Step(.decision, at: clock, from: party, title: title, narration: narration)
    step.findings = [finding].compactMap(\.self)
    if let head {
      step.bytes = Array(head.json.utf8)
      step.fields = [Field("get-sth", step.bytes.indices, meaning: Self.sentence(head))]
    }
    trace.record(step)
    // It hangs on the connection that it is about, of which it decides nothing.
    note(step.findings, by: .client)
  }

  private static func sentence(_ head: SignedTreeHead) -> String {
    "tree_size \(head.size), sha256_root_hash \(Hex.string(Array(head.root.prefix(8))))…"
  }

  private func inclusion(of name: String, _ audit: LogAudit) -> String {
    let head = "Its head, signed: \(Self.sentence(audit.auditorHead))."
    if let inclusion = audit.inclusion {
      return "\(head) get-proof-by-hash: leaf_index \(inclusion.index) and \(inclusion.path.count) hashes, which lead "
        + (audit.isIncluded ? "from \(name) to that root." : "elsewhere.")
    }
    let late =
      audit.moment > audit.deadline
      ? "The maximum merge delay was over on \(audit.deadline): timestamp and head together prove a broken promise."
      : "The maximum merge delay lasts until \(audit.deadline): it need not be there yet."
    return "\(head) get-proof-by-hash knows no \(name). \(late)"
  }

  private func entries(with name: String, _ audit: LogAudit) -> String {
    "The head that it is shown: \(Self.sentence(audit.monitorHead)). "
      + (audit.isMonitored
        ? "\(name) is among the entries: the owner of the name can see it."
        : "\(name) is not among the entries: whoever watches for its name sees nothing, and nothing looks wrong.")
  }

  private func comparison(_ audit: LogAudit) -> String {
    let (log, old, new) = (audit.log.name, audit.auditorHead.size, audit.monitorHead.size)
    guard audit.isConsistent else {
      return "Both are signed by \(log), for \(old) entries each, and their roots differ: two trees. Neither could "
        + "tell alone, nor can any client, which only ever saw the timestamp."
    }
    return "The consistency proof of \(audit.consistency.count) hashes leads from the one to the other: one tree, "
      + "which has grown from \(old) to \(new) entries."
  }
}
