import Explanation
import PKIX
import Simulator

/// The words for the audit of a log by an auditor and a monitor.
struct AuditWords {
  private let name: String
  private let audit: LogAudit

  init(_ audit: World.Audit) {
    name = audit.certificate
    self.audit = audit.audit
  }

  func words(for part: World.Audit.Part, by party: Party) -> EventWords {
    switch part {
    case .inclusion:
      EventWords(
        Actor(the: party), "requests the tree head of the log \(audit.log.name) and a proof for \(name)", inclusion)
    case .entries: EventWords(Actor(the: party), "reads the log \(audit.log.name)", entries)
    case .comparison: EventWords(Actor(party, "auditor and monitor"), "compare their heads", comparison)
    }
  }

  private var inclusion: String {
    let head = "Its signed tree head: \(audit.auditorHead.meaning)."
    if let inclusion = audit.inclusion {
      return "\(head) get-proof-by-hash: leaf_index \(inclusion.index) and \(inclusion.path.count) hashes, which lead "
        + (audit.isIncluded ? "from \(name) to that root." : "to another root.")
    }
    let late =
      audit.moment > audit.deadline
      ? "The maximum merge delay ended on \(audit.deadline): the SCT and the head together prove a broken promise."
      : "The maximum merge delay lasts until \(audit.deadline), so the log need not contain it yet."
    return "\(head) get-proof-by-hash does not find \(name). \(late)"
  }

  private var entries: String {
    "The tree head that it receives: \(audit.monitorHead.meaning). "
      + (audit.isMonitored
        ? "\(name) is among the entries: the owner of the name can see it."
        : "\(name) is not among the entries: a monitor that watches for the "
          + "name finds nothing, and nothing looks wrong.")
  }

  private var comparison: String {
    let (log, old, new) = (audit.log.name, audit.auditorHead.size, audit.monitorHead.size)
    guard audit.isConsistent else {
      return "Both are signed by \(log), each for \(old) entries, but their roots differ: the log shows two trees. "
        + "Neither party could detect this alone, nor can a client, which sees only the SCT."
    }
    return "The consistency proof of \(audit.consistency.count) hashes connects the two heads: one tree, which has "
      + "grown from \(old) to \(new) entries."
  }
}
