/// A scenario file as its author sees it: what YAML says, and beside that the comments, the blank lines, the quotes and
/// the choice between one line and several, which a reader of YAML throws away.
struct SourceTree: Sendable {
  /// The root: a map.
  var root: Item

  /// A line that says nothing to a reader of YAML.
  enum Line: Sendable, Hashable {
    case blank
    /// The comment with its number sign.
    case comment(String)

    var isComment: Bool { self != .blank }
  }

  /// An entry of a map, an item of a list, or the root.
  struct Item: Sendable {
    /// Comments and blank lines before it.
    var leading: [Line] = []
    /// The key as it is written, its quotes included; nil in a list.
    var key: String?
    /// The key as it is read; empty in a list.
    var name = ""
    /// What stands there.
    var content: Content
    /// The comment behind it: on the line of its key where the value stands below, else on the value's last line.
    var comment: String?
    /// Comments below its last entry, as deep as that is.
    var closing: [Line] = []
    /// Whether more than one space stands between the key and its value.
    var isPadded = false
    /// Where it stands in its file; nil where other things stand in the same lines, or it was read from none.
    var place: Place?
  }

  /// Lines of a file that one entry or item has for itself.
  struct Place: Sendable, Hashable {
    /// Its lines, from 1, without what stands before it.
    let lines: ClosedRange<Int>
    /// How many spaces stand before its key or its dash.
    let indent: Int
  }

  /// What stands behind a key or a dash.
  indirect enum Content: Sendable {
    /// A scalar as it is written, line by line without the indentation.
    case scalar([String], style: Style)
    case list([Item], isFlow: Bool)
    case map([Item], isFlow: Bool)
  }

  /// A step from a map or a list to what stands in it.
  enum Step: Sendable, Hashable {
    case key(String)
    case index(Int)
  }

  /// How a scalar is written.
  enum Style: Sendable {
    case plain
    case quoted
    /// Behind `|` or `>`.
    case block
  }
}

extension SourceTree.Item {
  /// The entries of a map or the items of a list.
  var children: [SourceTree.Item] {
    switch content {
    case .scalar: []
    case .list(let items, _), .map(let items, _): items
    }
  }

  /// Whether a comment stands within it, or a scalar of several lines: neither can stand within brackets on one line.
  var needsLines: Bool {
    if case .scalar(let lines, let style) = content { return lines.count > 1 || style == .block }
    return closing.contains(where: \.isComment)
      || children.contains {
        $0.comment != nil || $0.leading.contains(where: \.isComment) || $0.needsLines
      }
  }

  /// The entry under `name`, in a map.
  subscript(name: String) -> SourceTree.Item? {
    get { children.first { $0.name == name && $0.key != nil } }
    set {
      guard case .map(var entries, let isFlow) = content else { return }
      let place = entries.firstIndex { $0.name == name }
      switch (place, newValue) {
      case (let place?, let value?): entries[place] = value
      case (let place?, nil): entries.remove(at: place)
      case (nil, let value?): entries.append(value)
      case (nil, nil): break
      }
      content = .map(entries, isFlow: isFlow)
    }
  }

  /// What stands at the end of these steps; nothing is written where they lead nowhere.
  subscript(steps: [SourceTree.Step]) -> SourceTree.Item? {
    get { steps.reduce(Optional(self)) { item, step in item?.place(of: step).flatMap { item?.children[$0] } } }
    set {
      guard let newValue, let step = steps.first else {
        if let newValue { self = newValue }
        return
      }
      guard let place = place(of: step) else { return }
      var items = children
      items[place][Array(steps.dropFirst())] = newValue
      switch content {
      case .scalar: break
      case .list(_, let isFlow): content = .list(items, isFlow: isFlow)
      case .map(_, let isFlow): content = .map(items, isFlow: isFlow)
      }
    }
  }

  private func place(of step: SourceTree.Step) -> Int? {
    switch step {
    case .key(let name): children.firstIndex { $0.name == name && $0.key != nil }
    case .index(let index): children.indices.contains(index) ? index : nil
    }
  }

  /// The comments of it and of all that stands in it, in the order of the file.
  var comments: [String] {
    let behind = [comment].compactMap(\.self)
    return leading.comments + (isFlow ? innerComments + behind : behind + innerComments)
  }

  /// The comments within its value: neither those above it nor the one behind it.
  var innerComments: [String] {
    [headerComment].compactMap(\.self) + children.flatMap(\.comments) + closing.comments
  }

  /// Whether its value ends where the comment behind it stands: not so where it begins below its key.
  private var isFlow: Bool {
    switch content {
    case .scalar: true
    case .list(_, let isFlow), .map(_, let isFlow): isFlow
    }
  }

  /// The comment behind the `|` or `>` of a block scalar (YAML 1.1 section 9.2).
  private var headerComment: String? {
    guard case .scalar(let lines, .block) = content, let header = lines.first else { return nil }
    return header.firstIndex(of: "#").map { String(header[$0...]) }
  }
}

extension [SourceTree.Line] {
  /// The comments among them.
  var comments: [String] {
    compactMap { line -> String? in if case .comment(let text) = line { text } else { nil } }
  }
}
