import Endpoint
import Explanation
import Simulator

/// A sequence diagram in the language of Mermaid, which forges and editors draw.
///
/// Protected messages have dotted arrows and a lock; every text is escaped, so that none can become syntax.
struct MermaidDiagram {
  private let model: DiagramModel
  private let firstError: Bool
  private static let columns = 48

  /// The diagram of `model`; with `firstError` only the first reason of a refusal is shown.
  init(_ model: DiagramModel, firstError: Bool) {
    self.model = model
    self.firstError = firstError
  }

  var text: String {
    var lines = ["sequenceDiagram"]
    for (index, lane) in model.lanes.enumerated() {
      lines.append("  participant \(Self.id(index)) as \(Self.broken(lane.label))")
    }
    if model.isToy { lines.append("  " + note(over: nil, Calculation.banner)) }
    lines += model.rows.map { "  " + line(of: $0.content) }
    lines += model.verdicts(firstError: firstError).map { "  " + verdict($0, $1) }
    return lines.map { $0 + "\n" }.joined()
  }

  private func line(of content: DiagramModel.Content) -> String {
    switch content {
    case .heading(let heading): return note(over: nil, heading.joined(separator: "; "))
    case .message(let step, let from, let to):
      let arrow = step.isEncrypted ? "-->>" : "->>"
      let lock = step.isEncrypted ? "🔒 " : ""
      let label = "\(step.number)  \(lock)" + ([step.title] + step.shownValues).joined(separator: " ")
      return "\(Self.id(from))\(arrow)\(Self.id(to)): \(Self.broken(label))"
    case .arrival(let interference, let from, let to):
      let label = "\(interference.mark.text) \(interference.message) \(interference.kind.rawValue)"
      return "\(Self.id(from))->>\(Self.id(to)): \(Self.broken(label))"
    case .note(let step, let lane):
      let mark = step.kind == .derivation ? "" : "\(step.mark.text) "
      return note(over: lane, "\(step.number)  \(mark)\(step.titleInLane)\(step.day)")
    }
  }

  private func verdict(_ outcome: Outcome, _ reasons: [String]) -> String {
    let name = outcome.name.map { "[\($0)] " } ?? ""
    let word = outcome.verdict.word
    let because = reasons.isEmpty ? "" : ": \(reasons.joined(separator: ", "))"
    return note(over: nil, "\(word.glyph.plain) \(name)\(word.rawValue)\(because)")
  }

  /// A note over one lane, or over all of them.
  private func note(over lane: Int?, _ text: String) -> String {
    let place = lane.map(Self.id) ?? "\(Self.id(0)),\(Self.id(max(0, model.lanes.count - 1)))"
    return "Note over \(place): \(Self.broken(text))"
  }

  private static func id(_ lane: Int) -> String { "p\(lane)" }

  private static func broken(_ text: String) -> String {
    Wrapping.lines(of: RichText(text), width: columns).map { escaped($0.plain) }.joined(separator: "<br/>")
  }

  /// Letters, digits and harmless signs as they are, everything else by its number.
  private static func escaped(_ text: String) -> String {
    TextStyle().folded(RichText(text)).plain.unicodeScalars.map { scalar in
      let isSafe =
        scalar.properties.isAlphabetic || !scalar.isASCII || "0123456789 .,:/_-+()[]'!?=*".contains(Character(scalar))
      return isSafe ? String(scalar) : "#\(scalar.value);"
    }.joined()
  }
}
