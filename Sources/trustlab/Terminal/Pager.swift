import Foundation

/// Shows what is longer than the terminal one screenful after the other: Enter or the space bar goes on, q leaves the
/// rest out; so do Ctrl-C and the end of the input.
///
/// Only where someone reads and types: never in scripts, pipes or answers for programs.
enum Pager {
  static func show(_ text: String) {
    let size = TerminalSize.current
    let parts = Screenfuls(text, rows: size.rows, columns: size.columns).parts
    for (index, part) in parts.enumerated() {
      Console.out(part)
      // Who has typed ahead wants to see what comes of it.
      guard index < parts.count - 1, !hasInput(within: 0) else { continue }
      guard asksForMore() else { return }
    }
  }

  private static let question = "-- more: Enter, q --"

  /// Waits for a key, behind a line that goes away again.
  private static func asksForMore() -> Bool {
    var before = termios()
    guard tcgetattr(STDIN_FILENO, &before) == 0 else { return true }
    var single = before
    single.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &single)
    write(question)
    defer {
      tcsetattr(STDIN_FILENO, TCSANOW, &before)
      let isDumb = ProcessInfo.processInfo.environment["TERM"] == "dumb"
      write(isDumb ? "\n" : "\r\u{1B}[K")
    }
    while let key = key() {
      switch key {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: " "): return true
      case UInt8(ascii: "q"), UInt8(ascii: "Q"), Self.endOfInput: return false
      default: continue
      }
    }
    return false
  }

  /// Ctrl-D.
  private static let endOfInput: UInt8 = 4

  /// The next key; nil at the end of the input, and for Ctrl-C, which ends this command alone.
  private static func key() -> UInt8? {
    // In short spans: a signal that comes just before one would be waited for else.
    while !Interruption.isRequested, !hasInput(within: 100) {}
    var key: UInt8 = 0
    return !Interruption.isRequested && read(STDIN_FILENO, &key, 1) == 1 ? key : nil
  }

  /// Whether a key was pressed, or the input has ended.
  private static func hasInput(within milliseconds: CInt) -> Bool {
    var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&input, 1, milliseconds) > 0
  }

  private static func write(_ text: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  }
}
