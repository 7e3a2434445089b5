/// Lays out a table: columns as wide as their cells, the widest made narrower until all fit.
struct TableLayout {
  let lines: [RichText]

  init(header: [RichText], rows: [[RichText]], indent: Int, style: TextStyle) {
    let head = header.map { text in
      RichText(style.folded(text).spans.map { Span($0.text, $0.style == .plain ? .dim : $0.style) })
    }
    let body = rows.map { $0.map { style.folded($0) } }
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
