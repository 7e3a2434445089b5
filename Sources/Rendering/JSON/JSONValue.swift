/// A JSON value. Objects keep the order of their members, so that the text is always the same.
public enum JSONValue: Sendable, Hashable {
  /// An object, with its members in the order in which they are written. Names are unique.
  case object([Member])
  case array([JSONValue])
  case string(String)
  case integer(Int)
  /// A number that does not fit into `Int`, as written in the text.
  case number(String)
  case boolean(Bool)
  case null

  /// A member of an object: its name and its value.
  public struct Member: Sendable, Hashable {
    /// The name of the member.
    public let name: String
    /// The value of the member.
    public let value: JSONValue

    /// Creates a member of an object.
    public init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// The members of an object; nil for any other value.
  public var members: [Member]? {
    guard case .object(let members) = self else { return nil }
    return members
  }

  /// The value of the member called `name`; nil if there is none or the value is not an object.
  public subscript(name: String) -> JSONValue? { members?.first { $0.name == name }?.value }

  /// Returns a string, or null if `text` is nil.
  static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  /// Returns an array of strings.
  package static func strings(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }

  /// Returns this object with more members at its end.
  func adding(_ members: [Member]) -> JSONValue {
    guard let own = self.members else { return self }
    return .object(own + members)
  }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  /// Creates an object with its members in the order of the literal.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
  /// Creates an array from a literal.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// Creates a string from a literal.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates a number from a literal.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// Creates the value `true` or `false` from a literal.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// Creates the value `null` from a literal.
  public init(nilLiteral: ()) { self = .null }
}

extension JSONValue {
  /// Returns the value in the syntax of RFC 8259, without a final line break.
  ///
  /// Pretty text is indented by two spaces. Arrays of plain values stay on one line.
  ///
  /// - Parameters:
  ///   - pretty: whether each member is on its own line.
  ///   - columns: the maximum width of a one-line value.
  ///   - depth: the nesting depth.
  public func text(pretty: Bool, columns: Int = 0, depth: Int = 0) -> String {
    var writer = JSONWriter(isPretty: pretty, columns: columns)
    writer.write(self, depth: depth)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Appends the value to `bytes` as UTF-8 text, without creating a string.
  public func write(to bytes: inout [UInt8], pretty: Bool = false, depth: Int = 0) {
    var writer = JSONWriter(isPretty: pretty, columns: 0)
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

extension JSONValue {
  /// Returns the width of the value on one line, without escapes; nil if it exceeds `limit`.
  fileprivate func width(atMost limit: Int) -> Int? {
    switch self {
    case .null, .boolean: 5
    case .integer(let number): String(number).utf8.count
    case .number(let digits): digits.utf8.count
    case .string(let text): text.utf8.count + 2
    case .array(let values): Self.width(of: values.lazy.map { (0, $0) }, atMost: limit)
    case .object(let members):
      Self.width(of: members.lazy.map { ($0.name.utf8.count + 4, $0.value) }, atMost: limit)
    }
  }

  /// Returns the width of values between brackets, each after its own number of columns.
  private static func width(of values: some Sequence<(Int, JSONValue)>, atMost limit: Int) -> Int? {
    var used = 2
    var separator = 0
    for (lead, value) in values {
      guard used <= limit, let width = value.width(atMost: limit - used) else { return nil }
      used += separator + lead + width
      separator = 2
    }
    return used <= limit ? used : nil
  }
}

private struct JSONWriter {
  let isPretty: Bool
  /// The maximum width of a value that stays on one line.
  let columns: Int
  var bytes: [UInt8] = []

  mutating func write(_ value: JSONValue, depth: Int) {
    switch value {
    case .null: append("null")
    case .boolean(let flag): append(flag ? "true" : "false")
    case .integer(let number): append(String(number))
    case .number(let digits): append(digits)
    case .string(let string): write(string)
    case .array(let values):
      write(values, depth: depth, isFlat: !isPretty || values.allSatisfy(\.isPlain) || fits(value))
    case .object(let members): write(members, depth: depth, isFlat: !isPretty || members.isEmpty || fits(value))
    }
  }

  private func fits(_ value: JSONValue) -> Bool { columns > 0 && value.width(atMost: columns) != nil }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func write(_ values: [JSONValue], depth: Int, isFlat: Bool) {
    bytes.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      separate(index, depth: depth, isFlat: isFlat)
      write(value, depth: depth + 1)
    }
    if !isFlat { breakLine(depth) }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func write(_ members: [JSONValue.Member], depth: Int, isFlat: Bool) {
    bytes.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      separate(index, depth: depth, isFlat: isFlat)
      write(member.name)
      append(isPretty ? ": " : ":")
      write(member.value, depth: depth + 1)
    }
    if !isFlat { breakLine(depth) }
    bytes.append(UInt8(ascii: "}"))
  }

  /// Writes the separator before the element with this index.
  private mutating func separate(_ index: Int, depth: Int, isFlat: Bool) {
    if index > 0 { append(isFlat && isPretty ? ", " : ",") }
    if !isFlat { breakLine(depth + 1) }
  }

  private mutating func breakLine(_ depth: Int) {
    append("\n")
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
  }

  /// Writes a string with quotation marks, backslashes and control characters escaped (RFC 8259 section 7).
  private mutating func write(_ string: String) {
    bytes.append(UInt8(ascii: "\""))
    // Most strings need no escapes, and a check of every scalar costs more than the remaining work.
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
