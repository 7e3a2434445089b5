/// The places where a file, its rows and its dates remove a value with `null` or with an empty key.
///
/// The merged tree contains no trace of removed values.
struct Removals: Sendable, Hashable {
  private var marks: [[String]: SourceMark] = [:]

  /// Creates an empty collection of removals.
  init() {}

  /// The place where `path`, or a node that contains it, was removed; nil if neither was removed.
  subscript(path: String...) -> SourceMark? {
    for length in stride(from: path.count, to: 0, by: -1) {
      if let mark = marks[Array(path.prefix(length))] { return mark }
    }
    return nil
  }

  /// Adds the removals in `change`, which is merged into the tree or into the node at `path`.
  func adding(_ change: Node?, below path: [String] = []) -> Removals {
    var all = self
    for entry in change?.entries ?? [] { all.add(entry.value, at: path + [entry.key], entry.mark) }
    return all
  }

  /// Returns these removals and those in a row of dotted paths.
  func adding(row: Node?) -> Removals {
    var all = self
    for entry in row?.entries ?? [] {
      if let path = ScenarioPath(entry.key) { all.add(entry.value, at: path.segments, entry.mark) }
    }
    return all
  }

  /// Adds the removals in `value`, which is merged into the node at `path`.
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
  /// Returns `mark` if the problem there can be fixed in this file. If it is in the baseline, returns the place of the
  /// first of `keys` that the file changes or removes.
  func place(_ mark: SourceMark, orOf keys: String...) -> SourceMark {
    guard ![file, Assignment.place].contains(mark.file) else { return mark }
    let own = keys.lazy.compactMap { key in
      removed[key] ?? tree.entries?.first { $0.key == key && $0.mark.file != mark.file }?.mark
    }
    return own.first ?? mark
  }
}

extension NodeReader {
  /// Reports that the map lacks `key`, which every case needs. If the file removed the key, the error is at the place
  /// of the removal.
  func fail(lacking key: String, example: String, removedAt mark: SourceMark?) {
    let place = path.isEmpty ? key : "\(path).\(key)"
    sink.error(
      "every case needs a value for '\(place)'",
      hint: "leave out the key to keep the baseline's value, or write \(example)", at: mark ?? node.mark)
  }
}
