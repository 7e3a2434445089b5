/// Converts addresses to and from text (RFC 3986 section 3.2.2, RFC 4291 section 2.2).
enum AddressText {
  /// Reads the four bytes of a dotted address. The address has four decimal numbers without leading zeros.
  static func version4(_ text: some StringProtocol) -> [UInt8]? {
    guard text.utf8.allSatisfy({ $0 == 46 || (48...57).contains($0) }) else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let bytes = parts.compactMap { part -> UInt8? in
      let isPlain = (1...3).contains(part.utf8.count)
      return isPlain && (part == "0" || !part.hasPrefix("0")) ? UInt8(part) : nil
    }
    return parts.count == 4 && bytes.count == 4 ? bytes : nil
  }

  /// Reads the sixteen bytes of an IPv6 address. The address must not have a zone (RFC 6874).
  static func version6(_ text: some StringProtocol) -> [UInt8]? {
    guard text.utf8.count <= 45, text.utf8.contains(58), let halves = halves(of: String(text)) else { return nil }
    guard let head = bytes(of: halves.head, isLast: halves.tail == nil) else { return nil }
    guard let tail = halves.tail else { return head.count == 16 ? head : nil }
    guard let rest = bytes(of: tail, isLast: true), head.count + rest.count <= 14 else { return nil }
    return head + [UInt8](repeating: 0, count: 16 - head.count - rest.count) + rest
  }

  /// Splits an address at `::`. Without a `::`, everything is before it; with more than one, the result is nil.
  private static func halves(of text: String) -> (head: Substring, tail: Substring?)? {
    let bytes = Array(text.utf8)
    let colons = bytes.indices.dropLast().filter { bytes[$0] == 58 && bytes[$0 + 1] == 58 }
    guard let place = colons.first else { return (text[...], nil) }
    guard colons.count == 1 else { return nil }
    let start = text.utf8.index(text.startIndex, offsetBy: place)
    return (text[..<start], text[text.utf8.index(start, offsetBy: 2)...])
  }

  private static func bytes(of groups: Substring, isLast: Bool) -> [UInt8]? {
    if groups.isEmpty { return [] }
    let parts = groups.split(separator: ":", omittingEmptySubsequences: false)
    var bytes: [UInt8] = []
    for (index, part) in parts.enumerated() {
      if isLast, index == parts.count - 1, let address = version4(part) {
        bytes += address
      } else {
        guard (1...4).contains(part.utf8.count), !part.hasPrefix("+"), let group = UInt16(part, radix: 16) else {
          return nil
        }
        bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
      }
    }
    return bytes.count <= 16 ? bytes : nil
  }

  /// Formats an address: four bytes by RFC 3986 section 3.2.2, sixteen bytes by RFC 5952 section 4.
  static func canonical(_ bytes: [UInt8]) -> String {
    guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
    let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    let gap = longestGap(groups)
    func text(_ range: Range<Int>) -> String {
      groups[range].map { String($0, radix: 16) }.joined(separator: ":")
    }
    guard let gap else { return text(0..<8) }
    return "\(text(0..<gap.lowerBound))::\(text(gap.upperBound..<8))"
  }

  /// Returns the first of the longest runs of at least two zero groups.
  private static func longestGap(_ groups: [UInt16]) -> Range<Int>? {
    var longest: Range<Int>?
    var start = 0
    while start < groups.count {
      let end = groups[start...].firstIndex { $0 != 0 } ?? groups.count
      if end - start > max(1, longest?.count ?? 0) { longest = start..<end }
      start = max(end, start + 1)
    }
    return longest
  }
}
