/// Makes text from a certificate safe to show, so that its ends and all its characters are visible.
public enum ShownText {
  /// Returns the text in quotation marks.
  ///
  /// Invisible characters, blanks at either end, quotation marks and backslashes are escaped.
  public static func quoted(_ text: String) -> String {
    let scalars = Array(text.unicodeScalars)
    let first = scalars.firstIndex { $0 != " " } ?? scalars.count
    let last = scalars.lastIndex { $0 != " " } ?? -1
    var shown = "\""
    for (place, scalar) in scalars.enumerated() {
      if place < first || place > last || isInvisible(scalar) {
        shown += escape(scalar)
      } else {
        if scalar == "\"" || scalar == "\\" { shown += "\\" }
        shown.unicodeScalars.append(scalar)
      }
    }
    return shown + "\""
  }

  /// Returns the text unchanged if it is unambiguous, as most names are; otherwise in quotation marks.
  public static func quotedIfNeeded(_ text: String) -> String {
    let isPlain = !text.isEmpty && text.utf8.last != period && text.utf8.allSatisfy(isUsual)
    return isPlain ? text : quoted(text)
  }

  /// Returns the text with invisible characters escaped.
  public static func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isInvisible) else { return text }
    return text.unicodeScalars.map { isInvisible($0) ? escape($0) : String($0) }.joined()
  }

  /// Returns the text without blanks and invisible characters.
  public static func trimmed(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != " " && !isInvisible($0) }))
  }

  /// Returns whether a character is invisible.
  ///
  /// Invisible characters are controls, zero-width and bidirectional marks, line separators, and all blanks except the
  /// space.
  public static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: return true
    default: return scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  private static let period = UInt8(ascii: ".")

  /// Returns whether a byte is visible ASCII that cannot end a text.
  ///
  /// Blanks, commas, quotation marks, semicolons and backslashes can end a text.
  private static func isUsual(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && ![0x22, 0x27, 0x2C, 0x3B, 0x5C].contains(byte)
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    "\\u{\(String(scalar.value, radix: 16))}"
  }
}
