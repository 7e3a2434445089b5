import Foundation

/// Reads lines with libedit (BSD), with editing, history and completion.
///
/// The library is loaded at run time. If it is not installed, plain lines are used instead.
final class EditLine: LineSource {
  private typealias Read = @convention(c) (UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>?
  private typealias Path = @convention(c) (UnsafePointer<CChar>) -> CInt
  private typealias Count = @convention(c) (CInt) -> Void
  private typealias Complete =
    @convention(c) (UnsafePointer<CChar>?, CInt, CInt) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?

  private let read: Read
  private let addHistory: Path
  private let writeHistory: Path
  private let history: HistoryFile?
  private var last = ""

  /// Creates the editor; nil if the library or one of its functions is missing.
  ///
  /// - Parameter complete: Returns the possible last words of a line; nil to complete file names.
  init?(history: HistoryFile?, complete: @escaping (String) -> [String]?) {
    let names = ["libedit.so.2", "libedit.so.0", "libedit.so", "libedit.3.dylib", "/usr/lib/libedit.dylib"]
    guard let library = names.lazy.compactMap({ dlopen($0, RTLD_NOW) }).first,
      let read = dlsym(library, "readline"), let add = dlsym(library, "add_history"),
      let write = dlsym(library, "write_history"), let load = dlsym(library, "read_history"),
      let stifle = dlsym(library, "stifle_history"), let line = dlsym(library, "rl_line_buffer"),
      let completer = dlsym(library, "rl_attempted_completion_function"),
      let breaks = dlsym(library, "rl_completer_word_break_characters"),
      let isOver = dlsym(library, "rl_attempted_completion_over"),
      let ending = dlsym(library, "rl_completion_append_character"), let name = dlsym(library, "rl_readline_name")
    else { return nil }
    self.read = unsafeBitCast(read, to: Read.self)
    addHistory = unsafeBitCast(add, to: Path.self)
    writeHistory = unsafeBitCast(write, to: Path.self)
    self.history = history
    // The editor counts columns by the locale's characters.
    setlocale(LC_CTYPE, "")
    name.assumingMemoryBound(to: UnsafePointer<CChar>?.self).pointee = UnsafePointer(strdup("trustlab"))
    breaks.assumingMemoryBound(to: UnsafePointer<CChar>?.self).pointee = UnsafePointer(strdup(" \t"))
    EditLine.completion = Completion(
      line: line.assumingMemoryBound(to: UnsafePointer<CChar>?.self),
      isOver: isOver.assumingMemoryBound(to: CInt.self), ending: ending.assumingMemoryBound(to: CInt.self),
      complete: complete)
    let callback: Complete = { _, start, end in EditLine.matches(start: Int(start), end: Int(end)) }
    completer.assumingMemoryBound(to: Complete?.self).pointee = callback
    unsafeBitCast(stifle, to: Count.self)(1000)
    if let history { _ = unsafeBitCast(load, to: Path.self)(history.path) }
  }

  func nextLine(prompt: String) -> TypedLine {
    guard let line = read(prompt) else {
      // The editor leaves the cursor after the prompt.
      try? FileHandle.standardOutput.write(contentsOf: Data("\n".utf8))
      return Interruption.clear() ? .interrupted : .end
    }
    defer { free(line) }
    let text = String(cString: line)
    if !text.allSatisfy(\.isWhitespace), text != last { _ = addHistory(text) }
    last = text
    return .text(text)
  }

  func close() {
    guard let history else { return }
    history.prepare()
    _ = writeHistory(history.path)
  }
}

extension EditLine {
  /// The context of the library's callback, because C functions cannot capture values.
  private struct Completion {
    let line: UnsafeMutablePointer<UnsafePointer<CChar>?>
    let isOver: UnsafeMutablePointer<CInt>
    let ending: UnsafeMutablePointer<CInt>
    let complete: (String) -> [String]?
  }

  nonisolated(unsafe) private static var completion: Completion?

  /// Returns the longest common prefix, then all matching words. The library frees them.
  private static func matches(start: Int, end: Int) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
    guard let completion, let buffer = completion.line.pointee else { return nil }
    let line = String(decoding: Array(String(cString: buffer).utf8).prefix(end), as: UTF8.self)
    guard let whole = completion.complete(line) else { return nil }
    // The editor starts a new word after a quote, so the part before the quote is already typed.
    let word = line.lastIndex(of: " ").map { line[line.index(after: $0)...] } ?? line[...]
    let before = max(0, word.utf8.count - max(0, end - start))
    let words = whole.map { String(decoding: Array($0.utf8).dropFirst(before), as: UTF8.self) }
    completion.isOver.pointee = 1
    guard let first = words.first else { return nil }
    completion.ending.pointee = words.count == 1 && ".\"/".contains(first.last ?? " ") ? 0 : CInt(UInt8(ascii: " "))
    let common = words.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    let all = [common] + words
    let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: all.count + 1)
    for (index, word) in all.enumerated() { list[index] = strdup(word) }
    list[all.count] = nil
    return list
  }
}

/// The file that keeps the line history between sessions.
struct HistoryFile {
  let path: String

  /// Creates the file named by `TRUSTLAB_HISTORY`, or else a file in the XDG state folder. Nil if the variable is `off`
  /// or neither is known.
  init?(_ environment: [String: String]) {
    if let named = environment["TRUSTLAB_HISTORY"] {
      guard named != "off", !named.isEmpty else { return nil }
      path = named
    } else if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      path = "\(state)/trustlab/history"
    } else if let home = environment["HOME"], home.hasPrefix("/"), home != "/" {
      path = "\(home)/.local/state/trustlab/history"
    } else {
      return nil
    }
  }

  /// Creates the folder of the file. Without write permission, no history is kept.
  func prepare() {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }
}

/// A line that is typed key by key without an editor. It shows the typed keys and supports the backspace key.
struct TypedBehindPrompt {
  /// The line without its line break; nil at the end of the input, or if the user discarded it.
  let line: String?

  /// Reads a line that begins with `first` until Enter is pressed, and shows each key with `echo`.
  init(first: UInt8, next: () -> UInt8?, echo: ([UInt8]) -> Void) {
    var bytes = [first]
    echo(bytes)
    while !bytes.isEmpty, let key = next() {
      switch key {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        echo([UInt8(ascii: "\n")])
        line = String(decoding: bytes, as: UTF8.self)
        return
      case 0x7f, 0x08:
        // A character may consist of several bytes.
        while let last = bytes.popLast(), last & 0xc0 == 0x80 {}
        echo(Array("\u{8} \u{8}".utf8))
      case ..<0x20: continue
      default:
        bytes.append(key)
        echo([key])
      }
    }
    echo([UInt8(ascii: "\n")])
    line = nil
  }
}
