/// A command for a shell, as pieces between which a line may end with a reverse solidus.
public struct ShellCommand: Sendable, Hashable, CustomStringConvertible {
  /// What is never broken; white space between two pieces changes nothing.
  public let pieces: [String]

  /// A command of these pieces.
  init(_ pieces: [String]) { self.pieces = pieces }

  /// The command on one line.
  public var description: String { pieces.joined() }

  /// The command on lines of at most `width` columns, all but the last ended by a reverse solidus.
  func lines(width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for piece in pieces {
      if !line.isEmpty, line.count + piece.count > width - 1 {
        lines.append(line + "\\")
        line = ""
      }
      line += piece
    }
    return lines + [line]
  }
}
