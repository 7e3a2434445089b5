/// A node of a scenario file as written. The tree is merged into the baseline and checked by the reader.
public indirect enum Node: Sendable, Hashable {
  /// A plain or quoted scalar. `quoted` distinguishes `"true"` from `true`.
  case scalar(String, quoted: Bool, SourceMark)
  /// A list of nodes.
  case list([Node], SourceMark)
  /// Keys and values in the order of the file. No key occurs twice.
  case map([Entry], SourceMark)

  /// A key and its value.
  public struct Entry: Sendable, Hashable {
    /// The key as the author wrote it.
    public let key: String
    /// The place of the key.
    public let mark: SourceMark
    /// The value of the key.
    public var value: Node

    /// Creates an entry from a key and its value.
    public init(key: String, mark: SourceMark, value: Node) {
      self.key = key
      self.mark = mark
      self.value = value
    }
  }

  /// The beginning of the node.
  public var mark: SourceMark {
    switch self {
    case .scalar(_, _, let mark), .list(_, let mark), .map(_, let mark): mark
    }
  }

  /// Whether the node is an unquoted `null`, `~` or an empty value.
  public var isNull: Bool {
    guard case .scalar(let text, false, _) = self else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }

  /// The entries of a map; nil for any other node.
  public var entries: [Entry]? {
    guard case .map(let entries, _) = self else { return nil }
    return entries
  }

  /// The items of a list; nil for any other node.
  public var items: [Node]? {
    guard case .list(let items, _) = self else { return nil }
    return items
  }

  /// The value under `key`; nil if the node is not a map with this key.
  public subscript(key: String) -> Node? {
    entries?.first { $0.key == key }?.value
  }

  /// The name that messages use for this kind of node.
  public var kind: String {
    switch self {
    case .scalar(_, let quoted, _): isNull ? "nothing" : quoted ? "a text" : "a word"
    case .list: "a list"
    case .map: "a map"
    }
  }
}

extension Node {
  /// Returns the smallest change that turns `base` into this node; nil if they are the same.
  public func difference(from base: Node) -> Node? {
    guard case .map(let entries, let mark) = self, case .map(let old, _) = base else {
      return isSame(as: base) ? nil : self
    }
    var changes: [Entry] = entries.compactMap { entry in
      guard let before = base[entry.key] else { return entry }
      return entry.value.difference(from: before).map { Entry(key: entry.key, mark: entry.mark, value: $0) }
    }
    for entry in old where self[entry.key] == nil {
      changes.append(Entry(key: entry.key, mark: mark, value: .scalar("null", quoted: false, mark)))
    }
    return changes.isEmpty ? nil : .map(changes, mark)
  }

  /// Returns whether both nodes have the same content, regardless of their places.
  func isSame(as other: Node) -> Bool {
    switch (self, other) {
    case (.scalar(let text, let quoted, _), .scalar(let otherText, let otherQuoted, _)):
      text == otherText && quoted == otherQuoted
    case (.list(let items, _), .list(let others, _)):
      items.count == others.count && zip(items, others).allSatisfy { $0.isSame(as: $1) }
    case (.map(let entries, _), .map(let others, _)):
      entries.count == others.count
        && zip(entries, others).allSatisfy { $0.key == $1.key && $0.value.isSame(as: $1.value) }
    default: false
    }
  }

  // One operation describes the differences between scenarios: maps merge by key, lists replace, and `null` removes.

  /// Returns this node with `other` merged into it.
  public func laidOver(by other: Node) -> Node {
    guard case .map(var entries, _) = self, case .map(let changes, let mark) = other else { return other }
    for change in changes {
      let index = entries.firstIndex { $0.key == change.key }
      if change.value.isNull {
        if let index { entries.remove(at: index) }
      } else if let index {
        let value = entries[index].value.laidOver(by: change.value)
        entries[index] = Entry(key: change.key, mark: change.mark, value: value)
      } else {
        entries.append(Entry(key: change.key, mark: change.mark, value: change.value.withoutNulls))
      }
    }
    return .map(entries, mark)
  }

  /// Returns this node with `value` merged into the node at `path`. Missing maps on the path are created.
  public func laidOver(by value: Node, at path: ScenarioPath, mark: SourceMark) -> Node {
    laidOver(by: .nested(value, under: path, marks: path.segments.map { _ in mark }))
  }

  /// Returns this node with each dotted path of `row` merged into it, in order. Reports keys that are not paths.
  func laidOver(byRow row: Node, _ sink: DiagnosticSink) -> Node {
    var result = self
    for entry in row.entries ?? [] {
      guard let path = ScenarioPath(entry.key) else {
        sink.error(
          "'\(entry.key)' is not a path",
          hint: "write client.os; quote a segment with dots or spaces: authorities.\"Root A\".trust",
          at: entry.mark)
        continue
      }
      result = result.laidOver(by: entry, at: path, sink)
    }
    return result
  }

  /// Returns this node with the value of `entry` merged into the node at `path`, the path of its key. Reports a missing
  /// list item.
  func laidOver(by entry: Entry, at path: ScenarioPath, _ sink: DiagnosticSink) -> Node {
    if let (host, meant) = path.unquotedHost {
      sink.error("the host '\(host)' must be quoted, because a dot ends a key", hint: "write \(meant)", at: entry.mark)
      return self
    }
    if let first = path.segments.first, ScenarioParts.keysOfTheFile.contains(first) {
      sink.error(
        "'\(first)' applies to the file, and a row cannot change it",
        hint: ["expect", "sibling"].contains(first)
          ? "write it next to 'with'" : "write it at the top of the file, or write a row for each value", at: entry.mark
      )
      return self
    }
    do throws(Diagnostics) {
      let change = try change(to: entry.value, at: path, marks: path.segments.map { _ in entry.mark })
      checkRemovals(in: change, sink)
      return laidOver(by: change)
    } catch {
      for slip in error.all { sink.error(slip.message, hint: slip.hint, at: slip.mark ?? entry.mark) }
      return self
    }
  }

  /// Returns nested maps that contain `value` at `path`. Each key has its own mark.
  public static func nested(_ value: Node, under path: ScenarioPath, marks: [SourceMark]) -> Node {
    zip(path.segments, marks).reversed().reduce(value) { inner, segment in
      .map([Entry(key: segment.0, mark: segment.1, value: inner)], segment.1)
    }
  }

  private var withoutNulls: Node {
    guard case .map(let entries, let mark) = self else { return self }
    return .map(
      entries.filter { !$0.value.isNull }.map { Entry(key: $0.key, mark: $0.mark, value: $0.value.withoutNulls) }, mark)
  }
}
