import Foundation

/// Where the lines of a session come from.
protocol LineSource {
  /// The next line, after `prompt` where someone sees it.
  mutating func nextLine(prompt: String) -> TypedLine
  /// Nothing more will be asked for.
  func close()
}

/// What came of waiting for a line.
enum TypedLine {
  case text(String)
  /// Ctrl-C: the line was given up.
  case interrupted
  /// Ctrl-D, or the end of the input.
  case end
}

/// Lines as they come: from a pipe, a file, or a terminal where no editor was found.
struct PlainLines: LineSource {
  let isTerminal: Bool
  private var unread: [UInt8] = []
  private var isAtEnd = false
  /// The most of a line that is kept, in bytes: more than any command takes, so that the session still says that it is
  /// too long.
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
      // Of a line that does not end its beginning is kept, and the rest is passed over.
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

  /// Whether something came, or the end did; false for an interruption.
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
