import ArgumentParser
import Foundation
import Rendering
import Scenarios
import Synchronization

/// Writes data to standard output and messages to standard error.
enum Console {
  /// Whether writing to standard output failed, for example because the disk is full. A closed pipe is not a failure.
  nonisolated(unsafe) private(set) static var hasLostOutput = false

  /// Writes whole lines, and adds the last line break if it is missing.
  static func out(_ text: String) { put(text.hasSuffix("\n") || text.isEmpty ? text : text + "\n") }

  /// Writes part of a longer text without adding a line break.
  static func put(_ piece: String) { put(Array(piece.utf8)) }

  /// Writes bytes unchanged. Returns false if the write failed, for example because the disk is full or the pipe is
  /// closed.
  @discardableResult static func put(_ bytes: [UInt8]) -> Bool {
    if write(bytes, to: .standardOutput) { return true }
    if errno != EPIPE { hasLostOutput = true }
    return false
  }

  /// Writes a message to standard error, with hints wrapped on a terminal.
  ///
  /// Messages repeat user input. Control characters are escaped, because they must not affect the terminal.
  static func complain(_ text: String) {
    let text = escaped(text)
    let lines = isatty(STDERR_FILENO) == 1 ? wrappingHints(of: text, TerminalSize.current.textWidth) : text
    write(Array((lines.hasSuffix("\n") || lines.isEmpty ? lines : lines + "\n").utf8), to: .standardError)
  }

  /// Quotes a word for a shell if it contains spaces or special characters.
  static func word(_ text: String) -> String {
    let isPlain = text.allSatisfy { $0.isLetter || $0.isNumber || "._/@%+=:,-".contains($0) }
    if isPlain, !text.isEmpty { return text }
    return "\"" + text.map { "\"\\$`".contains($0) ? "\\\($0)" : String($0) }.joined() + "\""
  }

  /// Returns `text` with its control characters escaped, except line breaks and tabs.
  static func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    return text.unicodeScalars.map { isControl($0) ? "\\u{\(String($0.value, radix: 16))}" : "\($0)" }.joined()
  }

  /// Returns whether the character is a control character or changes the direction of the surrounding text.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\n", "\t": false
    case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{200e}", "\u{200f}", "\u{2028}"..."\u{202e}",
      "\u{2066}"..."\u{2069}":
      true
    default: false
    }
  }

  /// Returns `text` with its hint lines wrapped at `width` columns and continuation lines indented.
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

  /// Shows the progress of long work, on a terminal only.
  static func progress(_ done: Int, of total: Int) {
    guard isatty(STDERR_FILENO) == 1, total > 20 else { return }
    let text = done == total ? "\r\u{1B}[K" : "\r\(done) of \(total)"
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// Writes bytes and returns whether all were written. If not, `errno` contains the reason.
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

/// The choice of when to colour the output.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  case auto
  case always
  case never
}

/// The options for the appearance of text output.
struct StyleOptions: ParsableArguments {
  @Option(help: "When to colour the output: auto (on a terminal, unless NO_COLOR is set), always or never.")
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
    let columns = environment["COLUMNS"].flatMap { Int($0) } ?? (isTerminal ? TerminalSize.current.columns : 0)
    return TextStyle(
      isColored: isColored, isASCII: isTerminal && !isUTF8, width: TerminalSize(rows: 0, columns: columns).textWidth)
  }
}

/// The format of a result.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case json
}

extension Depth: ExpressibleByArgument {}

/// The option for the output file.
struct OutputOptions: ParsableArguments {
  @Option(name: .long, help: "The output file; - is standard output (the default).")
  var output: String?

  /// Refuses an output file that is also an input of the command, because the input would be lost.
  func validate() throws {
    guard let output, output != "-", OutputFile.isNamedBesides(output) else { return }
    throw ValidationError("--output would overwrite '\(output)', which is also an input: choose another file")
  }

  /// Returns the style of the output. A file is coloured only with an explicit `--color`.
  func style(_ styling: StyleOptions) -> TextStyle {
    guard output != nil, output != "-", styling.color == .auto else { return styling.style }
    return TextStyle(isColored: false, isASCII: false, width: 80)
  }

  /// A stream for output that is written piece by piece.
  func stream() -> OutputStream { OutputStream(to: output == "-" ? nil : output) }

  func write(_ text: String) throws {
    guard let output, output != "-" else { return Console.out(text) }
    try OutputFile.write(Array((text.hasSuffix("\n") ? text : text + "\n").utf8), to: output)
    Console.complain("wrote \(output)")
  }
}

/// An output that is written piece by piece: standard output, or a file that is created with the first piece.
final class OutputStream: Sendable {
  private let path: String?
  private let state = Mutex(State())

  private struct State: ~Copyable {
    var file: FileHandle?
    var hasFailed = false
  }

  init(to path: String?) { self.path = path }

  /// Writes a piece. A failure is reported when the stream is closed.
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

  /// Closes the file.
  ///
  /// - Throws: `Diagnostics` if a write failed.
  func close() throws {
    guard let path else { return }
    let isWritten = state.withLock { state in !state.hasFailed && (try? state.file?.close()) != nil }
    guard isWritten else { throw OutputFile.failure(path) }
    Console.complain("wrote \(path)")
  }
}

/// The identity of a regular file, independent of its path. The initializer returns nil for any other file.
private struct FilePlace: Equatable {
  private let device: UInt64
  private let number: UInt64

  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    (device, number) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino))
  }
}

/// Writes the output files that the user names.
enum OutputFile {
  /// Writes `bytes` to `path`. Only the owner can read a secret file.
  ///
  /// - Throws: `Diagnostics` if the file cannot be written.
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

  /// Returns whether the command names the file more than once, so that writing would overwrite an input.
  static func isNamedBesides(_ path: String) -> Bool {
    guard let place = FilePlace(path) else { return false }
    let values = CommandLine.arguments.dropFirst().map { word in
      word.hasPrefix("--") ? String(word.drop { $0 != "=" }.dropFirst()) : word
    }
    return values.count { FilePlace($0) == place } > 1
  }

  static func loss(of path: String) -> Diagnostics {
    Diagnostics("the output would overwrite '\(path)', which is also an input", hint: "choose another file")
  }

  /// Opens the file at `path` and empties it.
  ///
  /// - Throws: `Diagnostics` if the command also reads the file; otherwise, the error of the operating system.
  static func open(_ path: String, isSecret: Bool) throws -> FileHandle {
    if isNamedBesides(path) { throw loss(of: path) }
    let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, isSecret ? 0o600 : 0o666)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    // An existing file keeps its mode unless it is secret. A pipe or device belongs to another program.
    if isSecret { fchmod(descriptor, 0o600) }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  static func failure(_ path: String) -> Diagnostics {
    Diagnostics(
      "cannot write '\(path)'", hint: "check that the folder exists, and that you have permission to write to it")
  }
}
