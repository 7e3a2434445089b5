import Explanation

/// Writes a tree with its comments in the canonical form of `trustlab format`.
///
/// The keys of a map are in the order of the vocabulary; names that the author chose, and rows, keep their order.
///
/// Inline values stay inline if they fit on one line, and values on their own lines stay there. Quotes are kept,
/// because `"true"` is not `true`. Single quotes become double quotes if the value stays the same.
struct CanonicalText {
  /// The maximum length of a line with an inline list or map.
  static let width = 120

  /// Returns `tree` as text that ends with a line break.
  static func text(of tree: SourceTree, isOrdered: Bool = true) -> String {
    var root = tree.root
    if isOrdered { root.order(by: "scenario") }
    let writer = CanonicalText()
    var lines = writer.block(root, indent: 0)
    if lines.isEmpty { lines = ["{}"] }
    return lines.map { $0 + "\n" }.joined()
  }

  /// Returns the lines of one entry or item, without the comments and blank lines before it.
  static func lines(of item: SourceTree.Item, indent: Int) -> [String] {
    var item = item
    item.leading = []
    return CanonicalText().entry(item, indent: indent, column: 0)
  }

  /// Returns the lines of a map or a list in block style.
  private func block(_ item: SourceTree.Item, indent: Int) -> [String] {
    let children = item.children
    let column = alignment(of: children, indent: indent)
    var lines: [String] = []
    for (index, child) in children.enumerated() {
      var child = child
      if index == 0 { child.leading = Array(child.leading.drop { $0 == .blank }) }
      lines += entry(child, indent: indent, column: column)
    }
    return lines + self.lines(of: item.closing.trimmingBlankEnd, indent)
  }

  /// Returns the comments one below the other, without consecutive blank lines.
  private func lines(of lines: [SourceTree.Line], _ indent: Int) -> [String] {
    lines.enumerated().compactMap { index, line in
      switch line {
      case .comment(let text): String(repeating: " ", count: indent) + text
      case .blank: index > 0 && lines[index - 1] == .blank ? nil : ""
      }
    }
  }

  /// Returns the column of a table's values if the author aligned most of them; otherwise 0. Extra space after a single
  /// key is a mistake.
  private func alignment(of children: [SourceTree.Item], indent: Int) -> Int {
    let rows = children.compactMap { row in row.key.map { (length: Self.key($0).count, item: row) } }
      .filter { stays($0.item, behind: indent + $0.length + 1, indent: indent) }
    guard let longest = rows.map(\.length).max() else { return 0 }
    let shorter = rows.filter { $0.length < longest && stays($0.item, behind: indent + longest + 1, indent: indent) }
    let padded = shorter.count { $0.item.isPadded }
    return padded > 0 && 2 * padded >= shorter.count ? longest + 2 : 0
  }

  /// Returns whether the value of `item` begins on the line of its key, which takes this many columns.
  private func stays(_ item: SourceTree.Item, behind column: Int, indent: Int) -> Bool {
    guard let text = inline(item) else { return false }
    if item.children.isEmpty || column + 1 + text.count <= Self.width { return true }
    return filled(item, String(repeating: " ", count: column), indent) != nil
  }

  private func entry(_ item: SourceTree.Item, indent: Int, column: Int) -> [String] {
    let pad = String(repeating: " ", count: indent)
    var before = item.leading
    var item = item
    // A comment can be above a dash, but not after it.
    if item.key == nil, inline(item) == nil, var first = item.children.first, !first.leading.isEmpty {
      before += first.leading.filter(\.isComment)
      first.leading = []
      item.replaceFirst(with: first)
    }
    var head = pad + (item.key.map { Self.key($0) + ":" } ?? "-")
    if column > 0, head.count < indent + column - 1, stays(item, behind: indent + column - 1, indent: indent) {
      head += String(repeating: " ", count: indent + column - 1 - head.count)
    }
    return lines(of: before, indent) + value(item, after: head, indent: indent)
  }

  /// Returns the value, on the line of `head` and on the lines below it.
  private func value(_ item: SourceTree.Item, after head: String, indent: Int) -> [String] {
    let comment = item.comment.map { "  \($0)" } ?? ""
    if case .scalar(let lines, let style) = item.content { return scalar(lines, style, head, indent, comment) }
    if let inline = inline(item) {
      if item.children.isEmpty || head.count + 1 + inline.count <= Self.width { return ["\(head) \(inline)\(comment)"] }
      if let filled = filled(item, head, indent) { return filled.dropLast() + [(filled.last ?? "") + comment] }
    }
    guard item.key != nil else { return dashed(item, head, indent, comment) }
    return [head + comment] + block(item, indent: indent + 2)
  }

  private func scalar(
    _ lines: [String], _ style: SourceTree.Style, _ head: String, _ indent: Int, _ comment: String
  ) -> [String] {
    guard let first = lines.first else { return [head + comment] }
    let pad = String(repeating: " ", count: indent + 2)
    var text = ["\(head) \(lines.count == 1 && style == .quoted ? Self.quoted(first) : first)"]
    text += lines.dropFirst().map { $0.isEmpty ? "" : pad + $0 }
    // A comment after a block scalar would become part of its text.
    if style == .block { return text }
    text[text.count - 1] += comment
    return text
  }

  /// Returns a map or a list after a dash. Its first line is on the line of the dash.
  private func dashed(_ item: SourceTree.Item, _ head: String, _ indent: Int, _ comment: String) -> [String] {
    var lines = block(item, indent: indent + 2)
    guard let first = lines.first else { return [head + comment] }
    lines[0] = head + " " + first.dropFirst(indent + 2)
    let pad = String(repeating: " ", count: indent)
    return (comment.isEmpty ? [] : [pad + comment.dropFirst(2)]) + lines
  }

  /// Returns a list that is too long for one line, on as few lines as possible.
  private func filled(_ item: SourceTree.Item, _ head: String, _ indent: Int) -> [String]? {
    guard case .list(let items, _) = item.content else { return nil }
    var words: [String] = []
    for item in items {
      guard case .scalar = item.content, let word = inline(item) else { return nil }
      words.append(word)
    }
    let pad = String(repeating: " ", count: indent + 2)
    var lines = ["\(head) ["]
    for (index, word) in words.enumerated() {
      let word = word + (index == words.count - 1 ? "]" : ",")
      let last = lines[lines.count - 1]
      let space = index == 0 ? "" : " "
      if last.count + space.count + word.count <= Self.width {
        lines[lines.count - 1] = last + space + word
      } else {
        lines.append(pad + word)
      }
    }
    return lines
  }

  /// Returns the value on one line, as within brackets; nil if the value needs its own lines.
  private func inline(_ item: SourceTree.Item) -> String? {
    guard !item.needsLines else { return nil }
    switch item.content {
    case .scalar(let lines, let style):
      guard let line = lines.first else { return "null" }
      return style == .quoted ? Self.quoted(line) : line
    case .list(let items, let isFlow):
      guard isFlow || items.isEmpty else { return nil }
      return "[\(items.compactMap(inline).joined(separator: ", "))]"
    case .map(let entries, let isFlow):
      guard isFlow || entries.isEmpty else { return nil }
      let texts = entries.compactMap { entry in
        inline(entry).map { "\(Self.key(entry.key ?? "")): \($0)" }
      }
      return texts.isEmpty ? "{}" : "{ \(texts.joined(separator: ", ")) }"
    }
  }

  private static func key(_ text: String) -> String { quoted(text) }

  /// Returns the text with double quotes in place of single quotes, if it needs no escapes.
  private static func quoted(_ text: String) -> String {
    guard text.count >= 2, text.first == "'", text.last == "'" else { return text }
    let inner = text.dropFirst().dropLast()
    return inner.contains { "'\"\\".contains($0) } ? text : "\"\(inner)\""
  }
}

extension SourceTree.Item {
  fileprivate mutating func replaceFirst(with item: SourceTree.Item) {
    switch content {
    case .scalar: break
    case .list(let items, let isFlow): content = .list([item] + items.dropFirst(), isFlow: isFlow)
    case .map(let entries, let isFlow): content = .map([item] + entries.dropFirst(), isFlow: isFlow)
    }
  }

  /// Sorts the keys of every map with a vocabulary section in the order of that section.
  mutating func order(by section: String) {
    guard let words = Vocabulary.sections.first(where: { $0.name == section })?.words,
      case .map(var entries, let isFlow) = content
    else { return }
    for index in entries.indices {
      guard let word = words.first(where: { $0.name == entries[index].name }) else { continue }
      entries[index].order(as: word.shape)
    }
    let places = Dictionary(words.enumerated().map { ($1.name, $0) }) { first, _ in first }
    let sorted = entries.enumerated().sorted { left, right in
      (places[left.element.name] ?? .max, left.offset) < (places[right.element.name] ?? .max, right.offset)
    }.map(\.element)
    content = .map(Self.keepingTop(sorted, of: entries), isFlow: isFlow)
  }

  /// Inserts an entry after its nearest predecessor in the section's order. Other entries do not move.
  mutating func insert(_ item: Self, by section: String) {
    guard case .map(var entries, let isFlow) = content else { return }
    var item = item
    let words = Vocabulary.sections.first { $0.name == section }?.words.map(\.name) ?? []
    let nearest = words.prefix { $0 != item.name }.reversed().compactMap { word in
      entries.firstIndex { $0.name == word }
    }.first
    // Comments above the first entry, up to a blank line, are about the whole map.
    if nearest == nil, let first = entries.first, let blank = first.leading.lastIndex(of: .blank) {
      item.leading = Array(first.leading[...blank])
      entries[0].leading = Array(first.leading[(blank + 1)...])
    }
    entries.insert(item, at: nearest.map { $0 + 1 } ?? 0)
    content = .map(entries, isFlow: isFlow)
  }

  /// Keeps the comments above the first entry at the top, because they are about the whole map.
  private static func keepingTop(_ sorted: [Self], of entries: [Self]) -> [Self] {
    guard var first = entries.first, sorted.first?.name != first.name, first.leading.contains(where: \.isComment) else {
      return sorted
    }
    var sorted = sorted
    let top = first.leading
    first.leading = []
    if let place = sorted.firstIndex(where: { $0.name == first.name }) { sorted[place] = first }
    sorted[0].leading = top + sorted[0].leading.filter(\.isComment)
    return sorted
  }

  private mutating func order(as shape: Word.Shape) {
    switch (shape, content) {
    case (.section(let name), .map): order(by: name)
    case (.kind(_, let inner), _): order(as: inner)
    case (.list(let inner), .list(var items, let isFlow)):
      for index in items.indices { items[index].order(as: inner) }
      content = .list(items, isFlow: isFlow)
    case (.named(let inner), .map(var entries, let isFlow)):
      for index in entries.indices { entries[index].order(as: inner) }
      content = .map(entries, isFlow: isFlow)
    case (.either(let shapes), _):
      if let shape = shapes.first(where: fits) { order(as: shape) }
    default: break
    }
  }

  /// Returns whether a shape has all keys of the map. A list or an arbitrary map always fits.
  private func fits(_ shape: Word.Shape) -> Bool {
    switch (shape, content) {
    case (.section(let name), .map(let entries, _)):
      let words = Vocabulary.sections.first { $0.name == name }?.words.map(\.name) ?? []
      return entries.allSatisfy { words.contains($0.name) }
    case (.list, .list), (.named, .map): return true
    case (.kind(_, let inner), _): return fits(inner)
    default: return false
    }
  }
}

extension [SourceTree.Line] {
  /// The lines without the blank lines at their end.
  fileprivate var trimmingBlankEnd: [SourceTree.Line] {
    var lines = self
    while lines.last == .blank { lines.removeLast() }
    return lines
  }
}
