import Endpoint
import Explanation
import Simulator

/// The bytes of a message: its fields as a tree with their bytes, or all bytes with one field marked.
public struct FieldsView: Sendable {
  private let step: Step

  /// Creates a view of the message of `step`; nil if the step sends no message.
  public init?(_ step: Step) {
    guard !step.bytes.isEmpty else { return nil }
    self.step = step
  }

  /// The names of all fields, each listed once.
  public var names: [String] {
    var names: [String] = []
    func visit(_ field: Field) {
      if !names.contains(field.name) { names.append(field.name) }
      field.children.forEach(visit)
    }
    (step.fields + step.plaintextFields).forEach(visit)
    return names
  }

  /// Returns whether the message has a field with this name, ignoring case. The empty name means the message itself.
  public func hasField(_ name: String) -> Bool {
    name.isEmpty || names.contains { $0.lowercased() == name.lowercased() }
  }

  /// Returns all fields as a tree, each with its range, its meaning and its first bytes.
  public func tree() -> Document {
    var document = Document()
    document.heading(RichText("\(step.number)  \(step.title)"))
    return document + FieldTree(step).document
  }

  /// Returns a field with its parents and children, and the bytes with the field marked; nil if there is none.
  public func field(_ name: String, columns: Int = 80) -> Document? {
    for (fields, bytes, place) in parts {
      guard let path = Self.path(to: name, in: fields), let field = path.last else { continue }
      var document = Document()
      document.heading(RichText("\(step.number)  \(step.title), \(place)"))
      for (depth, outer) in path.enumerated() {
        document.blocks.append(Self.line(outer, depth, isChosen: outer == field))
      }
      for inner in field.children { document.blocks.append(Self.line(inner, path.count, isChosen: false)) }
      document.blocks.append(
        HexDump(bytes: bytes, marked: field.range, rows: Self.rows, width: HexDump.width(on: columns)).block)
      return document
    }
    return nil
  }

  /// Returns all bytes in rows of sixteen, or of eight below 75 columns. The field `name` is marked if it is not nil.
  public func bytes(marking name: String? = nil, columns: Int = 80) -> Document {
    var document = Document()
    for (fields, bytes, place) in parts {
      document.heading(RichText("\(step.number)  \(step.title), \(place)"))
      let marked = name.flatMap { Self.path(to: $0, in: fields)?.last?.range } ?? 0..<0
      document.blocks.append(
        HexDump(bytes: bytes, marked: marked, width: HexDump.width(on: columns)).block)
    }
    return document
  }

  /// The parts of the message. The plaintext of a protected message is first, because its fields are requested most.
  private var parts: [(fields: [Field], bytes: [UInt8], place: String)] {
    let wire = (step.fields, step.bytes, "\(step.bytes.count) bytes on the wire")
    guard !step.plaintext.isEmpty else { return [wire] }
    return [(step.plaintextFields, step.plaintext, "\(step.plaintext.count) bytes of plaintext"), wire]
  }

  private static func path(to name: String, in fields: [Field]) -> [Field]? {
    for field in fields {
      if field.name.lowercased() == name.lowercased() { return [field] }
      if let path = path(to: name, in: field.children) { return [field] + path }
    }
    return nil
  }

  private static func line(_ field: Field, _ depth: Int, isChosen: Bool) -> Document.Block {
    let meaning = field.meaning.isEmpty || field.meaning.count > 160 ? "" : ": \(field.meaning)"
    let indent = Span(String(repeating: "  ", count: depth))
    return .aligned(
      RichText(
        "\(isChosen ? "▶ " : "  ")\(field.range.lowerBound)..<\(field.range.upperBound)", isChosen ? .strong : .dim),
      RichText([indent, Span(field.name, isChosen ? .strong : .name), Span(meaning)]), "", column: 14, indent: 2)
  }

  private static let rows = 10
}

/// The fields of a message as a tree, next to their bytes.
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
      document.paragraph(RichText("plaintext, \(step.plaintext.count) bytes", .protected), indent: 5)
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

  /// Returns the first eight bytes of a field.
  private static func dump(_ bytes: [UInt8], _ range: Range<Int>) -> String {
    let all = bytes[range.clamped(to: bytes.indices)]
    return all.prefix(8).map { Hex.string([$0]) }.joined(separator: " ") + (all.count > 8 ? " …" : "")
  }
}
