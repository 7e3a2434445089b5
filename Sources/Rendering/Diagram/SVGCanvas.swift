/// Collects the shapes of a diagram in painting order: lanes first, then everything else above them.
struct SVGCanvas {
  /// The height of a line of text. A column is at most 8 wide.
  static let lineHeight = 18
  static let columnWidth = 8

  let width: Int
  private var below: [String] = []
  private var above: [String] = []

  init(width: Int) { self.width = width }

  /// Draws running text and returns the position of the next line.
  mutating func paragraph(_ text: String, x: Int, y: Int, width: Int, _ style: Span.Style) -> Int {
    paragraph(RichText(text, style), x: x, y: y, width: width)
  }

  mutating func paragraph(_ text: RichText, x: Int, y: Int, width: Int) -> Int {
    var y = y
    for line in Wrapping.lines(of: text, width: width / Self.columnWidth) {
      write(line, x: x, y: y)
      y += Self.lineHeight
    }
    return y
  }

  /// Draws lines of text in a box around `centre`.
  mutating func box(
    _ lines: [RichText], centre: Int, y: Int, _ style: Span.Style, height: Int, isQuiet: Bool = false
  ) {
    let columns = lines.map { DisplayWidth.of($0) }.max() ?? 0
    let width = columns * Self.columnWidth + 20
    let kind = isQuiet ? "quiet" : "box"
    above.append(
      "<rect class=\"\(kind) \(style.rawValue)\" x=\"\(centre - width / 2)\" y=\"\(y)\" width=\"\(width)\" "
        + "height=\"\(height)\" rx=\"6\"/>")
    let top = y + (height - lines.count * Self.lineHeight) / 2
    for (index, line) in lines.enumerated() {
      write(line, x: centre, y: top + 13 + index * Self.lineHeight, anchor: "middle")
    }
  }

  /// Draws a band across the whole picture.
  mutating func band(_ lines: [RichText], y: Int) {
    let height = lines.count * Self.lineHeight + 10
    above.append("<rect class=\"band\" x=\"12\" y=\"\(y)\" width=\"\(width - 24)\" height=\"\(height)\" rx=\"4\"/>")
    for (index, line) in lines.enumerated() {
      write(line, x: width / 2, y: y + 18 + index * Self.lineHeight, anchor: "middle")
    }
  }

  mutating func lifeline(x: Int, from: Int, to: Int, isDashed: Bool) {
    let dashes = isDashed ? " stroke-dasharray=\"3 5\"" : ""
    below.append("<path class=\"lane\" d=\"M\(x) \(from)V\(to)\"\(dashes)/>")
  }

  /// Draws the number of a step at the left edge.
  mutating func number(_ number: Int, y: Int) { write(RichText("\(number)", .dim), x: 40, y: y, anchor: "end") }

  /// Draws a label at the sender's end of an arrow. The label hides the lanes behind it.
  mutating func label(_ text: RichText, x: Int, y: Int, isLeftwards: Bool, hasLock: Bool) {
    let width = DisplayWidth.of(text) * Self.columnWidth + (hasLock ? 16 : 0)
    let left = isLeftwards ? x - 14 - width : x + 14
    above.append("<rect class=\"ground\" x=\"\(left - 3)\" y=\"\(y - 13)\" width=\"\(width + 6)\" height=\"17\"/>")
    if hasLock { lock(x: left, y: y) }
    write(
      text, x: isLeftwards ? x - 14 : left + (hasLock ? 16 : 0), y: y, anchor: isLeftwards ? "end" : "start")
  }

  /// Draws an arrow. It has one line in plaintext, and two lines if only the endpoints can read the message.
  mutating func arrow(from: Int, to: Int, y: Int, _ style: Span.Style) {
    let direction = to < from ? -1 : 1
    let tip = to - direction * 2
    let base = tip - direction * 10
    let kind = "arrow \(style.rawValue)"
    for offset in style == .protected ? [-2, 2] : [0] {
      above.append("<path class=\"\(kind)\" d=\"M\(from) \(y + offset)H\(base)\"/>")
    }
    above.append("<path class=\"head \(style.rawValue)\" d=\"M\(tip) \(y)L\(base) \(y - 6)V\(y + 6)Z\"/>")
    above.append("<circle class=\"head \(style.rawValue)\" cx=\"\(from)\" cy=\"\(y)\" r=\"3\"/>")
  }

  /// Draws the mark of an observer. A full eye means that it reads the message, an empty eye that it only sees
  /// ciphertext.
  mutating func eye(x: Int, y: Int, reads: Bool) {
    above.append("<circle class=\"\(reads ? "eye" : "eye blind")\" cx=\"\(x)\" cy=\"\(y)\" r=\"5\"/>")
  }

  /// Draws the legend and returns the bottom of the picture.
  mutating func legend(x: Int, y: Int) -> Int {
    var x = x
    for (isProtected, text) in [(false, "in the clear, readable by all"), (true, "encrypted")] {
      arrow(from: x + 4, to: x + 56, y: y - 4, isProtected ? .protected : .plain)
      eye(x: x + 26, y: y - 4, reads: !isProtected)
      write(RichText(text, .dim), x: x + 66, y: y)
      x += 66 + DisplayWidth.of(text) * Self.columnWidth + 28
    }
    return y
  }

  private mutating func lock(x: Int, y: Int) {
    above.append("<path class=\"lock\" d=\"M\(x + 2) \(y - 6)v-2a3 3 0 0 1 6 0v2\"/>")
    above.append("<rect class=\"head protected\" x=\"\(x)\" y=\"\(y - 6)\" width=\"10\" height=\"7\" rx=\"1\"/>")
  }

  private mutating func write(_ text: RichText, x: Int, y: Int, anchor: String = "start") {
    let spans = text.spans.map { "<tspan class=\"\($0.style.rawValue)\">\(XMLText.escaped($0.text))</tspan>" }
    above.append(
      "<text xml:space=\"preserve\" x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\">\(spans.joined())</text>")
  }

  /// All shapes in painting order.
  var shapes: String { (below + above).joined(separator: "\n") }

  /// Returns the whole picture as an SVG document.
  func document(title: String, height: Int) -> String {
    Self.document(title: title, width: width, height: height, shapes: shapes)
  }

  /// Returns an SVG document with these shapes on the background colour.
  static func document(title: String, width: Int, height: Int, shapes: String) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" class="trustlab" width="\(width)" height="\(height)" \
    viewBox="0 0 \(width) \(height)" role="img">
    <title>\(XMLText.escaped(title))</title>
    <style>\(style)</style>
    <rect class="ground" width="\(width)" height="\(height)"/>
    \(shapes)
    </svg>
    """
  }
}

extension SVGCanvas {
  /// The style sheet for light and dark mode. The class names are those of the text styles.
  static let style = sheet(light) + "@media (prefers-color-scheme:dark){\(sheet(dark))}" + shapes

  private typealias Palette = [(name: String, color: String)]

  private static let light: Palette = [
    ("ground", "#ffffff"), ("plain", "#1f2328"), ("strong", "#1f2328"), ("dim", "#656d76"), ("good", "#116329"),
    ("bad", "#b3131e"), ("warning", "#7d4e00"), ("protected", "#0b6e76"), ("name", "#0550ae"), ("lane", "#afb8c1"),
    ("band", "#eaeef2"), ("note", "#f6f8fa"),
  ]

  private static let dark: Palette = [
    ("ground", "#0d1117"), ("plain", "#e6edf3"), ("strong", "#e6edf3"), ("dim", "#9198a1"), ("good", "#56d364"),
    ("bad", "#ff8078"), ("warning", "#e3b341"), ("protected", "#5ad4dc"), ("name", "#79c0ff"), ("lane", "#484f58"),
    ("band", "#21262d"), ("note", "#161b22"),
  ]

  private static let shapes =
    ".trustlab text{font:13px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;white-space:pre}"
    + ".trustlab .strong{font-weight:bold}.trustlab .quiet{stroke-dasharray:4 3}"
    + ".trustlab path,.trustlab .box,.trustlab .quiet,.trustlab .eye{stroke-width:1.5}.trustlab path{fill:none}"

  private static func sheet(_ palette: Palette) -> String {
    let color = Dictionary(uniqueKeysWithValues: palette)
    func of(_ name: String) -> String { color[name] ?? "currentColor" }
    let styles = palette.prefix(9).dropFirst().map { name, color in
      ".trustlab .\(name){fill:\(color)}.trustlab .box.\(name),.trustlab .quiet.\(name){fill:\(of("note"));"
        + "stroke:\(color)}.trustlab .arrow.\(name){stroke:\(color)}.trustlab .head.\(name){fill:\(color)}"
    }
    return ".trustlab .ground{fill:\(of("ground"))}" + styles.joined()
      + ".trustlab .lane{stroke:\(of("lane"))}.trustlab .band{fill:\(of("band"))}"
      + ".trustlab .eye{fill:\(of("warning"));stroke:\(of("warning"))}.trustlab .eye.blind{fill:\(of("ground"))}"
      + ".trustlab .lock{stroke:\(of("protected"));fill:none}"
  }
}
