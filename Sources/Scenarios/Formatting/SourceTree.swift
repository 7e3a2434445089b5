/// A scenario file with its comments, blank lines, quotes and line structure, which a YAML parser discards.
struct SourceTree: Sendable {
  /// The root of the file, which is a map.
  var root: Item

  /// A line that has no meaning in YAML.
  enum Line: Sendable, Hashable {
    case blank
    /// A comment, including its number sign.
    case comment(String)

    var isComment: Bool { self != .blank }
  }

  /// An entry of a map, an item of a list, or the root.
  struct Item: Sendable {
    /// The comments and blank lines before the item.
    var leading: [Line] = []
    /// The key as written, including its quotes; nil in a list.
    var key: String?
    /// The parsed key; empty in a list.
    var name = ""
    /// The value of the entry or list item.
    var content: Content
    /// The comment after the item, on the last line of its value. If the value is below the key, it is on the key's
    /// line.
    var comment: String?
    /// The comments below the last entry, with the same indentation.
    var closing: [Line] = []
    /// Whether there is more than one space between the key and its value.
    var isPadded = false
    /// The place of the item in its file; nil if it shares lines with others, or has no file.
    var place: Place?
  }

  /// The lines of a file that belong to a single entry or item.
  struct Place: Sendable, Hashable {
    /// The range of lines, from 1, without the comments before the item.
    let lines: ClosedRange<Int>
    /// The number of spaces before the key or the dash.
    let indent: Int
  }

  /// The value of a key or of a list item.
  indirect enum Content: Sendable {
    /// A scalar as written: its lines without their indentation.
    case scalar([String], style: Style)
    case list([Item], isFlow: Bool)
    case map([Item], isFlow: Bool)
  }

  /// A step from a map or a list to one of its children.
  enum Step: Sendable, Hashable {
    case key(String)
    case index(Int)
  }

  /// The style of a scalar.
  enum Style: Sendable {
    case plain
    case quoted
    /// A block scalar with `|` or `>`.
    case block
  }
}

extension SourceTree.Item {
  /// The entries of a map, or the items of a list.
  var children: [SourceTree.Item] {
    switch content {
    case .scalar: []
    case .list(let items, _), .map(let items, _): items
    }
  }

  /// Whether the item contains a comment or a multi-line scalar. Neither can be within brackets on one line.
  var needsLines: Bool {
    if case .scalar(let lines, let style) = content { return lines.count > 1 || style == .block }
    return closing.contains(where: \.isComment)
      || children.contains {
        $0.comment != nil || $0.leading.contains(where: \.isComment) || $0.needsLines
      }
  }

  /// The entry with the key `name` in a map.
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

  /// The item at the end of these steps. The setter does nothing if there is no such item.
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

  /// The comments on the item and its descendants, in the order of the file.
  var comments: [String] {
    let behind = [comment].compactMap(\.self)
    return leading.comments + (isFlow ? innerComments + behind : behind + innerComments)
  }

  /// The comments within the item's value, without those above and after the item.
  var innerComments: [String] {
    [headerComment].compactMap(\.self) + children.flatMap(\.comments) + closing.comments
  }

  /// Whether the comment after the item is at the end of its value, and not after its key.
  private var isFlow: Bool {
    switch content {
    case .scalar: true
    case .list(_, let isFlow), .map(_, let isFlow): isFlow
    }
  }

  /// The comment after the `|` or `>` of a block scalar (YAML 1.1 section 9.2).
  private var headerComment: String? {
    guard case .scalar(let lines, .block) = content, let header = lines.first else { return nil }
    return header.firstIndex(of: "#").map { String(header[$0...]) }
  }
}

extension [SourceTree.Line] {
  /// The comments among the lines.
  var comments: [String] {
    compactMap { line -> String? in if case .comment(let text) = line { text } else { nil } }
  }
}
