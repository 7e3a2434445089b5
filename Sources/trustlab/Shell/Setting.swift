import Learning
import Scenarios

/// `PATH = VALUE`, read as a scenario file would be.
struct Setting {
  /// What diagnostics call the line.
  static let place = "<set>"

  let path: ScenarioPath
  let value: Node
  /// Where each segment of the path stands.
  private let marks: [SourceMark]
  /// The line as diagnostics show it.
  let line: String
  /// The setting as it is told: `client.os = iOS 9`.
  let text: String

  /// Reads what stands behind `set`.
  ///
  /// - Throws: `Complaint` where a part is missing, `Diagnostics` where one cannot be read.
  init(_ argument: String) throws {
    guard let equals = Change.equals(in: argument) else {
      throw Complaint(message: "set what to what?", hint: "write set client.os = iOS 9; null removes")
    }
    let name = Self.trimmed(argument[..<equals])
    let value = Self.trimmed(argument[argument.index(after: equals)...])
    text = "\(name) = \(value)"
    line = "set \(text)"
    let mark = SourceMark(file: Self.place, line: 1, column: 5)
    guard let path = ScenarioPath(name) else {
      throw Diagnostics(
        "'\(name)' is not a path", hint: "write client.os, or quote a segment: authorities.\"Root A\".trust", at: mark,
        line: line)
    }
    if let first = path.segments.first, ["cases", "sweep", "expect", "sibling"].contains(first) {
      throw Complaint(
        message: "'\(first)' is about the file, not about this run",
        hint: first == "sweep" ? "sweep client.os iOS 9, iOS 10" : "'open SCENARIO CASE' opens a case")
    }
    guard !value.isEmpty else {
      let end = SourceMark(file: Self.place, line: 1, column: line.unicodeScalars.count + 1)
      throw Diagnostics("the value is missing", hint: "null removes what is there", at: end, line: line)
    }
    self.path = path
    marks = Self.columns(of: path, in: name).map { SourceMark(file: Self.place, line: 1, column: 5 + $0) }
    self.value = try Self.node(value, at: 5 + name.unicodeScalars.count + 3, line: line)
  }

  /// What is laid over the scenario; `value` stands in for the one that was written.
  func change(to value: Node? = nil) -> Node { .nested(value ?? self.value, under: path, marks: marks) }

  /// Where the segments begin in `name`, counted from 0.
  private static func columns(of path: ScenarioPath, in name: String) -> [Int] {
    var column = 0
    return path.segments.map { segment in
      defer { column += segment.unicodeScalars.count + (isQuoted(at: column, in: name) ? 2 : 0) + 1 }
      return column
    }
  }

  private static func isQuoted(at column: Int, in name: String) -> Bool {
    let scalar = name.unicodeScalars.dropFirst(column).first
    return scalar == "\"" || scalar == "'"
  }

  /// A value as YAML; it keeps the column that it has in `line`.
  static func node(_ text: String, at column: Int, line: String) throws -> Node {
    let padded = String(repeating: " ", count: max(0, column - 1)) + text
    do {
      return try YAMLDocument(Array(padded.utf8), file: place).root
    } catch {
      throw error.showing(line, of: place)
    }
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

extension Diagnostics {
  /// The same diagnostics, where those in `place` show `line`.
  func showing(_ line: String, of place: String) -> Diagnostics {
    Diagnostics(
      all.map { diagnostic in
        guard let mark = diagnostic.mark, mark.file == place else { return diagnostic }
        // What is missing at the end is missed on the line after it.
        let column = mark.line > 1 ? line.unicodeScalars.count + 1 : mark.column
        return Diagnostic(
          diagnostic.message, hint: diagnostic.hint, at: SourceMark(file: place, line: 1, column: column), line: line,
          severity: diagnostic.severity)
      })
  }
}
