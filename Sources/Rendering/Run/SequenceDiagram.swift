import Endpoint
import Explanation
import Simulator

/// Who sent what to whom, as a diagram of three lanes on 80 columns.
struct SequenceDiagram {
  private let steps: [Step]
  private let heads: (client: String, server: String)
  private let separators: [String: String]
  private let outcomes: [Outcome]
  private static let width = 80
  private static let client = 5
  private static let middle = 37
  private static let server = 69

  /// The diagram of a run.
  init(_ simulation: Simulation) {
    let plans = simulation.world.plans
    let systems = Set(plans.map(\.client.decision.load.os.description))
    let hosts = plans.map(\.url.host).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    heads.client = systems.count == 1 ? "client (\(systems.first ?? ""))" : "client"
    heads.server = hosts.count == 1 ? hosts.first ?? "server" : "server"
    separators = plans.reduce(into: [:]) { separators, plan in
      guard let name = plan.name else { return }
      separators[name] = "\(plan.client.decision.load.os.description), \(plan.url.description)"
    }
    steps = simulation.trace.steps
    outcomes = Outcome.connections(of: simulation)
  }

  /// The diagram of a recording.
  init(_ session: ReplayedSession) {
    heads = ("client", session.serverName ?? "server")
    separators = [:]
    steps = session.trace.steps
    outcomes = [Outcome(session)]
  }

  /// Whether anyone does more than listen.
  private var isAttacked: Bool { steps.contains { $0.from == .interceptor || $0.to == .interceptor } }

  var document: Document {
    var lines = [header, Canvas.lanes(nil)]
    var connection: String?
    for step in steps {
      if let name = step.connection, name != connection {
        connection = name
        lines.append(separator(name))
      }
      lines.append(line(of: step))
    }
    lines.append(footer)
    lines += verdicts
    return Document([.preformatted(lines, indent: 0)])
  }

  private var header: RichText {
    var canvas = Canvas()
    canvas.place(heads.client, from: 2, to: 28)
    canvas.center(isAttacked ? "interceptor" : "eavesdropper", from: 27, to: 48, .plain)
    let shown = Canvas.truncated(heads.server, to: 34)
    canvas.place(shown, from: min(66, 80 - DisplayWidth.of(shown)), to: 80)
    return canvas.text
  }

  private func separator(_ name: String) -> RichText {
    var canvas = Canvas.laneCanvas(nil)
    canvas.center(
      "[\(name)]\(separators[name].map { "  \($0)" } ?? "")", from: Self.client + 2, to: Self.server - 1, .strong)
    return canvas.text
  }

  private func line(of step: Step) -> RichText {
    var canvas = Canvas.laneCanvas(step.number)
    switch step.kind {
    case .message: message(step, &canvas)
    case .decision: canvas.center("\(step.mark.text) \(step.title)", Self.client + 2, Self.server - 1, step.mark.style)
    case .derivation: derivation(step, &canvas)
    case .attack:
      let date = step.at == ReplayedSession.unknownTime ? "" : " (\(step.at.description.prefix(10)))"
      canvas.center("! \(step.title)\(date)", Self.client + 2, Self.server - 1, .bad)
    }
    return canvas.text
  }

  private func message(_ step: Step, _ canvas: inout Canvas) {
    let (from, to) = (column(of: step.from), column(of: step.to ?? .server))
    let (left, right) = (min(from, to), max(from, to))
    let style: Span.Style = step.isProtected ? .protected : .plain
    canvas.fill(step.isProtected ? "═" : "─", from: left + 1, to: right, style)
    if left < Self.middle, right > Self.middle { canvas.put("┆", at: Self.middle, .dim) }
    let label = Canvas.truncated(
      " " + ([step.title] + step.shownValues).joined(separator: " ") + " ", to: right - left - 8)
    if from < to {
      canvas.put("├", at: from, .plain)
      canvas.put("▶", at: to - 1, style)
      canvas.place(label, from: from + 3, to: to - 2, style)
    } else {
      canvas.put("◀", at: to + 1, style)
      canvas.put("┤", at: from, .plain)
      canvas.place(label, from: from - 2 - DisplayWidth.of(label), to: from - 2, style)
    }
    canvas.place(step.isProtected ? "encrypted" : "clear", from: Self.server + 2, to: Self.width, .dim)
  }

  /// The lane of a party; everyone but the client and third parties stands where the server does.
  private func column(of party: Party) -> Int {
    switch party {
    case .client: Self.client
    case .interceptor, .eavesdropper: Self.middle
    default: Self.server
    }
  }

  private func derivation(_ step: Step, _ canvas: inout Canvas) {
    let text = Canvas.truncated(step.title, to: 58)
    switch column(of: step.from) {
    case Self.client: canvas.place(text, from: Self.client + 3, to: Self.server - 1, .dim)
    case Self.middle: canvas.center(text, Self.client + 2, Self.server - 1, .warning)
    default: canvas.place(text, from: Self.server - 2 - DisplayWidth.of(text), to: Self.server - 1, .dim)
    }
  }

  private var footer: RichText {
    var canvas = Canvas()
    canvas.put("▼", at: Self.client, .plain)
    canvas.put("┆", at: Self.middle, .dim)
    canvas.put("▼", at: Self.server, .plain)
    return canvas.text
  }

  private var verdicts: [RichText] {
    outcomes.map { outcome in
      let because = outcome.verdict.because.map(\.id).joined(separator: ", ")
      let name = outcome.name.map { "[\($0)] " } ?? ""
      let text = Canvas.truncated(
        "\(name)\(outcome.verdict.word.rawValue)\(because.isEmpty ? "" : "  \(because)")", to: 72)
      return RichText(
        [Span("   ")] + outcome.verdict.word.glyph.spans + [Span(" "), Span(text, outcome.verdict.word.style)])
    }
  }
}

extension SequenceDiagram {
  /// One line of a diagram: columns that are written over.
  struct Canvas {
    private var cells: [(glyph: String, style: Span.Style)] = []

    /// The empty lanes.
    static func lanes(_ number: Int?) -> RichText { laneCanvas(number).text }

    static func laneCanvas(_ number: Int?) -> Canvas {
      var canvas = Canvas()
      if let number {
        let text = String(number)
        canvas.place(text, from: max(0, 3 - text.count), to: 4, .dim)
      }
      canvas.put("│", at: client, .plain)
      canvas.put("┆", at: middle, .dim)
      canvas.put("│", at: server, .plain)
      return canvas
    }

    mutating func put(_ glyph: Character, at column: Int, _ style: Span.Style) {
      while cells.count <= column { cells.append((" ", .plain)) }
      cells[column] = (String(glyph), style)
    }

    mutating func fill(_ glyph: Character, from: Int, to: Int, _ style: Span.Style) {
      for column in from..<max(from, to) { put(glyph, at: column, style) }
    }

    /// Writes `text` from a column on, as far as it fits before `to`.
    mutating func place(_ text: String, from: Int, to: Int, _ style: Span.Style = .plain) {
      var column = max(0, from)
      for character in Self.truncated(text, to: max(0, to - column)) {
        let width = DisplayWidth.of(character)
        if width == 0 { continue }
        put(character, at: column, style)
        if width == 2 {
          put(" ", at: column + 1, style)
          cells[column + 1].glyph = ""
        }
        column += width
      }
    }

    mutating func center(_ text: String, _ from: Int, _ to: Int, _ style: Span.Style) {
      let shown = Self.truncated(text, to: to - from - 2)
      let start = from + (to - from - DisplayWidth.of(shown)) / 2
      place(" \(shown) ", from: start - 1, to: to, style)
    }

    mutating func center(_ text: String, from: Int, to: Int, _ style: Span.Style) { center(text, from, to, style) }

    /// The line without the spaces at its end.
    var text: RichText {
      var spans: [Span] = []
      let end = (cells.lastIndex { $0.glyph != " " } ?? -1) + 1
      var piece = ""
      var style = Span.Style.plain
      for cell in cells.prefix(end) {
        if cell.style != style, !piece.isEmpty {
          spans.append(Span(piece, style))
          piece = ""
        }
        style = cell.style
        piece += cell.glyph
      }
      return RichText(piece.isEmpty ? spans : spans + [Span(piece, style)])
    }

    static func truncated(_ text: String, to width: Int) -> String {
      guard DisplayWidth.of(text) > width else { return text }
      var shown = ""
      var used = 0
      for character in text {
        let size = DisplayWidth.of(character)
        if used + size > width - 1 { break }
        shown.append(character)
        used += size
      }
      return shown + (width > 0 ? "…" : "")
    }
  }
}
