import ArgumentParser
import Foundation
import Rendering
import Scenarios
import Synchronization

/// Standard output for data, standard error for everything else.
enum Console {
  /// Whether something could not be written to standard output: a full disk, not a reader that went away.
  nonisolated(unsafe) private(set) static var hasLostOutput = false

  /// Writes whole lines; the last need not be ended.
  static func out(_ text: String) { put(text.hasSuffix("\n") || text.isEmpty ? text : text + "\n") }

  /// Writes a piece of something longer, as it is.
  static func put(_ piece: String) { put(Array(piece.utf8)) }

  /// Writes bytes as they are. Whether somebody takes them: nobody does where the disk is full or a reader went away.
  @discardableResult static func put(_ bytes: [UInt8]) -> Bool {
    if write(bytes, to: .standardOutput) { return true }
    if errno != EPIPE { hasLostOutput = true }
    return false
  }

  /// On a terminal, hints are wrapped; in a pipe each is one line.
  ///
  /// What was typed or read is repeated there: none of it can act on a terminal.
  static func complain(_ text: String) {
    let text = escaped(text)
    let lines = isatty(STDERR_FILENO) == 1 ? wrappingHints(of: text, TerminalSize.current.textWidth) : text
    write(Array((lines.hasSuffix("\n") || lines.isEmpty ? lines : lines + "\n").utf8), to: .standardError)
  }

  /// A word as a shell takes it: what has spaces or signs of the shell's in it stands in quotes.
  static func word(_ text: String) -> String {
    let isPlain = text.allSatisfy { $0.isLetter || $0.isNumber || "._/@%+=:,-".contains($0) }
    if isPlain, !text.isEmpty { return text }
    return "\"" + text.map { "\"\\$`".contains($0) ? "\\\($0)" : String($0) }.joined() + "\""
  }

  /// `text`, whose control characters are spelt out, but for line breaks and tabs.
  static func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    return text.unicodeScalars.map { isControl($0) ? "\\u{\(String($0.value, radix: 16))}" : "\($0)" }.joined()
  }

  /// Control characters, and those that turn the direction of the text around them.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\n", "\t": false
    case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{200e}", "\u{200f}", "\u{2028}"..."\u{202e}",
      "\u{2066}"..."\u{2069}":
      true
    default: false
    }
  }

  /// `text`, whose hints are broken between words before they are wider than `width`, and go on below their first word.
  static func wrappingHints(of text: String, _ width: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard line.hasPrefix("hint: "), line.count > width else { return String(line) }
      var column = 0
      return line.split(separator: " ", omittingEmptySubsequences: false).reduce(into: "") { wrapped, word in
        let fits = wrapped.isEmpty || column + 1 + word.count <= width
        wrapped += wrapped.isEmpty ? word : (fits ? " " : "\n      ") + word
        column = fits ? column + (column == 0 ? 0 : 1) + word.count : 6 + word.count
      }
    }.joined(separator: "\n")
  }

  /// Shows how far long work has come, on a terminal only.
  static func progress(_ done: Int, of total: Int) {
    guard isatty(STDERR_FILENO) == 1, total > 20 else { return }
    let text = done == total ? "\r\u{1B}[K" : "\r\(done) of \(total)"
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// Whether all of it was written; if not, `errno` says why.
  @discardableResult private static func write(_ bytes: [UInt8], to handle: FileHandle) -> Bool {
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let count = Foundation.write(
          handle.fileDescriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno != EINTR { return false }
        rest = rest.dropFirst(max(0, count))
      }
      return true
    }
  }
}

/// When output is coloured.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  case auto
  case always
  case never
}

/// How text looks.
struct StyleOptions: ParsableArguments {
  @Option(help: "Colour the output: auto (on a terminal, unless NO_COLOR is set), always or never.")
  var color = ColorChoice.auto

  var style: TextStyle {
    let environment = ProcessInfo.processInfo.environment
    let isTerminal = isatty(STDOUT_FILENO) == 1
    let isColored =
      switch color {
      case .always: true
      case .never: false
      case .auto: isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
      }
    let locale = environment["LC_ALL"] ?? environment["LC_CTYPE"] ?? environment["LANG"] ?? ""
    let isUTF8 = locale.uppercased().contains("UTF-8") || locale.uppercased().contains("UTF8")
    return TextStyle(
      isColored: isColored, isASCII: isTerminal && !isUTF8, width: isTerminal ? TerminalSize.current.textWidth : 80)
  }
}

/// How a result is written.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case json
}

extension Depth: ExpressibleByArgument {}

/// Writes a result where the user wants it.
struct OutputOptions: ParsableArguments {
  @Option(name: .long, help: "Write to this file instead of standard output (-).")
  var output: String?

  /// A result in the place of what it is about would be a loss.
  func validate() throws {
    guard let output, output != "-", OutputFile.isNamedBesides(output) else { return }
    throw ValidationError("--output would write over '\(output)', which the command names besides: choose another file")
  }

  /// A file is never coloured unless the user insists.
  func style(_ styling: StyleOptions) -> TextStyle {
    guard output != nil, output != "-", styling.color == .auto else { return styling.style }
    return TextStyle(isColored: false, isASCII: false, width: 80)
  }

  /// Where a result goes that is written piece by piece.
  func stream() -> OutputStream { OutputStream(to: output == "-" ? nil : output) }

  func write(_ text: String) throws {
    guard let output, output != "-" else { return Console.out(text) }
    try OutputFile.write(Array((text.hasSuffix("\n") ? text : text + "\n").utf8), to: output)
    Console.complain("wrote \(output)")
  }
}

/// Where a result goes that is written piece by piece: standard output, or a file that is made with the first of them.
final class OutputStream: Sendable {
  private let path: String?
  private let state = Mutex(State())

  private struct State: ~Copyable {
    var file: FileHandle?
    var hasFailed = false
  }

  init(to path: String?) { self.path = path }

  /// Writes a piece; what cannot be written is said when the stream is closed.
  func write(_ piece: String) {
    guard !piece.isEmpty else { return }
    guard let path else { return Console.put(piece) }
    state.withLock { state in
      do {
        if state.file == nil, !state.hasFailed { state.file = try OutputFile.open(path, isSecret: false) }
        try state.file?.write(contentsOf: Data(piece.utf8))
      } catch {
        state.hasFailed = true
      }
    }
  }

  /// Ends the file.
  ///
  /// - Throws: `Diagnostics` when not all of it could be written.
  func close() throws {
    guard let path else { return }
    let isWritten = state.withLock { state in !state.hasFailed && (try? state.file?.close()) != nil }
    guard isWritten else { throw OutputFile.failure(path) }
    Console.complain("wrote \(path)")
  }
}

/// Which file of the system a path names, however it is spelt; nil for one that is not there, and for what is no file.
private struct FilePlace: Equatable {
  private let device: UInt64
  private let number: UInt64

  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    (device, number) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino))
  }
}

/// A file that the user asked for.
enum OutputFile {
  /// Writes `bytes` to `path`; a secret only its owner can read.
  ///
  /// - Throws: `Diagnostics` when it cannot be written.
  static func write(_ bytes: [UInt8], to path: String, isSecret: Bool = false) throws {
    do {
      let handle = try open(path, isSecret: isSecret)
      try handle.write(contentsOf: Data(bytes))
      try handle.close()
    } catch let error as Diagnostics {
      throw error
    } catch {
      throw failure(path)
    }
  }

  /// Whether the command names the file more than once: what it reads would be written over.
  static func isNamedBesides(_ path: String) -> Bool {
    guard let place = FilePlace(path) else { return false }
    let values = CommandLine.arguments.dropFirst().map { word in
      word.hasPrefix("--") ? String(word.drop { $0 != "=" }.dropFirst()) : word
    }
    return values.count { FilePlace($0) == place } > 1
  }

  static func loss(of path: String) -> Diagnostics {
    Diagnostics("'\(path)' would be written over, and the command names it besides", hint: "choose another file")
  }

  /// The file at `path`, empty.
  ///
  /// - Throws: `Diagnostics` where the command names the file besides, else whatever the system says.
  static func open(_ path: String, isSecret: Bool) throws -> FileHandle {
    if isNamedBesides(path) { throw loss(of: path) }
    let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, isSecret ? 0o600 : 0o666)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    // A file that was there before keeps its mode otherwise; a pipe or a device is somebody else's.
    if isSecret { fchmod(descriptor, 0o600) }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  static func failure(_ path: String) -> Diagnostics {
    Diagnostics("cannot write '\(path)'", hint: "is there such a folder, and may you write there?")
  }
}
