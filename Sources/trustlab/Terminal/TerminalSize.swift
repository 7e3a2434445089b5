import Foundation

/// How large the terminal is that standard output goes to.
struct TerminalSize {
  /// 0 where the terminal does not say, or where there is none.
  let rows: Int
  let columns: Int

  /// The size as it is now: windows are resized.
  static var current: TerminalSize {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return TerminalSize(rows: 0, columns: 0) }
    return TerminalSize(rows: Int(size.ws_row), columns: Int(size.ws_col))
  }

  /// How wide text is written: 80 columns at most, and where the width is not known.
  var textWidth: Int { columns > 0 ? max(40, min(80, columns)) : 80 }
}
