/// The appearance of a document's text on a terminal or in a file.
public struct TextStyle: Sendable, Hashable {
  /// Whether styles are written as escape sequences (ECMA-48 SGR).
  public var isColored: Bool
  /// Whether only ASCII characters are written.
  public var isASCII: Bool
  /// The maximum number of columns in a line.
  public var width: Int

  /// Creates a style, which is plain text of 80 columns by default.
  public init(isColored: Bool = false, isASCII: Bool = false, width: Int = 80) {
    self.isColored = isColored
    self.isASCII = isASCII
    self.width = width
  }

  /// Returns the number of terminal columns of a styled line. Escape sequences take no columns.
  public static func columns(of line: String) -> Int {
    guard line.utf8.contains(0x1b) else { return DisplayWidth.of(line) }
    var isCode = false
    return DisplayWidth.of(
      line.filter { character in
        defer { isCode = character == "\u{1b}" || isCode && character != "m" }
        return !isCode && character != "\u{1b}"
      })
  }

  /// Returns the output for a piece of text. The output cannot move the cursor.
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

  /// Returns the text with control characters escaped. If `isASCII` is true, the result is ASCII.
  ///
  /// - Parameter keepsColumns: whether every glyph must remain one column wide.
  func folded(_ text: RichText, keepsColumns: Bool = false) -> RichText {
    RichText(text.spans.map { Span(folded($0.text, keepsColumns), $0.style) })
  }

  /// Returns the text with code in quotation marks if no colour distinguishes the code.
  func quoted(_ text: RichText) -> RichText {
    guard !isColored, text.spans.contains(where: { $0.style == .code }) else { return text }
    return RichText(text.spans.map { $0.style == .code ? Span("'\($0.text)'") : $0 })
  }

  /// Returns a line that keeps its spaces, with control characters escaped. If `isASCII` is true, the result is ASCII.
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

  /// Returns whether a character acts on the terminal instead of being printed, or reorders its neighbours.
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
