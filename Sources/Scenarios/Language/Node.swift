/// A scenario file as it was written: the tree that is laid over the baseline and that the reader checks.
public indirect enum Node: Sendable, Hashable {
  /// A plain or quoted word; `quoted` tells `"true"` from `true`.
  case scalar(String, quoted: Bool, SourceMark)
  /// A list.
  case list([Node], SourceMark)
  /// Keys and values in the order of the file, no key twice.
  case map([Entry], SourceMark)

  /// A key and its value.
  public struct Entry: Sendable, Hashable {
    /// The key as it was written.
    public let key: String
    /// Where the key stands.
    public let mark: SourceMark
    /// What it is given.
    public var value: Node

    /// A key and its value.
    public init(key: String, mark: SourceMark, value: Node) {
      self.key = key
      self.mark = mark
      self.value = value
    }
  }

  /// Where the node begins.
  public var mark: SourceMark {
    switch self {
    case .scalar(_, _, let mark), .list(_, let mark), .map(_, let mark): mark
    }
  }

  /// Whether this is an unquoted `null`, `~` or nothing at all.
  public var isNull: Bool {
    guard case .scalar(let text, false, _) = self else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }

  /// The entries of a map, nil for anything else.
  public var entries: [Entry]? {
    guard case .map(let entries, _) = self else { return nil }
    return entries
  }

  /// The items of a list, nil for anything else.
  public var items: [Node]? {
    guard case .list(let items, _) = self else { return nil }
    return items
  }

  /// The value under `key` when this is a map that has it.
  public subscript(key: String) -> Node? {
    entries?.first { $0.key == key }?.value
  }

  /// What a reader calls this kind of node.
  public var kind: String {
    switch self {
    case .scalar(_, let quoted, _): isNull ? "nothing" : quoted ? "a text" : "a word"
    case .list: "a list"
    case .map: "a map"
    }
  }
}
