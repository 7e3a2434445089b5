/// A file some of whose entries were written anew, while every other line stays as it is.
enum SourceChange {
  /// The text of `tree` with the entries at `paths` in the canonical form, and all else as in `old`.
  ///
  /// - Parameters:
  ///   - tree: the tree with what was written.
  ///   - paths: what was written: a part of each has lines of its own.
  ///   - before: the tree of `old`.
  ///   - old: the file as it was.
  /// - Returns: Nil where that cannot be done, or would not say what the tree says.
  static func text(of tree: SourceTree, at paths: [[SourceTree.Step]], over before: SourceTree, _ old: String)
    -> String?
  {
    let text = SourceText(old)
    guard old.unicodeScalars.first != "\u{feff}", !old.contains("\r") else { return nil }
    var lines = old.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.count == text.lineCount else { return nil }
    var changes: [ClosedRange<Int>: [String]] = [:]
    var end: [String] = []
    for path in paths {
      if let (item, next) = added(at: path, in: tree, before) {
        let new = CanonicalText.lines(of: item, indent: 0)
        if let next { changes[next...next] = new + [lines[next - 1]] } else { end = new }
        continue
      }
      guard let (item, place) = smallest(at: path, in: tree, before) else { return nil }
      changes[place.lines] = CanonicalText.lines(of: item, indent: place.indent)
    }
    let ranges = changes.keys.sorted { $0.lowerBound < $1.lowerBound }
    guard zip(ranges, ranges.dropFirst()).allSatisfy({ $0.upperBound < $1.lowerBound }) else { return nil }
    for range in ranges.reversed() {
      guard range.upperBound <= lines.count else { return nil }
      lines.replaceSubrange(range.lowerBound - 1...range.upperBound - 1, with: changes[range] ?? [])
    }
    if !end.isEmpty, lines.last?.isEmpty == true { lines.removeLast() }
    let new = (lines + (end.isEmpty ? [] : end + [""])).joined(separator: "\n")
    let whole = CanonicalText.text(of: tree, isOrdered: false)
    guard let read = try? YAMLDocument(Array(new.utf8), file: ""),
      let meant = try? YAMLDocument(Array(whole.utf8), file: ""),
      read.root.says(meant.root), let comments = try? SourceTreeReader.tree(of: new, file: "").root.comments,
      comments.sorted() == tree.root.comments.sorted()
    else { return nil }
    return new
  }

  /// An entry of the root that the file has not had, and the line before which it belongs, from 1; nil at the end.
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

  /// The item at `path`, or the one around it, that has lines of its own in the file.
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
