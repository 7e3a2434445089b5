import Explanation

/// A key of the scenario language, as lists and schemas see it.
public struct Word: Sendable, Hashable {
  /// What may stand behind a key.
  public indirect enum Shape: Sendable, Hashable {
    case text
    case integer(ClosedRange<Int>)
    /// `true` or `false`.
    case flag
    /// One of these words.
    case choice([String])
    /// A text that this regular expression describes.
    case pattern(String)
    /// A shape that has a name of its own: a rule, a system.
    case kind(String, Shape)
    case list(Shape)
    /// A map with the words of the section of this name.
    case section(String)
    /// A map from names of the author's own to this.
    case named(Shape)
    /// A map from paths into the scenario, `client.os`, to this.
    case paths(Shape)
    /// One of several shapes.
    case either([Shape])
    /// Anything: its words are someone else's.
    case anything
  }

  /// The key as it is written.
  public let name: String
  /// What may stand behind it.
  public let shape: Shape
  /// What it says.
  public let meaning: String

  package init(_ name: String, _ shape: Shape, _ meaning: String) {
    self.name = name
    self.shape = shape
    self.meaning = meaning
  }
}

/// The words of one kind of map in a scenario.
public struct WordSection: Sendable, Hashable {
  /// The section's name: `server`, `client`, …
  public let name: String
  /// What it describes.
  public let meaning: String
  /// Its keys in the order in which they are usually written.
  public let words: [Word]

  package init(_ name: String, _ meaning: String, _ words: [Word]) {
    self.name = name
    self.meaning = meaning
    self.words = words
  }
}

/// What stands behind a word: its shape, how a reader makes a value of it, and how the value is written.
struct Kind<Value>: Sendable {
  let shape: Word.Shape
  /// The value; nil where it cannot be read, which the reader has reported.
  let read: @Sendable (NodeReader) -> Value?
  /// The value on one line, as a scenario writes it.
  let written: @Sendable (Value) -> String
  /// The words of a list; nil for what is one word.
  var items: (@Sendable (Value) -> [String])?

  init(
    _ shape: Word.Shape, written: @escaping @Sendable (Value) -> String = { "\($0)" },
    read: @escaping @Sendable (NodeReader) -> Value?
  ) {
    self.shape = shape
    self.read = read
    self.written = written
  }
}

/// One word of one kind of map, from the key to the sentence: what stands behind it, what it means, where it is read
/// to, what is taken for granted where it is left out, and what `describe` says of it.
///
/// The reader, `list words`, the JSON Schema and `describe` are made from these entries; a new word is one more.
struct Entry<Model>: Sendable {
  let word: Word
  /// Reads what stands behind the word into a model.
  let read: @Sendable (NodeReader, inout Model) -> Void
  /// Whether a model says anything under this word.
  let isSaid: @Sendable (Model) -> Bool
  /// The sentences about it; none where there is nothing to say.
  var sentences: @Sendable (Model) -> [String]
  /// What is taken for granted where the word is left out, written down; nil where that needs no word.
  var usual: @Sendable (Model) -> Node? = { _ in nil }

  /// A word that is read into a property which is nil where it is left out.
  static func term<Value>(
    _ name: String, _ kind: Kind<Value>, _ meaning: String, into path: WritableKeyPath<Model, Value?> & Sendable,
    usually: @escaping @Sendable (Model) -> Node? = { _ in nil },
    says: @escaping @Sendable (Value) -> String? = { _ in nil }
  ) -> Entry {
    Entry(
      word: Word(name, kind.shape, meaning),
      read: { reader, model in if let value = kind.read(reader) { model[keyPath: path] = value } },
      isSaid: { $0[keyPath: path] != nil },
      sentences: { model in model[keyPath: path].flatMap(says).map { [$0] } ?? [] },
      usual: usually)
  }

  /// A word that is read into a property which has its usual value where it is left out.
  static func term<Value>(
    _ name: String, _ kind: Kind<Value>, _ meaning: String, into path: WritableKeyPath<Model, Value> & Sendable,
    usually: @escaping @Sendable (Model) -> Node? = { _ in nil },
    says: @escaping @Sendable (Value) -> String? = { _ in nil }
  ) -> Entry {
    Entry(
      word: Word(name, kind.shape, meaning),
      read: { reader, model in if let value = kind.read(reader) { model[keyPath: path] = value } },
      isSaid: { _ in true }, sentences: { model in says(model[keyPath: path]).map { [$0] } ?? [] },
      usual: usually)
  }

  /// The words of `section` in a map of their own, read into the same model.
  static func section(
    _ name: String, _ section: Section<Model>, _ meaning: String,
    says: @escaping @Sendable (Model) -> [String] = { _ in [] }
  ) -> Entry {
    Entry(
      word: Word(name, .section(section.name), meaning), read: { reader, model in reader.read(section, into: &model) },
      isSaid: { model in section.entries.contains { $0.isSaid(model) } }, sentences: says)
  }
}

extension Entry {
  /// The same word, of which `describe` says what several words of the model come to.
  func saying(_ sentences: @escaping @Sendable (Model) -> [String]) -> Entry {
    var entry = self
    entry.sentences = sentences
    return entry
  }

  /// The same word with what is taken for granted where it is left out, which a scenario with all defaults writes down.
  func usually(_ usual: @escaping @Sendable (Model) -> Node?) -> Entry {
    var entry = self
    entry.usual = usual
    return entry
  }
}

/// The entries of one kind of map.
struct Section<Model>: Sendable {
  let name: String
  let entries: [Entry<Model>]
  /// The section as lists and schemas see it.
  let words: WordSection

  init(_ name: String, _ meaning: String, _ entries: [Entry<Model>]) {
    self.name = name
    self.entries = entries
    words = WordSection(name, meaning, entries.map(\.word))
  }

  /// What `describe` says of a model, in the order of the words.
  func sentences(on model: Model) -> [String] { entries.flatMap { $0.sentences(model) } }
}

extension NodeReader {
  /// Reads a map that has only the words of `section` into `model`, word by word; nil where it is no map.
  @discardableResult
  func read<Model>(_ section: Section<Model>, into model: inout Model) -> MapReader? {
    guard let map = map(section.words) else { return nil }
    for entry in section.entries {
      if let reader = map[entry.word.name] { entry.read(reader, &model) }
    }
    return map
  }
}

extension Kind {
  /// The same words, read as something else.
  func map<Other>(
    written: @escaping @Sendable (Other) -> String = { "\($0)" }, _ transform: @escaping @Sendable (Value) -> Other?
  ) -> Kind<Other> {
    Kind<Other>(shape, written: written) { reader in read(reader).flatMap(transform) }
  }

  /// The same, with a name of its own in the schema.
  func named(_ name: String) -> Kind {
    var kind = Kind(.kind(name, shape), written: written, read: read)
    kind.items = items
    return kind
  }

  /// The value as it stands in a file.
  func node(_ value: Value) -> Node {
    items.map { .usual($0(value)) } ?? .usual(written(value))
  }

  /// Several of it, in order.
  static func list<Item>(_ item: Kind<Item>) -> Kind where Value == [Item] {
    listing(item) { $0.map(item.written) }
  }

  private static func listing<Item>(
    _ item: Kind<Item>, _ items: @escaping @Sendable ([Item]) -> [String]
  ) -> Kind where Value == [Item] {
    var kind = Kind(.list(item.shape), written: { "[\(items($0).joined(separator: ", "))]" }) { $0.list(item.read) }
    kind.items = items
    return kind
  }

  /// Several of it in any order: written in the order of the alphabet, each once.
  static func set<Item>(of item: Kind<Item>) -> Kind where Value == [Item] {
    listing(item) { Set($0.map(item.written)).sorted() }
  }

  /// One of it, or several.
  static func oneOrMany<Item>(_ item: Kind<Item>) -> Kind where Value == [Item] {
    Kind(.either([item.shape, .list(item.shape)]), written: Kind.list(item).written) { reader in
      if case .list = reader.node { return reader.list(item.read) }
      return item.read(reader).map { [$0] }
    }
  }

  /// A map from names of the author's own.
  static func named<Item>(_ item: Kind<Item>) -> Kind where Value == [String: Item] {
    Kind(.named(item.shape)) { reader in
      let items = reader.named { name, _, reader in item.read(reader).map { (name, $0) } }
      return Dictionary(items) { first, _ in first }
    }
  }

  /// A map with the words of `section`, which begins as `initial`.
  static func section(_ section: Section<Value>, _ initial: @escaping @Sendable () -> Value) -> Kind {
    Kind(.section(section.name)) { reader in
      var model = initial()
      return reader.read(section, into: &model) == nil ? nil : model
    }
  }

  /// One of the cases of an enumeration, by the words that stand for them.
  static func choice(
    of cases: [Value] = Array(Value.allCases), called noun: String
  ) -> Kind where Value: CaseIterable & RawRepresentable & Sendable, Value.RawValue == String {
    let words = cases.map(\.rawValue)
    return Kind(.choice(words), written: { $0.rawValue }) { reader in
      reader.choice(words, called: noun).flatMap(Value.init(rawValue:))
    }
  }
}

extension Kind<NodeReader> {
  /// What is read when all words of the map are known.
  static func unread(_ shape: Word.Shape) -> Kind { Kind(shape) { $0 } }
}

extension Kind<String> {
  /// Any text.
  static var text: Kind { Kind(.text) { $0.text() } }

  /// One of `words`.
  static func choice(_ words: [String], called noun: String) -> Kind {
    Kind(.choice(words)) { $0.choice(words, called: noun) }
  }
}

extension Kind<Int> {
  /// A whole number within `range`.
  static func integer(_ range: ClosedRange<Int>) -> Kind { Kind(.integer(range)) { $0.integer(range) } }
}

extension Kind<Bool> {
  /// A switch.
  static var flag: Kind { Kind(.flag) { $0.flag() } }
}

extension Kind {
  /// A point in time.
  static var date: Kind<Instant> {
    Kind<Instant>(.dateShape) { $0.date() }
  }

  /// A length of time, in seconds.
  static var duration: Kind<Int64> {
    Kind<Int64>(.kind("duration", .pattern("^[0-9]+ (second|minute|hour|day)s?$"))) { $0.duration() }
  }
}

extension Word.Shape {
  /// The words of which one may stand there; none where any may.
  var choices: [String] {
    switch self {
    case .choice(let words): words
    case .kind(_, let inner): inner.choices
    default: []
    }
  }

  /// A day that its month has, with a time or without; whether a year has a 29th of February is left to the reader.
  static let dateShape = kind(
    "date",
    .pattern(
      "^[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))"
        + "(T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$"))
}

extension Node {
  /// A word that is taken for granted.
  static func usual(_ word: String) -> Node { .text(word, .nowhere) }

  /// Words that are taken for granted.
  static func usual(_ words: [String]) -> Node { .list(words.map { .text($0, .nowhere) }, .nowhere) }

  /// This map with what is taken for granted written down, in the order of the words.
  func completed<Model>(by section: Section<Model>, of model: Model) -> Node {
    var node = self
    for entry in section.entries where node[entry.word.name] == nil {
      if let value = entry.usual(model) { node.set(entry.word.name, value) }
    }
    return node.ordered(by: section.words)
  }
}

extension SourceMark {
  /// Of what stands in no file.
  static let nowhere = SourceMark(file: "", line: 1, column: 1)
}
