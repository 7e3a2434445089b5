import Rendering
import Simulator

/// A table of servers with the clients that accept or refuse them.
struct ClientsView {
  private let clients: [(name: String, version: String)]
  private let rows: [ClientsRow]
  private let skipped: [String]
  private let absent: [ClientProgram]
  private let unusable: [(client: ClientProgram, why: String)]

  /// Creates a table, with the skipped cases and the clients that are absent or unusable.
  init(
    _ clients: [(name: String, version: String)], _ rows: [ClientsRow], _ skipped: [String], absent: [ClientProgram],
    unusable: [(client: ClientProgram, why: String)]
  ) {
    (self.clients, self.rows, self.skipped, self.absent, self.unusable) = (clients, rows, skipped, absent, unusable)
  }

  /// Returns the table, followed by the reasons of each refusal, for lines of this width.
  func document(width: Int) -> Document {
    let names = ["rfc5280", "webpki", "apple"] + clients.map(\.name)
    let isWide = names.reduce(Self.widthOfCases + 3) { $0 + $1.count + 2 } <= width
    let header = [""] + (isWide ? names : names.map { String($0.prefix(2)) }) + ["case"]
    var document = Document([
      .table(header: header.map { RichText($0, .strong) }, rows: rows.map(cells), indent: 0), .space,
    ])
    if !isWide {
      document += Document([
        .paragraph(RichText(names.map { "\($0.prefix(2)): \($0)" }.joined(separator: ", ") + "."), indent: 0)
      ])
    }
    for row in rows where !isAcceptedByAll(row) { document += words(of: row) }
    document += Document([
      .paragraph(
        RichText(
          "✓ accepts, ✗ refuses, " + (isAnsweredByAll ? "" : "… does not end, ")
            + "≠ different results:  \(rows.filter(\.differs).count) of \(rows.count). "
            + clients.map { "\($0.name) \($0.version)" }.joined(separator: ", ") + "."), indent: 0)
    ])
    for client in absent {
      document += Document([.paragraph(RichText("not installed: \(client.absence)", .dim), indent: 0)])
    }
    for (client, why) in unusable {
      document += Document([
        .paragraph(RichText("installed but unusable: \(client.rawValue): \(why)", .dim), indent: 0)
      ])
    }
    for name in skipped { document += Document([.paragraph(RichText("not tested: \(name)", .dim), indent: 0)]) }
    return document
  }

  /// The width of the column with the names of cases. If less space is left, the names of clients are shortened.
  private static let widthOfCases = 48

  private func cells(_ row: ClientsRow) -> [RichText] {
    [RichText(row.differs ? "≠" : "", .warning)] + row.verdicts.map { Self.mark($0.because.isEmpty) }
      + row.answers.map { Self.mark($0.verdict) } + [RichText(row.name)]
  }

  private static func mark(_ accepts: Bool) -> RichText { accepts ? RichText("✓", .good) : RichText("✗", .bad) }

  private static func mark(_ verdict: Verdict.Word) -> RichText {
    verdict == .hangs ? RichText("…", .warning) : mark(verdict == .accepted)
  }

  private var isAnsweredByAll: Bool { rows.allSatisfy { $0.answers.allSatisfy { $0.verdict != .hangs } } }

  private func isAcceptedByAll(_ row: ClientsRow) -> Bool {
    row.verdicts.allSatisfy(\.because.isEmpty) && row.answers.allSatisfy { $0.verdict == .accepted }
  }

  private func words(of row: ClientsRow) -> Document {
    var facts = row.verdicts.filter { !$0.because.isEmpty }.map {
      Document.Fact($0.profile, RichText($0.because.joined(separator: ", "), .name))
    }
    for (index, answer) in row.answers.enumerated() where answer.verdict != .accepted {
      let found = row.found[index].joined(separator: ", ")
      facts.append(Document.Fact(clients[index].name, RichText(answer.says + (found.isEmpty ? "" : " (\(found))"))))
    }
    return Document([.paragraph(RichText(row.name, .strong), indent: 0), .facts(facts, indent: 2)])
  }

  /// Returns the table as JSON.
  func json() -> JSONValue {
    [
      "trustlab": 1,
      "clients": .array(clients.map { ["name": .string($0.name), "version": .string($0.version)] }),
      "cases": .array(rows.map(json)), "notAsked": .array(skipped.map { .string($0) }),
      "absent": .array(absent.map { .string($0.absence) }),
      "unusable": .array(unusable.map { ["name": .string($0.client.rawValue), "why": .string($0.why)] }),
    ]
  }

  private func json(_ row: ClientsRow) -> JSONValue {
    let verdicts = row.verdicts.map { verdict -> JSONValue in
      [
        "profile": .string(verdict.profile), "verdict": .string(verdict.because.isEmpty ? "accepted" : "refused"),
        "because": .array(verdict.because.map { .string($0) }),
      ]
    }
    let answers = row.answers.enumerated().map { index, answer -> JSONValue in
      [
        "name": .string(clients[index].name), "verdict": .string(answer.verdict.rawValue),
        "says": .string(answer.says), "found": .array(row.found[index].map { .string($0) }),
      ]
    }
    return [
      "case": .string(row.name), "host": .string(row.host), "differs": .boolean(row.differs),
      "verdicts": .array(verdicts), "clients": .array(answers),
    ]
  }
}
