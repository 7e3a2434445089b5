/// The canonical form of scenario files, as `trustlab format` writes it.
public enum ScenarioFormat {
  /// Returns the canonical form of the file at `path` with these bytes. Keeps the meaning and every comment.
  ///
  /// Removes a byte order mark, which UTF-8 does not need.
  ///
  /// - Throws: `Diagnostics` if the file is invalid or has parts that cannot be kept, such as an anchor or a tag.
  public static func text(of bytes: [UInt8], path: String) throws(Diagnostics) -> String {
    let document = try YAMLDocument(bytes, file: path)
    let tree = try tree(of: bytes, path: path)
    guard document.root.entries != nil else {
      throw Diagnostics("a scenario must be a map, not \(document.root.kind)", at: document.root.mark)
    }
    let text = CanonicalText.text(of: tree)
    let written = Array(text.utf8)
    guard let again = try? YAMLDocument(written, file: path), again.root.says(document.root),
      let comments = try? self.tree(of: written, path: path).root.comments,
      comments.sorted() == tree.root.comments.sorted()
    else {
      throw Diagnostics(
        "the file cannot be formatted without changing its meaning",
        hint: "write texts and keys in a simpler form, without '? key' and without indented text on several lines",
        at: SourceMark(file: path, line: 1, column: 1))
    }
    return text
  }

  /// Returns the tree of a file with its comments. Places are relative to the end of a byte order mark.
  static func tree(of bytes: [UInt8], path: String) throws(Diagnostics) -> SourceTree {
    try SourceTreeReader.tree(of: String(decoding: ByteOrderMark.split(bytes).text, as: UTF8.self), file: path)
  }
}

extension Node {
  /// Returns whether both nodes have the same meaning. Null equals no value, and the order of keys does not matter.
  func says(_ other: Node) -> Bool {
    switch (self, other) {
    case (.scalar(let text, let quoted, _), .scalar(let otherText, let otherQuoted, _)):
      (isNull && other.isNull) || (text == otherText && quoted == otherQuoted)
    case (.list(let items, _), .list(let others, _)):
      items.count == others.count && zip(items, others).allSatisfy { $0.says($1) }
    case (.map(let entries, _), .map(let others, _)):
      entries.count == others.count
        && entries.allSatisfy { entry in other[entry.key].map { entry.value.says($0) } ?? false }
    default: false
    }
  }
}
