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
    case .comparison: EventWords(Actor(party, "the auditor and the monitor"), "compare their tree heads", comparison)
    }
  }

  private var inclusion: String {
    let head = "The log's signed tree head: \(audit.auditorHead.meaning)."
    if let inclusion = audit.inclusion {
      return
        "\(head) get-proof-by-hash returns leaf_index \(inclusion.index) and \(inclusion.path.count) hashes, which "
        + "lead "
        + (audit.isIncluded ? "from \(name) to that root." : "to another root.")
    }
    let late =
      audit.moment > audit.deadline
      ? "The maximum merge delay ended on \(audit.deadline): the SCT and the tree head together prove that the log "
        + "broke its promise."
      : "The maximum merge delay lasts until \(audit.deadline), so the log does not have to contain it yet."
    return "\(head) get-proof-by-hash does not find \(name). \(late)"
  }

  private var entries: String {
    "The log returns this tree head: \(audit.monitorHead.meaning). "
      + (audit.isMonitored
        ? "\(name) is among the entries: the owner of the name can see it."
        : "\(name) is not among the entries: a monitor that watches for the name finds nothing unusual.")
  }

  private var comparison: String {
    let (log, old, new) = (audit.log.name, audit.auditorHead.size, audit.monitorHead.size)
    guard audit.isConsistent else {
      return
        "\(log) signed both tree heads for \(old) entries, but their roots differ: the log presents two trees. Neither "
        + "the auditor nor the monitor could detect this alone. A client sees only the SCT and cannot detect it "
        + "either."
    }
    return "The consistency proof of \(audit.consistency.count) hashes connects the two tree heads: they belong to one "
      + "tree, which has grown from \(old) to \(new) entries."
  }
}
