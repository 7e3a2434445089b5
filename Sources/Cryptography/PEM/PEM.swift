/// The textual encoding of keys and certificates (RFC 7468).
public enum PEM {
  /// One block of a PEM text, from its BEGIN line to its END line.
  public struct Block: Sendable, Hashable {
    /// The label of the block, such as `CERTIFICATE` or `PRIVATE KEY`.
    public let label: String
    /// The decoded content; empty if the caller did not request blocks with this label.
    public let bytes: [UInt8]
    /// The number of the BEGIN line, starting at 1.
    public let line: Int
    /// The header lines before the base64 text, as older programs write them, such as `Proc-Type: 4,ENCRYPTED` (RFC
    /// 1421 section 4.6).
    public var headers: [String] = []

    /// Whether the content is encrypted.
    public var isEncrypted: Bool { headers.contains { $0.hasPrefix("Proc-Type:") && $0.hasSuffix("ENCRYPTED") } }
  }

  /// Decodes all blocks in `text`, in order.
  ///
  /// Text around the blocks and white space around the base64 text are ignored. Lines end with CR, LF or both (RFC 7468
  /// section 3). If line ends are lost, boundaries in the middle of a line are also recognised. Only blocks with a
  /// `wanted` label are decoded.
  ///
  /// Throws `PEMError` with the location of the first defect, and also if the text has no block.
  public static func decode(
    _ text: String, wanted: (String) -> Bool = { _ in true }
  ) throws(PEMError) -> [Block] {
    var blocks: [Block] = []
    var open: OpenBlock?
    var characters = Array(text.utf8)
    if characters.starts(with: byteOrderMark) { characters.removeFirst(byteOrderMark.count) }
    for (index, bytes) in lines(of: characters).enumerated() {
      var rest = Line(number: index + 1, bytes)
      while !rest.characters.isEmpty {
        let part = try rest.takePart(isOpen: open != nil)
        switch (open, part.boundary) {
        case (nil, .begin(let label)): open = OpenBlock(label: label, line: rest.number, isWanted: wanted(label))
        case (nil, .end(let label)):
          throw PEMError(
            line: rest.number, "END \(shown(label)) without its BEGIN",
            hint: "copy the whole block, from -----BEGIN to -----END")
        case (nil, nil): continue
        case (var block?, nil):
          try block.append(part.line)
          open = block
        case (let block?, let boundary?):
          blocks.append(try block.closed(by: boundary, at: rest.number))
          open = nil
        }
      }
    }
    if let open { throw open.unclosed }
    guard !blocks.isEmpty else { throw noBlock(in: characters) }
    return blocks
  }

  /// The error for a text without a block. Either there is no boundary, or its dashes are wrong.
  private static func noBlock(in characters: [UInt8]) -> PEMError {
    let like = lines(of: characters).firstIndex { line in
      let text = String(decoding: line.prefix(80), as: UTF8.self)
      return text.contains("BEGIN CERTIFICATE") || text.contains("BEGIN PKCS7")
    }
    guard let like else {
      return PEMError(line: 1, "no PEM block", hint: "a block begins with a line like -----BEGIN CERTIFICATE-----")
    }
    return PEMError(
      line: like + 1, "a broken boundary line", hint: "a label has five hyphens (-) on each side, and no other dashes")
  }

  /// Splits the text into lines that end with CR, LF or both.
  private static func lines(of characters: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    for (index, character) in characters.enumerated() where character == 10 || character == 13 {
      if character == 10, index > 0, characters[index - 1] == 13 {
        start = index + 1
        continue
      }
      lines.append(characters[start..<index])
      start = index + 1
    }
    lines.append(characters[start...])
    return lines
  }

  /// The label as printed in a message; a long label is shortened.
  static func shown(_ label: String) -> String { label.count > 40 ? label.prefix(40) + "…" : label }

  /// The UTF-8 encoding of U+FEFF, which some editors write at the beginning of a file.
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Encodes `bytes` as one block with lines of 64 characters. Each line ends with a line feed.
  public static func encode(_ label: String, _ bytes: [UInt8]) -> String {
    let characters = Array(Base64.encode(bytes).utf8)
    var text = "-----BEGIN \(label)-----\n"
    for start in stride(from: 0, to: characters.count, by: 64) {
      text += String(decoding: characters[start..<min(start + 64, characters.count)], as: UTF8.self) + "\n"
    }
    return text + "-----END \(label)-----\n"
  }
}

/// A line, or a part of a line, without white space at its ends.
struct Line {
  let number: Int
  /// The column of the first remaining character, starting at 1.
  private(set) var column: Int
  private(set) var characters: [UInt8]

  init(number: Int, column: Int = 1, _ bytes: ArraySlice<UInt8>) {
    let isSpace: (UInt8) -> Bool = { $0 == 32 || (9...13).contains($0) }
    let start = bytes.firstIndex { !isSpace($0) } ?? bytes.endIndex
    let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
    self.number = number
    self.column = column + start - bytes.startIndex
    characters = Array(bytes[start..<max(start, end)])
  }

  /// A part of a line: either a boundary, or the text before one.
  struct Part {
    let line: Line
    var boundary: Boundary?
  }

  /// Removes and returns the boundary at the start of the line, or the text before the next boundary.
  ///
  /// Outside a block, only a complete BEGIN boundary ends the text.
  mutating func takePart(isOpen: Bool) throws(PEMError) -> Part {
    if let (boundary, length) = try Boundary.first(of: self) {
      defer { drop(length) }
      return Part(line: self, boundary: boundary)
    }
    let next = characters.indices.dropFirst().first { index in
      let rest = characters[index...]
      return Boundary.begins(rest) && (isOpen || Boundary.isWhole(rest))
    }
    let part = Line(number: number, column: column, characters[..<(next ?? characters.endIndex)])
    drop(next ?? characters.count)
    return Part(line: part)
  }

  private mutating func drop(_ count: Int) {
    self = Line(number: number, column: column + count, characters.dropFirst(count))
  }
}

/// A boundary around the encoded content (RFC 7468 section 3).
enum Boundary {
  case begin(String)
  case end(String)

  static let dashes = Array("-----".utf8)

  /// Whether the characters begin like a boundary.
  static func begins(_ characters: ArraySlice<UInt8>) -> Bool {
    characters.starts(with: "-----BEGIN".utf8) || characters.starts(with: "-----END".utf8)
  }

  /// Whether the characters begin with a complete BEGIN boundary with a label.
  static func isWhole(_ characters: ArraySlice<UInt8>) -> Bool {
    guard characters.starts(with: "-----BEGIN ".utf8) else { return false }
    let label = characters.dropFirst(11).prefix { $0 != UInt8(ascii: "-") }
    let end = characters.dropFirst(11 + label.count)
    return !label.isEmpty && label.count <= 64 && end.starts(with: dashes)
  }

  /// The boundary at the start of a line and its number of characters; nil if there is none.
  ///
  /// Throws if the boundary is incomplete.
  static func first(of line: Line) throws(PEMError) -> (boundary: Boundary, length: Int)? {
    let characters = line.characters[...]
    guard begins(characters) else { return nil }
    let isBegin = characters.starts(with: "-----BEGIN".utf8)
    let rest = characters.dropFirst(isBegin ? 10 : 8)
    let end = rest.indices.first { rest[$0...].starts(with: dashes) }
    guard rest.first == 32, let end, end > rest.startIndex + 1 else {
      throw PEMError(
        line: line.number, column: line.column, "a broken boundary line",
        hint: "write -----\(isBegin ? "BEGIN" : "END") LABEL----- on a line of its own")
    }
    let behind = rest[(end + dashes.count)...]
    guard behind.first != UInt8(ascii: "-") || begins(behind) else {
      throw PEMError(
        line: line.number, column: line.column, "a broken boundary line",
        hint: "a label has five hyphens (-) on each side, and no more")
    }
    let label = String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)
    return (isBegin ? .begin(label) : .end(label), end + dashes.count)
  }
}

/// A block whose END line was not read yet.
struct OpenBlock {
  let label: String
  let line: Int
  private let isWanted: Bool
  private var content = Base64.Decoder(skipsBlanks: true)
  private var headers: [String] = []
  private var hasText = false

  init(label: String, line: Int, isWanted: Bool) {
    self.label = label
    self.line = line
    self.isWanted = isWanted
  }

  /// Appends a line of base64 text, or a header line before it.
  mutating func append(_ line: Line) throws(PEMError) {
    if !hasText, line.characters.contains(UInt8(ascii: ":")) {
      headers.append(String(decoding: line.characters.prefix(200), as: UTF8.self))
      return
    }
    hasText = true
    if isWanted { try content.append(line) }
  }

  var unclosed: PEMError {
    let label = PEM.shown(label)
    return PEMError(line: line, "BEGIN \(label) without its END", hint: "end the block with -----END \(label)-----")
  }

  func closed(by boundary: Boundary, at number: Int) throws(PEMError) -> PEM.Block {
    guard case .end(let found) = boundary else { throw unclosed }
    guard found == label else {
      throw PEMError(
        line: number, "END \(PEM.shown(found)) closes BEGIN \(PEM.shown(label)) on line \(line)",
        hint: "both labels must be the same")
    }
    guard isWanted else { return PEM.Block(label: label, bytes: [], line: line, headers: headers) }
    let bytes = try content.finish(at: number)
    guard !bytes.isEmpty else {
      throw PEMError(line: line, "an empty block", hint: "the base64 text belongs between BEGIN and END")
    }
    return PEM.Block(label: label, bytes: bytes, line: line, headers: headers)
  }
}

/// A defect in PEM text, with its location.
public struct PEMError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The line in the text, starting at 1.
  public let line: Int
  /// The byte in the line, starting at 1.
  public let column: Int
  /// A description of the defect.
  public let message: String
  /// A suggestion for correcting the defect.
  public let hint: String

  init(line: Int, column: Int = 1, _ message: String, hint: String) {
    self.line = line
    self.column = column
    self.message = message
    self.hint = hint
  }

  /// The location and the message, such as `line 3, column 14: '*' is not a base64 character`.
  public var description: String { "line \(line), column \(column): \(message)" }
}
