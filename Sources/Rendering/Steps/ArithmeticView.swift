import Endpoint
import Explanation
import Simulator

/// How a step of a calculation is worked out: with names, with numbers, line by line, and by python3.
struct ArithmeticView {
  private let arithmetic: Arithmetic
  private let depth: Depth
  private let values: [Value]

  init(_ arithmetic: Arithmetic, _ depth: Depth, values: [Value]) {
    self.arithmetic = arithmetic
    self.depth = depth
    self.values = values
  }

  var document: Document {
    var document = Document()
    guard depth != .story else { return document }
    document.paragraph(RichText(arithmetic.equation, .name), indent: 5)
    guard depth == .numbers else { return document }
    document.paragraph("\(arithmetic.numbers)", indent: 5)
    // Padding shows in bytes; a number of a few digits has none worth reading.
    for value in values where value.bytes.count > 4 {
      document.paragraph(RichText("\(value.id) = \(ValueNumbers.elided(value.bytes))", .dim), indent: 5)
    }
    for table in arithmetic.tables {
      document.paragraph(RichText(table.title, .dim), indent: 7)
      document.blocks.append(
        .table(header: table.header.map { "\($0)" }, rows: table.rows.map { $0.map { "\($0)" } }, indent: 7))
    }
    if let command { document.blocks.append(.command(command, indent: 5)) }
    return document
  }

  /// The command that prints the result.
  private var command: ShellCommand? {
    arithmetic.program.map { ShellCommand(["python3 -c \""] + Self.pieces(of: $0) + ["\""]) }
  }

  /// Words, numbers and signs, between which python3 passes over white space; hexadecimal digits in pairs.
  private static func pieces(of program: String) -> [String] {
    var pieces: [String] = []
    for match in program.matches(of: /'[0-9a-f]*'|[\w.']+ *|[*\/<>=!]+|./) {
      let piece = String(match.output)
      guard piece.hasPrefix("'"), piece.count > 2, Hex.bytes(String(piece.dropFirst().dropLast())) != nil else {
        pieces.append(piece)
        continue
      }
      let bytes = Hex.bytes(String(piece.dropFirst().dropLast())) ?? []
      pieces += ["'"] + bytes.map { Hex.string([$0]) } + ["'"]
    }
    return pieces
  }

  var json: JSONValue {
    [
      "equation": .string(arithmetic.equation), "numbers": .string(arithmetic.numbers),
      "tables": .array(
        arithmetic.tables.map { table in
          [
            "title": .string(table.title), "header": .strings(table.header),
            "rows": .array(table.rows.map { .strings($0) }),
          ]
        }), "reproduce": .array([command].compactMap { $0.map { .string($0.description) } }),
      "result": .string(arithmetic.result),
    ]
  }
}
