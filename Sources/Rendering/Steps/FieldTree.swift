import Endpoint
import Explanation

/// The bytes of a message as a tree of fields, beside the bytes themselves.
struct FieldTree {
  private let step: Step

  init(_ step: Step) { self.step = step }

  var document: Document {
    var document = Document()
    if !step.fields.isEmpty {
      document.paragraph(RichText("on the wire, \(step.bytes.count) bytes", .dim), indent: 5)
      document.blocks.append(.table(header: [], rows: rows(step.fields, step.bytes, 0), indent: 5))
    }
    if !step.plaintextFields.isEmpty {
      document.paragraph(RichText("what it says, \(step.plaintext.count) bytes", .protected), indent: 5)
      document.blocks.append(.table(header: [], rows: rows(step.plaintextFields, step.plaintext, 0), indent: 5))
    }
    return document
  }

  private func rows(_ fields: [Field], _ bytes: [UInt8], _ depth: Int) -> [[RichText]] {
    fields.flatMap { field -> [[RichText]] in
      let indent = String(repeating: "  ", count: depth)
      let meaning = field.meaning.isEmpty ? "" : ": \(field.meaning)"
      let row: [RichText] = [
        RichText("\(field.range.lowerBound)..<\(field.range.upperBound)", .dim),
        RichText([Span(indent + field.name, .name), Span(meaning)]),
        field.children.isEmpty ? RichText(Self.dump(bytes, field.range), .dim) : "",
      ]
      return [row] + rows(field.children, bytes, depth + 1)
    }
  }

  /// The first eight bytes of a field.
  private static func dump(_ bytes: [UInt8], _ range: Range<Int>) -> String {
    let all = bytes[range.clamped(to: bytes.indices)]
    return all.prefix(8).map { Hex.string([$0]) }.joined(separator: " ") + (all.count > 8 ? " …" : "")
  }
}
