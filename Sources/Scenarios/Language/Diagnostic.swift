import Explanation

/// A place in a file.
public struct SourceMark: Sendable, Hashable, Comparable {
  /// The file name as the user wrote it.
  public let file: String
  /// The number of the line, from 1.
  public let line: Int
  /// The column in Unicode scalars, from 1.
  public let column: Int

  /// Creates the place at `line` and `column` of `file`.
  public init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// Orders places in one file from top to bottom.
  public static func < (left: SourceMark, right: SourceMark) -> Bool {
    (left.file, left.line, left.column) < (right.file, right.line, right.column)
  }
}

/// A message about an input: the problem, its place and a hint.
public struct Diagnostic: Error, Sendable, Hashable, CustomStringConvertible {
  /// Whether the input can still be used.
  public enum Severity: String, Sendable, Hashable {
    case error
    case warning
  }

  /// Whether the input can still be used.
  public let severity: Severity
  /// The place of the problem; nil if the problem concerns the whole input.
  public let mark: SourceMark?
  /// The description of the problem, without a final period.
  public let message: String
  /// The hint for a fix, without a final period; may be empty.
  public let hint: String
  /// The line at the mark, which is printed with a caret below it.
  public let line: String?

  /// Creates a diagnostic at `mark`.
  public init(
    _ message: String, hint: String = "", at mark: SourceMark? = nil, line: String? = nil,
    severity: Severity = .error
  ) {
    self.message = message
    self.hint = hint
    self.mark = mark
    self.line = line
    self.severity = severity
  }

  /// `FILE:LINE:COLUMN: error: …`, the line, a caret, and `hint: …`.
  public var description: String {
    var text = "\(severity.rawValue): \(message)"
    if let mark { text = "\(mark.file):\(mark.line):\(mark.column): " + text }
    if let mark, let line, !line.isEmpty { text += "\n" + Self.excerpt(of: line, column: mark.column) }
    if !hint.isEmpty { text += "\nhint: \(hint)" }
    return text
  }

  /// Returns the line with a caret under `column`. A long line is cut to the part around the caret.
  private static func excerpt(of line: String, column: Int) -> String {
    let scalars = Array(line.unicodeScalars.map { $0.value < 32 ? " " : $0 })
    let position = max(0, min(column - 1, scalars.count))
    let start = position > 60 ? position - 40 : 0
    let shown = String(String.UnicodeScalarView(scalars[start..<min(scalars.count, start + 76)]))
    return "  \(shown)\n  \(String(repeating: " ", count: position - start))^"
  }
}

/// All problems of an input, in the order of the file. At least one of them is an error.
public struct Diagnostics: Error, Sendable, Hashable, CustomStringConvertible {
  /// All problems in the order of the file. At least one of them is an error.
  public let all: [Diagnostic]

  /// These diagnostics, sorted by place.
  public init(_ all: [Diagnostic]) {
    self.all = all.enumerated().sorted { left, right in
      switch (left.element.mark, right.element.mark) {
      case (let first?, let second?) where first != second: first < second
      case (nil, _?): true
      case (_?, nil): false
      default: left.offset < right.offset
      }
    }.map(\.element)
  }

  /// Creates diagnostics that consist of a single error.
  public init(_ message: String, hint: String = "", at mark: SourceMark? = nil, line: String? = nil) {
    self.init([Diagnostic(message, hint: hint, at: mark, line: line)])
  }

  /// All diagnostics, each on new lines.
  public var description: String { all.map(\.description).joined(separator: "\n") }
}

/// The spelling check that finds the most likely word, available without importing `Explanation`.
public typealias Spelling = Explanation.Spelling
