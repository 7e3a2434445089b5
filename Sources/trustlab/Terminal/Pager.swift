import Foundation
import Rendering

/// Shows a long text one screen at a time.
///
/// Enter or the space bar continues; q, Ctrl-C and the end of the input skip the rest. Any other key starts the next
/// command.
///
/// The pager is for interactive terminals only, not for scripts, pipes or programs.
enum Pager {
  /// The way in which the pager ended.
  enum Ending: Equatable {
    /// The pager showed the whole text, or the user skipped the rest.
    case done
    /// The user pressed q, which may be followed by Enter.
    case quit
    /// The user typed the next command instead of a key.
    case typed(String)
  }

  private enum Answer {
    case more
    case enough(Ending)
  }

  /// Shows `text`. If the user types a command meanwhile, it appears after `prompt`.
  static func show(_ text: String, prompt: String) -> Ending {
    let size = TerminalSize.current
    let parts = Screenfuls(text, rows: size.rows, columns: size.columns).parts
    for (index, part) in parts.enumerated() {
      Console.out(part)
      // A user who has typed ahead wants to see the result immediately.
      guard index < parts.count - 1, !hasInput(within: 0) else { continue }
      if case .enough(let ending) = asksForMore(prompt) { return ending }
    }
    return .done
  }

  private static let question = "-- more: Enter, q --"

  /// Waits for a key. The prompt disappears afterwards.
  private static func asksForMore(_ prompt: String) -> Answer {
    var before = termios()
    guard tcgetattr(STDIN_FILENO, &before) == 0 else { return .more }
    var single = before
    single.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &single)
    defer { tcsetattr(STDIN_FILENO, TCSANOW, &before) }
    write(question)
    let key = meaningfulKey()
    write(isDumb ? "\n" : "\r\u{1B}[K")
    switch key {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: " "): return .more
    case UInt8(ascii: "q"), UInt8(ascii: "Q"): return .enough(.quit)
    case nil, Self.endOfInput: return .enough(.done)
    case let first?:
      write(prompt)
      let line = TypedBehindPrompt(first: first, next: Self.key, echo: write).line
      return .enough(line.map(Ending.typed) ?? .done)
    }
  }

  private static var isDumb: Bool { ProcessInfo.processInfo.environment["TERM"] == "dumb" }

  /// The byte that Ctrl-D sends.
  private static let endOfInput: UInt8 = 4
  private static let escape: UInt8 = 0x1b

  /// Returns the next key that has a meaning. Arrow keys and control keys are ignored.
  private static func meaningfulKey() -> UInt8? {
    while let key = key() {
      if key == escape { while hasInput(within: 0), self.key() != nil {} }
      let isMeant = key >= 0x20 && key != 0x7f || [UInt8(ascii: "\n"), UInt8(ascii: "\r"), endOfInput].contains(key)
      if isMeant { return key }
    }
    return nil
  }

  /// Returns the next key; nil at the end of the input and for Ctrl-C, which only interrupts this command.
  private static func key() -> UInt8? {
    // The wait is split into short periods, because a signal just before a long one would go unnoticed.
    while !Interruption.isRequested, !hasInput(within: 100) {}
    var key: UInt8 = 0
    return !Interruption.isRequested && read(STDIN_FILENO, &key, 1) == 1 ? key : nil
  }

  /// Returns whether a key was pressed or the input ended within this time.
  private static func hasInput(within milliseconds: CInt) -> Bool {
    var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&input, 1, milliseconds) > 0
  }

  private static func write(_ text: String) { write(Array(text.utf8)) }

  private static func write(_ bytes: [UInt8]) {
    try? FileHandle.standardOutput.write(contentsOf: Data(bytes))
  }
}

/// Splits a long text into parts that fit on the screen, so that no line scrolls away unread.
struct Screenfuls: Equatable {
  /// The parts of the text in order, with their line breaks.
  let parts: [String]

  /// Splits `text` for a terminal of this size, with the last row of each screen free for a prompt.
  ///
  /// For a terminal of unknown or very small size, the whole text is one part.
  init(_ text: String, rows: Int, columns: Int) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    // The empty string after the last line end is not a line.
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

  /// Returns the number of rows that a line occupies.
  private static func height(of line: Substring, _ columns: Int) -> Int {
    max(1, (TextStyle.columns(of: String(line)) + columns - 1) / columns)
  }
}

/// The size of the terminal to which standard output is connected.
struct TerminalSize {
  /// The number of rows; 0 if the size is unknown or there is no terminal.
  let rows: Int
  let columns: Int

  /// The current size of the terminal, which changes when the window is resized.
  static var current: TerminalSize {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return TerminalSize(rows: 0, columns: 0) }
    return TerminalSize(rows: Int(size.ws_row), columns: Int(size.ws_col))
  }

  /// The width of text: at most 80 columns, and 80 if the width of the terminal is unknown.
  var textWidth: Int { columns > 0 ? max(40, min(80, columns)) : 80 }
}
