import Explanation
import PKIX
import Simulator

/// The words for what an auditor and a monitor see in a log.
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
      EventWords(Actor(the: party), "asks the log \(audit.log.name) for its head and for \(name)", inclusion)
    case .entries: EventWords(Actor(the: party), "reads the log \(audit.log.name)", entries)
    case .comparison: EventWords(Actor(party, "auditor and monitor"), "compare their heads", comparison)
    }
  }

  private var inclusion: String {
    let head = "Its head, signed: \(audit.auditorHead.meaning)."
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

  private var entries: String {
    "The head that it is shown: \(audit.monitorHead.meaning). "
      + (audit.isMonitored
        ? "\(name) is among the entries: the owner of the name can see it."
        : "\(name) is not among the entries: whoever watches for its name sees nothing, and nothing looks wrong.")
  }

  private var comparison: String {
    let (log, old, new) = (audit.log.name, audit.auditorHead.size, audit.monitorHead.size)
    guard audit.isConsistent else {
      return "Both are signed by \(log), for \(old) entries each, and their roots differ: two trees. Neither could "
        + "tell alone, nor can any client, which only ever saw the timestamp."
    }
    return "The consistency proof of \(audit.consistency.count) hashes leads from the one to the other: one tree, "
      + "which has grown from \(old) to \(new) entries."
  }
}
