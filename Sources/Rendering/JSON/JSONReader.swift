/// The reason why bytes are not valid JSON, and the position of the error.
public struct JSONError: Error, Sendable, Hashable {
  /// The description of the problem, without a final period.
  public let message: String
  /// The offset of the invalid byte, from 0.
  public let offset: Int
}

extension JSONValue {
  /// Parses a single value, strictly by RFC 8259.
  ///
  /// Nothing may follow the value, names in an object must be unique, and the depth is at most 128 levels. A number
  /// that does not fit into `Int` keeps its text.
  public init(reading bytes: some Collection<UInt8>) throws(JSONError) {
    var reader = JSONReader(bytes: Array(bytes))
    self = try reader.document()
  }
}

private struct JSONReader {
  let bytes: [UInt8]
  var position = 0
  private static let maximumDepth = 128
  /// The number of members below which comparing names one by one is faster than hashing them.
  private static let fewMembers = 12

  init(bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func error(_ message: String) -> JSONError { JSONError(message: message, offset: position) }

  mutating func document() throws(JSONError) -> JSONValue {
    let value = try value(depth: 0)
    skipSpace()
    guard next == nil else { throw error("unexpected text follows the value") }
    return value
  }

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 9, 10, 13, 32: position += 1
      default: return
      }
    }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    guard depth <= Self.maximumDepth else { throw error("the value is nested deeper than \(Self.maximumDepth) levels") }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return try number()
    case nil: throw error("the value is missing")
    default: return try word()
    }
  }

  private mutating func word() throws(JSONError) -> JSONValue {
    let words: [(String, JSONValue)] = [("true", true), ("false", false), ("null", nil)]
    for (word, value) in words where bytes[position...].starts(with: word.utf8) {
      position += word.utf8.count
      return value
    }
    throw error("no value begins with this character")
  }

  private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
    position += 1
    skipSpace()
    if take("]") { return [] }
    var values: [JSONValue] = []
    repeat {
      values.append(try value(depth: depth + 1))
      skipSpace()
    } while take(",")
    guard take("]") else { throw error("',' or ']' is missing") }
    return .array(values)
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
    position += 1
    skipSpace()
    if take("}") { return [:] }
    var members: [JSONValue.Member] = []
    var names: Set<String> = []  // of objects with too many members for a fast linear search
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw error("a name in quotes is missing") }
      let name = try string()
      if members.count == Self.fewMembers { names = Set(members.map(\.name)) }
      let isNew =
        members.count < Self.fewMembers ? !members.contains { $0.name == name } : names.insert(name).inserted
      guard isNew else { throw error("the name '\(name.prefix(40))' occurs twice") }
      skipSpace()
      guard take(":") else { throw error("':' is missing") }
      members.append(.init(name, try value(depth: depth + 1)))
      skipSpace()
    } while take(",")
    guard take("}") else { throw error("',' or '}' is missing") }
    return .object(members)
  }

  /// Parses a number: no leading zero, and digits on both sides of a decimal point (RFC 8259 section 6).
  private mutating func number() throws(JSONError) -> JSONValue {
    let start = position
    _ = take("-")
    if !take("0") { try digits() }
    var isInteger = true
    if take(".") {
      isInteger = false
      try digits()
    }
    if take("e") || take("E") {
      isInteger = false
      if !take("+") { _ = take("-") }
      try digits()
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    return (isInteger ? Int(text) : nil).map { .integer($0) } ?? .number(text)
  }

  private mutating func digits() throws(JSONError) {
    let start = position
    while let byte = next, (48...57).contains(byte) { position += 1 }
    guard position > start else { throw error("a digit is missing") }
  }

  private mutating func string() throws(JSONError) -> String {
    position += 1
    var text: [UInt8] = []
    var start = position
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        text += bytes[start..<position]
        position += 1
        guard let string = String(validating: text, as: UTF8.self) else { throw error("the string is not UTF-8") }
        return string
      case UInt8(ascii: "\\"):
        text += bytes[start..<position]
        position += 1
        text += try escape()
        start = position
      case 0..<32:
        position += 1
        throw error("the string contains an unescaped control character")
      default: position += 1
      }
    }
    throw error("the string is not closed")
  }

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "\""): 34, UInt8(ascii: "\\"): 92, UInt8(ascii: "/"): 47, UInt8(ascii: "b"): 8,
    UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9,
  ]

  private mutating func escape() throws(JSONError) -> [UInt8] {
    guard let byte = next else { throw error("the string is not closed") }
    position += 1
    if let plain = Self.escapes[byte] { return [plain] }
    guard byte == UInt8(ascii: "u") else { throw error("unknown escape sequence") }
    let first = try unit()
    guard UTF16.isLeadSurrogate(first) else { return try utf8([first]) }
    guard take("\\"), take("u") else { throw error("half of a surrogate pair is missing") }
    return try utf8([first, try unit()])
  }

  private mutating func unit() throws(JSONError) -> UInt16 {
    let digits = bytes[position...].prefix(4)
    guard digits.count == 4, digits.allSatisfy({ UnicodeScalar($0).properties.isASCIIHexDigit }),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw error("four hexadecimal digits are missing") }
    position += 4
    return unit
  }

  private func utf8(_ units: [UInt16]) throws(JSONError) -> [UInt8] {
    guard let text = String(validating: units, as: UTF16.self) else {
      throw error("half of a surrogate pair is missing")
    }
    return Array(text.utf8)
  }
}
