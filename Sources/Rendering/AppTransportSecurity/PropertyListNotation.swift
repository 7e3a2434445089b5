import Cryptography
import Scenarios
import URLLoading

extension PropertyList.Dictionary {
  /// Returns the dictionary as the value of the key `name`, in XML for an Info.plist. The lines are indented by four
  /// columns.
  func xmlLines(asValueOf name: String) -> [String] {
    ["<key>\(XMLText.escaped(name))</key>"] + PropertyList.dictionary(self).xmlLines
  }
}

extension PropertyList {
  /// The value as elements of Apple's PropertyList-1.0.dtd. Parsing them results in the same value.
  fileprivate var xmlLines: [String] {
    switch self {
    case .boolean(let flag): return [flag ? "<true/>" : "<false/>"]
    case .integer(let number): return ["<integer>\(number)</integer>"]
    case .real(let number): return ["<real>\(number)</real>"]
    case .string(let text): return ["<string>\(XMLText.escaped(text))</string>"]
    case .date(let date): return ["<date>\(date)</date>"]
    case .data(let bytes): return ["<data>\(Base64.encode(bytes))</data>"]
    case .array(let values): return Self.element("array", values.flatMap(\.xmlLines))
    case .dictionary(let dictionary):
      return Self.element(
        "dict",
        dictionary.entries.flatMap { entry in
          ["<key>\(XMLText.escaped(entry.key))</key>"] + entry.value.xmlLines
        })
    }
  }

  /// Returns an element that contains others, each on its own lines.
  private static func element(_ name: String, _ inner: [String]) -> [String] {
    inner.isEmpty ? ["<\(name)/>"] : ["<\(name)>"] + inner.map { "    " + $0 } + ["</\(name)>"]
  }

  /// Converts JSON into a property list. Booleans and numbers remain distinct, and null members are ignored.
  ///
  /// The result is nil for null itself.
  public init?(_ json: JSONValue) {
    switch json {
    case .null: return nil
    case .boolean(let flag): self = .boolean(flag)
    case .integer(let number): self = .integer(Int128(number))
    case .number(let digits): self = Int128(digits).map { Self.integer($0) } ?? .real(Double(digits) ?? .infinity)
    case .string(let text): self = .string(text)
    case .array(let values): self = .array(values.compactMap { PropertyList($0) })
    case .object(let members):
      let entries = members.compactMap { member in
        PropertyList(member.value).map { Dictionary.Entry(key: member.name, value: $0) }
      }
      self = .dictionary(.init(entries: entries))
    }
  }
}

extension PropertyList {
  /// The property list as JSON. Dates and data become strings, because JSON has no such types.
  ///
  /// A real number keeps its fraction, as in `1.0`. NaN and infinity do not exist in JSON (RFC 8259 section 6).
  var json: JSONValue {
    switch self {
    case .boolean(let flag): .boolean(flag)
    case .string(let text): .string(text)
    case .integer(let number): Int(exactly: number).map { .integer($0) } ?? .number(String(number))
    case .array(let values): .array(values.map(\.json))
    case .dictionary(let dictionary):
      .object(
        dictionary.entries.map { entry in JSONValue.Member(entry.key, entry.value.json) })
    case .real(let number) where number.isFinite: .number("\(number)")
    case .real, .date, .data: .string(words)
    }
  }
}

extension PropertyList.Dictionary {
  /// Returns the dictionary as `NSDictionary` describes it: an old-style property list, with keys in alphabetical
  /// order.
  ///
  /// The indentation of a nested dictionary is its parent's plus one space: five columns, then nine, and so on.
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
  /// The text of a value that is not a dictionary. Since late 2015, booleans are `true` and `false`.
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
  /// The string in the notation of old-style property lists.
  ///
  /// The string is quoted unless it has only letters and digits. Characters outside ASCII are written as UTF-16 code
  /// units (`\U00e4`).
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
