/// Writes words and texts as scalars of YAML; what was quoted stays quoted, for `"true"` is not `true`.
enum YAMLScalar {
  /// A key, quoted where it must be.
  static func key(_ text: String) -> String { isPlain(text) && !text.contains(":") ? text : quoted(text) }

  /// A scalar inside brackets; nil when it can only stand unquoted and only outside.
  static func flow(_ text: String, quoted: Bool) -> String? {
    if quoted { return self.quoted(text) }
    if text.isEmpty { return "null" }
    return isPlain(text) ? text : nil
  }

  /// A scalar on as many lines as it takes; all but the first are to be indented.
  static func lines(_ text: String, quoted: Bool, first: Int, others: Int) -> [String] {
    let isNumber = Double(text) != nil
    let isOneLine = !text.unicodeScalars.contains { isControl($0) }
    if !quoted, isOneLine, text.unicodeScalars.count <= first || isNumber { return [text] }
    var lines: [String] = []
    var rest = text.unicodeScalars.map(escaped)[...]
    var room = first - 1
    while rest.count(of: room - 1) < rest.count {
      let fitting = max(1, rest.count(of: room - 1))
      let line = rest.prefix(fitting)
      if let space = line.indices.last(where: { isFold($0, in: rest) }) {
        lines.append(rest[..<space].joined())
        rest = rest[(space + 1)...]
      } else {
        lines.append(line.joined() + "\\")
        rest = rest.dropFirst(fitting)
        if rest.first == " " { rest = ["\\ "] + rest.dropFirst() }
      }
      room = max(8, others)
    }
    lines.append(rest.joined())
    lines[0] = "\"" + lines[0]
    lines[lines.count - 1] += "\""
    return lines
  }

  /// A single space between words, which a line break may stand for.
  private static func isFold(_ index: Int, in units: ArraySlice<String>) -> Bool {
    guard units[index] == " ", index > units.startIndex, index + 1 < units.endIndex else { return false }
    return units[index - 1] != " " && units[index + 1] != " "
  }

  /// Whether a word means the same unquoted, inside brackets and outside.
  static func isPlain(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last, last != " ", last != ":",
      first.properties.isAlphabetic || "0123456789/._(+".unicodeScalars.contains(first),
      !text.contains(": "), !text.contains(" #")
    else { return false }
    return !text.unicodeScalars.contains { isControl($0) || ",[]{}\"\\".unicodeScalars.contains($0) }
  }

  private static func quoted(_ text: String) -> String {
    "\"\(text.unicodeScalars.map(escaped).joined())\""
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: true
    default: false
    }
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"": return "\\\""
    case "\\": return "\\\\"
    case "\n": return "\\n"
    case "\t": return "\\t"
    default:
      guard isControl(scalar) else { return "\(scalar)" }
      let digits = String(scalar.value, radix: 16)
      let isLong = scalar.value > 0xffff
      return (isLong ? "\\U" : "\\u") + String(repeating: "0", count: (isLong ? 8 : 4) - digits.count) + digits
    }
  }
}

extension ArraySlice<String> {
  /// How many of the pieces fit into `columns`.
  fileprivate func count(of columns: Int) -> Int {
    var used = 0
    var count = 0
    for piece in self {
      used += piece.unicodeScalars.count
      guard used <= columns else { break }
      count += 1
    }
    return count
  }
}
