import Explanation
import PKIX
import Simulator

extension ReportedStatus {
  /// The contents of a response or a CRL, in a sentence.
  var sentence: String {
    switch content {
    case .unreadable: "The response cannot be read."
    case .error(let status):
      "The response is the error \(status). Errors are not signed and contain no certificate status."
    case .response(let responses): responses.map { Self.sentence(on: $0.1, name: $0.name) }.joined(separator: " ")
    case .crl(let list, let entries): Self.sentence(on: list, entries)
    }
  }

  /// The meaning of the dates in an older response or CRL; nil for any other.
  var age: String? {
    isOver.map { isOver in
      isOver
        ? "The status has expired: a client that compares its dates with a clock notices that it is old."
        : "The status has not expired: nothing in it shows that a newer one exists."
    }
  }

  private static func sentence(on one: SingleResponse, name: String?) -> String {
    let name = name ?? "the certificate with the serial number \(Hex.string(one.certificate.serialNumber))"
    return "Status of \(name): \(one.status.meaning), \(days(one.thisUpdate, one.nextUpdate))."
  }

  private static func sentence(
    on list: CertificateRevocationList, _ entries: [(name: String, CertificateRevocationList.Entry)]
  ) -> String {
    let known = entries.map { name, entry in
      "\(name) since \(entry.date)" + (entry.reason.map { ", \($0.name)" } ?? "")
    }
    let named =
      known.isEmpty && !list.entries.isEmpty
      ? ["\(list.entries.count) certificates that do not occur in this run"] : known
    let number = list.number.map { " number \(decimal($0))" } ?? ""
    let base = list.baseNumber.map { ", a delta to number \(decimal($0))" } ?? ""
    return "CRL\(number)\(base), \(days(list.thisUpdate, list.nextUpdate)): "
      + (named.isEmpty ? "it is empty." : "\(named.joined(separator: "; ")).")
  }

  private static func days(_ start: Instant, _ end: Instant?) -> String {
    "as of \(start)" + (end.map { " and until \($0)" } ?? ", without an end date")
  }

  /// Returns the number of a CRL, in decimal if it is short, as in scenarios.
  private static func decimal(_ number: [UInt8]) -> String {
    number.count <= 7 ? String(number.reduce(0) { $0 << 8 | Int($1) }) : "0x\(Hex.string(number))"
  }
}
