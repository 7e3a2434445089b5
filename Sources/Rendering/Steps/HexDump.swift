import Explanation

/// Bytes in rows of sixteen or eight, some of which can be marked by brackets and style.
struct HexDump {
  let bytes: [UInt8]
  /// The bytes to mark; empty for none.
  var marked = 0..<0
  /// The maximum number of rows; nil for all rows. Rows around the marked bytes have priority.
  var rows: Int?

  /// The number of bytes in a row.
  var width = 16

  /// Returns the number of bytes in a row of this many columns.
  static func width(on columns: Int) -> Int { columns < 75 ? 8 : 16 }

  var block: Document.Block {
    let all = (bytes.count + width - 1) / width
    let shown = window(of: all)
    var lines = shown.map(line)
    if shown.lowerBound > 0 { lines.insert(RichText("  … \(shown.lowerBound * width) bytes before", .dim), at: 0) }
    let after = bytes.count - shown.upperBound * width
    if shown.upperBound < all { lines.append(RichText("  … \(after) bytes after", .dim)) }
    return .preformatted(lines, indent: 2)
  }

  private func window(of all: Int) -> Range<Int> {
    guard let rows, all > rows else { return 0..<all }
    let first = max(0, min(marked.lowerBound / width - 1, all - rows))
    return first..<min(all, first + rows)
  }

  private func isMarked(_ index: Int) -> Bool { marked.contains(index) && index < bytes.count }

  private func line(_ row: Int) -> RichText {
    let start = row * width
    var spans = [Span(Self.address(start), .dim)]
    for index in start..<(start + width) {
      // A bracket replaces the space before a byte: "[" where the mark begins, "]" after its end.
      let opens = isMarked(index) && (index == marked.lowerBound || index == start)
      let closes = index > start && isMarked(index - 1) && !isMarked(index)
      spans.append(Span(opens ? "[" : closes ? "]" : " ", opens || closes ? .strong : .plain))
      let text = index < bytes.count ? Hex.string([bytes[index]]) : "  "
      spans.append(Span(text, isMarked(index) ? .strong : .plain))
    }
    spans.append(isMarked(start + width - 1) ? Span("] ", .strong) : Span("  "))
    let end = min(bytes.count, start + width)
    for index in start..<end { spans.append(Span(Self.character(bytes[index]), isMarked(index) ? .strong : .dim)) }
    return RichText(spans)
  }

  private static func address(_ offset: Int) -> String {
    let text = String(offset, radix: 16)
    return String(repeating: "0", count: max(0, 4 - text.count)) + text + " "
  }

  private static func character(_ byte: UInt8) -> String {
    (0x20..<0x7f).contains(byte) ? String(UnicodeScalar(byte)) : "."
  }
}
