/// A scenario file as it was written; the tree is laid over the baseline and checked by the reader.
public indirect enum Node: Sendable, Hashable {
  /// A plain or quoted word; `quoted` distinguishes `"true"` from `true`.
  case scalar(String, quoted: Bool, SourceMark)
  /// A list.
  case list([Node], SourceMark)
  /// Keys and values in the order of the file, no key twice.
  case map([Entry], SourceMark)

  /// A key and its value.
  public struct Entry: Sendable, Hashable {
    /// The key as it was written.
    public let key: String
    /// The place of the key.
    public let mark: SourceMark
    /// The value of the key.
    public var value: Node

    /// A key and its value.
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

  /// The name of this kind of node in messages.
  public var kind: String {
    switch self {
    case .scalar(_, let quoted, _): isNull ? "nothing" : quoted ? "a text" : "a word"
    case .list: "a list"
    case .map: "a map"
    }
  }
}

extension Node {
  /// The smallest change that turns `base` into this node; nil if they are the same.
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

  /// Whether both have the same content, regardless of place.
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

  /// This node with `other` laid over it.
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

  /// This node with `value` laid over the node at `path`; creates missing maps on the way.
  public func laidOver(by value: Node, at path: ScenarioPath, mark: SourceMark) -> Node {
    laidOver(by: .nested(value, under: path, marks: path.segments.map { _ in mark }))
  }

  /// This node with each dotted path of `row` laid over it, in the order of the row. Reports keys that are not paths.
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

  /// This node with `entry`'s value laid over the node at `path`, the path of its key. Reports a missing item of a
  /// list.
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

  /// The maps that lead to `value` at `path`; each key has its own mark.
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
