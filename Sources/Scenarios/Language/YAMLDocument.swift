import Yams

/// A YAML file read strictly: no more than 1 MiB, one document, no duplicate key, aliases within bounds.
///
/// Types are decided later by whoever asks for a value, never by YAML 1.1's resolver (which reads `NO` as false).
public struct YAMLDocument: Sendable {
  /// The largest file that is read, in bytes.
  public static let maximumSize = 1 << 20
  /// The most nodes a document may have once its aliases are expanded.
  public static let maximumNodes = 50_000

  /// The most aliases a document may have: the parser compares keys before anyone can count what they expand to.
  public static let maximumAliases = 24

  /// The root of the document.
  public let root: Node
  /// The file's lines, for showing where something is wrong.
  public let lines: [String]

  /// Reads `bytes` of the file called `file`.
  ///
  /// - Throws: `Diagnostics` that say where the text is not the YAML that is accepted.
  public init(_ bytes: [UInt8], file: String) throws(Diagnostics) {
    try self.init(bytes, file: file, maximumSize: Self.maximumSize, maximumNodes: Self.maximumNodes, kind: "a scenario")
  }

  /// Reads `bytes` of a file of another `kind`, within its own limits.
  init(_ bytes: [UInt8], file: String, maximumSize: Int, maximumNodes: Int, kind: String) throws(Diagnostics) {
    guard bytes.count <= maximumSize else {
      throw Diagnostics(
        "the file is larger than \(maximumSize >> 20) MiB",
        hint: "is this the right file? \(kind) is smaller than that",
        at: .init(file: file, line: 1, column: 1))
    }
    guard let text = String(validating: ByteOrderMark.split(bytes).text, as: UTF8.self) else {
      throw Diagnostics(
        "the file is not UTF-8 text", hint: "\(kind) is a text file: is this the right file?",
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
          "the file is empty", hint: "'trustlab list words' prints what a scenario can say",
          at: .init(file: file, line: 1, column: 1))
      }
      var count = 0
      root = try Self.convert(node, file: file, limit: maximumNodes, count: &count)
    } catch let error as Diagnostics {
      throw Diagnostics(error.all.map { Self.showing($0, lines: lines) })
    } catch let error as YamlError {
      throw Diagnostics([Self.showing(Self.diagnostic(error, file: file, text: text), lines: lines)])
    } catch {
      throw Diagnostics("not readable as YAML: \(error)", at: .init(file: file, line: 1, column: 1))
    }
  }

  /// The lines of a text; where it is ASCII, as nearly all of them are, by its bytes.
  private static func lines(of text: String) -> [String] {
    // Every ASCII control that ends a line but the line feed: those are left to the characters.
    guard text.utf8.allSatisfy({ $0 < 0x80 && !(0x0b...0x0d).contains($0) }) else {
      return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
    }
    return text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
  }

  /// How often `*name` stands where an alias may; none without an anchor.
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

  /// Nothing is resolved: the usual resolver would hold each key against a regular expression for each type.
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
      throw Diagnostics("an alias without an anchor", hint: "write the value out", at: mark)
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
          "the key '\(scalar.string)' stands here twice", hint: DuplicateKey.hint(firstLine: first), at: mark)
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

  /// What was opened and is not closed by the end of the text: that is where to look, and not at its end.
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
      "not YAML: the \(kind) that opens here is not closed", hint: "close it, or quote a text that begins with one",
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
          "a file holds one document, and here another document begins", hint: "keep each in a file of its own",
          at: at(mark))
      }
      if problem.contains("nesting level") {
        return Diagnostic("lists and maps are nested too deep", hint: "is this the right file?", at: at(mark))
      }
      let advice = isTab(mark, text) ? "indent with spaces, not tabs" : "check indentation, quotes and colons"
      return Diagnostic("not YAML: \(problem)", hint: advice, at: at(mark))
    case .duplicatedKeysInMapping(let duplicates, let context):
      let key = duplicates.first ?? "?"
      let first = at(context.mark)
      return Diagnostic(
        "the key '\(key)' stands here twice", hint: DuplicateKey.hint(firstLine: first.line),
        at: DuplicateKey(key: key, first: first).second(in: text) ?? first)
    case .reader(let problem, _, _, _):
      return Diagnostic(
        "not YAML: \(problem)", hint: "a scenario is UTF-8 text without control characters", at: at(nil))
    default:
      return Diagnostic("not YAML: \(error)", at: at(nil))
    }
  }
}

/// The mark that may stand before a text of UTF-8 and is not part of it: YAML 1.2 section 5.2.
enum ByteOrderMark {
  /// A file's mark, empty where it has none, and its text.
  static func split(_ bytes: [UInt8]) -> (mark: String, text: ArraySlice<UInt8>) {
    bytes.starts(with: [0xef, 0xbb, 0xbf]) ? ("\u{feff}", bytes.dropFirst(3)) : ("", bytes[...])
  }
}

/// Finds where a key stands for the second time: the parser reports only the first.
///
/// The first one is given a name of its own, and the text is read again.
struct DuplicateKey {
  let key: String
  /// Where it stands first, line and column from 1.
  let first: SourceMark

  /// What to do about a key that stands first in this line.
  static func hint(firstLine line: Int) -> String { "it stands first in line \(line): remove one of the two" }

  /// Where the key stands again in `text`, nil when that cannot be told.
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
