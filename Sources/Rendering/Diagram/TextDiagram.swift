import Endpoint
import Explanation
import Simulator

/// A sequence diagram with three lanes on at most 80 columns: the client, third parties, and the servers.
struct TextDiagram {
  private let model: Diagram
  /// The connections that an attacker intercepts.
  private let intercepted: Set<String?>
  private let lanes: Lanes

  /// Creates the diagram of `model` with `width` columns.
  init(_ model: Diagram, width: Int = Lanes.widest) {
    self.model = model
    intercepted = model.intercepted
    lanes = Lanes(width: width)
  }

  /// Returns the diagram. Pass `hasVerdicts: false` if the verdicts are printed below it.
  func document(hasVerdicts: Bool = true) -> Document {
    var lines = [header, Canvas.laneCanvas(nil, lanes).text]
    if model.isToy { lines.append(toy) }
    for row in model.rows { lines += self.lines(of: row) }
    lines.append(footer)
    if hasVerdicts || model.results.count != 1 { lines += verdicts }
    return Document([.preformatted(lines, indent: 0)])
  }

  private func lines(of row: Diagram.Row) -> [RichText] {
    switch row.content {
    case .heading(let heading): heading.map { separator($0, in: row.connection) }
    case .message(let message): [line(of: message, in: row.connection)]
    case .note(let note): [line(of: note, in: row.connection)]
    case .arrival(let arrival): [line(of: arrival, in: row.connection)]
    }
  }

  private var header: RichText {
    var canvas = Canvas()
    canvas.place(model.lanes.first { $0.party == .client }?.label ?? "", from: 2, to: lanes.middle - 9)
    canvas.center(model.middle.name, from: lanes.middle - 10, to: lanes.middle + 11, .plain)
    let server = model.isToy || model.servers.count == 1 ? model.servers.joined(separator: ", ") : "server"
    let shown = Canvas.truncated(server, to: lanes.width - lanes.middle - 9)
    canvas.place(shown, from: min(lanes.server - 3, lanes.width - DisplayWidth.of(shown)), to: lanes.width)
    return canvas.text
  }

  private var toy: RichText {
    var canvas = Canvas.laneCanvas(nil, lanes)
    canvas.center("TOY numbers: nothing here is secure", from: lanes.client + 2, to: lanes.server - 1, .warning)
    return canvas.text
  }

  private func separator(_ text: String, in connection: String?) -> RichText {
    var canvas = emptyLanes(nil, in: connection)
    canvas.center(text, from: lanes.client + 2, to: lanes.server - 1, .strong)
    return canvas.text
  }

  /// Returns the empty lanes of a row. The middle lane is solid for an interceptor, and broken for an observer.
  private func emptyLanes(_ number: Int?, in connection: String?) -> Canvas {
    var canvas = Canvas.laneCanvas(number, lanes)
    if intercepted.contains(connection) { canvas.put("│", at: lanes.middle, .plain) }
    return canvas
  }

  private func line(of note: Diagram.Note, in connection: String?) -> RichText {
    var canvas = emptyLanes(note.number, in: connection)
    switch note.kind {
    case .fetch: canvas.center(note.text, lanes.client + 2, lanes.server - 1, .plain)
    case .derivation: derivation(note, &canvas)
    case .decision, .attack:
      canvas.center(note.markedText, lanes.client + 2, lanes.server - 1, note.mark?.style ?? .plain)
    }
    return canvas.text
  }

  /// Returns the diagram line for a message that an attacker sends instead of, or in addition to, another message.
  private func line(of arrival: Diagram.Arrival, in connection: String?) -> RichText {
    var canvas = emptyLanes(nil, in: connection)
    let mark = arrival.change.mark
    let (from, to) = (lanes.middle, column(of: arrival.to))
    let isChanged = [.altered, .rewritten].contains(arrival.change)
    canvas.fill(isChanged ? "~" : "─", from: min(from, to) + 1, to: max(from, to), mark.style)
    canvas.put(Character(mark.text), at: from, mark.style)
    let label = " \(arrival.message) "
    if from < to {
      canvas.put("▶", at: to - 1, mark.style)
      canvas.place(label, from: from + 3, to: to - 2, mark.style)
    } else {
      canvas.put("◀", at: to + 1, mark.style)
      canvas.place(label, from: from - 2 - DisplayWidth.of(label), to: from - 2, mark.style)
    }
    canvas.place(arrival.change.rawValue, from: lanes.server + 2, to: lanes.width, mark.style)
    return canvas.text
  }

  private func line(of message: Diagram.Message, in connection: String?) -> RichText {
    var canvas = emptyLanes(message.number, in: connection)
    let (from, to) = (column(of: message.from), column(of: message.to))
    let (left, right) = (min(from, to), max(from, to))
    let style: Span.Style = message.isEncrypted ? .protected : .plain
    canvas.fill(message.isEncrypted ? "═" : "─", from: left + 1, to: right, style)
    let isFromLeft = from < to
    canvas.put(isFromLeft ? "├" : "┤", at: from, .plain)
    canvas.put(isFromLeft ? "▶" : "◀", at: isFromLeft ? to - 1 : to + 1, style)
    if left < lanes.middle, right > lanes.middle {
      canvas.put(intercepted.contains(connection) ? "│" : "┆", at: lanes.middle, .dim)
      let label = MessageLabel(
        message, roomOnLeft: lanes.middle - left - 3, roomOnRight: right - lanes.middle - 3, isFromLeft: isFromLeft)
      let start = isFromLeft ? from + 3 : lanes.middle - DisplayWidth.of(label.left)
      canvas.place(label.left, from: start, to: lanes.middle, style)
      let end = isFromLeft ? lanes.middle + 1 : from - 2 - DisplayWidth.of(label.right)
      canvas.place(label.right, from: end, to: right - 1, style)
    } else {
      let room = right - left - 5
      let label = MessageLabel(
        message, roomOnLeft: isFromLeft ? room : 0, roomOnRight: isFromLeft ? 0 : room, isFromLeft: isFromLeft)
      let start = isFromLeft ? from + 3 : from - 2 - DisplayWidth.of(label.right)
      canvas.place(isFromLeft ? label.left : label.right, from: start, to: right - 1, style)
    }
    canvas.place(message.isEncrypted ? "encrypted" : "clear", from: lanes.server + 2, to: lanes.width, .dim)
    return canvas.text
  }

  /// Returns the column of a lane. The client and third parties have their own columns; all others share the server's
  /// column.
  private func column(of lane: Int) -> Int {
    switch model.lanes[lane].party {
    case .client: lanes.client
    case .interceptor, .eavesdropper, .proxy: lanes.middle
    default: lanes.server
    }
  }

  private func derivation(_ note: Diagram.Note, _ canvas: inout Canvas) {
    let words = [note.actor, note.text].compactMap(\.self).joined(separator: " ")
    let text = Canvas.truncated(words, to: lanes.server - 11)
    switch column(of: note.lane) {
    case lanes.client: canvas.place(text, from: lanes.client + 3, to: lanes.server - 1, .dim)
    case lanes.middle: canvas.center(text, lanes.client + 2, lanes.server - 1, .warning)
    default: canvas.place(text, from: lanes.server - 2 - DisplayWidth.of(text), to: lanes.server - 1, .dim)
    }
  }

  private var footer: RichText {
    var canvas = Canvas()
    canvas.put("▼", at: lanes.client, .plain)
    canvas.put(intercepted.contains(model.rows.last?.connection ?? nil) ? "▼" : "┆", at: lanes.middle, .dim)
    canvas.put("▼", at: lanes.server, .plain)
    return canvas.text
  }

  /// The verdict on each connection, or a note if the run has not ended.
  private var verdicts: [RichText] {
    guard !model.results.isEmpty else { return [RichText("   – the run is not complete: 'run' plays the rest", .dim)] }
    return model.results.map { result in
      let because = result.because.joined(separator: ", ")
      let name = result.connection.map { "[\($0)] " } ?? ""
      let text = Canvas.truncated(
        "\(name)\(result.word.rawValue)\(result.note)\(because.isEmpty ? "" : "  \(because)")", to: lanes.width - 8)
      return RichText([Span("   ")] + result.word.glyph.spans + [Span(" "), Span(text, result.word.style)])
    }
  }
}

extension TextDiagram {
  /// The columns of the three lanes.
  struct Lanes {
    static let widest = 80
    static let narrowest = 60

    let width: Int
    let client = 5
    let middle: Int
    let server: Int

    /// Creates lanes for this many columns, if there is room for the text between them.
    init(width: Int) {
      self.width = max(Self.narrowest, min(Self.widest, width))
      server = self.width - 11
      middle = (client + server) / 2
    }
  }

  /// A line of a diagram, whose columns can be overwritten.
  struct Canvas {
    private var cells: [(glyph: String, style: Span.Style)] = []

    /// Returns a line with the empty lanes.
    static func laneCanvas(_ number: Int?, _ lanes: Lanes) -> Canvas {
      var canvas = Canvas()
      if let number {
        let text = String(number)
        canvas.place(text, from: max(0, 3 - text.count), to: 4, .dim)
      }
      canvas.put("│", at: lanes.client, .plain)
      canvas.put("┆", at: lanes.middle, .dim)
      canvas.put("│", at: lanes.server, .plain)
      return canvas
    }

    mutating func put(_ glyph: Character, at column: Int, _ style: Span.Style) {
      while cells.count <= column { cells.append((" ", .plain)) }
      cells[column] = (String(glyph), style)
    }

    mutating func fill(_ glyph: Character, from: Int, to: Int, _ style: Span.Style) {
      for column in from..<max(from, to) { put(glyph, at: column, style) }
    }

    /// Writes `text` from the column `from`, up to the column `to`.
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

    /// The line without trailing spaces.
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
