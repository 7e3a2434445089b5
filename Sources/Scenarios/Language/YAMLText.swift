/// Writes a tree as YAML that the strict reader reads as the same tree: in lines of 80 columns where words allow it.
public struct YAMLText {
  private let width: Int

  /// `root`, a map, as a document that ends with a newline.
  public static func text(of root: Node, width: Int = 80) -> String {
    let lines = YAMLText(width: width).block(root, indent: 0)
    return (lines.isEmpty ? ["{}"] : lines).map { $0 + "\n" }.joined()
  }

  /// The lines of a map or a list that is not empty, in block style.
  private func block(_ node: Node, indent: Int) -> [String] {
    let pad = String(repeating: " ", count: indent)
    switch node {
    case .scalar: return []
    case .map(let entries, _):
      return entries.flatMap { entry -> [String] in
        let head = pad + YAMLScalar.key(entry.key) + ":"
        return value(entry.value, after: head, indent: indent)
      }
    case .list(let items, _):
      return items.flatMap { item -> [String] in
        if let flow = flow(item), indent + 2 + flow.count <= width { return ["\(pad)- \(flow)"] }
        guard case .scalar = item else {
          let lines = block(item, indent: indent + 2)
          return lines.enumerated().map { $0.offset == 0 ? "\(pad)- \($0.element.dropFirst(indent + 2))" : $0.element }
        }
        return value(item, after: "\(pad)-", indent: indent)
      }
    }
  }

  /// A value behind `head`, on its line where it fits there, else below it.
  private func value(_ node: Node, after head: String, indent: Int) -> [String] {
    if let flow = flow(node), head.count + 1 + flow.count <= width { return ["\(head) \(flow)"] }
    switch node {
    case .scalar(let text, let quoted, _):
      let lines = YAMLScalar.lines(
        text, quoted: quoted, first: width - head.count - 1, others: width - indent - 2)
      let pad = String(repeating: " ", count: indent + 2)
      return lines.enumerated().map { $0.offset == 0 ? "\(head) \($0.element)" : pad + $0.element }
    case .list(let items, _) where items.isEmpty: return ["\(head) []"]
    case .map(let entries, _) where entries.isEmpty: return ["\(head) {}"]
    case .list, .map: return [head] + block(node, indent: indent + 2)
    }
  }

  /// The node on one line in flow style; nil when a word in it only stands in block style.
  private func flow(_ node: Node) -> String? {
    switch node {
    case .scalar(let text, let quoted, _): return YAMLScalar.flow(text, quoted: quoted)
    case .list(let items, _):
      let texts = items.compactMap(flow)
      return texts.count == items.count ? "[\(texts.joined(separator: ", "))]" : nil
    case .map(let entries, _):
      let texts = entries.compactMap { entry in flow(entry.value).map { "\(YAMLScalar.key(entry.key)): \($0)" } }
      guard texts.count == entries.count else { return nil }
      return texts.isEmpty ? "{}" : "{ \(texts.joined(separator: ", ")) }"
    }
  }
}
