/// A cursor over the text of an XML property list that knows tags, text, comments and where it is.
struct XMLScanner {
  /// The start of an element.
  struct Tag {
    /// The element's name.
    let name: String
    /// Where its `<` is.
    let start: Int
    /// Whether it is written `<name/>`.
    let isClosed: Bool
  }

  /// The size of the file.
  let byteCount: Int
  private let text: [UInt8]
  private var position = 0
  /// The last place that was asked for in passing, and the byte it is of.
  private var mark = (position: 0, place: PropertyList.Place(line: 1, column: 1))

  init(_ text: [UInt8], byteCount: Int) {
    self.text = text
    self.byteCount = byteCount
  }

  /// Passes the XML declaration, the document type, comments and processing instructions.
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

  /// The start tag here.
  mutating func tag() throws(PropertyListError) -> Tag {
    let start = position
    guard peek == UInt8(ascii: "<") else {
      throw malformed(position < text.count ? "Text stands where an element should" : "The text ends early", at: start)
    }
    position += 1
    let name = self.name()
    guard !name.isEmpty else { throw malformed("`<` begins no element", at: start) }
    return Tag(name: name, start: start, isClosed: try skipAttributes(of: name, start))
  }

  /// The next element within `parent`, or nil when its end tag was read.
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

  /// The text within `tag`, whose end tag is read too.
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
          position < text.count ? "<\(tag.name)> has an element in it" : "<\(tag.name)> is not closed", at: tag.start)
      }
    }
    try close(tag)
    guard let string = String(validating: content, as: UTF8.self) else {
      throw malformed("<\(tag.name)> holds bytes that are not UTF-8", at: tag.start)
    }
    return string
  }

  /// The line and column of a byte that comes no earlier than the last one that was asked for in this way.
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

  /// The line and column of a byte of the text.
  func place(_ position: Int) -> PropertyList.Place {
    let before = text[..<min(max(position, 0), text.count)]
    let line = before.reduce(into: 1) { count, byte in if byte == 10 { count += 1 } }
    let start = before.lastIndex(of: 10).map { $0 + 1 } ?? 0
    // Every byte of UTF-8 but continuations begins a character.
    let column = before[start...].reduce(into: 1) { count, byte in if byte & 0xc0 != 0x80 { count += 1 } }
    return PropertyList.Place(line: line, column: column)
  }

  /// An error at a byte of the text.
  ///
  /// - Parameter hint: what to write instead; nil where only the text's author knows.
  func malformed(_ message: String, at position: Int, hint: String? = nil) -> PropertyListError {
    let isCut = self.position >= text.count
    return PropertyListError(
      .malformedXML, message,
      hint: hint
        ?? (isCut
          ? "The file ends here, at \(place(text.count)): it is cut short."
          : "`plutil -lint FILE` on a Mac tells more."),
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
    guard position < text.count else { throw malformed("\(what) has no end", at: start) }
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
    throw malformed("The document type has no end", at: start)
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

  /// Passes attributes and the end of the tag; whether it ends in `/>`.
  private mutating func skipAttributes(of name: String, _ start: Int) throws(PropertyListError) -> Bool {
    while let byte = peek {
      position += 1
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): skipQuoted(byte)
      case UInt8(ascii: ">"): return text[position - 2] == UInt8(ascii: "/")
      case UInt8(ascii: "<"): throw malformed("The tag <\(name) has no `>`", at: start)
      default: break
      }
    }
    throw malformed("The tag <\(name) has no `>`", at: start)
  }

  private mutating func close(_ tag: Tag) throws(PropertyListError) {
    let start = position
    position += 2
    let name = self.name()
    skipWhiteSpace()
    guard name == tag.name, peek == UInt8(ascii: ">") else {
      throw malformed("</\(name)> stands where </\(tag.name)> should", at: start)
    }
    position += 1
  }

  /// A predefined entity or a character reference: XML 1.0 sections 4.1 and 4.6.
  private mutating func reference() throws(PropertyListError) -> String {
    let start = position
    guard let end = text[start...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
      throw malformed("`&` begins no reference; write `&amp;`", at: start)
    }
    let name = String(decoding: text[start + 1..<end], as: UTF8.self)
    position = end + 1
    if let character = Self.entities[name] { return character }
    let number =
      name.hasPrefix("#x")
      ? UInt32(name.dropFirst(2), radix: 16) : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
    guard let number, number != 0, let scalar = Unicode.Scalar(number) else {
      throw malformed("`&\(name);` is not a reference that property lists know", at: start)
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
        .encoding, "The text is in \(name), which is not read here", hint: "Save the file as UTF-8.",
        place: place(position), byteCount: byteCount)
    }
  }
}
