extension JSONValue {
  /// The value as RFC 8259 writes it, without a final newline.
  ///
  /// - Parameter pretty: one member per line, indented by two spaces; arrays of plain values stay on one line.
  public func text(pretty: Bool) -> String {
    var bytes: [UInt8] = []
    write(to: &bytes, pretty: pretty)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the value's text to `bytes`, in UTF-8: for output that never becomes a string.
  public func write(to bytes: inout [UInt8], pretty: Bool = false) {
    var writer = JSONWriter(isPretty: pretty)
    swap(&writer.bytes, &bytes)
    writer.write(self, depth: 0)
    swap(&writer.bytes, &bytes)
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
  var bytes: [UInt8] = []

  mutating func write(_ value: JSONValue, depth: Int) {
    switch value {
    case .null: append("null")
    case .boolean(let flag): append(flag ? "true" : "false")
    case .integer(let number): append(String(number))
    case .number(let digits): append(digits)
    case .string(let string): write(string)
    case .array(let values): write(values, depth: depth)
    case .object(let members): write(members, depth: depth)
    }
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func write(_ values: [JSONValue], depth: Int) {
    let isFlat = !isPretty || values.allSatisfy(\.isPlain)
    append("[")
    for (index, value) in values.enumerated() {
      if index > 0 { append(isFlat && isPretty ? ", " : ",") }
      if !isFlat { breakLine(depth + 1) }
      write(value, depth: depth + 1)
    }
    if !isFlat { breakLine(depth) }
    append("]")
  }

  private mutating func write(_ members: [JSONValue.Member], depth: Int) {
    append("{")
    for (index, member) in members.enumerated() {
      if index > 0 { append(",") }
      if isPretty { breakLine(depth + 1) }
      write(member.name)
      append(isPretty ? ": " : ":")
      write(member.value, depth: depth + 1)
    }
    if isPretty, !members.isEmpty { breakLine(depth) }
    append("}")
  }

  private mutating func breakLine(_ depth: Int) {
    append("\n")
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
  }

  /// RFC 8259 section 7: the quotation mark, the reverse solidus and control characters are escaped.
  private mutating func write(_ string: String) {
    append("\"")
    // Most strings need no escape at all, and looking at every scalar costs more than all the rest.
    if string.utf8.allSatisfy({ (0x20..<0x7f).contains($0) && $0 != 0x22 && $0 != 0x5c }) {
      append(string)
    } else {
      for scalar in string.unicodeScalars { write(scalar) }
    }
    append("\"")
  }

  private mutating func write(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": append("\\\"")
    case "\\": append("\\\\")
    case "\n": append("\\n")
    case "\r": append("\\r")
    case "\t": append("\\t")
    case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{2028}", "\u{2029}":
      let digits = String(scalar.value, radix: 16)
      append("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
    default: bytes.append(contentsOf: UTF8.encode(scalar).map { Array($0) } ?? [])
    }
  }
}
