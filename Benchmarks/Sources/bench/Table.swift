/// A table of at most 80 columns, with one contender a line.
///
/// A line has the contender's times, and this library's speed as a multiple of the contender's.
enum Table {
  /// The figure by which speeds are compared.
  enum Figure {
    /// The fastest round, because other processes can only add time.
    case minimum
    /// The average, for work whose duration varies randomly.
    case mean

    func callAsFunction(_ times: Times) -> Double { self == .mean ? times.mean : times.minimum }
  }

  static func text(_ title: String, _ times: [Times], by figure: Figure = .minimum, compared: Bool = true) -> String {
    let name = figure == .mean ? "mean" : "min"
    let (unit, scale) = figure(times[0]) < 5e-3 ? ("us", 1e6) : ("ms", 1e3)
    var lines = [
      title, row("", ["\(name) \(unit)", "median \(unit)", "per second"] + (compared ? ["speed", "target"] : [])),
    ]
    for (index, time) in times.enumerated() {
      let speed = figure(time) / figure(times[0])
      lines.append(
        row(
          "  " + time.name,
          [
            decimal(figure(time) * scale, 1), decimal(time.median * scale, 1), decimal(1 / figure(time), 0),
            index == 0 || !compared ? "" : decimal(speed, 2), time.target.map { verdict(speed, $0) } ?? "",
          ]))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func verdict(_ speed: Double, _ target: Double) -> String {
    "\(decimal(target, 2)) \(speed >= target ? "✓" : "✗")"
  }

  private static func row(_ name: String, _ cells: [String]) -> String {
    let widths = [11, 11, 11, 8, 8]
    return pad(name, 31, toLeft: true) + zip(cells, widths).map { pad($0, $1, toLeft: false) }.joined()
  }

  private static func pad(_ text: String, _ width: Int, toLeft: Bool) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return toLeft ? text + space : space + text
  }

  private static func decimal(_ number: Double, _ places: Int) -> String {
    let power = [1, 10, 100][places]
    guard number.isFinite, number < 1e15 else { return "-" }
    let scaled = Int((number * Double(power)).rounded())
    guard places > 0 else { return String(scaled) }
    let fraction = String(scaled % power)
    return "\(scaled / power)." + String(repeating: "0", count: places - fraction.count) + fraction
  }
}
