extension Document {
  /// The document in GitHub Flavored Markdown. Markup in its text is escaped.
  public func markdown() -> String {
    var writing = MarkdownWriting()
    for block in blocks { writing.write(block) }
    return writing.text
  }
}

/// Writes Markdown block by block. Indented blocks belong to the list item above them.
private struct MarkdownWriting {
  private var lines: [String] = []
  /// The indentations of the list items that can contain the next block.
  private var items: [Int] = []
  private var isItem = false
  /// The preformatted lines that are written after the last line of their kind.
  private var fence: (language: String, indent: Int, lines: [String])?
  private static let codeColumns = 96

  var text: String {
    var whole = self
    whole.closeFence()
    return whole.lines.map { $0 + "\n" }.joined()
  }

  mutating func write(_ block: Document.Block) {
    switch block {
    case .preformatted, .tree, .aligned: keep(block, "text")
    case .command: keep(block, "sh")
    default:
      closeFence()
      flow(block)
    }
  }

  private mutating func flow(_ block: Document.Block) {
    switch block {
    case .space, .preformatted, .tree, .aligned, .command: break
    case .heading(let text, let level):
      items = []
      add([String(repeating: "#", count: max(1, min(6, level))) + " " + Markdown.text(text)])
    case .paragraph(let text, let indent): add([Markdown.text(text)], below: indent)
    case .bullet(let glyph, let text, let indent):
      let words = [Markdown.text(glyph), Markdown.text(text)].filter { !$0.isEmpty }
      add(["- " + words.joined(separator: " ")], below: indent, isItem: true)
      items.append(indent)
    case .facts(let facts, let indent):
      for fact in facts {
        add(["- \(Markdown.text(RichText(fact.key))): \(Markdown.text(fact.value))"], below: indent, isItem: true)
      }
    case .table(let header, let rows, let indent): table(header, rows, indent)
    }
  }

  private mutating func table(_ header: [RichText], _ rows: [[RichText]], _ indent: Int) {
    let count = max(header.count, rows.map(\.count).max() ?? 0)
    func row(_ cells: [RichText]) -> String {
      let texts = (0..<count).map { cells.indices.contains($0) ? Markdown.text(cells[$0]) : "" }
      return "| " + texts.joined(separator: " | ") + " |"
    }
    let rule = "|" + String(repeating: " --- |", count: count)
    add([row(header), rule] + rows.map(row), below: indent)
  }

  /// Adds lines to the list item with the next smaller indentation. An empty line precedes them unless they are items
  /// themselves.
  private mutating func add(_ more: [String], below indent: Int = 0, isItem: Bool = false) {
    while let last = items.last, last >= indent { items.removeLast() }
    let pad = String(repeating: "  ", count: items.count)
    if !lines.isEmpty, !(isItem && self.isItem) { lines.append("") }
    lines += more.map { pad + $0 }
    self.isItem = isItem
  }

  private mutating func keep(_ block: Document.Block, _ language: String) {
    if let fence, fence.language != language { closeFence() }
    let indent =
      switch block {
      case .preformatted(_, let indent), .tree(_, let indent), .command(_, let indent),
        .aligned(_, _, _, _, let indent):
        indent
      default: 0
      }
    let text = Document([block]).text(TextStyle(width: Self.codeColumns + indent)).split(separator: "\n")
    let kept = text.map { line in String(line.dropFirst(min(indent, line.prefix { $0 == " " }.count))) }
    if fence == nil { fence = (language, indent, []) }
    fence?.lines += kept
  }

  private mutating func closeFence() {
    guard let (language, indent, kept) = fence else { return }
    fence = nil
    // A code fence is longer than any run of backticks inside it.
    let mark = String(repeating: "`", count: max(3, Markdown.longestRun(of: "`", in: kept) + 1))
    add(["\(mark)\(language)"] + kept + [mark], below: indent)
  }
}

/// Escapes text so that Markdown shows it unchanged.
enum Markdown {
  static func text(_ text: RichText) -> String {
    TextStyle().folded(text).spans.map(span).joined()
  }

  private static func span(_ span: Span) -> String {
    let core = span.text.trimmingSpaces
    guard !core.text.isEmpty else { return span.text }
    let isCode = !core.text.contains("`") && !core.text.contains("|")
    let shown =
      switch span.style {
      case .name where isCode, .code where isCode: "`\(core.text)`"
      case .strong: "**\(escaped(core.text))**"
      default: escaped(core.text)
      }
    return core.before + shown + core.after
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      if "\\`*_{}[]<>|&~#$@".contains(character) || (escaped.isEmpty && "+-=.".contains(character)) { escaped += "\\" }
      escaped.append(character)
    }
    return escaped
  }

  static func longestRun(of sign: Character, in lines: [String]) -> Int {
    lines.flatMap { $0.split(whereSeparator: { $0 != sign }) }.map(\.count).max() ?? 0
  }
}

extension String {
  /// The text without leading and trailing spaces, and those spaces.
  fileprivate var trimmingSpaces: (before: String, text: String, after: String) {
    let before = prefix { $0 == " " }
    let rest = dropFirst(before.count)
    let end = rest.lastIndex { $0 != " " }.map { rest.index(after: $0) } ?? rest.startIndex
    return (String(before), String(rest[..<end]), String(rest[end...]))
  }
}
