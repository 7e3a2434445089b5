extension Node {
  /// The value at `path`, nil where there is none.
  public func value(at path: ScenarioPath) -> Node? {
    path.segments.reduce(Optional(self)) { node, segment in node?[segment] }
  }

  /// Everything in this tree that is no map with entries, by its path.
  public var leaves: [(path: ScenarioPath, value: Node)] { leaves(below: []) }

  private func leaves(below segments: [String]) -> [(path: ScenarioPath, value: Node)] {
    if let entries, !entries.isEmpty { return entries.flatMap { $0.value.leaves(below: segments + [$0.key]) } }
    return segments.isEmpty ? [] : [(ScenarioPath(segments: segments), self)]
  }

  /// Where `text` stands in this tree as a word of its own, else where the tree begins.
  func mark(of text: String) -> SourceMark { place(of: text) ?? mark }

  /// Where `text` stands in this tree as a word of its own, or between brackets at the end of one: `spki(api)`; nil when
  /// it does not.
  func place(of text: String) -> SourceMark? {
    switch self {
    case .scalar(let word, _, let mark): word == text || word.hasSuffix("(\(text))") ? mark : nil
    case .list(let items, _): items.lazy.compactMap { $0.place(of: text) }.first
    case .map(let entries, _): entries.lazy.compactMap { $0.value.place(of: text) }.first
    }
  }
}
