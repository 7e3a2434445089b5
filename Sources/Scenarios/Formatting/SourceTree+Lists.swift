extension SourceTree.Item {
  /// Returns this list with the items of `node`, one on each line; nil if either is not such a list.
  ///
  /// An item that is kept keeps its comments and quotes, even at a new place. Comments on a removed item move above its
  /// replacement, or to the end.
  func listing(_ node: Node) -> SourceTree.Item? {
    guard case .list(let old, isFlow: false) = content, let nodes = node.items, !nodes.isEmpty else { return nil }
    var items = nodes.map { SourceTree.Item($0) }
    // The new place of each old item.
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

  /// The item's text without comments, and without the quotes of a scalar.
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
