import Foundation

/// A source of the lines of a session.
protocol LineSource {
  /// Returns the next line, after showing `prompt` on a terminal.
  mutating func nextLine(prompt: String) -> TypedLine
  /// Closes the source. No line can be read after this.
  func close()
}

/// The result of reading a line.
enum TypedLine {
  case text(String)
  /// The user pressed Ctrl-C, which discards the line.
  case interrupted
  /// The user pressed Ctrl-D, or the input ended.
  case end
}

/// Reads plain lines from a pipe, a file, or a terminal without an editor.
struct PlainLines: LineSource {
  let isTerminal: Bool
  private var unread: [UInt8] = []
  private var isAtEnd = false
  /// The maximum size in bytes of the kept part of a line. It exceeds the limit of any command, so that the session can
  /// report the error.
  private static let longest = 1 << 16

  init(isTerminal: Bool) { self.isTerminal = isTerminal }

  mutating func nextLine(prompt: String) -> TypedLine {
    if isTerminal { try? FileHandle.standardOutput.write(contentsOf: Data(prompt.utf8)) }
    var searched = 0
    while true {
      if let end = unread[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeFirst(end + 1) }
        return .text(Self.text(unread[..<end]))
      }
      // An endless line is truncated.
      if unread.count > Self.longest { unread.removeSubrange(Self.longest...) }
      searched = unread.count
      if isAtEnd {
        defer { unread = [] }
        return unread.isEmpty ? .end : .text(Self.text(unread[...]))
      }
      guard readMore() else {
        unread = []
        return .interrupted
      }
    }
  }

  func close() {}

  /// Reads more input. Returns false if the user interrupted the read.
  private mutating func readMore() -> Bool {
    var (size, reason) = (0, CInt(0))
    unread += [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      size = read(STDIN_FILENO, buffer.baseAddress, buffer.count)
      reason = errno
      count = max(0, size)
    }
    if size < 0, reason == EINTR { return !Interruption.clear() }
    isAtEnd = size <= 0
    return true
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes, as: UTF8.self)
  }
}
