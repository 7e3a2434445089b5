extension Node {
  /// What has to be laid over `base` to come to this node, as small as it can be; nil when they say the same.
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

  /// Whether both say the same, wherever they stand.
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
}
