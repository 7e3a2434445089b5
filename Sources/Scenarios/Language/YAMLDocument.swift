import Yams

/// A YAML file read strictly: no more than 1 MiB, one document, no duplicate key, and limited aliases.
///
/// The caller that reads a value decides its type. The YAML 1.1 resolver, which reads `NO` as false, is not used.
public struct YAMLDocument: Sendable {
  /// The maximum size of a file, in bytes.
  public static let maximumSize = 1 << 20
  /// The maximum number of nodes of a document after its aliases are expanded.
  public static let maximumNodes = 50_000

  /// The maximum number of aliases, because the parser compares keys before the expanded nodes can be counted.
  public static let maximumAliases = 24

  /// The root of the document.
  public let root: Node
  /// The lines of the file, for messages.
  public let lines: [String]

  /// Parses `bytes`, the contents of the file called `file`.
  ///
  /// - Throws: `Diagnostics` with the place of the first syntax error.
  public init(_ bytes: [UInt8], file: String) throws(Diagnostics) {
    try self.init(bytes, file: file, maximumSize: Self.maximumSize, maximumNodes: Self.maximumNodes, kind: "a scenario")
  }

  /// Parses `bytes`, the contents of a file of another `kind`, within its own limits.
  init(_ bytes: [UInt8], file: String, maximumSize: Int, maximumNodes: Int, kind: String) throws(Diagnostics) {
    guard bytes.count <= maximumSize else {
      throw Diagnostics(
        "the file is larger than \(maximumSize >> 20) MiB",
        hint: "\(kind) is smaller: check the file name",
        at: .init(file: file, line: 1, column: 1))
    }
    guard let text = String(validating: ByteOrderMark.split(bytes).text, as: UTF8.self) else {
      throw Diagnostics(
        "the file is not UTF-8 text", hint: "\(kind) is a text file: check the file name",
        at: .init(file: file, line: 1, column: 1))
    }
    guard Self.aliasCount(in: text) <= Self.maximumAliases else {
      throw Diagnostics(
        "the document has more than \(Self.maximumAliases) aliases", hint: "write the values out",
        at: .init(file: file, line: 1, column: 1))
    }
    let lines = Self.lines(of: text)
    self.lines = lines
    do {
      guard let node = try Self.compose(text) else {
        throw Diagnostics(
          "the file is empty", hint: "'trustlab list words' prints the keys of a scenario",
          at: .init(file: file, line: 1, column: 1))
      }
      var count = 0
      root = try Self.convert(node, file: file, limit: maximumNodes, count: &count)
    } catch let error as Diagnostics {
      throw Diagnostics(error.all.map { Self.showing($0, lines: lines) })
    } catch let error as YamlError {
      throw Diagnostics([Self.showing(Self.diagnostic(error, file: file, text: text), lines: lines)])
    } catch {
      throw Diagnostics("the file is not readable as YAML: \(error)", at: .init(file: file, line: 1, column: 1))
    }
  }

  /// Returns the lines of a text. ASCII text, the usual case, is split by its bytes.
  private static func lines(of text: String) -> [String] {
    // ASCII control characters other than the line feed may end a line, so such texts are split by characters.
    guard text.utf8.allSatisfy({ $0 < 0x80 && !(0x0b...0x0d).contains($0) }) else {
      return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
    }
    return text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
  }

  /// Returns the number of `*name` at places where YAML permits an alias; 0 without an anchor.
  private static func aliasCount(in text: String) -> Int {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return 0 }
    var count = 0
    var previous = UInt8(ascii: "\n")
    for byte in text.utf8 {
      if previous == UInt8(ascii: "*"), byte > 32, byte != UInt8(ascii: "*"), byte != UInt8(ascii: ".") { count += 1 }
      previous = byte
    }
    return count
  }

  /// Parses the text with the basic resolver. The default resolver would match each key with a regular expression for
  /// each type.
  private static func compose(_ text: String) throws -> Yams.Node? {
    try Parser(yaml: text, resolver: .basic).singleRoot()
  }

  private static func showing(_ diagnostic: Diagnostic, lines: [String]) -> Diagnostic {
    guard let mark = diagnostic.mark, diagnostic.line == nil, lines.indices.contains(mark.line - 1) else {
      return diagnostic
    }
    return Diagnostic(
      diagnostic.message, hint: diagnostic.hint, at: mark, line: lines[mark.line - 1], severity: diagnostic.severity)
  }

  private static func convert(_ node: Yams.Node, file: String, limit: Int, count: inout Int) throws(Diagnostics) -> Node
  {
    let mark = SourceMark(file: file, line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
    count += 1
    guard count <= limit else {
      throw Diagnostics(
        "the document has more than \(limit) nodes once its aliases are expanded",
        hint: "write the values out, or use fewer aliases", at: mark)
    }
    switch node {
    case .scalar(let scalar):
      return .scalar(scalar.string, quoted: scalar.style != .plain, mark)
    case .sequence(let sequence):
      var items: [Node] = []
      for item in sequence { items.append(try convert(item, file: file, limit: limit, count: &count)) }
      return .list(items, mark)
    case .mapping(let mapping):
      return .map(try entries(of: mapping, file: file, limit: limit, count: &count), mark)
    case .alias:
      throw Diagnostics("this alias has no anchor", hint: "write the value out", at: mark)
    }
  }

  private static func entries(
    of mapping: Yams.Node.Mapping, file: String, limit: Int, count: inout Int
  ) throws(Diagnostics) -> [Node.Entry] {
    var entries: [Node.Entry] = []
    var seen: Set<String> = []
    for (key, value) in mapping {
      let mark = SourceMark(file: file, line: key.mark?.line ?? 1, column: key.mark?.column ?? 1)
      guard case .scalar(let scalar) = key else {
        throw Diagnostics("a key must be a word, not a list or a map", at: mark)
      }
      guard seen.insert(scalar.string).inserted else {
        let first = entries.first { $0.key == scalar.string }?.mark.line ?? mark.line
        throw Diagnostics(
          "duplicate key '\(scalar.string)'", hint: DuplicateKey.hint(firstLine: first), at: mark)
      }
      entries.append(
        .init(key: scalar.string, mark: mark, value: try convert(value, file: file, limit: limit, count: &count)))
    }
    return entries
  }

  private static func isTab(_ mark: Mark, _ text: String) -> Bool {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard lines.indices.contains(mark.line - 1) else { return false }
    return lines[mark.line - 1].unicodeScalars.dropFirst(mark.column - 1).first == "\t"
  }

  /// Finds an opening quote or bracket that is not closed, because the parser only reports the end of the text.
  private static func unclosed(
    _ context: YamlError.Context?, _ problem: String, _ mark: Mark, file: String, text: String
  ) -> Diagnostic? {
    guard let context else { return nil }
    let kinds = [("quoted scalar", "quote"), ("flow mapping", "brace"), ("flow sequence", "bracket")]
    guard let kind = kinds.first(where: { context.text.contains($0.0) })?.1 else { return nil }
    let last = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).lastIndex {
      !$0.allSatisfy(\.isWhitespace)
    }
    guard mark.line > (last ?? 0) + 1 || problem.contains("end of stream") else { return nil }
    return Diagnostic(
      "not YAML: the \(kind) that opens here is not closed", hint: "close it, or quote the text that begins with it",
      at: SourceMark(file: file, line: max(1, context.mark.line), column: max(1, context.mark.column)))
  }

  private static func diagnostic(_ error: YamlError, file: String, text: String) -> Diagnostic {
    func at(_ mark: Mark?) -> SourceMark {
      SourceMark(file: file, line: max(1, mark?.line ?? 1), column: max(1, mark?.column ?? 1))
    }
    switch error {
    case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      if let open = unclosed(context, problem, mark, file: file, text: text) { return open }
      if problem.contains("another document") {
        return Diagnostic(
          "a file may have only one document, but a second document begins here",
          hint: "write each document to its own file",
          at: at(mark))
      }
      if problem.contains("nesting level") {
        return Diagnostic("lists and maps are nested too deeply", hint: "check the file name", at: at(mark))
      }
      let advice = isTab(mark, text) ? "indent with spaces, not tabs" : "check indentation, quotes and colons"
      return Diagnostic("not YAML: \(problem)", hint: advice, at: at(mark))
    case .duplicatedKeysInMapping(let duplicates, let context):
      let key = duplicates.first ?? "?"
      let first = at(context.mark)
      return Diagnostic(
        "duplicate key '\(key)'", hint: DuplicateKey.hint(firstLine: first.line),
        at: DuplicateKey(key: key, first: first).second(in: text) ?? first)
    case .reader(let problem, _, _, _):
      return Diagnostic(
        "not YAML: \(problem)", hint: "a scenario is UTF-8 text without control characters", at: at(nil))
    default:
      return Diagnostic("not YAML: \(error)", at: at(nil))
    }
  }
}

/// The mark that may precede UTF-8 text and is not part of it (YAML 1.2 section 5.2).
enum ByteOrderMark {
  /// Splits a file into its byte order mark, empty if it has none, and its text.
  static func split(_ bytes: [UInt8]) -> (mark: String, text: ArraySlice<UInt8>) {
    bytes.starts(with: [0xef, 0xbb, 0xbf]) ? ("\u{feff}", bytes.dropFirst(3)) : ("", bytes[...])
  }
}

/// Finds the second place of a duplicate key, because the parser only reports the first place.
///
/// Renames the first key and parses the text again.
struct DuplicateKey {
  let key: String
  /// The first place of the key, with line and column from 1.
  let first: SourceMark

  /// Returns a hint for a key whose first place is in this line.
  static func hint(firstLine line: Int) -> String { "line \(line) has the same key: remove one of the two keys" }

  /// Returns the second place of the key in `text`; nil if it cannot be found.
  func second(in text: String) -> SourceMark? {
    guard let renamed = renamingFirst(in: text) else { return nil }
    do {
      guard let root = try Parser(yaml: renamed).singleRoot() else { return nil }
      return find(in: root).map(shiftedBack)
    } catch YamlError.duplicatedKeysInMapping(let duplicates, let context) where duplicates.first == key {
      return shiftedBack(context.mark)
    } catch {
      return nil
    }
  }

  private static let sign = "\u{E000}"

  private func renamingFirst(in text: String) -> String? {
    var scalars = Array(text.unicodeScalars)
    var index = 0
    var line = 1
    while line < first.line, index < scalars.count {
      let isBreak = Character(scalars[index]).isNewline
      let isReturn = scalars[index] == "\r" && index + 1 < scalars.count && scalars[index + 1] == "\n"
      if isBreak && !isReturn { line += 1 }
      index += 1
    }
    index += first.column - 1
    guard index >= 0, index < scalars.count else { return nil }
    if scalars[index] == "\"" || scalars[index] == "'" { index += 1 }
    scalars.insert(contentsOf: Self.sign.unicodeScalars, at: index)
    return String(String.UnicodeScalarView(scalars))
  }

  private func find(in node: Yams.Node) -> Mark? {
    switch node {
    case .mapping(let mapping):
      if mapping.contains(where: { $0.key.string == Self.sign + key }) {
        return mapping.first { $0.key.string == key }?.key.mark
      }
      return mapping.lazy.compactMap { find(in: $0.value) }.first
    case .sequence(let sequence): return sequence.lazy.compactMap { find(in: $0) }.first
    case .scalar, .alias: return nil
    }
  }

  private func shiftedBack(_ mark: Mark) -> SourceMark {
    SourceMark(file: first.file, line: mark.line, column: mark.line == first.line ? mark.column - 1 : mark.column)
  }
}
