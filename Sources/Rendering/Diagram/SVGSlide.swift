/// A sequence diagram as a 16:9 picture. The number of columns is chosen for the largest text.
struct SVGSlide {
  private let parts: [SVGDiagram]
  private let title: String
  private let scale: Double

  /// The width and the height of every slide.
  private static let width = 1600
  private static let height = 900
  /// The height of the title.
  private static let top = 44
  private static let gap = 12
  private static let most = 4

  /// Creates the picture called `title`. If `firstError` is true, it shows only the first reason for a refusal.
  init(_ model: Diagram, title: String, firstError: Bool) {
    self.title = title
    let candidates = (1...Self.most).map { Self.parts(of: model, count: $0, firstError) }
    let best = candidates.max { Self.scale(of: $0) < Self.scale(of: $1) } ?? []
    parts = best
    scale = Self.scale(of: best)
  }

  /// Returns the rows in `count` columns of similar height. A message and an attacker's change to it are in the same
  /// column.
  private static func parts(of model: Diagram, count: Int, _ firstError: Bool) -> [SVGDiagram] {
    let breaks = (0...count).map { part in
      var row = model.rows.count * part / count
      while row > 0, row < model.rows.count, model.rows[row].isArrival { row += 1 }
      return row
    }
    return zip(breaks, breaks.dropFirst()).map { start, end in
      SVGDiagram(model, title: "", firstError: firstError, rows: start..<max(start, end), .narrow)
    }
  }

  /// Returns the factor by which these columns can be enlarged to fill the slide.
  private static func scale(of parts: [SVGDiagram]) -> Double {
    let width = parts.reduce(gap * (parts.count + 1)) { $0 + $1.width }
    let highest = parts.map(\.height).max() ?? 1
    return min(Double(Self.width) / Double(max(1, width)), Double(height - top) / Double(max(1, highest)))
  }

  var text: String {
    let shapes = zip(places, parts).map { x, part in
      "<g transform=\"translate(\(x) \(Self.top)) scale(\(Self.rounded(scale)))\">\n\(part.shapes)\n</g>"
    }
    let heading =
      "<text class=\"strong\" style=\"font-size:24px\" x=\"\(Self.width / 2)\" y=\"32\" text-anchor=\"middle\">"
      + "\(XMLText.escaped(title))</text>"
    return SVGCanvas.document(
      title: title, width: Self.width, height: Self.height, shapes: ([heading] + shapes).joined(separator: "\n"))
  }

  /// The left edge of each column, with equal margins on both sides.
  private var places: [Int] {
    let widths = parts.map { Int(Double($0.width) * scale) }
    let free = Self.width - widths.reduce(0, +)
    let gap = max(0, free / (parts.count + 1))
    return widths.indices.map { index in gap * (index + 1) + widths.prefix(index).reduce(0, +) }
  }

  /// Returns the number with three decimals, which is the same on every computer.
  private static func rounded(_ number: Double) -> String {
    let thousandths = Int((number * 1000).rounded(.down))
    let rest = String(thousandths % 1000)
    return "\(thousandths / 1000).\(String(repeating: "0", count: max(0, 3 - rest.count)))\(rest)"
  }
}

extension Diagram.Row {
  /// Whether the row belongs to the row above it.
  fileprivate var isArrival: Bool {
    if case .arrival = content { return true }
    return false
  }
}
