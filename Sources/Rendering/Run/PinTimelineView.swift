import Explanation
import Scenarios
import Simulator

/// A table with the clients of a scenario as rows and the dates of its timeline as columns.
public struct PinTimelineView: Sendable {
  private struct Row {
    let name: String
    var verdicts: [Verdict?]
  }

  private let title: String
  private let days: [String]
  private let changes: [String]
  private let rows: [Row]

  /// Creates a view of a run with several dates; nil if the run has only one date.
  public init?(_ result: CaseResult) {
    let dates = result.scenario.dates
    guard dates.count > 1 else { return nil }
    title = result.scenario.about.title
    days = dates.map { String($0.clock.description.prefix(10)) }
    changes = dates.map { date in
      date.servers.map { $0.presents.first ?? "" }.joined(separator: ", ")
    }
    var open = Outcome.loads(result.connections)[...]
    var rows: [Row] = []
    for (index, date) in dates.enumerated() {
      for connection in date.connections {
        let verdict = open.popFirst()?.verdict
        let name = Self.name(connection.name, on: days[index])
        if !rows.contains(where: { $0.name == name }) {
          rows.append(Row(name: name, verdicts: Array(repeating: nil, count: dates.count)))
        }
        if let row = rows.firstIndex(where: { $0.name == name }) { rows[row].verdicts[index] = verdict }
      }
    }
    self.rows = rows
  }

  /// Whether any client fails to connect on any date.
  public var shutsOut: Bool { rows.contains { $0.verdicts.contains { $0 != nil && $0?.word != .accepted } } }

  /// Returns the name of a client without the day.
  private static func name(_ name: String?, on day: String) -> String {
    guard let name, name != day, !name.hasPrefix("\(day)T") else { return "the app" }
    return name.hasPrefix("\(day).") ? String(name.dropFirst(day.count + 1)) : name
  }

  /// Returns a table of clients and dates, with the rules that refuse connections.
  public func document() -> Document {
    var document = Document()
    document.paragraph(RichText(title, .strong))
    let header: [RichText] = ["client"] + zip(days, changes).map { RichText("\($0) \($1)") }
    document.blocks.append(
      .table(
        header: header, rows: rows.map { row in [RichText(row.name)] + row.verdicts.map(Self.cell) }, indent: 0))
    document.paragraph(
      RichText(
        "✓ connects, ✗ cannot connect until the app is updated. Next to each date is the certificate that the server "
          + "presents.",
        .dim))
    return document
  }

  private static func cell(_ verdict: Verdict?) -> RichText {
    guard let verdict else { return RichText("–", .dim) }
    if verdict.word == .accepted { return RichText("✓", .good) }
    return RichText("✗ ", .bad) + RichText(verdict.because.map(\.id).joined(separator: ", "), .name)
  }

  /// The verdicts as JSON, version 1: the dates, and each client's verdict on each date.
  public func json() -> JSONValue {
    [
      "trustlab": 1, "title": .string(title),
      "dates": .array(zip(days, changes).map { ["date": .string($0), "presents": .string($1)] }),
      "clients": .array(
        rows.map { row in
          [
            "name": .string(row.name),
            "verdicts": .array(
              zip(days, row.verdicts).map { day, verdict in
                [
                  "date": .string(day), "verdict": .optional(verdict?.word.rawValue),
                  "because": .strings(verdict?.because.map(\.id) ?? []),
                ]
              }),
          ]
        }),
    ]
  }

  /// The picture and the table as an HTML page.
  public func html() -> String { HTMLPage.text(title: title, body: svg() + "\n" + document().html()) }

  /// Returns a picture with a bar for each client that marks the days on which it connects.
  public func svg() -> String {
    let (left, column, height) = (150, 212, 44)
    let width = left + column * days.count + 20
    var shapes: [String] = []
    func text(_ words: String, _ x: Int, _ y: Int, _ style: String = "plain") {
      shapes.append("<text class=\"\(style)\" x=\"\(x)\" y=\"\(y)\">\(XMLText.escaped(words))</text>")
    }
    text(title, 16, 26, "strong")
    for (index, day) in days.enumerated() {
      text(day, left + index * column + 8, 54, "strong")
      text(changes[index], left + index * column + 8, 72, "dim")
    }
    for (number, row) in rows.enumerated() {
      let y = 84 + number * height
      text(row.name, 16, y + 26)
      for (index, verdict) in row.verdicts.enumerated() {
        let x = left + index * column
        guard let verdict else { continue }
        let isGood = verdict.word == .accepted
        let style = isGood ? "connects" : "bricked"
        shapes.append(
          "<rect class=\"\(style)\" x=\"\(x + 2)\" y=\"\(y + 2)\" width=\"\(column - 4)\" height=\"\(height - 6)\" rx=\"4\"/>"
        )
        text(
          isGood ? "✓ connects" : "✗ \(verdict.because.first?.id ?? verdict.word.rawValue)", x + 12, y + 26,
          isGood ? "good" : "bad")
      }
    }
    let bottom = 84 + rows.count * height + 34
    text("Under each date is the certificate that the server presents.", 16, bottom - 14, "dim")
    return """
      <svg xmlns="http://www.w3.org/2000/svg" class="trustlab" width="\(width)" height="\(bottom)" \
      viewBox="0 0 \(width) \(bottom)" role="img">
      <title>\(XMLText.escaped(title))</title>
      <style>\(SVGCanvas.style).connects{fill:#2da44e;fill-opacity:.18;stroke:#2da44e}\
      .bricked{fill:#cf222e;fill-opacity:.14;stroke:#cf222e;stroke-dasharray:4 3}</style>
      <rect class="ground" width="\(width)" height="\(bottom)"/>
      \(shapes.joined(separator: "\n"))
      </svg>
      """
  }
}
