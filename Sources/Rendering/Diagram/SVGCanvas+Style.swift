extension SVGCanvas {
  /// Colours for light and dark; the names of the classes are those of the text's styles.
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
