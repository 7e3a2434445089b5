/// Rewrites some entries of a file and keeps every other line.
enum SourceChange {
  /// Returns `tree` as text: the entries at `paths` in the canonical form, and the other lines of `old`.
  ///
  /// - Parameters:
  ///   - tree: the changed tree.
  ///   - paths: the paths of the changes; on each path, at least one node has its own lines.
  ///   - before: the tree of `old`.
  ///   - old: the original file, without its byte order mark.
  /// - Returns: The text; nil if the lines cannot be replaced, or if the text would not have the meaning of `tree`.
  static func text(of tree: SourceTree, at paths: [[SourceTree.Step]], over before: SourceTree, _ old: String)
    -> String?
  {
    // The new lines by the range of lines that they replace, from 0. An empty range inserts lines.
    var changes: [Range<Int>: [String]] = [:]
    var end: [String] = []
    for path in paths {
      if let (item, next) = added(at: path, in: tree, before) {
        let new = CanonicalText.lines(of: item, indent: 0)
        if let next { changes[next - 1..<next - 1] = new } else { end = new }
        continue
      }
      guard let (item, place) = smallest(at: path, in: tree, before) else { return nil }
      changes[place.lines.lowerBound - 1..<place.lines.upperBound] = CanonicalText.lines(of: item, indent: place.indent)
    }
    guard let lines = changed(SourceText(old), with: changes, end) else { return nil }
    let new = lines.map { $0.text + $0.end }.joined()
    let whole = CanonicalText.text(of: tree, isOrdered: false)
    guard let read = try? YAMLDocument(Array(new.utf8), file: ""),
      let meant = try? YAMLDocument(Array(whole.utf8), file: ""),
      read.root.says(meant.root), let comments = try? SourceTreeReader.tree(of: new, file: "").root.comments,
      comments.sorted() == tree.root.comments.sorted()
    else { return nil }
    return new
  }

  /// Returns all of `tree` in the canonical form, with the line breaks of `old`.
  static func whole(of tree: SourceTree, over old: String) -> String {
    let lines = CanonicalText.text(of: tree, isOrdered: false).split(separator: "\n", omittingEmptySubsequences: false)
    return lines.joined(separator: SourceText(old).lineBreak)
  }

  /// Returns the lines of a file with the changes applied and `end` appended. New lines use the line break of the first
  /// line.
  private static func changed(
    _ text: SourceText, with changes: [Range<Int>: [String]], _ end: [String]
  ) -> [SourceText.Line]? {
    var lines = text.lines
    let lineBreak = text.lineBreak
    let ranges = changes.keys.sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
    guard zip(ranges, ranges.dropFirst()).allSatisfy({ $0.upperBound <= $1.lowerBound }) else { return nil }
    for range in ranges.reversed() {
      guard range.lowerBound >= 0, range.upperBound <= lines.count else { return nil }
      var new = (changes[range] ?? []).map { SourceText.Line(text: $0, end: lineBreak) }
      // The last line of the file may end without a line break.
      if let old = lines[range].last, let last = new.indices.last { new[last].end = old.end }
      lines.replaceSubrange(range, with: new)
    }
    guard !end.isEmpty, let last = lines.indices.last else { return lines }
    if lines[last].text.isEmpty { lines.removeLast() } else { lines[last].end = lineBreak }
    return lines + end.map { SourceText.Line(text: $0, end: lineBreak) }
  }

  /// Returns a new entry of the root and the number of the line after it, from 1. The number is nil at the end.
  private static func added(
    at path: [SourceTree.Step], in tree: SourceTree, _ before: SourceTree
  ) -> (SourceTree.Item, next: Int?)? {
    guard case .key(let name)? = path.first, path.count == 1, before.root[name] == nil, let item = tree.root[name]
    else {
      return nil
    }
    let following = tree.root.children.drop { $0.name != name }.dropFirst()
    let next = following.compactMap { entry -> Int? in
      guard let place = before.root[entry.name]?.place else { return nil }
      return max(1, place.lines.lowerBound - entry.leading.count)
    }.first
    return (item, next)
  }

  /// Returns the item at `path`, or its nearest ancestor, that has its own lines in the file.
  private static func smallest(
    at path: [SourceTree.Step], in tree: SourceTree, _ before: SourceTree
  ) -> (SourceTree.Item, SourceTree.Place)? {
    for length in stride(from: path.count, to: 0, by: -1) {
      let steps = Array(path.prefix(length))
      if let place = before.root[steps]?.place, let item = tree.root[steps] { return (item, place) }
    }
    return nil
  }
}
