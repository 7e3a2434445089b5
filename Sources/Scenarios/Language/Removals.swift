/// What a file, its rows and its dates take away with `null` or with a key that nothing stands under, and where: the
/// merged tree has no trace of it.
struct Removals: Sendable, Hashable {
  private var marks: [[String]: SourceMark] = [:]

  /// Nothing.
  init() {}

  /// Where `path`, or what it stands in, was taken away; nil where nobody did.
  subscript(path: String...) -> SourceMark? {
    for length in stride(from: path.count, to: 0, by: -1) {
      if let mark = marks[Array(path.prefix(length))] { return mark }
    }
    return nil
  }

  /// With what `change` takes away when it is laid over the tree, or over what stands at `path`.
  func adding(_ change: Node?, below path: [String] = []) -> Removals {
    var all = self
    for entry in change?.entries ?? [] { all.add(entry.value, at: path + [entry.key], entry.mark) }
    return all
  }

  /// With what a row of dotted paths takes away.
  func adding(row: Node?) -> Removals {
    var all = self
    for entry in row?.entries ?? [] {
      if let path = ScenarioPath(entry.key) { all.add(entry.value, at: path.segments, entry.mark) }
    }
    return all
  }

  /// With what `value`, laid over what stands at `path`, takes away.
  func adding(_ value: Node, at path: ScenarioPath) -> Removals {
    var all = self
    all.add(value, at: path.segments, value.mark)
    return all
  }

  private mutating func add(_ value: Node, at path: [String], _ mark: SourceMark) {
    if value.isNull { marks[path] = mark }
    for entry in value.entries ?? [] { add(entry.value, at: path + [entry.key], entry.mark) }
  }
}

extension Scenario {
  /// `mark`, where the file can mend what is wrong there; in another file, which is the baseline, where the first of
  /// `keys` stands that the file changes or takes away.
  func place(_ mark: SourceMark, orOf keys: String...) -> SourceMark {
    guard ![file, Assignment.place].contains(mark.file) else { return mark }
    let own = keys.lazy.compactMap { key in
      removed[key] ?? tree.entries?.first { $0.key == key && $0.mark.file != mark.file }?.mark
    }
    return own.first ?? mark
  }
}

extension NodeReader {
  /// Says that `key`, which no case can do without, is not in the map here: where it was taken away, if it was.
  func fail(lacking key: String, example: String, removedAt mark: SourceMark?) {
    let place = path.isEmpty ? key : "\(path).\(key)"
    sink.error(
      "nothing stands under '\(place)', and every case needs it",
      hint: "leave the key out to keep what the baseline says, or write \(example)", at: mark ?? node.mark)
  }
}
