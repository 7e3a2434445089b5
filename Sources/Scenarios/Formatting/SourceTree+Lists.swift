extension SourceTree.Item {
  /// This list with what `node` has in it, an item on each line as before; nil where one of the two is no such list.
  ///
  /// An item that stays keeps its comments and its quotes, wherever it stands by now. What was said of one that is gone
  /// stands above the one that has taken its place, or below all.
  func listing(_ node: Node) -> SourceTree.Item? {
    guard case .list(let old, isFlow: false) = content, let nodes = node.items, !nodes.isEmpty else { return nil }
    var items = nodes.map { SourceTree.Item($0) }
    // Where each of the old ones stands by now.
    var places: [Int?] = old.map { _ in nil }
    for index in items.indices {
      let text = items[index].bareText
      guard let same = old.indices.first(where: { places[$0] == nil && old[$0].bareText == text }) else { continue }
      places[same] = index
      items[index] = old[same]
    }
    var said: [Int: [SourceTree.Line]] = [:]
    var next = 0
    for (item, place) in zip(old, places) {
      if let place { next = place + 1 } else { said[next, default: []] += item.comments.map(SourceTree.Line.comment) }
    }
    for index in items.indices { items[index].leading = (said[index] ?? []) + items[index].leading }
    var list = self
    list.closing = (said[items.count] ?? []) + closing
    list.content = .list(items, isFlow: false)
    return list
  }

  /// What it says, without its comments and, of a scalar, without its quotes.
  private var bareText: String {
    if case .scalar(let lines, let style) = content, style != .block, lines.count == 1, let line = lines.first {
      let isQuoted = line.count >= 2 && (line.first == "\"" || line.first == "'")
      return isQuoted ? String(line.dropFirst().dropLast()) : line
    }
    var bare = self
    bare.removeComments()
    return CanonicalText.lines(of: bare, indent: 0).joined(separator: "\n")
  }
}
