/// The one operation by which a scenario differs from another: maps merge by key, lists replace, `null` removes.
extension Node {
  /// This node with `other` laid over it.
  public func laidOver(by other: Node) -> Node {
    guard case .map(var entries, _) = self, case .map(let changes, let mark) = other else { return other }
    for change in changes {
      let index = entries.firstIndex { $0.key == change.key }
      if change.value.isNull {
        if let index { entries.remove(at: index) }
      } else if let index {
        let value = entries[index].value.laidOver(by: change.value)
        entries[index] = Entry(key: change.key, mark: change.mark, value: value)
      } else {
        entries.append(Entry(key: change.key, mark: change.mark, value: change.value.withoutNulls))
      }
    }
    return .map(entries, mark)
  }

  /// This node with `value` laid over whatever stands at `path`; missing maps on the way are made.
  public func laidOver(by value: Node, at path: ScenarioPath, mark: SourceMark) -> Node {
    laidOver(by: .nested(value, under: path, marks: path.segments.map { _ in mark }))
  }

  /// This node with one map for all of `row`'s dotted paths laid over it, in the order of the row; keys that are no
  /// paths go to the sink.
  func laidOver(byRow row: Node, _ sink: DiagnosticSink) -> Node {
    var result = self
    for entry in row.entries ?? [] {
      guard let path = ScenarioPath(entry.key) else {
        sink.error(
          "'\(entry.key)' is not a path", hint: "write client.os, or quote a segment: authorities.\"Root A\".trust",
          at: entry.mark)
        continue
      }
      result = result.laidOver(by: entry.value, at: path, mark: entry.mark)
    }
    return result
  }

  /// The maps that lead to `value` at `path`, each key with its own mark.
  public static func nested(_ value: Node, under path: ScenarioPath, marks: [SourceMark]) -> Node {
    zip(path.segments, marks).reversed().reduce(value) { inner, segment in
      .map([Entry(key: segment.0, mark: segment.1, value: inner)], segment.1)
    }
  }

  private var withoutNulls: Node {
    guard case .map(let entries, let mark) = self else { return self }
    return .map(
      entries.filter { !$0.value.isNull }.map { Entry(key: $0.key, mark: $0.mark, value: $0.value.withoutNulls) }, mark)
  }
}
