import Explanation

/// Reads Apple's XML property list format: the elements of the PropertyList-1.0 document type, and of XML what such
/// files use (no entities but the predefined ones and character references).
struct XMLPropertyListReader {
  private var scanner: XMLScanner

  init(_ text: [UInt8], byteCount: Int) { scanner = XMLScanner(text, byteCount: byteCount) }

  mutating func read() throws(PropertyListError) -> PropertyList {
    try scanner.skipProlog()
    let tag = try scanner.tag()
    guard tag.name == "plist" else { return try value(tag, depth: 0) }
    guard !tag.isClosed, let content = try scanner.child(of: tag) else {
      throw scanner.malformed("<plist> has no value in it", at: tag.start)
    }
    let value = try value(content, depth: 0)
    if let second = try scanner.child(of: tag) {
      throw scanner.malformed("<plist> has a second value in it", at: second.start)
    }
    return value
  }

  private mutating func value(_ tag: XMLScanner.Tag, depth: Int) throws(PropertyListError) -> PropertyList {
    switch tag.name {
    case "dict": return .dictionary(try dictionary(tag, depth: depth))
    case "array": return .array(try array(tag, depth: depth))
    case "string": return .string(try scanner.text(of: tag))
    case "true", "false":
      guard try scanner.text(of: tag).isEmpty else {
        throw scanner.malformed("<\(tag.name)/> has something in it", at: tag.start)
      }
      return .boolean(tag.name == "true")
    case "integer": return .integer(try convert(tag, Self.integer))
    case "real": return .real(try convert(tag) { Double($0) })
    case "date": return .date(try convert(tag) { Instant($0) })
    case "data": return .data(try convert(tag, Self.base64))
    default:
      throw scanner.malformed(
        "<\(tag.name)> is not an element of a property list", at: tag.start, hint: Self.hint(for: tag.name))
    }
  }

  /// What was meant by an element that property lists do not have.
  private static func hint(for name: String) -> String {
    switch name.lowercased() {
    case "yes", "true", "on": return "Write `<true/>`."
    case "no", "false", "off": return "Write `<false/>`."
    case "int", "number": return "Write `<integer>`."
    case "float", "double": return "Write `<real>`."
    case "dictionary", "map": return "Write `<dict>`."
    case "list": return "Write `<array>`."
    default: break
    }
    let known = ["dict", "array", "string", "true", "false", "integer", "real", "date", "data"]
    let meant = Spelling.nearest(to: name, among: known, within: 2)
    return meant.map { "Write `<\($0)\($0 == "true" || $0 == "false" ? "/" : "")>`." }
      ?? "The elements are \(known.joined(separator: ", "))."
  }

  private mutating func dictionary(
    _ tag: XMLScanner.Tag, depth: Int
  ) throws(PropertyListError) -> PropertyList.Dictionary {
    try checkDepth(depth, tag)
    var entries: [PropertyList.Dictionary.Entry] = []
    while let key = try scanner.child(of: tag) {
      guard key.name == "key" else {
        throw scanner.malformed("<\(key.name)> stands where a <key> should", at: key.start)
      }
      let place = scanner.advance(to: key.start)
      let name = try scanner.text(of: key)
      guard let child = try scanner.child(of: tag), child.name != "key" else {
        throw scanner.malformed("The key `\(name)` has no value", at: key.start)
      }
      let value = try value(child, depth: depth + 1)
      entries.append(PropertyList.Dictionary.Entry(key: name, value: value, place: place))
    }
    return PropertyList.Dictionary(entries: entries)
  }

  private mutating func array(_ tag: XMLScanner.Tag, depth: Int) throws(PropertyListError) -> [PropertyList] {
    try checkDepth(depth, tag)
    var values: [PropertyList] = []
    while let child = try scanner.child(of: tag) { values.append(try value(child, depth: depth + 1)) }
    return values
  }

  private mutating func convert<Result>(
    _ tag: XMLScanner.Tag, _ conversion: (String) -> Result?
  ) throws(PropertyListError) -> Result {
    let text = try scanner.text(of: tag)
    let trimmed = text.drop { $0.isWhitespace }
    let end = trimmed.lastIndex { !$0.isWhitespace }.map { trimmed.index(after: $0) } ?? trimmed.endIndex
    guard let result = conversion(String(trimmed[..<end])) else {
      throw scanner.malformed("<\(tag.name)> does not hold one: `\(text.prefix(40))`", at: tag.start)
    }
    return result
  }

  private func checkDepth(_ depth: Int, _ tag: XMLScanner.Tag) throws(PropertyListError) {
    if depth < PropertyList.maximumDepth { return }
    throw PropertyListError(
      .tooDeep, "The property list nests deeper than \(PropertyList.maximumDepth) levels",
      hint: "No Info.plist does.", place: scanner.place(tag.start), byteCount: scanner.byteCount)
  }

  /// A whole number of 64 bits, decimal or `0x…`, with or without a sign.
  private static func integer(_ text: String) -> Int128? {
    let isNegative = text.hasPrefix("-")
    let digits = isNegative || text.hasPrefix("+") ? text.dropFirst() : Substring(text)
    let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
    let body = isHexadecimal ? digits.dropFirst(2) : digits
    guard body.utf8.count <= 38, body.first.map({ $0.isHexDigit }) == true,
      let magnitude = Int128(body, radix: isHexadecimal ? 16 : 10)
    else { return nil }
    let number = isNegative ? -magnitude : magnitude
    return Int128(Int64.min)...Int128(UInt64.max) ~= number ? number : nil
  }

  /// RFC 4648 section 4, white space apart.
  private static func base64(_ text: String) -> [UInt8]? {
    Base64Text.bytes(text.utf8.filter { ![9, 10, 13, 32].contains($0) })
  }
}
