/// Writes a tree as YAML that the strict reader reads as the same tree.
///
/// Lines have at most 80 columns unless a long word prevents it.
public struct YAMLText {
  private let width: Int

  /// Returns the map `root` as a document that ends with a line break.
  public static func text(of root: Node, width: Int = 80) -> String {
    let lines = YAMLText(width: width).block(root, indent: 0)
    return (lines.isEmpty ? ["{}"] : lines).map { $0 + "\n" }.joined()
  }

  /// Returns the lines of a non-empty map or list in block style.
  private func block(_ node: Node, indent: Int) -> [String] {
    let pad = String(repeating: " ", count: indent)
    switch node {
    case .scalar: return []
    case .map(let entries, _):
      return entries.flatMap { entry -> [String] in
        let head = pad + YAMLScalar.key(entry.key) + ":"
        return value(entry.value, after: head, indent: indent)
      }
    case .list(let items, _):
      return items.flatMap { item -> [String] in
        if let flow = flow(item), indent + 2 + flow.count <= width { return ["\(pad)- \(flow)"] }
        guard case .scalar = item else {
          let lines = block(item, indent: indent + 2)
          return lines.enumerated().map { $0.offset == 0 ? "\(pad)- \($0.element.dropFirst(indent + 2))" : $0.element }
        }
        return value(item, after: "\(pad)-", indent: indent)
      }
    }
  }

  /// Returns a value after `head`, on the same line if it fits there, or else below it.
  private func value(_ node: Node, after head: String, indent: Int) -> [String] {
    if let flow = flow(node), head.count + 1 + flow.count <= width { return ["\(head) \(flow)"] }
    switch node {
    case .scalar(let text, let quoted, _):
      let lines = YAMLScalar.lines(
        text, quoted: quoted, first: width - head.count - 1, others: width - indent - 2)
      let pad = String(repeating: " ", count: indent + 2)
      return lines.enumerated().map { $0.offset == 0 ? "\(head) \($0.element)" : pad + $0.element }
    case .list(let items, _) where items.isEmpty: return ["\(head) []"]
    case .map(let entries, _) where entries.isEmpty: return ["\(head) {}"]
    case .list, .map: return [head] + block(node, indent: indent + 2)
    }
  }

  /// Returns the node on one line in flow style; nil if it contains a scalar for block style only.
  private func flow(_ node: Node) -> String? {
    switch node {
    case .scalar(let text, let quoted, _): return YAMLScalar.flow(text, quoted: quoted)
    case .list(let items, _):
      let texts = items.compactMap(flow)
      return texts.count == items.count ? "[\(texts.joined(separator: ", "))]" : nil
    case .map(let entries, _):
      let texts = entries.compactMap { entry in flow(entry.value).map { "\(YAMLScalar.key(entry.key)): \($0)" } }
      guard texts.count == entries.count else { return nil }
      return texts.isEmpty ? "{}" : "{ \(texts.joined(separator: ", ")) }"
    }
  }
}

/// Writes texts as YAML scalars. Quoted text stays quoted, because `"true"` is not `true`.
enum YAMLScalar {
  /// Returns a key, quoted if necessary.
  static func key(_ text: String) -> String { isPlain(text) && !text.contains(":") ? text : quoted(text) }

  /// Returns a scalar for use inside brackets; nil if it is unquoted and valid only outside brackets.
  static func flow(_ text: String, quoted: Bool) -> String? {
    if quoted { return self.quoted(text) }
    if text.isEmpty { return "null" }
    return isPlain(text) ? text : nil
  }

  /// Returns a scalar on one line. It has quotes if it had them, or if YAML would read it as something else.
  static func line(_ text: String, quoted: Bool, isInBrackets: Bool) -> String {
    let isOther =
      text.first.map { "!&*|>@%'\"#`,[]{}".contains($0) } == true || text.hasPrefix("- ") || text.hasPrefix("? ")
      || text.contains(": ") || text.contains(" #") || text.hasSuffix(":")
      || isInBrackets && text.contains { ",[]{}".contains($0) } || text.unicodeScalars.contains(where: isControl)
    return quoted || isOther ? self.quoted(text) : text
  }

  /// Returns the lines of a scalar. The caller indents all lines but the first.
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

  /// Returns whether the unit is a single space between words, which a line break may replace.
  private static func isFold(_ index: Int, in units: ArraySlice<String>) -> Bool {
    guard units[index] == " ", index > units.startIndex, index + 1 < units.endIndex else { return false }
    return units[index - 1] != " " && units[index + 1] != " "
  }

  /// Returns whether a text has the same meaning without quotes, inside and outside brackets.
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
  /// Returns the number of pieces that fit into `columns`.
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
