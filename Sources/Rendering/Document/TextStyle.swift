/// The style of a document's text on a terminal or in a file.
public struct TextStyle: Sendable, Hashable {
  /// Whether styles become escape sequences (ECMA-48 SGR).
  public var isColored: Bool
  /// Whether only ASCII is written.
  public var isASCII: Bool
  /// The columns of a line.
  public var width: Int

  /// Plain text of 80 columns by default.
  public init(isColored: Bool = false, isASCII: Bool = false, width: Int = 80) {
    self.isColored = isColored
    self.isASCII = isASCII
    self.width = width
  }

  /// The terminal columns of a styled line. Its escape sequences take none.
  public static func columns(of line: String) -> Int {
    guard line.utf8.contains(0x1b) else { return DisplayWidth.of(line) }
    var isCode = false
    return DisplayWidth.of(
      line.filter { character in
        defer { isCode = character == "\u{1b}" || isCode && character != "m" }
        return !isCode && character != "\u{1b}"
      })
  }

  /// The output for a piece of text. Nothing in it can move the cursor.
  func rendered(_ span: Span) -> String {
    guard isColored, let code = Self.code(of: span.style), !span.text.isEmpty else { return span.text }
    return "\u{1b}[\(code)m\(span.text)\u{1b}[0m"
  }

  private static func code(of style: Span.Style) -> String? {
    switch style {
    case .plain: nil
    case .strong: "1"
    case .dim: "2"
    case .good: "32"
    case .bad: "31"
    case .warning: "33"
    case .protected: "36"
    case .name, .code: "34"
    }
  }

  /// The text with control characters escaped and, if `isASCII`, in ASCII.
  ///
  /// - Parameter keepsColumns: whether every glyph stays one column wide.
  func folded(_ text: RichText, keepsColumns: Bool = false) -> RichText {
    RichText(text.spans.map { Span(folded($0.text, keepsColumns), $0.style) })
  }

  /// The same, with code in quotes if no colour distinguishes it.
  func quoted(_ text: RichText) -> RichText {
    guard !isColored, text.spans.contains(where: { $0.style == .code }) else { return text }
    return RichText(text.spans.map { $0.style == .code ? Span("'\($0.text)'") : $0 })
  }

  /// A line that keeps its spaces, with control characters escaped and, if `isASCII`, in ASCII.
  public func shown(_ line: String) -> String { folded(line, false) }

  private func folded(_ text: String, _ keepsColumns: Bool) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return text }
    var folded = ""
    for scalar in text.unicodeScalars {
      if Self.isControl(scalar) {
        folded += scalar == "\n" || scalar == "\t" ? " " : "\\u{\(String(scalar.value, radix: 16))}"
      } else if isASCII, !scalar.isASCII {
        if keepsColumns, scalar == "…" { folded += "~" } else { folded += Self.fallback(scalar) }
      } else {
        folded.unicodeScalars.append(scalar)
      }
    }
    return folded
  }

  /// Characters that act on a terminal instead of being shown, and those that reorder their neighbours.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
      || scalar == "\u{2028}" || scalar == "\u{2029}"
  }

  private static func fallback(_ scalar: Unicode.Scalar) -> String {
    glyphs[scalar] ?? "\\u{\(String(scalar.value, radix: 16))}"
  }

  private static let glyphs: [Unicode.Scalar: String] = [
    "─": "-", "═": "=", "│": "|", "┆": ":", "├": "+", "┤": "+", "└": "+", "▶": ">", "◀": "<", "▼": "v", "✓": "v",
    "✗": "x",
    "≠": "!", "◉": "o", "»": ">",
    "×": "x", "…": "...", "–": "-", "—": "--", "→": "->", "←": "<-", "⇒": "=>", "·": ".", "•": "*", "’": "'",
    "“": "\"", "”": "\"", "≥": ">=", "≤": "<=",
  ]
}
