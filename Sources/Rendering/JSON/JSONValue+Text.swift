extension JSONValue {
  /// The value as RFC 8259 writes it, without a final newline.
  ///
  /// - Parameter pretty: one member per line, indented by two spaces; arrays of plain values stay on one line.
  public func text(pretty: Bool) -> String {
    var writer = JSONWriter(isPretty: pretty)
    writer.write(self, depth: 0)
    return writer.text
  }

  fileprivate var isPlain: Bool {
    switch self {
    case .object, .array: false
    case .string, .integer, .number, .boolean, .null: true
    }
  }
}

private struct JSONWriter {
  let isPretty: Bool
  var text = ""

  init(isPretty: Bool) { self.isPretty = isPretty }

  mutating func write(_ value: JSONValue, depth: Int) {
    switch value {
    case .null: text += "null"
    case .boolean(let flag): text += flag ? "true" : "false"
    case .integer(let number): text += String(number)
    case .number(let digits): text += digits
    case .string(let string): write(string)
    case .array(let values): write(values, depth: depth)
    case .object(let members): write(members, depth: depth)
    }
  }

  private mutating func write(_ values: [JSONValue], depth: Int) {
    let isFlat = !isPretty || values.allSatisfy(\.isPlain)
    text += "["
    for (index, value) in values.enumerated() {
      if index > 0 { text += isFlat && isPretty ? ", " : "," }
      if !isFlat { breakLine(depth + 1) }
      write(value, depth: depth + 1)
    }
    if !isFlat { breakLine(depth) }
    text += "]"
  }

  private mutating func write(_ members: [JSONValue.Member], depth: Int) {
    text += "{"
    for (index, member) in members.enumerated() {
      if index > 0 { text += "," }
      if isPretty { breakLine(depth + 1) }
      write(member.name)
      text += isPretty ? ": " : ":"
      write(member.value, depth: depth + 1)
    }
    if isPretty, !members.isEmpty { breakLine(depth) }
    text += "}"
  }

  private mutating func breakLine(_ depth: Int) { text += "\n" + String(repeating: "  ", count: depth) }

  /// RFC 8259 section 7: the quotation mark, the reverse solidus and control characters are escaped.
  private mutating func write(_ string: String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
