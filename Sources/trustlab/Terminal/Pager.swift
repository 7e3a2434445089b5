import Foundation
import Rendering

/// Shows what is longer than the terminal one screenful after the other: Enter or the space bar goes on, q leaves the
/// rest out; so do Ctrl-C and the end of the input. Whatever else is typed begins the next command.
///
/// Only where someone reads and types: never in scripts, pipes or answers for programs.
enum Pager {
  /// How it ended.
  enum Ending: Equatable {
    /// All was shown, or the rest was given up.
    case done
    /// q was pressed: who takes it for a command presses Enter behind it.
    case quit
    /// The next command was typed in the place of a key.
    case typed(String)
  }

  private enum Answer {
    case more
    case enough(Ending)
  }

  /// Shows `text`; a command that is typed meanwhile stands behind `prompt`.
  static func show(_ text: String, prompt: String) -> Ending {
    let size = TerminalSize.current
    let parts = Screenfuls(text, rows: size.rows, columns: size.columns).parts
    for (index, part) in parts.enumerated() {
      Console.out(part)
      // Who has typed ahead wants to see what comes of it.
      guard index < parts.count - 1, !hasInput(within: 0) else { continue }
      if case .enough(let ending) = asksForMore(prompt) { return ending }
    }
    return .done
  }

  private static let question = "-- more: Enter, q --"

  /// Waits for a key, behind a line that goes away again.
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

  /// Ctrl-D.
  private static let endOfInput: UInt8 = 4
  private static let escape: UInt8 = 0x1b

  /// The next key that says something: not an arrow, nor a control character.
  private static func meaningfulKey() -> UInt8? {
    while let key = key() {
      if key == escape { while hasInput(within: 0), self.key() != nil {} }
      let isMeant = key >= 0x20 && key != 0x7f || [UInt8(ascii: "\n"), UInt8(ascii: "\r"), endOfInput].contains(key)
      if isMeant { return key }
    }
    return nil
  }

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

  private static func write(_ text: String) { write(Array(text.utf8)) }

  private static func write(_ bytes: [UInt8]) {
    try? FileHandle.standardOutput.write(contentsOf: Data(bytes))
  }
}

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
