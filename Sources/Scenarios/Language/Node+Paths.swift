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
}
