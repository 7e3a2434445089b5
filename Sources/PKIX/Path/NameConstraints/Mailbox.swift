/// A mailbox, `local@host`, RFC 5280 section 4.2.1.6: the host in lower case, the local part as it is (section 7.5).
struct Mailbox: Sendable, Hashable {
  let local: [UInt8]
  let host: [UInt8]

  /// Nil when the text is none: no sign, or several outside of quotation marks, or nothing on one side.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    let end = bytes.first == UInt8(ascii: "\"") ? Mailbox.endOfQuotation(bytes) : 0
    guard let end, let sign = bytes[end...].firstIndex(of: UInt8(ascii: "@")), end == 0 || sign == end,
      !bytes[(sign + 1)...].contains(UInt8(ascii: "@")), sign > 0, sign + 1 < bytes.count
    else { return nil }
    local = Array(bytes[..<sign])
    host = HostText.folded(bytes[(sign + 1)...])
  }

  /// The place after the mark that closes a quoted string; nil when none does.
  private static func endOfQuotation(_ bytes: [UInt8]) -> Int? {
    var place = 1
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "\\"): place += 2
      case UInt8(ascii: "\""): return place + 1
      default: place += 1
      }
    }
    return nil
  }
}
