import Explanation

/// Reads Apple's XML property list format, which has the elements of the PropertyList-1.0 document type.
///
/// The reader supports only the parts of XML that such files use. It supports character references and predefined
/// entities, but no other entities.
struct XMLPropertyListReader {
  private var scanner: XMLScanner

  init(_ text: [UInt8], byteCount: Int) { scanner = XMLScanner(text, byteCount: byteCount) }

  mutating func read() throws(PropertyListError) -> PropertyList {
    try scanner.skipProlog()
    let tag = try scanner.tag()
    guard tag.name == "plist" else { return try value(tag, depth: 0) }
    guard !tag.isClosed, let content = try scanner.child(of: tag) else {
      throw scanner.malformed("<plist> has no value", at: tag.start)
    }
    let value = try value(content, depth: 0)
    if let second = try scanner.child(of: tag) {
      throw scanner.malformed("<plist> has a second value", at: second.start)
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
        throw scanner.malformed("<\(tag.name)/> must be empty", at: tag.start)
      }
      return .boolean(tag.name == "true")
    case "integer": return .integer(try convert(tag, Self.integer))
    case "real": return .real(try convert(tag) { Double($0) })
    case "date": return .date(try convert(tag) { Instant($0) })
    case "data": return .data(try convert(tag, Self.base64))
    case "key":
      throw scanner.malformed(
        "<key> is outside a dictionary", at: tag.start,
        hint: "Put the keys and their values between `<dict>` and `</dict>`.")
    default:
      throw scanner.malformed(
        "<\(tag.name)> is not an element of a property list", at: tag.start, hint: Self.hint(for: tag.name))
    }
  }

  /// Returns the likely correction of an element that property lists do not have.
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
      ?? "The valid elements are \(known.joined(separator: ", "))."
  }

  private mutating func dictionary(
    _ tag: XMLScanner.Tag, depth: Int
  ) throws(PropertyListError) -> PropertyList.Dictionary {
    try checkDepth(depth, tag)
    var entries: [PropertyList.Dictionary.Entry] = []
    while let key = try scanner.child(of: tag) {
      guard key.name == "key" else {
        throw scanner.malformed("Expected <key>, but found <\(key.name)>", at: key.start)
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
      throw scanner.malformed("<\(tag.name)> has an invalid value: `\(text.prefix(40))`", at: tag.start)
    }
    return result
  }

  private func checkDepth(_ depth: Int, _ tag: XMLScanner.Tag) throws(PropertyListError) {
    if depth < PropertyList.maximumDepth { return }
    throw PropertyListError(
      .tooDeep, "The property list is nested deeper than \(PropertyList.maximumDepth) levels",
      hint: "Check the file: an "
        + "Info.plist is never this deep.", place: scanner.place(tag.start), byteCount: scanner.byteCount)
  }

  /// Reads a whole number of 64 bits in decimal or `0x…` notation, with or without a sign.
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

  /// Decodes Base 64 (RFC 4648 section 4) and ignores white space.
  private static func base64(_ text: String) -> [UInt8]? {
    Base64Text.bytes(text.utf8.filter { ![9, 10, 13, 32].contains($0) })
  }
}

/// A cursor over the text of an XML property list. It reads tags, text and comments, and knows its location.
struct XMLScanner {
  /// The start tag of an element.
  struct Tag {
    /// The element's name.
    let name: String
    /// The offset of the `<` that begins the tag.
    let start: Int
    /// Whether the element is written as `<name/>`.
    let isClosed: Bool
  }

  /// The size of the file.
  let byteCount: Int
  private let text: [UInt8]
  private var position = 0
  /// The last location that `advance(to:)` returned, with its offset.
  private var mark = (position: 0, place: PropertyList.Place(line: 1, column: 1))

  init(_ text: [UInt8], byteCount: Int) {
    self.text = text
    self.byteCount = byteCount
  }

  /// Skips the XML declaration, the document type, comments and processing instructions.
  mutating func skipProlog() throws(PropertyListError) {
    while true {
      skipWhiteSpace()
      if at("<?xml") { try checkEncoding() }
      if at("<?") {
        try skip(past: "?>", of: "a processing instruction")
      } else if at("<!--") {
        try skip(past: "-->", of: "a comment")
      } else if at("<!DOCTYPE") {
        try skipDocumentType()
      } else {
        return
      }
    }
  }

  /// Reads the start tag at the current location.
  mutating func tag() throws(PropertyListError) -> Tag {
    let start = position
    guard peek == UInt8(ascii: "<") else {
      throw malformed(
        position < text.count ? "Expected an element, but found text" : "The text ends too early", at: start)
    }
    position += 1
    let name = self.name()
    guard !name.isEmpty else { throw malformed("`<` does not begin an element", at: start) }
    return Tag(name: name, start: start, isClosed: try skipAttributes(of: name, start))
  }

  /// Reads the next element within `parent`, or its end tag; nil after the end tag.
  mutating func child(of parent: Tag) throws(PropertyListError) -> Tag? {
    if parent.isClosed { return nil }
    while true {
      skipWhiteSpace()
      if at("<!--") {
        try skip(past: "-->", of: "a comment")
      } else if at("<?") {
        try skip(past: "?>", of: "a processing instruction")
      } else if at("</") {
        try close(parent)
        return nil
      } else if position >= text.count {
        throw malformed("<\(parent.name)> is not closed", at: parent.start)
      } else {
        return try tag()
      }
    }
  }

  /// Reads the text within `tag`, and the end tag.
  mutating func text(of tag: Tag) throws(PropertyListError) -> String {
    if tag.isClosed { return "" }
    var content: [UInt8] = []
    while !at("</") {
      if at("<![CDATA[") {
        let start = position + 9
        try skip(past: "]]>", of: "a CDATA section")
        content += text[min(start, position - 3)..<position - 3]
      } else if at("<!--") {
        try skip(past: "-->", of: "a comment")
      } else if peek == UInt8(ascii: "&") {
        content += try reference().utf8
      } else if let byte = peek, byte != UInt8(ascii: "<") {
        content.append(byte)
        position += 1
      } else {
        throw malformed(
          position < text.count ? "<\(tag.name)> contains an element" : "<\(tag.name)> is not closed", at: tag.start)
      }
    }
    try close(tag)
    guard let string = String(validating: content, as: UTF8.self) else {
      throw malformed("<\(tag.name)> contains bytes that are not UTF-8", at: tag.start)
    }
    return string
  }

  /// Returns the line and column of a byte, which must not be before the byte of the last call.
  mutating func advance(to position: Int) -> PropertyList.Place {
    var (line, column) = (mark.place.line, mark.place.column)
    for byte in text[mark.position..<max(mark.position, min(position, text.count))] {
      if byte == 10 {
        (line, column) = (line + 1, 1)
      } else if byte & 0xc0 != 0x80 {
        column += 1
      }
    }
    mark = (max(mark.position, position), PropertyList.Place(line: line, column: column))
    return mark.place
  }

  /// Returns the line and column of a byte in the text.
  func place(_ position: Int) -> PropertyList.Place {
    let before = text[..<min(max(position, 0), text.count)]
    let line = before.reduce(into: 1) { count, byte in if byte == 10 { count += 1 } }
    let start = before.lastIndex(of: 10).map { $0 + 1 } ?? 0
    // Every byte of UTF-8 except continuation bytes begins a character.
    let column = before[start...].reduce(into: 1) { count, byte in if byte & 0xc0 != 0x80 { count += 1 } }
    return PropertyList.Place(line: line, column: column)
  }

  /// Creates an error at a byte of the text.
  ///
  /// - Parameter hint: the correction; nil if only the author of the text can know it.
  func malformed(_ message: String, at position: Int, hint: String? = nil) -> PropertyListError {
    let isCut = self.position >= text.count
    return PropertyListError(
      .malformedXML, message,
      hint: hint
        ?? (isCut
          ? "The file is truncated: it ends at \(place(text.count))."
          : "On a Mac, run `plutil -lint FILE` for details."),
      place: place(position), byteCount: byteCount)
  }

  private var peek: UInt8? { position < text.count ? text[position] : nil }

  private func at(_ token: StaticString) -> Bool {
    token.withUTF8Buffer { text[position...].starts(with: $0) }
  }

  private mutating func skipWhiteSpace() {
    while let byte = peek, [9, 10, 13, 32].contains(byte) { position += 1 }
  }

  private mutating func skip(past end: StaticString, of what: String) throws(PropertyListError) {
    let start = position
    while position < text.count, !at(end) { position += 1 }
    guard position < text.count else { throw malformed("\(what) is not closed", at: start) }
    position += end.utf8CodeUnitCount
  }

  private mutating func skipDocumentType() throws(PropertyListError) {
    let start = position
    var brackets = 0
    while let byte = peek {
      position += 1
      switch byte {
      case UInt8(ascii: "["): brackets += 1
      case UInt8(ascii: "]"): brackets -= 1
      case UInt8(ascii: "\""), UInt8(ascii: "'"): skipQuoted(byte)
      case UInt8(ascii: ">") where brackets <= 0: return
      default: break
      }
    }
    throw malformed("The document type is not closed", at: start)
  }

  private mutating func skipQuoted(_ quote: UInt8) {
    while let byte = peek, byte != quote { position += 1 }
    if position < text.count { position += 1 }
  }

  private mutating func name() -> String {
    let start = position
    while let byte = peek, Self.isNameByte(byte) { position += 1 }
    return String(decoding: text[start..<position], as: UTF8.self)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...58, 65...90, 95, 97...122, 45, 46, 128...255: true
    default: false
    }
  }

  /// Skips the attributes and the end of the tag. Returns whether the tag ends in `/>`.
  private mutating func skipAttributes(of name: String, _ start: Int) throws(PropertyListError) -> Bool {
    while let byte = peek {
      position += 1
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): skipQuoted(byte)
      case UInt8(ascii: ">"): return text[position - 2] == UInt8(ascii: "/")
      case UInt8(ascii: "<"): throw malformed("The tag <\(name) is not closed with `>`", at: start)
      default: break
      }
    }
    throw malformed("The tag <\(name) is not closed with `>`", at: start)
  }

  private mutating func close(_ tag: Tag) throws(PropertyListError) {
    let start = position
    position += 2
    let name = self.name()
    skipWhiteSpace()
    guard name == tag.name, peek == UInt8(ascii: ">") else {
      throw malformed("Expected </\(tag.name)>, but found </\(name)>", at: start)
    }
    position += 1
  }

  /// Reads a predefined entity or a character reference (XML 1.0 sections 4.1 and 4.6).
  private mutating func reference() throws(PropertyListError) -> String {
    let start = position
    guard let end = text[start...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
      throw malformed("`&` does not begin a reference; write `&amp;`", at: start)
    }
    let name = String(decoding: text[start + 1..<end], as: UTF8.self)
    position = end + 1
    if let character = Self.entities[name] { return character }
    let number =
      name.hasPrefix("#x")
      ? UInt32(name.dropFirst(2), radix: 16) : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
    guard let number, number != 0, let scalar = Unicode.Scalar(number) else {
      throw malformed("`&\(name);` is not an entity that property lists support", at: start)
    }
    return String(Character(scalar))
  }

  private static let entities = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]

  private func checkEncoding() throws(PropertyListError) {
    let declaration = String(decoding: text[position...].prefix(120).prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
    guard let range = declaration.firstRange(of: "encoding") else { return }
    let name = declaration[range.upperBound...].drop { "= \"'\t".contains($0) }.prefix { !"\"' \t?".contains($0) }
    guard ["utf-8", "utf8", "us-ascii", "utf-16"].contains(name.lowercased()) else {
      throw PropertyListError(
        .encoding, "The text is in \(name), which TrustLab does not support", hint: "Save the file as UTF-8.",
        place: place(position), byteCount: byteCount)
    }
  }
}
