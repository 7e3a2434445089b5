extension SequenceDiagram {
  /// The columns in which the lanes stand.
  struct Lanes {
    static let widest = 80
    static let narrowest = 60

    let width: Int
    let client = 5
    let middle: Int
    let server: Int

    /// Lanes for so many columns, if there is room for the words between them.
    init(width: Int) {
      self.width = max(Self.narrowest, min(Self.widest, width))
      server = self.width - 11
      middle = (client + server) / 2
    }
  }

  /// One line of a diagram: columns that are written over.
  struct Canvas {
    private var cells: [(glyph: String, style: Span.Style)] = []

    /// The empty lanes.
    static func laneCanvas(_ number: Int?, _ lanes: Lanes) -> Canvas {
      var canvas = Canvas()
      if let number {
        let text = String(number)
        canvas.place(text, from: max(0, 3 - text.count), to: 4, .dim)
      }
      canvas.put("│", at: lanes.client, .plain)
      canvas.put("┆", at: lanes.middle, .dim)
      canvas.put("│", at: lanes.server, .plain)
      return canvas
    }

    mutating func put(_ glyph: Character, at column: Int, _ style: Span.Style) {
      while cells.count <= column { cells.append((" ", .plain)) }
      cells[column] = (String(glyph), style)
    }

    mutating func fill(_ glyph: Character, from: Int, to: Int, _ style: Span.Style) {
      for column in from..<max(from, to) { put(glyph, at: column, style) }
    }

    /// Writes `text` from a column on, as far as it fits before `to`.
    mutating func place(_ text: String, from: Int, to: Int, _ style: Span.Style = .plain) {
      var column = max(0, from)
      for character in Self.truncated(text, to: max(0, to - column)) {
        let width = DisplayWidth.of(character)
        if width == 0 { continue }
        put(character, at: column, style)
        if width == 2 {
          put(" ", at: column + 1, style)
          cells[column + 1].glyph = ""
        }
        column += width
      }
    }

    mutating func center(_ text: String, _ from: Int, _ to: Int, _ style: Span.Style) {
      let shown = Self.truncated(text, to: to - from - 2)
      let start = from + (to - from - DisplayWidth.of(shown)) / 2
      place(" \(shown) ", from: start - 1, to: to, style)
    }

    mutating func center(_ text: String, from: Int, to: Int, _ style: Span.Style) { center(text, from, to, style) }

    /// The line without the spaces at its end.
    var text: RichText {
      var spans: [Span] = []
      let end = (cells.lastIndex { $0.glyph != " " } ?? -1) + 1
      var piece = ""
      var style = Span.Style.plain
      for cell in cells.prefix(end) {
        if cell.style != style, !piece.isEmpty {
          spans.append(Span(piece, style))
          piece = ""
        }
        style = cell.style
        piece += cell.glyph
      }
      return RichText(piece.isEmpty ? spans : spans + [Span(piece, style)])
    }

    static func truncated(_ text: String, to width: Int) -> String {
      guard DisplayWidth.of(text) > width else { return text }
      var shown = ""
      var used = 0
      for character in text {
        let size = DisplayWidth.of(character)
        if used + size > width - 1 { break }
        shown.append(character)
        used += size
      }
      return shown + (width > 0 ? "…" : "")
    }
  }
}
