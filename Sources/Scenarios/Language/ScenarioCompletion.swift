import Explanation

/// The words of the scenario language that fit at a place of a file, for an editor.
///
/// It reads the lines up to the cursor only, which need not be valid YAML. The indentation, and brackets in the line of
/// the cursor, show which maps contain the cursor.
public struct ScenarioCompletion: Sendable {
  /// A word that fits.
  public struct Item: Sendable, Hashable {
    /// The word.
    public let word: String
    /// The text to insert: a key with its colon.
    public let text: String
    /// The meaning of a key; empty for a value.
    public let meaning: String
  }

  /// The column, from 1, at which the word at the cursor begins.
  public let column: Int
  /// The words that begin with the word at the cursor, or else contain it.
  public let items: [Item]

  /// The completion at `line` and `column`, both from 1, of a file with these lines.
  public init(_ lines: [String], line: Int, column: Int) {
    let index = max(0, min(line - 1, lines.count - 1))
    let text = lines.isEmpty ? "" : String(lines[index].prefix(max(0, column - 1)))
    var place = LinePlace(text)
    let typed = place.takeWord()
    self.column = text.count - typed.count + 1
    guard !place.isInComment else {
      items = []
      return
    }
    let path = Self.ancestors(of: lines.prefix(index), indentation: place.indentation) + place.path
    let shapes = path.reduce([Word.Shape.section("scenario")]) { shapes, step in shapes.flatMap { $0.parts(at: step) } }
    let all =
      place.expectsKeyOnly ? shapes.flatMap(\.keys) : shapes.flatMap { $0.values + (place.allowsKey ? $0.keys : []) }
    items = Self.fitting(typed, all)
  }

  private static func fitting(_ typed: String, _ items: [Item]) -> [Item] {
    var seen: Set<String> = []
    let distinct = items.filter { seen.insert($0.text).inserted }
    let wanted = typed.lowercased()
    let begin = distinct.filter { $0.word.lowercased().hasPrefix(wanted) }
    let contain = distinct.filter { !$0.word.lowercased().hasPrefix(wanted) && $0.word.lowercased().contains(wanted) }
    return begin + contain
  }

  /// The steps from the file to the map that contains a line with this indentation.
  private static func ancestors(of lines: ArraySlice<String>, indentation: Int) -> [Step] {
    var path: [Step] = []
    var indentation = indentation
    for text in lines.reversed() where indentation > 0 {
      guard text.contains(where: { $0 != " " }), !text.drop(while: { $0 == " " }).hasPrefix("#") else { continue }
      let place = LinePlace(text)
      guard place.indentation < indentation else { continue }
      // The key of an item is indented by the item's marker.
      let steps = place.opened(below: indentation)
      path = steps + path
      indentation = place.indentation
    }
    return path
  }

  /// One step of a path into a file.
  enum Step: Hashable {
    case key(String)
    case item
  }
}

/// The structure of a line up to the cursor.
private struct LinePlace {
  /// The leading spaces.
  let indentation: Int
  /// The steps from the line's map to the cursor.
  private(set) var path: [ScenarioCompletion.Step] = []
  private(set) var isInComment = false
  /// Whether a key can be written here: after the indentation, `- `, `{` or a comma of a map.
  private(set) var allowsKey = true
  /// Whether only a key can be written here.
  var expectsKeyOnly: Bool { allowsKey && path.last != .item }
  private var word = ""
  /// The columns of the keys that open the line's block, with the steps to each.
  private var blocks: [(column: Int, steps: [ScenarioCompletion.Step])] = []

  init(_ text: String) {
    indentation = text.prefix { $0 == " " }.count
    var rest = text.dropFirst(indentation)
    var column = indentation
    while rest.hasPrefix("- ") {
      path.append(.item)
      blocks.append((column, path))
      let gap = rest.dropFirst().prefix { $0 == " " }.count + 1
      rest = rest.dropFirst(gap)
      column += gap
    }
    read(rest, column: column)
  }

  private mutating func read(_ text: Substring, column start: Int) {
    var frames: [(isMap: Bool, depth: Int)] = []
    var quote: Character?
    var column = start
    var previous: Character = " "
    for character in text {
      defer { (previous, column) = (character, column + 1) }
      if let open = quote {
        if character == open { quote = nil } else { word.append(character) }
        continue
      }
      switch character {
      case "\"", "'":
        if word.isEmpty { quote = character } else { word.append(character) }
      case "#" where previous == " ":
        isInComment = true
        return
      case "{", "[":
        guard word.isEmpty else { continue }
        frames.append((character == "{", path.count))
        if character == "[" { path.append(.item) }
        allowsKey = true
      case "}", "]":
        guard let frame = frames.popLast() else { continue }
        path = Array(path.prefix(frame.depth))
        (word, allowsKey) = ("", false)
      case ",":
        guard let frame = frames.last else { continue }
        path = Array(path.prefix(frame.depth)) + (frame.isMap ? [] : [.item])
        (word, allowsKey) = ("", true)
      case " ":
        if word.last == ":", allowsKey {
          path.append(.key(String(word.dropLast())))
          if frames.isEmpty { blocks.append((column - word.count, path)) }
          (word, allowsKey) = ("", false)
        } else if !word.isEmpty {
          word.append(character)
        }
      default: word.append(character)
      }
    }
    if word.last == ":", allowsKey, frames.isEmpty {
      path.append(.key(String(word.dropLast())))
      blocks.append((column - word.count, path))
      (word, allowsKey) = ("", false)
    }
  }

  /// Removes and returns the word at the end of the line.
  mutating func takeWord() -> String {
    defer { word = "" }
    return word
  }

  /// The steps to the block of this line that contains lines with a larger indentation.
  func opened(below indentation: Int) -> [ScenarioCompletion.Step] {
    blocks.last { $0.column < indentation }?.steps ?? []
  }
}

extension Word.Shape {
  /// The shapes at a step into a value of this shape.
  fileprivate func parts(at step: ScenarioCompletion.Step) -> [Word.Shape] {
    switch (self, step) {
    case (.kind(_, let inner), _): inner.parts(at: step)
    case (.either(let shapes), _): shapes.flatMap { $0.parts(at: step) }
    case (.list(let inner), .item): [inner]
    case (.named(let inner), .key): [inner]
    case (.section, .key(let name)): words.filter { $0.name == name }.map(\.shape)
    case (.paths, .key(let path)):
      path.split(separator: ".").reduce([Word.Shape.section("scenario")]) { shapes, name in
        shapes.flatMap { $0.parts(at: .key(String(name))) }
      }
    default: []
    }
  }

  private var words: [Word] {
    guard case .section(let name) = self else { return [] }
    return Vocabulary.sections.first { $0.name == name }?.words ?? []
  }

  /// The keys of a map of this shape.
  fileprivate var keys: [ScenarioCompletion.Item] {
    switch self {
    case .kind(_, let inner): inner.keys
    case .either(let shapes): shapes.flatMap(\.keys)
    case .section: words.map { .init(word: $0.name, text: "\($0.name): ", meaning: $0.meaning) }
    case .paths: Word.Shape.section("scenario").keys
    default: []
    }
  }

  /// The words that a value of this shape can be.
  fileprivate var values: [ScenarioCompletion.Item] {
    switch self {
    case .kind(_, let inner): inner.values
    case .either(let shapes): shapes.flatMap(\.values)
    case .choice(let words): words.map { .init(word: $0, text: $0, meaning: "") }
    case .flag: ["true", "false"].map { .init(word: $0, text: $0, meaning: "") }
    default: []
    }
  }
}
