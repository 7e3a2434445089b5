/// A table of at most 80 columns: one contender a line, with its times and its ratio to the first one's.
enum Table {
  static func text(_ title: String, _ times: [Times], unit: String, scale: Double, showsMean: Bool = false) -> String {
    let reference = times[0]
    let figure: (Times) -> Double = { showsMean ? $0.mean : $0.minimum }
    let columns = showsMean ? ["min", "median", "mean"] : ["min", "median", ""]
    var lines = [title, row("", columns.map { $0.isEmpty ? "" : "\($0) \(unit)" } + ["ours/this"])]
    for time in times {
      let figures = [time.minimum, time.median] + (showsMean ? [time.mean] : [])
      let texts = figures.map { decimal($0 * scale, 1) } + (showsMean ? [] : [""])
      lines.append(row("  " + time.name, texts + [decimal(figure(reference) / figure(time), 3)]))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func row(_ name: String, _ cells: [String]) -> String {
    pad(name, 34, toLeft: true) + cells.map { pad($0, 11, toLeft: false) }.joined()
  }

  private static func pad(_ text: String, _ width: Int, toLeft: Bool) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return toLeft ? text + space : space + text
  }

  private static func decimal(_ number: Double, _ places: Int) -> String {
    guard number.isFinite else { return "-" }
    let power = places == 1 ? 10 : 1000
    let scaled = Int((number * Double(power)).rounded())
    let fraction = String(scaled % power)
    return "\(scaled / power)." + String(repeating: "0", count: places - fraction.count) + fraction
  }
}
