import Explanation
import PKIX
import Simulator

extension ReportedStatus {
  /// What a response or a CRL says, in a sentence.
  var sentence: String {
    switch content {
    case .unreadable: "It cannot be read."
    case .error(let status):
      "It says \(status): an error, which nobody signs, and which says nothing of the certificate."
    case .response(let responses): responses.map { Self.sentence(on: $0.1, name: $0.name) }.joined(separator: " ")
    case .crl(let list, let entries): Self.sentence(on: list, entries)
    }
  }

  /// What the dates of an older response or CRL show; nil if there is nothing to say.
  var age: String? {
    isOver.map { isOver in
      isOver
        ? "Its days are over: whoever compares them with a clock sees that it is an old one."
        : "Its days are not over: nothing in it shows that there is a newer one."
    }
  }

  private static func sentence(on one: SingleResponse, name: String?) -> String {
    let name = name ?? "the certificate with the number \(Hex.string(one.certificate.serialNumber))"
    return "It says of \(name): \(one.status.meaning), \(days(one.thisUpdate, one.nextUpdate))."
  }

  private static func sentence(
    on list: CertificateRevocationList, _ entries: [(name: String, CertificateRevocationList.Entry)]
  ) -> String {
    let known = entries.map { name, entry in
      "\(name) since \(entry.date)" + (entry.reason.map { ", \($0.name)" } ?? "")
    }
    let named = known.isEmpty && !list.entries.isEmpty ? ["\(list.entries.count) that nobody here has"] : known
    let number = list.number.map { " number \(decimal($0))" } ?? ""
    let base = list.baseNumber.map { ", which adds to number \(decimal($0))" } ?? ""
    return "List\(number)\(base), \(days(list.thisUpdate, list.nextUpdate)): "
      + (named.isEmpty ? "nothing is on it." : "\(named.joined(separator: "; ")).")
  }

  private static func days(_ start: Instant, _ end: Instant?) -> String {
    "as of \(start)" + (end.map { " and until \($0)" } ?? ", without an end")
  }

  /// The number of a CRL in decimal if it is short, as those of scenarios are.
  private static func decimal(_ number: [UInt8]) -> String {
    number.count <= 7 ? String(number.reduce(0) { $0 << 8 | Int($1) }) : "0x\(Hex.string(number))"
  }
}
