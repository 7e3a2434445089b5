import Scenarios

/// The parts that scenarios exercise and do not exercise, as text, JSON or a picture.
public struct CoverageView: Sendable {
  /// The output formats.
  public enum Format: String, Sendable, CaseIterable {
    case text
    case json
    case svg
  }

  private let coverage: Coverage

  /// Creates a view of `coverage`.
  public init(_ coverage: Coverage) { self.coverage = coverage }

  /// Returns the coverage in a format.
  public func text(_ format: Format, _ style: TextStyle = TextStyle()) -> String {
    switch format {
    case .text: document().text(style)
    case .json: json().text(pretty: true)
    case .svg: svg
    }
  }

  /// The kinds that have parts.
  private var kinds: [Coverage.Kind] {
    Coverage.Kind.allCases.filter { coverage.parts[$0]?.isEmpty == false }
  }

  private func parts(_ kind: Coverage.Kind) -> [Coverage.Part] { coverage.parts[kind, default: []] }

  /// The coverage as text: the parts that no scenario exercises, by kind, then the totals.
  public func document() -> Document {
    var document = Document()
    for kind in kinds where !coverage.missing(kind).isEmpty {
      document.heading("\(kind.title) that no case exercises")
      for part in coverage.missing(kind) { document.bullet(RichText("✗", .bad), RichText(part.name, .name)) }
    }
    document.heading("Coverage")
    document.blocks.append(
      .table(
        header: ["", "exercised", "all", ""],
        rows: kinds.map { kind in
          let (all, missing) = (parts(kind).count, coverage.missing(kind).count)
          return ["\(kind.title)", "\(all - missing)", "\(all)", "\((all - missing) * 100 / all) %"]
        }, indent: 0))
    document.paragraph("\(coverage.cases) \(coverage.cases == 1 ? "case" : "cases")")
    return document
  }

  /// The coverage as JSON, version 1: every part, with the first case that exercises it.
  public func json() -> JSONValue {
    [
      "trustlab": 1, "cases": .integer(coverage.cases),
      "kinds": .array(
        kinds.map { kind in
          [
            "kind": .string(kind.rawValue), "all": .integer(parts(kind).count),
            "exercised": .integer(parts(kind).count - coverage.missing(kind).count),
            "parts": .array(parts(kind).map { ["name": .string($0.name), "case": .optional($0.example)] }),
          ]
        }),
    ]
  }
}

// The coverage as a picture: a square for each part, which is filled if a case exercises the part.
extension CoverageView {
  private static let columns = 40
  private static let side = 14

  private var svg: String {
    var y = 24
    var elements = [
      Self.square(isFilled: true, 0, 5), Self.text("exercised by a case", at: 16, column: 1),
      Self.square(isFilled: false, 12, 5), Self.text("exercised by no case", at: 16, column: 13),
    ]
    for kind in kinds {
      let missing = coverage.missing(kind).count
      elements.append(
        Self.text("\(kind.title): \(parts(kind).count - missing) of \(parts(kind).count)", at: y + 16))
      y += 24
      for (index, part) in parts(kind).enumerated() {
        elements.append(Self.square(part, index % Self.columns, y + index / Self.columns * Self.side))
      }
      y += ((parts(kind).count - 1) / Self.columns + 1) * Self.side + 12
    }
    let size = (width: "\(Self.columns * Self.side + 20)", height: "\(y)")
    return XMLElement(
      "svg",
      [
        .init("xmlns", "http://www.w3.org/2000/svg"), .init("class", "trustlab"), .init("width", size.width),
        .init("height", size.height), .init("viewBox", "0 0 \(size.width) \(size.height)"), .init("role", "img"),
        .init("font-family", "sans-serif"), .init("font-size", "13"),
      ], children: elements
    ).document
  }

  private static func text(_ text: String, at y: Int, column: Int = 0) -> XMLElement {
    XMLElement("text", [.init("x", "\(10 + column * side)"), .init("y", "\(y)"), .init("fill", "#222")], text: text)
  }

  private static func square(_ part: Coverage.Part, _ column: Int, _ y: Int) -> XMLElement {
    square(
      isFilled: part.example != nil, column, y,
      children: [XMLElement("title", [], text: "\(part.name): \(part.example ?? "no case")")])
  }

  private static func square(isFilled: Bool, _ column: Int, _ y: Int, children: [XMLElement] = []) -> XMLElement {
    // Colour and shape differ, so that the picture can be read without colours.
    XMLElement(
      "rect",
      [
        .init("x", "\(10 + column * side)"), .init("y", "\(y)"), .init("width", "\(side - 3)"),
        .init("height", "\(side - 3)"), .init("fill", isFilled ? "#2a7f4f" : "none"),
        .init("stroke", isFilled ? "#2a7f4f" : "#b3261e"),
      ], children: children)
  }
}

extension Coverage.Kind {
  fileprivate var title: String {
    switch self {
    case .violated: "Violated rules"
    case .satisfied: "Satisfied rules"
    case .keys: "App Transport Security keys by system"
    case .transitions: "Transitions of TLS"
    case .alerts: "Alerts"
    case .errors: "Errors"
    case .statements: "Statements of the documents"
    }
  }
}
