import URLLoading

extension PropertyList.Dictionary {
  /// The dictionary as `NSDictionary` describes itself: an old-style property list, keys in alphabetical order.
  ///
  /// A nested dictionary is opened behind its parent's indentation and one space: five columns, nine, ….
  func oldStyleLines(indent: Int = 0) -> [String] {
    let margin = String(repeating: " ", count: indent)
    let inner = margin + "    "
    let lines = entries.sorted { $0.key < $1.key }.flatMap { entry -> [String] in
      let name = entry.key.oldStyle
      guard let nested = entry.value.dictionary else { return ["\(inner)\(name) = \(entry.value.oldStyleScalar);"] }
      var block = nested.oldStyleLines(indent: indent + 4)
      block[0] = "\(inner)\(name) = \(inner){"
      block[block.count - 1] += ";"
      return block
    }
    return ["\(margin){"] + lines + ["\(margin)}"]
  }
}

extension PropertyList {
  /// A value that is no dictionary; booleans since late 2015 are `true` and `false`.
  fileprivate var oldStyleScalar: String {
    switch self {
    case .boolean(let flag): flag ? "true" : "false"
    case .string(let text): text.oldStyle
    case .integer(let number): "\(number)"
    default: words.oldStyle
    }
  }
}

extension String {
  /// A string as it stands in an old-style property list: in quotes unless it has nothing but letters and digits, and
  /// ASCII alone, everything else as UTF-16 code units (`\U00e4`).
  fileprivate var oldStyle: String {
    let isPlain = utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0 & 0xdf) }
    if isPlain, !isEmpty { return self }
    return "\"" + utf16.map(Self.escaped).joined() + "\""
  }

  private static func escaped(_ unit: UInt16) -> String {
    switch unit {
    case 0x22: return "\\\""
    case 0x5c: return "\\\\"
    case 0x20..<0x7f: return UnicodeScalar(unit).map { String($0) } ?? ""
    default:
      let digits = String(unit, radix: 16)
      return "\\U" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }
}
