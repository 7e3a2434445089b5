/// Canonical Base64 with padding (RFC 4648 section 4).
public enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Encodes `bytes` as a single line.
  public static func encode(_ bytes: [UInt8]) -> String {
    var characters: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0..<4 {
        characters.append(place <= group.count ? alphabet[bits >> (18 - 6 * place) & 63] : 61)
      }
    }
    return String(decoding: characters, as: UTF8.self)
  }

  /// Decodes `text` of one or more lines; ignores white space at the ends of lines.
  ///
  /// - Throws: `PEMError` with the location of the first defect.
  public static func decode(_ text: String) throws(PEMError) -> [UInt8] {
    var decoder = Decoder()
    var last = 1
    for (index, bytes) in Array(text.utf8).split(separator: 10, omittingEmptySubsequences: false).enumerated() {
      last = index + 1
      try decoder.append(Line(number: last, bytes))
    }
    return try decoder.finish(at: last)
  }

  private static func value(_ character: UInt8) -> Int? {
    switch character {
    case 65...90: Int(character) - 65
    case 97...122: Int(character) - 71
    case 48...57: Int(character) + 4
    case 43: 62
    case 47: 63
    default: nil
    }
  }

  /// Decodes a text line by line, and keeps track of the position.
  struct Decoder {
    private var bytes: [UInt8] = []
    private var bits = 0
    /// The number of characters in the current group of four, including padding.
    private var filled = 0
    private var padding = 0
    private var isFinished = false
    /// Whether spaces between the characters are ignored, and line ends written as `\n`.
    ///
    /// The lax form of PEM permits spaces (RFC 7468 section 3). Folded text has them in place of line ends, and JSON
    /// strings have `\n`.
    private let skipsBlanks: Bool

    init(skipsBlanks: Bool = false) { self.skipsBlanks = skipsBlanks }

    mutating func append(_ line: Line) throws(PEMError) {
      let start = appendGroups(line.characters)
      var isEscaped = false
      for (offset, character) in line.characters.enumerated().dropFirst(start) {
        if skipsBlanks {
          defer { isEscaped = character == UInt8(ascii: "\\") }
          if isEscaped, [UInt8(ascii: "n"), UInt8(ascii: "r")].contains(character) { continue }
          if character == UInt8(ascii: "\\") || character == 32 || character == 9 { continue }
        }
        let place = (line: line.number, column: line.column + offset)
        if isFinished {
          throw PEMError(
            line: place.line, column: place.column, "text after the padding",
            hint: "'=' ends the base64 text; two blocks each need their own BEGIN and END")
        }
        try append(character, place)
      }
    }

    /// Appends complete groups of four characters without padding, which are most of the text. Returns the number of
    /// characters.
    private mutating func appendGroups(_ characters: [UInt8]) -> Int {
      guard filled == 0, !isFinished else { return 0 }
      var start = 0
      while start + 4 <= characters.count {
        var group = 0
        for place in start..<start + 4 {
          guard let value = Base64.value(characters[place]) else { return start }
          group = group << 6 | value
        }
        bytes.append(UInt8(truncatingIfNeeded: group >> 16))
        bytes.append(UInt8(truncatingIfNeeded: group >> 8))
        bytes.append(UInt8(truncatingIfNeeded: group))
        start += 4
      }
      return start
    }

    private mutating func append(_ character: UInt8, _ place: (line: Int, column: Int)) throws(PEMError) {
      if character == 61, filled >= 2 {
        padding += 1
        bits <<= 6
      } else if padding == 0, let value = Base64.value(character) {
        bits = bits << 6 | value
      } else {
        throw Base64.unexpected(character, place)
      }
      filled += 1
      if filled == 4 { try flush(place) }
    }

    private mutating func flush(_ place: (line: Int, column: Int)) throws(PEMError) {
      let unused = bits & ((1 << (8 * padding)) - 1)
      guard unused == 0 else {
        throw PEMError(
          line: place.line, column: place.column, "nonzero bits under the padding",
          hint: "a character near here was changed")
      }
      for place in 0..<(3 - padding) { bytes.append(UInt8(truncatingIfNeeded: bits >> (16 - 8 * place))) }
      isFinished = padding > 0
      (bits, filled, padding) = (0, 0, 0)
    }

    func finish(at line: Int) throws(PEMError) -> [UInt8] {
      guard filled == 0 else {
        throw PEMError(
          line: line, "the base64 text ends in the middle of a group of four characters",
          hint: "characters are missing before this point")
      }
      return bytes
    }
  }

  private static func unexpected(_ character: UInt8, _ place: (line: Int, column: Int)) -> PEMError {
    let isPrintable = (32...126).contains(character)
    let shown =
      isPrintable
      ? "'\(Character(UnicodeScalar(character)))'" : "byte 0x\(String(character, radix: 16))"
    let hint =
      switch character {
      case 58: "header lines come before the base64 text"
      case 0x80...: "this character is not ASCII and may be a no-break space: copy the text without formatting"
      case 45, 95: "this is base64url; PEM uses + and / instead of - and _"
      case 61: "padding is allowed only at the end of the text"
      default: "only A-Z, a-z, 0-9, + and / are allowed here"
      }
    return PEMError(line: place.line, column: place.column, "\(shown) is not a base64 character here", hint: hint)
  }
}
