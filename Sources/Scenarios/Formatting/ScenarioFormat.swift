/// The canonical form of scenario files: what `trustlab format` writes.
public enum ScenarioFormat {
  /// The canonical form of the file `path`, whose bytes are given; every comment is kept, and it reads as it did. A byte
  /// order mark, which says nothing in UTF-8, is left out.
  ///
  /// - Throws: `Diagnostics` when it is not the YAML that is read, or has what cannot be kept: an anchor, a tag.
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
        "the file cannot be formatted without changing what it says",
        hint:
          "write its texts and keys in a plainer way: no '? key', no text of several lines with an indentation of its own",
        at: SourceMark(file: path, line: 1, column: 1))
    }
    return text
  }

  /// The tree of a file with its comments; places are counted behind a byte order mark.
  static func tree(of bytes: [UInt8], path: String) throws(Diagnostics) -> SourceTree {
    try SourceTreeReader.tree(of: String(decoding: ByteOrderMark.split(bytes).text, as: UTF8.self), file: path)
  }
}

extension Node {
  /// Whether both say the same: nothing is null, and the keys of a map may stand in any order.
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
