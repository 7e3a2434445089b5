/// Hosts as bytes in lower case, compared by whole labels from the right.
enum HostText {
  private static let period = UInt8(ascii: ".")

  /// The bytes of `text`, with letters in lower case.
  static func folded(_ text: String) -> [UInt8] { folded(text.utf8) }

  /// The bytes, with letters in lower case.
  static func folded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    bytes.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
  }

  /// A dNSName: a final period says nothing, and a star in the first label may stand for anything.
  static func dnsName(_ text: String) -> ConstrainedName {
    var name = folded(text)
    if name.last == period { name.removeLast() }
    guard name.contains(UInt8(ascii: "*")) else { return .dns(name) }
    let first = name.firstIndex(of: period)
    guard let first, !name[first...].contains(UInt8(ascii: "*")) else { return .incomparable }
    return .wildcard(Array(name[(first + 1)...]))
  }

  /// Whether `name` is `base`, or ends with it after a period; everything ends with nothing. A base that begins with a
  /// period, which the standard does not know, is not its own end.
  static func ends(_ name: [UInt8], with base: [UInt8]) -> Bool {
    let before = name.count - base.count
    guard before >= 0 else { return false }
    var place = base.count
    while place > 0 {
      place -= 1
      if name[before + place] != base[place] { return false }
    }
    guard before > 0, let first = base.first else { return base.isEmpty || before == 0 && base.first != period }
    return first == period || name[before - 1] == period
  }

  /// Whether `host` is `base`, or below it where it begins with a period.
  static func isHost(_ host: [UInt8], within base: [UInt8]) -> Bool {
    base.first == period ? ends(host, with: base) : base.isEmpty || host == base
  }

  /// What follows the first label; nil when there is but one.
  static func parent(of name: [UInt8]) -> ArraySlice<UInt8>? {
    name.firstIndex(of: period).map { name[($0 + 1)...] }
  }

  /// Whether `text` could be a host with more than one label: letters, digits, hyphens, underscores and periods.
  static func isHost(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let isPlain = bytes.allSatisfy { byte in
      (97...122).contains(byte | 0x20) || (48...57).contains(byte) || [45, 46, 95, 42].contains(byte)
    }
    let labels = bytes.split(separator: period, omittingEmptySubsequences: false)
    return isPlain && labels.count > 1 && labels.allSatisfy { !$0.isEmpty && $0.first != 45 && $0.last != 45 }
  }

  /// The host of a URI, RFC 3986 section 3.2.2, in lower case; nil when it has none or an address in its place.
  static func host(ofURI text: String) -> [UInt8]? {
    let bytes = folded(text)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[(colon + 1)...].starts(with: [47, 47]) else {
      return nil
    }
    let authority = bytes[(colon + 3)...].prefix { ![47, 63, 35].contains($0) }
    var host = authority
    if let sign = authority.lastIndex(of: UInt8(ascii: "@")) { host = authority[(sign + 1)...] }
    if let colon = host.firstIndex(of: UInt8(ascii: ":")) { host = host[..<colon] }
    if host.last == period { host = host.dropLast() }
    let isAddress = host.allSatisfy { $0 == period || (48...57).contains($0) }
    return host.isEmpty || host.first == UInt8(ascii: "[") || isAddress ? nil : Array(host)
  }
}
