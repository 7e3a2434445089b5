import Simulator

/// How a step of a calculation is worked out: with names, with numbers, line by line, and by python3.
struct ArithmeticView {
  private let arithmetic: Arithmetic
  private let depth: Depth

  init(_ arithmetic: Arithmetic, _ depth: Depth) {
    self.arithmetic = arithmetic
    self.depth = depth
  }

  var document: Document {
    var document = Document()
    guard depth != .story else { return document }
    document.paragraph(RichText(arithmetic.equation, .name), indent: 5)
    guard depth == .numbers else { return document }
    document.paragraph("\(arithmetic.numbers)", indent: 5)
    for table in arithmetic.tables {
      document.paragraph(RichText(table.title, .dim), indent: 7)
      document.blocks.append(
        .table(header: table.header.map { "\($0)" }, rows: table.rows.map { $0.map { "\($0)" } }, indent: 7))
    }
    if let command { document.blocks.append(.command(command, indent: 5)) }
    return document
  }

  /// The command that prints the result; a line of it may end anywhere but in its first word.
  private var command: ShellCommand? {
    arithmetic.program.map { program in
      let characters = Array(program)
      let pieces = stride(from: 0, to: characters.count, by: 8).map {
        String(characters[$0..<min($0 + 8, characters.count)])
      }
      return ShellCommand(["python3 -c \""] + pieces + ["\""])
    }
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
