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
      document.blocks += Self.lines(step.fields, step.bytes, 0)
    }
    if !step.plaintextFields.isEmpty {
      document.paragraph(RichText("what it says, \(step.plaintext.count) bytes", .protected), indent: 5)
      document.blocks += Self.lines(step.plaintextFields, step.plaintext, 0)
    }
    return document
  }

  private static func lines(_ fields: [Field], _ bytes: [UInt8], _ depth: Int) -> [Document.Block] {
    fields.flatMap { field -> [Document.Block] in
      let isRepetition = Hex.bytes(field.meaning) == Array(bytes[field.range.clamped(to: bytes.indices)])
      let meaning = field.meaning.isEmpty || isRepetition ? "" : ": \(field.meaning)"
      let indent = Span(String(repeating: "  ", count: depth))
      let line = Document.Block.aligned(
        RichText("\(field.range.lowerBound)..<\(field.range.upperBound)", .dim),
        RichText([indent, Span(field.name, .name), Span(meaning)]),
        field.children.isEmpty ? RichText(dump(bytes, field.range), .dim) : "", column: 12, indent: 5)
      return [line] + lines(field.children, bytes, depth + 1)
    }
  }

  /// The first eight bytes of a field.
  private static func dump(_ bytes: [UInt8], _ range: Range<Int>) -> String {
    let all = bytes[range.clamped(to: bytes.indices)]
    return all.prefix(8).map { Hex.string([$0]) }.joined(separator: " ") + (all.count > 8 ? " …" : "")
  }
}
