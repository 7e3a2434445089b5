/// A JSON value whose objects keep the order of their members, so that the text is the same in every process.
public enum JSONValue: Sendable, Hashable {
  /// Members in the order in which they are written; no name twice.
  case object([Member])
  case array([JSONValue])
  case string(String)
  case integer(Int)
  /// A number that no `Int` holds, as it is written.
  case number(String)
  case boolean(Bool)
  case null

  /// A name and its value.
  public struct Member: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The value.
    public let value: JSONValue

    /// A member of an object.
    public init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// The members of an object; nil for anything else.
  public var members: [Member]? {
    guard case .object(let members) = self else { return nil }
    return members
  }

  /// The value of the member called `name`; nil when this is no object or has none.
  public subscript(name: String) -> JSONValue? { members?.first { $0.name == name }?.value }

  /// A string, or null.
  static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  /// An array of strings.
  static func strings(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }

  /// This object with more members at its end.
  func adding(_ members: [Member]) -> JSONValue {
    guard let own = self.members else { return self }
    return .object(own + members)
  }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  /// An object with its members in the order of the literal.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
  /// An array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A number.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// `null`.
  public init(nilLiteral: ()) { self = .null }
}

extension JSONValue {
  /// The value as RFC 8259 writes it, without a final newline.
  ///
  /// - Parameters:
  ///   - pretty: one member per line, indented by two spaces; arrays of plain values stay on one line.
  ///   - depth: how deep within another value it will stand.
  public func text(pretty: Bool, depth: Int = 0) -> String {
    var bytes: [UInt8] = []
    write(to: &bytes, pretty: pretty, depth: depth)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the value's text to `bytes`, in UTF-8: for output that never becomes a string.
  public func write(to bytes: inout [UInt8], pretty: Bool = false, depth: Int = 0) {
    var writer = JSONWriter(isPretty: pretty)
    swap(&writer.bytes, &bytes)
    writer.write(self, depth: depth)
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
    bytes.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 {
        bytes.append(UInt8(ascii: ","))
        if isFlat && isPretty { bytes.append(UInt8(ascii: " ")) }
      }
      if !isFlat { breakLine(depth + 1) }
      write(value, depth: depth + 1)
    }
    if !isFlat { breakLine(depth) }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func write(_ members: [JSONValue.Member], depth: Int) {
    bytes.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      if isPretty { breakLine(depth + 1) }
      write(member.name)
      bytes.append(UInt8(ascii: ":"))
      if isPretty { bytes.append(UInt8(ascii: " ")) }
      write(member.value, depth: depth + 1)
    }
    if isPretty, !members.isEmpty { breakLine(depth) }
    bytes.append(UInt8(ascii: "}"))
  }

  private mutating func breakLine(_ depth: Int) {
    append("\n")
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
  }

  /// RFC 8259 section 7: the quotation mark, the reverse solidus and control characters are escaped.
  private mutating func write(_ string: String) {
    bytes.append(UInt8(ascii: "\""))
    // Most strings need no escape at all, and looking at every scalar costs more than all the rest.
    var string = string
    let isPlain = string.withUTF8 { text in
      for byte in text where byte < 0x20 || byte >= 0x7f || byte == 0x22 || byte == 0x5c { return false }
      bytes.append(contentsOf: text)
      return true
    }
    if !isPlain {
      for scalar in string.unicodeScalars { write(scalar) }
    }
    bytes.append(UInt8(ascii: "\""))
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
