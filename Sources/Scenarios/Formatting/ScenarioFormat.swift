/// The canonical form of scenario files, which `trustlab format` writes.
public enum ScenarioFormat {
  /// The canonical form of the file `path` with these bytes; keeps every comment and the meaning.
  ///
  /// Removes a byte order mark, which is unnecessary in UTF-8.
  ///
  /// - Throws: `Diagnostics` if it is invalid, or has parts that cannot be kept: an anchor, a tag.
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

  /// The tree of a file with its comments; places count from the end of a byte order mark.
  static func tree(of bytes: [UInt8], path: String) throws(Diagnostics) -> SourceTree {
    try SourceTreeReader.tree(of: String(decoding: ByteOrderMark.split(bytes).text, as: UTF8.self), file: path)
  }
}

extension Node {
  /// Whether both have the same meaning: null equals no value, and the keys of a map may have any order.
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
