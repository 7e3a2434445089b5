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
      inputs.allSatisfy(method.description.contains)
        ? "= \(method)" : "= \(method), from \(inputs.joined(separator: ", "))"
    }
  }
}
