/// A line of the old text, of the new text, or of both.
public enum LineChange: Sendable, Hashable {
  case kept(String)
  case removed(String)
  case added(String)

  /// Returns the changes from `old` to `new` by line, with three lines of context. Nil replaces omitted lines.
  public static func changes(from old: String, to new: String, around context: Int = 3) -> [LineChange?] {
    let (before, after) = (lines(of: old), lines(of: new))
    var (removed, added): (Set<Int>, Set<Int>) = ([], [])
    for change in after.difference(from: before) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
    var all: [LineChange] = []
    var (left, right) = (0, 0)
    while left < before.count || right < after.count {
      if removed.contains(left) {
        all.append(.removed(before[left]))
        left += 1
      } else if added.contains(right) {
        all.append(.added(after[right]))
        right += 1
      } else {
        guard left < before.count else { break }
        all.append(.kept(before[left]))
        (left, right) = (left + 1, right + 1)
      }
    }
    return near(all, context)
  }

  private static func lines(of text: String) -> [String] {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
    return lines.last?.isEmpty == true ? Array(lines.dropLast()) : lines
  }

  private static func near(_ all: [LineChange], _ context: Int) -> [LineChange?] {
    let places = all.indices.filter { if case .kept = all[$0] { false } else { true } }
    var shown: [LineChange?] = []
    for index in all.indices {
      if places.contains(where: { abs($0 - index) <= context }) {
        shown.append(all[index])
      } else if shown.last != .some(nil) {
        shown.append(nil)
      }
    }
    while shown.last == .some(nil) { shown.removeLast() }
    return shown
  }

  /// The line with its sign: removed, added or unchanged.
  public var text: String {
    switch self {
    case .kept(let line): "  \(line)"
    case .removed(let line): "- \(line)"
    case .added(let line): "+ \(line)"
    }
  }
}
