import Scenarios
import Simulator
import URLLoading

/// A table of the attackers that a pinning library accepts, as text, picture and JSON.
public struct PinMatrixView: Sendable {
  private let matrix: PinMatrix

  /// Creates a view of `matrix`.
  public init(_ matrix: PinMatrix) { self.matrix = matrix }

  private var releases: [String] {
    var releases: [String] = []
    for row in matrix.rows where !releases.contains(row.library) { releases.append(row.library) }
    return releases
  }

  /// Returns a table of settings and attackers for each release.
  ///
  /// Below the table are each row's settings and the rules that refuse the connection.
  public func document() -> Document {
    var document = Document()
    for release in releases {
      let rows = matrix.rows.filter { $0.library == release }
      document.blocks.append(
        .table(
          header: ["\(release)"] + PinMatrix.attackers.map { RichText($0.name) },
          rows: rows.map { row in [RichText(row.setting)] + row.cells.map { Self.cell($0.verdict) } }, indent: 0))
      document.blocks.append(.space)
      document.facts(
        rows.map { row in
          .init(row.setting, RichText(row.words) + RichText(Self.refusals(row), .dim))
        }, indent: 2)
      if let note = Self.note(on: release) {
        document.blocks.append(.space)
        document.paragraph(RichText(note, .dim), indent: 2)
      }
      document.blocks.append(.space)
    }
    document.paragraph(RichText(Self.legend, .dim))
    return document
  }

  private static let legend =
    "● connects, – is refused. Settings that are not listed have the release's default. App Transport Security is "
    + "lifted, so only the library decides. "
    + PinMatrix.attackers.map { "'\($0.name)': \($0.meaning)" }.joined(separator: "; ") + ". Pins do not protect "
    + "against a stolen key."

  /// Returns the default that the rows of `release` change; nil if they change none.
  public static func note(on release: String) -> String? {
    guard leavesOutChain(release) else { return nil }
    return "The rows of \(release) set validatesCertificateChain to NO; its default is YES. The row 'whole chain' "
      + "keeps the default."
  }

  /// Returns whether the release has validatesCertificateChain. With its default, no row that only pins the server
  /// would connect.
  private static func leavesOutChain(_ release: String) -> Bool {
    guard let version = LibraryVersion(release), version.library == .afNetworking else { return false }
    return AFNetworking.has("validatesCertificateChain", version)
  }

  private static func cell(_ verdict: Verdict) -> RichText {
    verdict.word == .accepted ? RichText("●", .good) : RichText("–", .bad)
  }

  private static func refusals(_ row: PinMatrix.Row) -> String {
    let reasons = reasons(row)
    return reasons.isEmpty ? "; refuses no attacker" : "; refused by \(reasons)"
  }

  /// Returns the rules that refuse an attacker in a row, in order of appearance, each listed once.
  private static func reasons(_ row: PinMatrix.Row) -> String {
    var seen: [String] = []
    for rule in row.cells.flatMap(\.verdict.because) where !seen.contains(rule.id) { seen.append(rule.id) }
    return seen.joined(separator: ", ")
  }

  /// The matrix as JSON, version 1.
  public func json() -> JSONValue {
    [
      "trustlab": 1,
      "attackers": .array(
        PinMatrix.attackers.map { ["name": .string($0.name), "meaning": .string($0.meaning)] }),
      "rows": .array(
        matrix.rows.map { row in
          [
            "library": .string(row.library), "setting": .string(row.setting), "words": .string(row.words),
            "cells": .array(
              row.cells.map { cell in
                [
                  "attacker": .string(cell.attacker.name), "verdict": .string(cell.verdict.word.rawValue),
                  "because": .strings(cell.verdict.because.map(\.id)),
                ]
              }),
          ]
        }),
    ]
  }

  /// The tables as an HTML page.
  public func html() -> String { HTMLPage.text(title: Self.title, body: document().html()) }

  private static let title = "The attackers that a pinning library accepts"

  /// Returns a picture of the table. A filled circle means that an attacker is accepted, and a dash that it is refused.
  public func svg() -> String {
    let (left, column, height) = (250, 100, 30)
    let width = left + column * PinMatrix.attackers.count + 20
    var shapes: [String] = []
    func text(_ words: String, _ x: Int, _ y: Int, _ style: String = "plain", anchor: String = "start") {
      shapes.append(
        "<text class=\"\(style)\" x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\">\(XMLText.escaped(words))</text>")
    }
    text(Self.title, 16, 26, "strong")
    var y = 48
    for release in releases {
      text(release, 16, y + 20, "strong")
      for (index, attacker) in PinMatrix.attackers.enumerated() {
        text(attacker.name, left + index * column + column / 2, y + 20, "dim", anchor: "middle")
      }
      y += height
      for row in matrix.rows where row.library == release {
        shapes.append("<path class=\"lane\" d=\"M16 \(y)H\(width - 16)\"/>")
        text(row.setting, 16, y + 20)
        for (index, cell) in row.cells.enumerated() {
          let x = left + index * column + column / 2
          let style = cell.isRight ? "right" : "wrong"
          if cell.verdict.word == .accepted {
            shapes.append("<circle class=\"\(style)\" cx=\"\(x)\" cy=\"\(y + 15)\" r=\"7\"/>")
          } else {
            shapes.append("<path class=\"\(style)\" d=\"M\(x - 7) \(y + 15)H\(x + 7)\"/>")
          }
        }
        y += height
      }
      if Self.leavesOutChain(release) {
        text("validatesCertificateChain is NO, except in 'whole chain'", 16, y + 18, "dim")
        y += height
      }
      y += 12
    }
    text("● connects, – is refused; red is a wrong result. App Transport Security is lifted.", 16, y + 14, "dim")
    return """
      <svg xmlns="http://www.w3.org/2000/svg" class="trustlab" width="\(width)" height="\(y + 30)" \
      viewBox="0 0 \(width) \(y + 30)" role="img">
      <title>\(Self.title)</title>
      <style>\(SVGCanvas.style).right{fill:#2da44e;stroke:#2da44e;stroke-width:3}\
      .wrong{fill:#cf222e;stroke:#cf222e;stroke-width:3}</style>
      <rect class="ground" width="\(width)" height="\(y + 30)"/>
      \(shapes.joined(separator: "\n"))
      </svg>
      """
  }
}
