extension Document {
  /// The document as lines of text. Each line ends with a line break.
  public func text(_ style: TextStyle = TextStyle()) -> String {
    blocks.flatMap { lines(of: $0, style) }.map { line in
      line.spans.map(style.rendered).joined() + "\n"
    }.joined()
  }

  private func lines(of block: Block, _ style: TextStyle) -> [RichText] {
    switch block {
    case .space: return [RichText([])]
    case .heading(let text, let level):
      let strong = RichText(
        style.folded(style.quoted(text)).spans.map { Span($0.text, $0.style == .plain ? .strong : $0.style) })
      let lines = Wrapping.lines(of: strong, width: style.width)
      guard level == 1 else { return lines }
      let width = lines.map { DisplayWidth.of($0) }.max() ?? 0
      return lines + [style.folded(RichText(String(repeating: "═", count: width), .dim))]
    case .paragraph(let text, let indent):
      return Wrapping.lines(of: style.folded(style.quoted(text)), width: style.width - indent).map { pad(indent) + $0 }
    case .facts(let facts, let indent): return lines(of: facts, indent, style)
    case .table(let header, let rows, let indent):
      return TableLayout(header: header, rows: rows, indent: indent, style: style).lines
    case .preformatted(let lines, let indent):
      return lines.map { pad(indent) + style.folded($0, keepsColumns: true) }
    case .tree(let branches, let indent):
      return branches.flatMap { branch in
        let lead = pad(indent) + style.folded(RichText(branch.lead, .dim), keepsColumns: true)
        return hanging(lead, style.folded(branch.text), style.width)
      }
    case .bullet(let glyph, let text, let indent):
      let mark = style.folded(glyph)
      return hanging(pad(indent) + mark + " ", style.folded(style.quoted(text)), style.width)
    case .aligned(let lead, let text, let tail, let column, let indent):
      return AlignedLine(lead: lead, text: text, tail: tail, column: column, indent: indent, style: style).lines
    case .command(let command, let indent):
      return command.lines(width: style.width - indent).map { pad(indent) + style.folded(RichText($0)) }
    }
  }

  private func pad(_ count: Int) -> RichText { RichText(String(repeating: " ", count: max(0, count))) }

  private func lines(of facts: [Fact], _ indent: Int, _ style: TextStyle) -> [RichText] {
    let keys = facts.map { style.folded(RichText($0.key, .dim)) }
    let column = min(keys.map { DisplayWidth.of($0) }.max() ?? 0, style.width / 3)
    return zip(facts, keys).flatMap { fact, key -> [RichText] in
      let gap = pad(max(1, column + 2 - DisplayWidth.of(key)))
      return hanging(
        pad(indent) + key + gap, style.folded(style.quoted(fact.value)), style.width, at: indent + column + 2)
    }
  }

  /// Returns `text` after `lead`, with continuation lines indented to `column`.
  private func hanging(_ lead: RichText, _ text: RichText, _ width: Int, at column: Int? = nil) -> [RichText] {
    let start = DisplayWidth.of(lead)
    let column = column ?? start
    let lines = Wrapping.lines(of: text, width: width - max(start, column))
    return lines.enumerated().map { ($0.offset == 0 ? lead : pad(column)) + $0.element }
  }
}

/// Lays out a text between a left and a right part.
struct AlignedLine {
  let lines: [RichText]
  /// The position of the right part, counted from the right edge, if the text leaves room.
  private static let tailColumns = 25

  init(lead: RichText, text: RichText, tail: RichText, column: Int, indent: Int, style: TextStyle) {
    let start = indent + column
    let lead = style.folded(lead)
    let tail = style.folded(tail)
    let body = Wrapping.lines(of: style.folded(text), width: style.width - start)
    var lines = body.enumerated().map { number, line in
      number > 0
        ? Self.pad(start) + line
        : Self.pad(indent) + lead + Self.pad(max(1, column - DisplayWidth.of(lead))) + line
    }
    if let last = lines.last, !tail.isEmpty {
      let used = DisplayWidth.of(last)
      let size = DisplayWidth.of(tail)
      let place = max(0, style.width - max(Self.tailColumns, size))
      if used + 2 <= place {
        lines[lines.count - 1] = last + Self.pad(place - used) + tail
      } else if used + 2 + size <= style.width {
        lines[lines.count - 1] = last + Self.pad(style.width - used - size) + tail
      } else {
        lines.append(Self.pad(place) + tail)
      }
    }
    self.lines = lines
  }

  private static func pad(_ count: Int) -> RichText { RichText(String(repeating: " ", count: max(0, count))) }
}

/// Lays out a table. Columns are as wide as their cells, and the widest column is narrowed until all of them fit.
struct TableLayout {
  let lines: [RichText]

  init(header: [RichText], rows: [[RichText]], indent: Int, style: TextStyle) {
    let head = header.map { text in
      RichText(style.folded(text).spans.map { Span($0.text, $0.style == .plain ? .dim : $0.style) })
    }
    let body = rows.map { $0.map { style.folded(style.quoted($0)) } }
    let all = (head.isEmpty ? [] : [head]) + body
    let widths = Self.widths(of: all, available: style.width - indent)
    lines = all.flatMap { Self.lines(of: $0, widths, indent) }
  }

  private static func widths(of rows: [[RichText]], available: Int) -> [Int] {
    let count = rows.map(\.count).max() ?? 0
    var widths = (0..<count).map { column in
      rows.compactMap { $0.indices.contains(column) ? DisplayWidth.of($0[column]) : nil }.max() ?? 0
    }
    let gaps = 2 * max(0, count - 1)
    while widths.reduce(gaps, +) > available, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
      widths[widest] > 4
    {
      widths[widest] -= 1
    }
    return widths
  }

  private static func lines(of row: [RichText], _ widths: [Int], _ indent: Int) -> [RichText] {
    let cells = zip(row, widths).map { Wrapping.lines(of: $0, width: $1) }
    return (0..<(cells.map(\.count).max() ?? 0)).map { line in
      var text = RichText(String(repeating: " ", count: indent))
      var missing = 0
      for (cell, width) in zip(cells, widths) {
        let part = cell.indices.contains(line) ? cell[line] : RichText([])
        if !part.isEmpty {
          text = text + RichText(String(repeating: " ", count: missing)) + part
          missing = 0
        }
        missing += width - (part.isEmpty ? 0 : DisplayWidth.of(part)) + 2
      }
      return text
    }
  }
}

/// Breaks a text of several styles into lines of limited width.
struct Wrapping {
  /// The maximum number of columns in a line; at least one.
  let width: Int
  private var lines: [RichText] = []
  private var line: [Span] = []
  private var used = 0
  private var pendingSpaces = 0

  /// Returns the lines of `text`, none of them wider than `width`. Leading spaces indent all lines.
  static func lines(of text: RichText, width: Int) -> [RichText] {
    let indent = min(text.plain.prefix { $0 == " " }.count, max(0, width - 1))
    guard indent > 0 else { return unindentedLines(of: text, width: width) }
    let pad = RichText(String(repeating: " ", count: indent))
    return unindentedLines(of: text, width: width - indent).map { $0.isEmpty ? $0 : pad + $0 }
  }

  private static func unindentedLines(of text: RichText, width: Int) -> [RichText] {
    var wrapping = Wrapping(width: max(1, width))
    var word: [Span] = []
    for span in text.spans {
      var piece = ""
      for character in span.text {
        if character == " " {
          if !piece.isEmpty { word.append(Span(piece, span.style)) }
          piece = ""
          wrapping.add(word)
          word = []
          wrapping.pendingSpaces += 1
        } else {
          piece.append(character)
        }
      }
      if !piece.isEmpty { word.append(Span(piece, span.style)) }
    }
    wrapping.add(word)
    wrapping.endLine()
    return wrapping.lines.isEmpty ? [RichText([])] : wrapping.lines
  }

  private init(width: Int) { self.width = width }

  private mutating func endLine() {
    if !line.isEmpty { lines.append(RichText(Self.joined(line))) }
    line = []
    used = 0
    pendingSpaces = 0
  }

  /// Returns this line with adjacent words of the same style in one span, so that coloured text can be searched.
  private static func joined(_ line: [Span]) -> [Span] {
    line.reduce(into: []) { spans, span in
      let isGap = span.style == .plain && span.text.allSatisfy { $0 == " " }
      guard let last = spans.last, !isGap else { return spans.append(span) }
      if last.style == span.style {
        spans[spans.count - 1] = Span(last.text + span.text, span.style)
      } else if spans.count > 1, last.text.allSatisfy({ $0 == " " }), spans[spans.count - 2].style == span.style {
        spans.removeLast()
        spans[spans.count - 1] = Span(spans[spans.count - 1].text + last.text + span.text, span.style)
      } else {
        spans.append(span)
      }
    }
  }

  private mutating func add(_ word: [Span]) {
    guard !word.isEmpty else { return }
    let size = DisplayWidth.of(RichText(word))
    if used > 0, used + pendingSpaces + size > width { endLine() }
    if used > 0, pendingSpaces > 0 {
      line.append(Span(String(repeating: " ", count: pendingSpaces)))
      used += pendingSpaces
    }
    pendingSpaces = 0
    if used + size <= width {
      line += word
      used += size
    } else {
      word.forEach { split($0) }
    }
  }

  /// Splits a word that is wider than a line. It is split after punctuation if the line is then at least a quarter
  /// full.
  private mutating func split(_ span: Span) {
    let characters = Array(span.text)
    var rest = characters[...]
    while !rest.isEmpty {
      var fitting = 0
      var columns = used
      for character in rest {
        columns += DisplayWidth.of(character)
        if columns > width { break }
        fitting += 1
      }
      if fitting == 0, used > 0 {
        endLine()
        continue
      }
      fitting = max(1, fitting)
      if fitting < rest.count,
        let stop = rest.prefix(fitting).lastIndex(where: { ",;/_-.".contains($0) }).map({ $0 - rest.startIndex }),
        stop >= fitting / 4
      {
        fitting = stop + 1
      }
      let piece = String(rest.prefix(fitting))
      line.append(Span(piece, span.style))
      used += DisplayWidth.of(piece)
      rest = rest.dropFirst(fitting)
      if !rest.isEmpty { endLine() }
    }
  }
}

/// The number of terminal columns that a text occupies (Unicode Standard Annex #11).
enum DisplayWidth {
  /// Returns the number of columns of a text.
  static func of(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + of($1) }
  }

  static func of(_ text: RichText) -> Int { text.spans.reduce(0) { $0 + of($1.text) } }

  /// Returns the number of columns of a character: 2 for a wide one, 0 for a combining one.
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

extension String {
  /// Returns this text. If it is too long, returns its beginning followed by its length.
  func shortened(to limit: Int = 400) -> String {
    guard utf8.count > limit, count > limit else { return self }
    return prefix(limit) + "… (\(count) characters)"
  }
}
