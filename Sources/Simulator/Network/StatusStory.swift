import Explanation
import PKIX

/// What an answer of a responder or a list says of the certificates of a world, in a sentence.
struct StatusStory {
  private let world: World

  init(_ world: World) { self.world = world }

  /// What is said of the certificates that `bytes` are about: an OCSPResponse.
  func sentence(ofAnswer bytes: [UInt8]) -> String {
    guard let answer = try? OCSPResponse(der: bytes) else { return "It cannot be read." }
    guard let basic = answer.basic else {
      return "It says \(answer.status): an error, which nobody signs, and which says nothing of the certificate."
    }
    return basic.responses.prefix(3).map { one in
      "It says of \(name(of: one.certificate)): \(one.status.meaning), \(days(one.thisUpdate, one.nextUpdate))."
    }.joined(separator: " ")
  }

  /// What is on the list that `bytes` are: a CertificateList.
  func sentence(ofList bytes: [UInt8]) -> String {
    guard let list = try? CertificateRevocationList(der: bytes) else { return "It cannot be read." }
    let known = certificates.compactMap { one in
      list.entry(for: one).map { "\(world.names(one)) since \($0.date)" + ($0.reason.map { ", \($0.name)" } ?? "") }
    }
    let named = known.isEmpty && !list.entries.isEmpty ? ["\(list.entries.count) that nobody here has"] : known
    let number = list.number.map { " number \(decimal($0))" } ?? ""
    let base = list.baseNumber.map { ", which adds to number \(decimal($0))" } ?? ""
    return "List\(number)\(base), \(days(list.thisUpdate, list.nextUpdate)): "
      + (named.isEmpty ? "nothing is on it." : "\(named.joined(separator: "; ")).")
  }

  /// What can be seen of an older answer or list at `date`; nil where its days cannot be read.
  func age(of bytes: [UInt8], isList: Bool, at date: Instant) -> String? {
    let end =
      isList
      ? (try? CertificateRevocationList(der: bytes))?.nextUpdate
      : (try? OCSPResponse(der: bytes))?.basic?.responses.first?.nextUpdate
    guard let end else { return nil }
    return end < date
      ? "Its days are over: whoever compares them with a clock sees that it is an old one."
      : "Its days are not over: nothing in it shows that there is a newer one."
  }

  private var certificates: [Certificate] { world.holdings.compactMap(\.chain.first) }

  private func name(of identifier: CertificateID) -> String {
    certificates.first { identifier.resembles($0) }.map { world.names($0) }
      ?? "the certificate with the number \(Hex.string(identifier.serialNumber))"
  }

  private func days(_ start: Instant, _ end: Instant?) -> String {
    "as of \(start)" + (end.map { " and until \($0)" } ?? ", without an end")
  }

  /// A number of a list in decimal where it is short, as those here are.
  private func decimal(_ number: [UInt8]) -> String {
    number.count <= 7 ? String(number.reduce(0) { $0 << 8 | Int($1) }) : "0x\(Hex.string(number))"
  }
}
