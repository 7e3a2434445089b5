/// Lays out a text between something that stands before it and something that stands to its right.
struct AlignedLine {
  let lines: [RichText]
  /// Where the right side begins, counted from the right edge, when the text leaves room.
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
