import Yams

/// Reads a file into a tree that keeps the parts that a YAML parser discards.
///
/// The parser only reports the beginning of each scalar. The reader finds the ends of scalars and the comments in the
/// text.
struct SourceTreeReader {
  private let file: String
  private let text: SourceText
  /// The comments and blank lines, in the order of the file. Those from `next` on are not yet assigned to an item.
  private var trivia: [Trivia] = []
  private var next = 0
  /// The ranges of scalars. A number sign within a scalar does not begin a comment.
  private var opaque: [Range<Int>] = []

  private struct Trivia {
    let offset: Int
    let column: Int
    let line: SourceTree.Line
    /// Whether the comment is the only content of its line.
    let isAlone: Bool
  }

  /// Returns the tree of a text that `YAMLDocument` has read.
  ///
  /// - Throws: `Diagnostics` if the text has parts that cannot be rewritten: anchors, aliases or tags.
  static func tree(of text: String, file: String) throws(Diagnostics) -> SourceTree {
    var reader = SourceTreeReader(file: file, text: SourceText(text))
    let node: Yams.Node?
    do { node = try Parser(yaml: text, resolver: .basic).singleRoot() } catch {
      throw Diagnostics("the file is not readable as YAML: \(error)", at: .init(file: file, line: 1, column: 1))
    }
    guard let node else { throw Diagnostics("the file is empty", at: .init(file: file, line: 1, column: 1)) }
    try reader.mark(node, parentColumn: 0)
    reader.findTrivia()
    return SourceTree(root: reader.root(node))
  }

  private init(file: String, text: SourceText) {
    self.file = file
    self.text = text
  }

  // MARK: Ranges of scalars

  private func offset(_ node: Yams.Node) -> Int {
    text.offset(line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
  }

  /// Records the ranges of the scalars in `node`.
  private mutating func mark(_ node: Yams.Node, parentColumn: Int) throws(Diagnostics) {
    let start = offset(node)
    if let sign = text[start], ["&", "!", "*"].contains(sign), !isEmptyScalar(node) {
      throw Diagnostics(
        "a YAML anchor or tag cannot be kept", hint: "write the value out, without '\(sign)'",
        at: SourceMark(file: file, line: text.line(of: start), column: text.column(of: start)),
        line: text.text(text.offset(line: text.line(of: start), column: 1)..<text.end(ofLine: text.line(of: start))))
    }
    switch node {
    case .scalar: opaque.append(range(of: node, parentColumn: parentColumn))
    case .mapping(let mapping):
      for (key, value) in mapping {
        try mark(key, parentColumn: parentColumn)
        try mark(value, parentColumn: text.column(of: offset(key)))
      }
    case .sequence(let sequence):
      let column = isFlow(node, in: false) ? parentColumn : text.column(of: start)
      for item in sequence { try mark(item, parentColumn: column) }
    case .alias: throw Diagnostics("a YAML alias cannot be kept", hint: "write the value out")
    }
  }

  private func isEmptyScalar(_ node: Yams.Node) -> Bool {
    guard case .scalar(let scalar) = node else { return false }
    return scalar.string.isEmpty && scalar.style == .plain
  }

  private func style(_ scalar: Yams.Node.Scalar) -> SourceTree.Style {
    switch scalar.style {
    case .any, .plain: .plain
    case .singleQuoted, .doubleQuoted: .quoted
    case .literal, .folded: .block
    }
  }

  private func range(of node: Yams.Node, parentColumn: Int) -> Range<Int> {
    let start = offset(node)
    guard case .scalar(let scalar) = node else { return start..<start }
    let end = text.end(of: scalar.string, from: start, style: style(scalar), parentColumn: parentColumn)
    return start..<max(start, end)
  }

  // MARK: Comments and blank lines

  private mutating func findTrivia() {
    let ranges = opaque.sorted { $0.lowerBound < $1.lowerBound }
    var range = ranges[...]
    for line in 1...max(1, text.lineCount) {
      let (start, end) = (text.offset(line: line, column: 1), text.end(ofLine: line))
      while let first = range.first, first.upperBound <= start { range = range.dropFirst() }
      // A line within a scalar belongs to the scalar.
      let isInside = range.first.map { $0.lowerBound < start && $0.upperBound >= end } ?? false
      if (start..<end).allSatisfy({ SourceText.isBlank(text.scalars[$0]) }) {
        if !isInside, line < text.lineCount {
          trivia.append(Trivia(offset: start, column: 1, line: .blank, isAlone: true))
        }
        continue
      }
      guard let sign = commentSign(in: start..<end, outside: range) else { continue }
      trivia.append(
        Trivia(
          offset: sign, column: text.column(of: sign), line: .comment(text.text(sign..<end)),
          isAlone: text.isFirst(sign)))
    }
  }

  private func commentSign(in line: Range<Int>, outside ranges: ArraySlice<Range<Int>>) -> Int? {
    line.first { offset in
      guard text.scalars[offset] == "#" else { return false }
      guard offset == line.lowerBound || SourceText.isBlank(text.scalars[offset - 1]) else { return false }
      return !ranges.prefix { $0.lowerBound <= offset }.contains { $0.contains(offset) }
    }
  }

  /// Returns the comments and blank lines before this offset that are not yet assigned to an item.
  private mutating func taken(before offset: Int) -> [SourceTree.Line] {
    var lines: [SourceTree.Line] = []
    while next < trivia.count, trivia[next].offset < offset {
      lines.append(trivia[next].line)
      next += 1
    }
    return lines
  }

  /// Returns the comment after this offset if only white space, a comma or a colon is between them.
  private mutating func takenComment(behind end: Int) -> String? {
    guard next < trivia.count, !trivia[next].isAlone, trivia[next].offset >= end,
      case .comment(let comment) = trivia[next].line,
      text.scalars[end..<trivia[next].offset].allSatisfy({ SourceText.isBlank($0) || $0 == "," || $0 == ":" })
    else { return nil }
    next += 1
    return comment
  }

  /// Returns the comments below the last entry of a block that have the same indentation.
  private mutating func takenClosing(column: Int, parentColumn: Int) -> [SourceTree.Line] {
    var lines: [SourceTree.Line] = []
    var ahead = next
    var line = text.line(of: max(0, lastEnd - 1))
    while ahead < trivia.count, trivia[ahead].isAlone, text.line(of: trivia[ahead].offset) == line + 1 {
      (ahead, line) = (ahead + 1, line + 1)
      let last = trivia[ahead - 1]
      guard last.line.isComment else { continue }
      guard last.column >= column, last.column > parentColumn else { break }
      lines += trivia[next..<ahead].map(\.line)
      next = ahead
    }
    return lines
  }

  // MARK: The tree

  private mutating func root(_ node: Yams.Node) -> SourceTree.Item {
    var item = item(node, start: offset(node), parentColumn: 0, in: false)
    // Lines before the first entry belong to the entry, so that they stay above it.
    if case .map(var entries, let isFlow) = item.content, !entries.isEmpty {
      entries[0].leading = item.leading + entries[0].leading
      item.content = .map(entries, isFlow: isFlow)
      item.leading = []
    }
    item.closing += taken(before: .max)
    return item
  }

  /// Returns whether a map or a list is in brackets. A pair within brackets needs no brackets.
  private func isFlow(_ node: Yams.Node, in isWithin: Bool) -> Bool {
    isWithin || text[offset(node)].map { $0 == "{" || $0 == "[" } ?? false
  }

  /// Returns the value at `start`, after its key or dash.
  private mutating func item(
    _ node: Yams.Node, start: Int, parentColumn: Int, in isWithin: Bool
  ) -> SourceTree.Item {
    let leading = taken(before: start)
    switch node {
    case .scalar(let scalar):
      let range = range(of: node, parentColumn: parentColumn)
      var item = SourceTree.Item(leading: leading, content: content(scalar, range))
      let isBlock = style(scalar) == .block
      if !isBlock { item.comment = takenComment(behind: range.upperBound) }
      return item
    case .mapping(let mapping):
      let isFlow = isFlow(node, in: isWithin)
      var item = SourceTree.Item(leading: leading, content: .map([], isFlow: isFlow))
      var entries: [SourceTree.Item] = []
      for (key, value) in mapping { entries.append(entry(key, value, parentColumn: parentColumn, in: isFlow)) }
      item.content = .map(entries, isFlow: isFlow)
      finish(&item, mapping.isEmpty ? start : nil, isFlow, column: text.column(of: offset(node)), parentColumn)
      return item
    case .sequence(let sequence):
      let isFlow = isFlow(node, in: isWithin)
      let column = isFlow ? parentColumn : text.column(of: offset(node))
      var item = SourceTree.Item(leading: leading, content: .list([], isFlow: isFlow))
      var items: [SourceTree.Item] = []
      for value in sequence { items.append(listItem(value, parentColumn: column, in: isFlow)) }
      item.content = .list(items, isFlow: isFlow)
      finish(&item, sequence.isEmpty ? start : nil, isFlow, column: column, parentColumn)
      return item
    case .alias: return SourceTree.Item(leading: leading, content: .scalar([], style: .plain))
    }
  }

  /// Assigns the comments below the last entry of a block, or after the closing bracket.
  private mutating func finish(
    _ item: inout SourceTree.Item, _ empty: Int?, _ isFlow: Bool, column: Int, _ parentColumn: Int
  ) {
    guard isFlow else {
      item.closing = takenClosing(column: column, parentColumn: parentColumn)
      return
    }
    // The last entry is followed by commas, brackets and comments.
    item.closing = []
    var offset = max(lastEnd, empty.map { $0 + 1 } ?? 0)
    while let scalar = text[offset], scalar != "]", scalar != "}" {
      if next < trivia.count, trivia[next].offset == offset {
        item.closing += [trivia[next].line].filter(\.isComment)
        next += 1
        offset = text.end(ofLine: text.line(of: offset))
      } else {
        offset += 1
      }
    }
    lastEnd = offset + 1
    item.comment = takenComment(behind: min(lastEnd, text.scalars.count))
  }

  /// The end of the last scalar or bracket that was read.
  private var lastEnd = 0

  private mutating func content(_ scalar: Yams.Node.Scalar, _ range: Range<Int>) -> SourceTree.Content {
    lastEnd = max(lastEnd, range.upperBound)
    let style = style(scalar)
    if style == .plain, scalar.string.isEmpty { return .scalar([], style: .plain) }
    let lines = text.text(range).split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
    guard style == .block else {
      return .scalar(lines.map { $0.trimmingBlanks }, style: style)
    }
    let indentation = lines.dropFirst().filter { !$0.trimmingBlanks.isEmpty }.map { $0.prefix { $0 == " " }.count }
      .min()
    let body = lines.dropFirst().map { String($0.dropFirst(indentation ?? 0)) }
    return .scalar(
      lines.prefix(1).map(\.trimmingBlanks) + body.map { $0.trimmingBlanks.isEmpty ? "" : $0 }, style: .block)
  }

  /// Returns the lines from `start` to the end of the text that was read. `start` is the offset of a key or a dash.
  private func place(from start: Int) -> SourceTree.Place {
    let line = text.line(of: start)
    let comment = next > 0 ? text.line(of: trivia[next - 1].offset) : line
    return .init(
      lines: line...max(line, text.line(of: max(start, lastEnd - 1)), comment), indent: text.column(of: start) - 1)
  }

  /// Returns an item of a list, whose dash is on its first line.
  private mutating func listItem(_ node: Yams.Node, parentColumn: Int, in isFlow: Bool) -> SourceTree.Item {
    let start = offset(node)
    var item = item(node, start: start, parentColumn: parentColumn, in: isFlow)
    let line = text.text(text.offset(line: text.line(of: start), column: 1)..<start)
    if !isFlow, line.trimmingBlanks == "-" { item.place = place(from: start - text.column(of: start) + line.count) }
    return item
  }

  private mutating func entry(
    _ key: Yams.Node, _ value: Yams.Node, parentColumn: Int, in isWithin: Bool
  ) -> SourceTree.Item {
    let start = offset(key)
    let leading = taken(before: start)
    let range = range(of: key, parentColumn: parentColumn)
    lastEnd = max(lastEnd, range.upperBound)
    let (column, line) = (text.column(of: start), text.line(of: start))
    // If the value begins on a later line, the comment on the key's line belongs to the key.
    let isBelow = text.line(of: offset(value)) > line
    let comment = isBelow ? takenComment(behind: range.upperBound) : nil
    var item = item(value, start: isEmptyScalar(value) ? 0 : offset(value), parentColumn: column, in: isWithin)
    item.hand(item.leading)
    item.leading = leading + item.leading
    if let comment, item.comment != nil { item.leading.append(.comment(comment)) }
    item.comment = item.comment ?? comment
    item.key = text.text(range)
    item.name = key.string ?? ""
    item.isPadded = !isBelow && !isEmptyScalar(value) && offset(value) - range.upperBound > 2
    if !isWithin, text.isFirst(start) { item.place = place(from: start) }
    return item
  }
}

extension SourceTree.Item {
  /// Moves comments between a key and its value to the first entry of the value, if the value has entries.
  fileprivate mutating func hand(_ lines: [SourceTree.Line]) {
    guard var first = children.first else { return }
    first.leading = lines + first.leading
    leading = []
    switch content {
    case .scalar: break
    case .list(let items, let isFlow): content = .list([first] + items.dropFirst(), isFlow: isFlow)
    case .map(let entries, let isFlow): content = .map([first] + entries.dropFirst(), isFlow: isFlow)
    }
  }
}

extension String {
  /// The text without leading and trailing white space.
  fileprivate var trimmingBlanks: String {
    var text = Substring(self)
    text = text.drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }
}
