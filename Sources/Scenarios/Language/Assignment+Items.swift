// Indexes of list items, as in `connections[0].client.os = iOS 8`.
extension Assignment {
  /// Returns the change to merge into `tree`.
  ///
  /// A segment of the path may index an item of an existing list, counted from 0.
  ///
  /// - Throws: `Diagnostics` if there is no such list, or no such item in it.
  public func change(in tree: Node) throws(Diagnostics) -> Node {
    do throws(Diagnostics) { return try tree.change(to: value, at: path, marks: marks) } catch {
      throw error.showing(line, of: Self.place)
    }
  }
}

extension Node {
  /// Returns the change that merges `value` into the node at `path`.
  ///
  /// A segment of the path may index an item of an existing list, counted from 0.
  ///
  /// - Parameters:
  ///   - value: the new value; null removes an item.
  ///   - path: the path of the node.
  ///   - marks: the place of each segment of the path in the source.
  /// - Throws: `Diagnostics` if there is no such list, or no such item in it.
  func change(to value: Node, at path: ScenarioPath, marks: [SourceMark]) throws(Diagnostics) -> Node {
    for (depth, segment) in path.segments.enumerated() {
      let before = Array(path.segments.prefix(depth))
      let parent = before.isEmpty ? self : self.value(at: ScenarioPath(segments: before))
      guard parent?[segment] == nil, let (key, place) = path.item(at: depth) else { continue }
      let list = ScenarioPath(segments: before + [key])
      guard let items = parent?[key]?.items else {
        let lists = (parent?.entries ?? []).filter { $0.value.items?.isEmpty == false }.map(\.key)
        throw Diagnostics(
          "there is no list '\(list)'",
          hint: lists.isEmpty ? "leave out [\(place)]" : "the lists here are \(lists.joined(separator: ", "))",
          at: marks[depth])
      }
      guard items.indices.contains(place) else {
        throw Diagnostics(
          "'\(list)' has \(items.count == 1 ? "1 item" : "\(items.count) items")",
          hint: items.isEmpty
            ? "write \(list): [\(value.flowText)]"
            : "items are counted from 0, so the last item is \(list)[\(items.count - 1)]", at: marks[depth])
      }
      let rest = ScenarioPath(segments: Array(path.segments.dropFirst(depth + 1)))
      let changed = try Self.items(items, place, to: value, at: rest, Array(marks.dropFirst(depth + 1)))
      return .nested(.list(changed, value.mark), under: list, marks: Array(marks.prefix(depth + 1)))
    }
    return .nested(value, under: path, marks: marks)
  }

  /// Returns the list items after changing the item at `place` below `rest`. A whole item that is replaced by null is
  /// removed.
  private static func items(
    _ items: [Node], _ place: Int, to value: Node, at rest: ScenarioPath, _ marks: [SourceMark]
  ) throws(Diagnostics) -> [Node] {
    var items = items
    if !rest.segments.isEmpty {
      items[place] = items[place].laidOver(by: try items[place].change(to: value, at: rest, marks: marks))
    } else if value.isNull {
      items.remove(at: place)
    } else {
      items[place] = value
    }
    return items
  }
}

extension ScenarioPath {
  /// Splits `connections[0]` into a key and an index; nil if the segment has no index.
  fileprivate func item(at depth: Int) -> (key: String, place: Int)? {
    let segment = segments[depth]
    guard segment.hasSuffix("]"), let open = segment.lastIndex(of: "["), open > segment.startIndex,
      let place = Int(segment[segment.index(after: open)...].dropLast()), place >= 0
    else { return nil }
    return (String(segment[..<open]), place)
  }
}
