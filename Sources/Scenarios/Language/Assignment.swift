/// An assignment `PATH = VALUE`, whose value is read like a value in a scenario file.
public struct Assignment: Sendable, Hashable, CustomStringConvertible {
  /// The name that diagnostics use for the line.
  public static let place = "<set>"

  /// The path of the assigned value.
  public let path: ScenarioPath
  /// The value to merge into the node at the path.
  public let value: Node
  /// The line as diagnostics show it.
  public let line: String
  /// The place of each segment of the path.
  let marks: [SourceMark]

  /// Assigns `value` to `path`.
  public init(_ path: ScenarioPath, _ value: Node) {
    self.path = path
    self.value = value
    line = "set \(path) = \(value.flowText)"
    marks = path.segments.map { _ in value.mark }
  }

  /// Reads `PATH = VALUE`, with the value in YAML's flow style.
  ///
  /// - Throws: `Diagnostics` that report the missing part, or show the invalid part in the line.
  public init(reading text: String) throws(Diagnostics) {
    guard let equals = Self.end(ofPathIn: text, where: { $0 == "=" }) else {
      throw Diagnostics("the assignment has no '='", hint: "write set client.os = iOS 9; null removes a value")
    }
    let name = Self.trimmed(text[..<equals])
    let value = Self.trimmed(text[text.index(after: equals)...])
    line = "set \(name) = \(value)"
    path = try Self.path(name, line: line)
    guard !value.isEmpty else {
      let end = SourceMark(file: Self.place, line: 1, column: line.unicodeScalars.count + 1)
      throw Diagnostics("the value is missing", hint: "null removes the current value", at: end, line: line)
    }
    marks = Self.columns(of: path, in: name).map { SourceMark(file: Self.place, line: 1, column: 5 + $0) }
    self.value = try Self.value(value, at: 5 + name.unicodeScalars.count + 3, line: line)
  }

  /// Splits `PATH VALUES` into the path and the rest; an equals sign may separate them. Returns nil if `text` begins
  /// with no path.
  ///
  /// - Throws: `Diagnostics` that show the line if a run does not use the path.
  public static func split(_ text: String) throws(Diagnostics) -> (path: ScenarioPath, values: String)? {
    func isBetween(_ character: Character) -> Bool { character.isWhitespace || character == "=" }
    let end = end(ofPathIn: text, where: isBetween) ?? text.endIndex
    let name = String(text[..<end])
    if name.isEmpty { return nil }
    let values = String(text[end...].drop(while: isBetween))
    return (try path(name, line: "set \(name) = \(values)"), values)
  }

  /// The assignment in canonical form: `client.os = iOS 9`.
  public var description: String { "\(path) = \(value.flowText)" }

  /// The assignment as the user wrote it: `client.os = iOS 9`.
  public var text: String { String(line.dropFirst(4)) }

  /// Returns the change to merge into a scenario. If `other` is not nil, it replaces the written value.
  public func change(to other: Node? = nil) -> Node { .nested(other ?? value, under: path, marks: marks) }

  /// Parses a value in YAML's flow style, and keeps its column in `line`.
  ///
  /// - Throws: `Diagnostics` that show the invalid part of the line.
  public static func value(_ text: String, at column: Int = 1, line: String) throws(Diagnostics) -> Node {
    let padded = String(repeating: " ", count: max(0, column - 1)) + text
    do { return try YAMLDocument(Array(padded.utf8), file: place).root } catch {
      throw error.showing(line, of: place)
    }
  }

  /// Returns the path called `name`, which follows `set ` in the line.
  private static func path(_ name: String, line: String) throws(Diagnostics) -> ScenarioPath {
    guard let path = ScenarioPath(name) else {
      throw Diagnostics(
        "'\(name)' is not a path",
        hint: "write client.os; quote a segment with dots or spaces: authorities.\"Root A\".trust",
        at: SourceMark(file: place, line: 1, column: 5), line: line)
    }
    if let (host, meant) = path.unquotedHost {
      throw Diagnostics(
        "the host '\(host)' must be quoted, because a dot ends a key", hint: "write \(meant)",
        at: SourceMark(file: Self.place, line: 1, column: 5), line: line)
    }
    if let first = path.segments.first, ScenarioParts.keysOfTheFile.contains(first) {
      throw Diagnostics(
        "'\(first)' applies to the file, not to this run",
        hint: first == "sweep" ? "enter sweep client.os iOS 9, iOS 10" : "'open SCENARIO CASE' opens a case")
    }
    return path
  }

  /// Returns the first character outside quotes that ends a path; nil if there is none. Quotes open only at the
  /// beginning of a segment. Within a segment, an apostrophe is a letter.
  private static func end(ofPathIn text: String, where isEnd: (Character) -> Bool) -> String.Index? {
    var quote: Character?
    var isAtBeginning = true
    for index in text.indices {
      let character = text[index]
      if let open = quote {
        if character == open { quote = nil }
      } else if isAtBeginning, character == "\"" || character == "'" {
        quote = character
      } else if isEnd(character) {
        return index
      }
      isAtBeginning = character == "." || isAtBeginning && character.isWhitespace
    }
    return nil
  }

  /// Returns the offset of each segment in `name`, from 0.
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

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

extension Diagnostics {
  /// Returns these diagnostics, with `line` as the text of each one in `place`.
  public func showing(_ line: String, of place: String) -> Diagnostics {
    Diagnostics(
      all.map { diagnostic in
        guard let mark = diagnostic.mark, mark.file == place else { return diagnostic }
        // If a part is missing at the end, the parser reports it on the following line.
        let column = mark.line > 1 ? line.unicodeScalars.count + 1 : mark.column
        return Diagnostic(
          diagnostic.message, hint: diagnostic.hint, at: SourceMark(file: place, line: 1, column: column), line: line,
          severity: diagnostic.severity)
      })
  }
}
