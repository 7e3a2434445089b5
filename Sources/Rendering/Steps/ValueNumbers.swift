import Endpoint
import Explanation
import Simulator

/// The values of a step: their bytes, how they are made, and the commands that make them again.
struct ValueNumbers {
  private let step: Step
  private let simulation: any TracedRun

  init(_ step: Step, _ simulation: any TracedRun) {
    self.step = step
    self.simulation = simulation
  }

  var document: Document {
    var document = Document()
    for value in step.values {
      document.paragraph(
        RichText([Span(value.id, .name), Span(" = \(Self.elided(value.bytes))")]), indent: 5)
      for derivation in value.derivations {
        document.paragraph(RichText(Self.words(derivation), .dim), indent: 7)
      }
      for command in isFirst(value) ? Reproduction(simulation).commands(for: value) : [] {
        document.blocks.append(.command(command, indent: 7))
      }
    }
    return document
  }

  /// Whether no earlier step has the value: what reproduces it is shown once.
  private func isFirst(_ value: Value) -> Bool {
    !simulation.trace.steps.prefix(max(0, step.number - 1)).contains { $0.values.contains { $0.id == value.id } }
  }

  /// The first sixteen bytes, and how many there are.
  static func elided(_ bytes: [UInt8]) -> String {
    guard !bytes.isEmpty else { return "(not shown)" }
    let text = bytes.prefix(16).map { Hex.string([$0]) }.joined(separator: " ")
    return bytes.count > 16 ? "\(text) … (\(bytes.count) bytes)" : "\(text) (\(bytes.count) bytes)"
  }

  private static func words(_ derivation: Value.Derivation) -> String {
    switch derivation {
    case .generated(let party): "drawn or made by \(party.name)"
    case .published: "sent in the clear"
    case .computed(let method, let inputs):
      inputs.allSatisfy { method.description.contains($0.description) }
        ? "= \(method)" : "= \(method), from \(inputs.joined(separator: ", "))"
    }
  }
}

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
