import Endpoint
import Explanation
import Simulator

/// The fields of a message that an attacker changed.
struct ChangeView {
  /// A field as sent and as received; nil if it is absent.
  struct Change {
    let field: String
    let before: [UInt8]?
    let after: [UInt8]?
  }

  private let step: Step

  init(_ step: Step) { self.step = step }

  /// The changed fields without children, in order; empty if the attacker only adds or drops data.
  var changes: [Change] {
    guard let interference = step.interference, [.altered, .rewritten].contains(interference.kind) else { return [] }
    let before = Self.leaves(interference.fields, interference.bytes, "")
    let after = Self.leaves(step.fields, step.bytes, "")
    var changes = after.compactMap { leaf -> Change? in
      let old = before.first { $0.path == leaf.path }
      return old?.bytes == leaf.bytes ? nil : Change(field: leaf.path, before: old?.bytes, after: leaf.bytes)
    }
    for leaf in before where !after.contains(where: { $0.path == leaf.path }) {
      changes.append(Change(field: leaf.path, before: leaf.bytes, after: nil))
    }
    return changes
  }

  var document: Document {
    var document = Document()
    for change in changes {
      document.paragraph(RichText([Span("≠ ", .bad), Span(change.field, .name)]), indent: 5)
      document.facts(
        [.init("sent", "\(Self.words(change.before))"), .init("received", "\(Self.words(change.after))")], indent: 7)
    }
    return document
  }

  private static func words(_ bytes: [UInt8]?) -> String { bytes.map(ValueNumbers.elided) ?? "absent" }

  /// Returns the fields without children by path. Fields with the same name are numbered.
  private static func leaves(_ fields: [Field], _ bytes: [UInt8], _ prefix: String) -> [(path: String, bytes: [UInt8])]
  {
    var counts: [String: Int] = [:]
    return fields.flatMap { field -> [(path: String, bytes: [UInt8])] in
      let count = counts[field.name, default: 0] + 1
      counts[field.name] = count
      let name = count == 1 ? field.name : "\(field.name) \(count)"
      let path = prefix.isEmpty ? name : "\(prefix).\(name)"
      guard field.children.isEmpty else { return leaves(field.children, bytes, path) }
      return [(path, Array(bytes[field.range.clamped(to: bytes.indices)]))]
    }
  }
}
