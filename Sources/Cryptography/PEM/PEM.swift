/// The textual encoding of keys and certificates, RFC 7468.
public enum PEM {
  /// One block, from its BEGIN to its END line.
  public struct Block: Sendable, Hashable {
    /// What it says it holds: `CERTIFICATE`, `PRIVATE KEY`.
    public let label: String
    /// What it holds.
    public let bytes: [UInt8]
    /// The line of its BEGIN, from 1.
    public let line: Int
  }

  /// All blocks of `text`, in order; text around them is passed over, as are white space at the ends of lines and
  /// either kind of line end.
  ///
  /// Throws `PEMError` with the place of the first thing that is wrong, also when there is no block at all.
  public static func decode(_ text: String) throws(PEMError) -> [Block] {
    var blocks: [Block] = []
    var open: OpenBlock?
    var characters = Array(text.utf8)
    if characters.starts(with: byteOrderMark) { characters.removeFirst(byteOrderMark.count) }
    for (index, bytes) in characters.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
      let line = Line(number: index + 1, bytes)
      switch (open, try Boundary(line)) {
      case (nil, .begin(let label)): open = OpenBlock(label: label, line: line.number)
      case (nil, .end(let label)):
        throw PEMError(
          line: line.number, "END \(label) without its BEGIN", hint: "copy the block whole, from -----BEGIN to -----END"
        )
      case (nil, nil): continue
      case (var block?, nil):
        try block.content.append(line)
        open = block
      case (let block?, let boundary?):
        blocks.append(try block.closed(by: boundary, at: line.number))
        open = nil
      }
    }
    if let open { throw open.unclosed }
    guard !blocks.isEmpty else {
      throw PEMError(line: 1, "no PEM block", hint: "a block begins with a line like -----BEGIN CERTIFICATE-----")
    }
    return blocks
  }

  /// U+FEFF in UTF-8, with which some editors begin a file.
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// `bytes` as one block: lines of 64 characters, each ended by a line feed.
  public static func encode(_ label: String, _ bytes: [UInt8]) -> String {
    let characters = Array(Base64.encode(bytes).utf8)
    var text = "-----BEGIN \(label)-----\n"
    for start in stride(from: 0, to: characters.count, by: 64) {
      text += String(decoding: characters[start..<min(start + 64, characters.count)], as: UTF8.self) + "\n"
    }
    return text + "-----END \(label)-----\n"
  }
}

/// A line without the white space at its ends.
struct Line {
  let number: Int
  /// The column of the first character that is left, from 1.
  let column: Int
  let characters: [UInt8]

  init(number: Int, _ bytes: ArraySlice<UInt8>) {
    let isSpace: (UInt8) -> Bool = { $0 == 32 || (9...13).contains($0) }
    let start = bytes.firstIndex { !isSpace($0) } ?? bytes.endIndex
    let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
    self.number = number
    column = start - bytes.startIndex + 1
    characters = Array(bytes[start..<max(start, end)])
  }
}

/// An encapsulation boundary, RFC 7468 section 3.
enum Boundary {
  case begin(String)
  case end(String)

  /// Nil when the line is none; throws when it sets out to be one.
  init?(_ line: Line) throws(PEMError) {
    guard line.characters.first == UInt8(ascii: "-") else { return nil }
    let text = String(decoding: line.characters, as: UTF8.self)
    let isBegin = text.hasPrefix("-----BEGIN")
    guard isBegin || text.hasPrefix("-----END") else { return nil }
    let rest = text.dropFirst(isBegin ? 10 : 8)
    guard rest.hasPrefix(" "), rest.hasSuffix("-----"), rest.utf8.count > 6 else {
      throw PEMError(
        line: line.number, column: line.column, "a broken boundary line",
        hint: "write -----\(isBegin ? "BEGIN" : "END") LABEL----- on a line of its own")
    }
    let label = String(rest.dropFirst().dropLast(5))
    self = isBegin ? .begin(label) : .end(label)
  }
}

/// A block whose END has not been seen.
struct OpenBlock {
  let label: String
  let line: Int
  var content = Base64.Decoder()

  init(label: String, line: Int) {
    self.label = label
    self.line = line
  }

  var unclosed: PEMError {
    PEMError(line: line, "BEGIN \(label) without its END", hint: "end the block with -----END \(label)-----")
  }

  func closed(by boundary: Boundary, at number: Int) throws(PEMError) -> PEM.Block {
    guard case .end(let found) = boundary else { throw unclosed }
    guard found == label else {
      throw PEMError(
        line: number, "END \(found) closes BEGIN \(label) of line \(line)", hint: "both labels must be the same")
    }
    let bytes = try content.finish(at: number)
    guard !bytes.isEmpty else {
      throw PEMError(line: line, "an empty block", hint: "the base64 text belongs between BEGIN and END")
    }
    return PEM.Block(label: label, bytes: bytes, line: line)
  }
}

/// What is wrong with a PEM text, and where.
public struct PEMError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The line of the text, from 1.
  public let line: Int
  /// The byte of the line, from 1.
  public let column: Int
  /// What is wrong.
  public let message: String
  /// What can be done about it.
  public let hint: String

  init(line: Int, column: Int = 1, _ message: String, hint: String) {
    self.line = line
    self.column = column
    self.message = message
    self.hint = hint
  }

  /// Place and message: `line 3, column 14: '*' is not a base64 character`.
  public var description: String { "line \(line), column \(column): \(message)" }
}
