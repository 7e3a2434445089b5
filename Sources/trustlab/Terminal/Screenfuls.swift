import Rendering

/// A long text in parts that fit on a terminal one after the other, so that none scrolls away unread.
struct Screenfuls: Equatable {
  /// The parts in their order, each with its line ends; one alone when all of it fits.
  let parts: [String]

  /// Parts of `text` for a terminal of so many rows and columns; the last row of each screen is left for a prompt. A
  /// terminal that does not say its size, or that has no room, gets the text as it is.
  init(_ text: String, rows: Int, columns: Int) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    // What stands behind the last line end is no line.
    let last = lines.last?.isEmpty == true ? lines.count - 1 : lines.count
    guard rows > 2, columns > 0 else {
      parts = [text]
      return
    }
    var parts: [String] = []
    var (part, used) = ("", 0)
    for (index, line) in lines.prefix(last).enumerated() {
      let height = Self.height(of: line, columns)
      if used > 0, used + height > rows - 1 {
        parts.append(part)
        (part, used) = ("", 0)
      }
      part += line + (index < lines.count - 1 ? "\n" : "")
      used += height
    }
    self.parts = parts + [part]
  }

  /// How many rows a line takes.
  private static func height(of line: Substring, _ columns: Int) -> Int {
    max(1, (TextStyle.columns(of: String(line)) + columns - 1) / columns)
  }
}
