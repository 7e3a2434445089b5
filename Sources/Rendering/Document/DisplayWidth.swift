/// How many columns of a terminal a text takes: Unicode Standard Annex #11.
enum DisplayWidth {
  /// Columns of a text.
  static func of(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + of($1) }
  }

  /// Columns of a text of several stretches.
  static func of(_ text: RichText) -> Int { text.spans.reduce(0) { $0 + of($1.text) } }

  /// Columns of one character: 2 for wide ones, 0 for those that only combine.
  static func of(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    if scalar.isASCII { return character.unicodeScalars.count }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: return isWide(scalar) || character.unicodeScalars.contains("\u{fe0f}") ? 2 : 1
    }
  }

  private static func isWide(_ scalar: Unicode.Scalar) -> Bool { wide.contains { $0.contains(scalar.value) } }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115f, 0x231a...0x231b, 0x2329...0x232a, 0x23e9...0x23f3, 0x2614...0x2615, 0x2648...0x2653,
    0x26a1...0x26a1, 0x2705...0x2705, 0x274c...0x274c, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf,
    0x4e00...0x9fff, 0xa000...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
    0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1f64f, 0x1f680...0x1f6ff, 0x1f900...0x1f9ff, 0x20000...0x3fffd,
  ]
}
