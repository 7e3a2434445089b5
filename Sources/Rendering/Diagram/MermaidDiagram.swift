import Endpoint
import Explanation
import Simulator

/// A sequence diagram in Mermaid, a text format that code hosts and editors can draw.
///
/// Protected messages have dotted arrows and a lock. Every text is escaped, so that it cannot become syntax.
struct MermaidDiagram {
  private let model: Diagram
  private let firstError: Bool
  private static let columns = 48

  /// Creates the diagram of `model`. If `firstError` is true, it shows only the first reason for a refusal.
  init(_ model: Diagram, firstError: Bool) {
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
    lines += model.results.map { "  " + verdict($0) }
    return lines.map { $0 + "\n" }.joined()
  }

  private func line(of content: Diagram.Content) -> String {
    switch content {
    case .heading(let heading): return note(over: nil, heading.joined(separator: "; "))
    case .message(let message):
      let arrow = message.isEncrypted ? "-->>" : "->>"
      let lock = message.isEncrypted ? "🔒 " : ""
      let label = "\(message.number)  \(lock)" + ([message.title] + message.shown).joined(separator: " ")
      return "\(Self.id(message.from))\(arrow)\(Self.id(message.to)): \(Self.broken(label))"
    case .arrival(let arrival):
      let label = "\(arrival.change.mark.text) \(arrival.message) \(arrival.change.rawValue)"
      return "\(Self.id(arrival.from))->>\(Self.id(arrival.to)): \(Self.broken(label))"
    case .note(let shown): return note(over: shown.lane, "\(shown.number)  \(shown.markedText)")
    }
  }

  private func verdict(_ result: Diagram.Result) -> String {
    let reasons = result.reasons(firstError: firstError)
    let name = result.connection.map { "[\($0)] " } ?? ""
    let because = reasons.isEmpty ? "" : ": \(reasons.joined(separator: ", "))"
    return note(over: nil, "\(result.word.glyph.plain) \(name)\(result.word.rawValue)\(result.note)\(because)")
  }

  /// Returns a note over one lane, or over all lanes if `lane` is nil.
  private func note(over lane: Int?, _ text: String) -> String {
    let place = lane.map(Self.id) ?? "\(Self.id(0)),\(Self.id(max(0, model.lanes.count - 1)))"
    return "Note over \(place): \(Self.broken(text))"
  }

  private static func id(_ lane: Int) -> String { "p\(lane)" }

  private static func broken(_ text: String) -> String {
    Wrapping.lines(of: RichText(text), width: columns).map { escaped($0.plain) }.joined(separator: "<br/>")
  }

  /// Returns the text with every special character replaced by its code point. Letters, digits and harmless characters
  /// are unchanged.
  private static func escaped(_ text: String) -> String {
    TextStyle().folded(RichText(text)).plain.unicodeScalars.map { scalar in
      let isSafe =
        scalar.properties.isAlphabetic || !scalar.isASCII || "0123456789 .,:/_-+()[]'!?=*".contains(Character(scalar))
      return isSafe ? String(scalar) : "#\(scalar.value);"
    }.joined()
  }
}
