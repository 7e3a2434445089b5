import Endpoint
import Explanation
import Simulator
import Trust

/// A sequence diagram as a self-contained SVG picture for light and dark mode.
///
/// The text is monospaced, so its width is known. Nothing overlaps or is cut off.
struct SVGDiagram {
  private let model: Diagram
  private let title: String
  private let firstError: Bool
  private var canvas: SVGCanvas
  private var y = 0

  /// The distances between the parts of a picture.
  struct Measures {
    let firstLane: Int
    let laneDistance: Int
    let noteColumns: Int

    /// The distances in a single picture.
    static let wide = Measures(firstLane: 200, laneDistance: 290, noteColumns: 31)
    /// The distances in one of several adjacent pictures.
    static let narrow = Measures(firstLane: 160, laneDistance: 215, noteColumns: 25)
  }

  private let measures: Measures
  /// The rows to draw: all rows, or those of one part of the picture.
  private let rows: Range<Int>
  private static let margin = 24
  private static let line = SVGCanvas.lineHeight

  /// Creates the picture called `title`. If `firstError` is true, it shows only the first reason for a refusal.
  init(_ model: Diagram, title: String, firstError: Bool) {
    self.init(model, title: title, firstError: firstError, rows: model.rows.indices, .wide)
  }

  /// Creates the part of the picture with these rows. The part with the last row shows the verdicts. An empty title is
  /// not drawn.
  init(_ model: Diagram, title: String, firstError: Bool, rows: Range<Int>, _ measures: Measures) {
    self.model = model
    self.title = title
    self.firstError = firstError
    self.rows = rows
    self.measures = measures
    let last = measures.firstLane + measures.laneDistance * max(1, model.lanes.count - 1)
    canvas = SVGCanvas(width: last + measures.firstLane - 30)
    draw()
  }

  var text: String { canvas.document(title: title, height: height) }
  var width: Int { canvas.width }
  var height: Int { y + Self.margin }
  /// The shapes of the picture, for use in another picture.
  var shapes: String { canvas.shapes }

  private func x(_ lane: Int) -> Int { measures.firstLane + measures.laneDistance * lane }

  private mutating func draw() {
    y = Self.margin
    if !title.isEmpty {
      y += Self.line
      y = canvas.paragraph(title, x: Self.margin, y: y, width: canvas.width - 2 * Self.margin, .strong) + 14
    }
    heads()
    let top = y
    if model.isToy, rows.lowerBound == 0 { band([Calculation.banner]) }
    for row in model.rows[rows] { draw(row.content) }
    for index in model.lanes.indices {
      let isWatching = model.lanes[index].party == .eavesdropper
      canvas.lifeline(x: x(index), from: top, to: y + 8, isDashed: isWatching)
    }
    y += 30
    guard rows.upperBound == model.rows.endIndex else { return }
    for result in model.results { verdict(result) }
    y = canvas.legend(x: Self.margin, y: y + 8)
  }

  private mutating func heads() {
    let labels = model.lanes.map { Wrapping.lines(of: RichText($0.label), width: measures.noteColumns) }
    let height = (labels.map(\.count).max() ?? 1) * Self.line + 14
    for (index, lines) in labels.enumerated() {
      canvas.box(lines, centre: x(index), y: y, .strong, height: height)
    }
    y += height
  }

  private mutating func draw(_ content: Diagram.Content) {
    switch content {
    case .heading(let heading): band(heading)
    case .message(let message): draw(message)
    case .note(let note): draw(note)
    case .arrival(let arrival): draw(arrival)
    }
  }

  private mutating func band(_ heading: [String]) {
    y += 18
    let width = (canvas.width - 2 * Self.margin) * 10 / 80 - 4
    let lines = heading.flatMap { Wrapping.lines(of: RichText($0), width: width) }
    canvas.band(lines, y: y)
    y += lines.count * Self.line + 14
  }

  private mutating func draw(_ message: Diagram.Message) {
    let style: Span.Style = message.isEncrypted ? .protected : .plain
    let label = RichText([
      Span(message.title, message.isEncrypted ? .protected : .strong),
      Span((message.isEncrypted ? ["encrypted"] : message.shown).map { " \($0)" }.joined(), .dim),
    ])
    let (start, end) = (x(message.from), x(message.to))
    let room = abs(end - start) * 10 / 80 - 5
    let lines = Wrapping.lines(of: label, width: max(measures.noteColumns, room))
    y += 12
    canvas.number(message.number, y: y + lines.count * Self.line)
    for text in lines {
      y += Self.line
      canvas.label(text, x: start, y: y, isLeftwards: end < start, hasLock: message.isEncrypted && text == lines.first)
    }
    y += 9
    canvas.arrow(from: start, to: end, y: y, style)
    for (index, lane) in model.lanes.enumerated() where [.eavesdropper, .interceptor].contains(lane.party) {
      if index > min(message.from, message.to), index < max(message.from, message.to) {
        canvas.eye(x: x(index), y: y, reads: !message.isEncrypted)
      }
    }
    y += 6
  }

  /// Draws a message that an attacker sends in place of another message, or in addition to it.
  private mutating func draw(_ arrival: Diagram.Arrival) {
    let (start, end) = (x(arrival.from), x(arrival.to))
    let mark = arrival.change.mark
    let label = RichText([
      Span("\(mark.text) \(arrival.message)", mark.style), Span(" \(arrival.change.rawValue)", .dim),
    ])
    y += 12 + Self.line
    canvas.label(label, x: start, y: y, isLeftwards: end < start, hasLock: false)
    y += 9
    canvas.arrow(from: start, to: end, y: y, .bad)
    y += 6
  }

  private mutating func draw(_ note: Diagram.Note) {
    let isOverheard = model.lanes[note.lane].party == .eavesdropper
    let style = note.mark?.style ?? (isOverheard ? .warning : .dim)
    let lines = Wrapping.lines(of: RichText(note.markedText, style), width: measures.noteColumns)
    y += 12
    let height = lines.count * Self.line + 12
    canvas.number(note.number, y: y + height / 2 + 5)
    canvas.box(lines, centre: x(note.lane), y: y, style, height: height, isQuiet: note.mark == nil)
    y += height
  }

  private mutating func verdict(_ result: Diagram.Result) {
    let reasons = result.reasons(firstError: firstError)
    let name = result.connection.map { "[\($0)] " } ?? ""
    let text = RichText(
      [Span("\(result.word.glyph.plain) \(name)\(result.word.rawValue)\(result.note)", result.word.style)]
        + (reasons.isEmpty ? [] : [Span("  "), Span(reasons.joined(separator: ", "))]))
    y = canvas.paragraph(text, x: Self.margin, y: y, width: canvas.width - 2 * Self.margin) + 4
  }
}

/// A picture of a run's certificate paths, with a box for every certificate and the anchor at the top.
struct PathPicture {
  private let simulation: Simulation
  private static let width = 640
  private static let boxHeight = 46
  private static let gap = 26

  init(_ simulation: Simulation) { self.simulation = simulation }

  /// The picture in SVG; nil if no path was evaluated.
  var svg: String? {
    let evaluations = simulation.accounts.compactMap { account in
      account.client.evaluation.map { (host: account.plan.url.host, evaluation: $0) }
    }
    guard !evaluations.isEmpty else { return nil }
    var canvas = SVGCanvas(width: Self.width)
    var y = 20
    for (host, evaluation) in evaluations { y = draw(evaluation, host: host, from: y, on: &canvas) }
    return canvas.document(title: "Certificate path", height: y)
  }

  private func draw(_ evaluation: TrustEvaluation, host: String, from top: Int, on canvas: inout SVGCanvas) -> Int {
    var y = top
    guard let candidate = evaluation.candidates.first else { return y }
    let path = Array(candidate.path.certificates.enumerated().reversed())
    let bottom = y + path.count * (Self.boxHeight + Self.gap)
    canvas.lifeline(x: Self.width / 2, from: y + Self.boxHeight / 2, to: bottom, isDashed: false)
    for (index, certificate) in path {
      let findings = VerifyView.findings(of: candidate, at: index)
      let isAnchor = certificate == candidate.path.anchor
      let state = VerifyView.state(findings)
      let role = isAnchor ? candidate.anchorKind.map { "\($0.rawValue) anchor" } ?? "" : ""
      let because = findings.deciding.map(\.id).joined(separator: ", ")
      let below = because.isEmpty ? RichText(role, .dim) : RichText(because, .bad)
      let lines =
        [state + RichText(" \(simulation.world.names(certificate))", .strong)] + (below.isEmpty ? [] : [below])
      canvas.box(lines, centre: Self.width / 2, y: y, findings.refuses ? .bad : .good, height: Self.boxHeight)
      y += Self.boxHeight + Self.gap
    }
    let onHost = evaluation.findings.settled.filter { $0.subject == .host(host) }
    canvas.box(
      [VerifyView.state(onHost) + RichText(" \(host)")], centre: Self.width / 2, y: y, .plain, height: 30, isQuiet: true
    )
    return y + 50
  }
}

extension PathView {
  /// The certificate paths as a self-contained SVG picture; nil if no path was evaluated.
  public func svg() -> String? { PathPicture(simulation).svg }
}
