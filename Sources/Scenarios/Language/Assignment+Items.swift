// An item of a list by its place: `connections[0].client.os = iOS 8`.
extension Assignment {
  /// What is laid over `tree`; a segment of the path may name an item of a list that is there, counted from 0.
  ///
  /// - Throws: `Diagnostics` where there is no such list, or no such item in it.
  public func change(in tree: Node) throws(Diagnostics) -> Node {
    for (depth, segment) in path.segments.enumerated() {
      let before = Array(path.segments.prefix(depth))
      let parent = before.isEmpty ? tree : tree.value(at: ScenarioPath(segments: before))
      guard parent?[segment] == nil, let (key, place) = Self.item(segment) else { continue }
      let list = ScenarioPath(segments: before + [key])
      guard let items = parent?[key]?.items else {
        throw Diagnostics("there is no list '\(list)'", hint: "'info' says what is special here; set PATH = VALUE")
      }
      guard items.indices.contains(place) else {
        throw Diagnostics(
          "'\(list)' has \(items.count == 1 ? "1 item" : "\(items.count) items")",
          hint: "they count from 0, so the last is \(list)[\(items.count - 1)]")
      }
      let changed = try self.items(items, place, Array(path.segments.dropFirst(depth + 1)))
      return .nested(.list(changed, value.mark), under: list, marks: list.segments.map { _ in value.mark })
    }
    return change()
  }

  /// The items with one of them changed below `rest`; null in the place of a whole one removes it.
  private func items(_ items: [Node], _ place: Int, _ rest: [String]) throws(Diagnostics) -> [Node] {
    var items = items
    if !rest.isEmpty {
      let inner = Assignment(ScenarioPath(segments: rest), value)
      items[place] = items[place].laidOver(by: try inner.change(in: items[place]))
    } else if value.isNull {
      items.remove(at: place)
    } else {
      items[place] = value
    }
    return items
  }

  /// `connections[0]` as a key and a place; nil where it is none.
  private static func item(_ segment: String) -> (key: String, place: Int)? {
    guard segment.hasSuffix("]"), let open = segment.lastIndex(of: "["), open > segment.startIndex,
      let place = Int(segment[segment.index(after: open)...].dropLast()), place >= 0
    else { return nil }
    return (String(segment[..<open]), place)
  }
}
