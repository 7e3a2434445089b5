extension Document {
  /// The document as lines, each ended by a newline.
  public func text(_ style: TextStyle = TextStyle()) -> String {
    blocks.flatMap { lines(of: $0, style) }.map { line in
      line.spans.map(style.rendered).joined() + "\n"
    }.joined()
  }

  private func lines(of block: Block, _ style: TextStyle) -> [RichText] {
    switch block {
    case .space: return [RichText([])]
    case .heading(let text, let level):
      let strong = RichText(style.folded(text).spans.map { Span($0.text, $0.style == .plain ? .strong : $0.style) })
      let lines = Wrapping.lines(of: strong, width: style.width)
      guard level == 1 else { return lines }
      let width = lines.map { DisplayWidth.of($0) }.max() ?? 0
      return lines + [style.folded(RichText(String(repeating: "═", count: width), .dim))]
    case .paragraph(let text, let indent):
      return Wrapping.lines(of: style.folded(text), width: style.width - indent).map { pad(indent) + $0 }
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
      return hanging(pad(indent) + mark + " ", style.folded(text), style.width)
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
      return hanging(pad(indent) + key + gap, style.folded(fact.value), style.width, at: indent + column + 2)
    }
  }

  /// `text` behind `lead`, and below itself at `column`.
  private func hanging(_ lead: RichText, _ text: RichText, _ width: Int, at column: Int? = nil) -> [RichText] {
    let start = DisplayWidth.of(lead)
    let column = column ?? start
    let lines = Wrapping.lines(of: text, width: width - max(start, column))
    return lines.enumerated().map { ($0.offset == 0 ? lead : pad(column)) + $0.element }
  }
}
