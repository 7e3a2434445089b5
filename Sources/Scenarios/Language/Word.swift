import Explanation

/// A key of the scenario language, as lists and schemas see it.
public struct Word: Sendable, Hashable {
  /// The type of a key's value.
  public indirect enum Shape: Sendable, Hashable {
    case text
    case integer(ClosedRange<Int>)
    /// `true` or `false`.
    case flag
    /// One of these words.
    case choice([String])
    /// A text that this regular expression describes.
    case pattern(String)
    /// A shape with a name of its own: a rule, a system.
    case kind(String, Shape)
    case list(Shape)
    /// A map with the words of the section with this name.
    case section(String)
    /// A map with names of the author's choice as keys and this shape as values.
    case named(Shape)
    /// A map from paths into the scenario, `client.os`, to this shape.
    case paths(Shape)
    /// One of several shapes.
    case either([Shape])
    /// Any value: its words belong to another format.
    case anything
  }

  /// The key as it is written.
  public let name: String
  /// The type of its value.
  public let shape: Shape
  /// The meaning of the key.
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
  /// The object that it describes.
  public let meaning: String
  /// Its keys in the order in which they are usually written.
  public let words: [Word]

  package init(_ name: String, _ meaning: String, _ words: [Word]) {
    self.name = name
    self.meaning = meaning
    self.words = words
  }
}

/// The type of a word's value: its shape, how the reader parses it and how it is written.
struct Kind<Value>: Sendable {
  let shape: Word.Shape
  /// The value; nil if it is invalid, which the reader has reported.
  let read: @Sendable (NodeReader) -> Value?
  /// The value on one line, as a scenario writes it.
  let written: @Sendable (Value) -> String
  /// The words of a list; nil for a single word.
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

/// One word of one kind of map: its type, meaning, destination, default and sentence in `describe`.
///
/// The reader, `list words`, the JSON Schema and `describe` derive from these entries; a new word needs one more entry.
struct Entry<Model>: Sendable {
  let word: Word
  /// Reads the word's value into a model.
  let read: @Sendable (NodeReader, inout Model) -> Void
  /// Whether a model has a value for this word.
  let isSaid: @Sendable (Model) -> Bool
  /// The sentences about it; empty if there is nothing to say.
  var sentences: @Sendable (Model) -> [String]
  /// The default value, written down; nil if it needs no word.
  var usual: @Sendable (Model) -> Node? = { _ in nil }

  /// A word that is read into an optional property, nil by default.
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

  /// A word that is read into a property with a default value.
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
  /// The same word; `describe` prints these sentences for it, which may combine several words of the model.
  func saying(_ sentences: @escaping @Sendable (Model) -> [String]) -> Entry {
    var entry = self
    entry.sentences = sentences
    return entry
  }

  /// The same word with its default value, which a scenario with all defaults writes down.
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

  /// The sentences of `describe` about a model, in the order of the words.
  func sentences(on model: Model) -> [String] { entries.flatMap { $0.sentences(model) } }
}

extension NodeReader {
  /// Reads a map with only the words of `section` into `model`; nil if it is not a map.
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

  /// The value as a node of a file.
  func node(_ value: Value) -> Node {
    items.map { .usual($0(value)) } ?? .usual(written(value))
  }

  /// A list of values, in order.
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

  /// A list of values in any order; written in alphabetical order, each once.
  static func set<Item>(of item: Kind<Item>) -> Kind where Value == [Item] {
    listing(item) { Set($0.map(item.written)).sorted() }
  }

  /// One value, or a list.
  static func oneOrMany<Item>(_ item: Kind<Item>) -> Kind where Value == [Item] {
    Kind(.either([item.shape, .list(item.shape)]), written: Kind.list(item).written) { reader in
      if case .list = reader.node { return reader.list(item.read) }
      return item.read(reader).map { [$0] }
    }
  }

  /// A map with names of the author's choice as keys.
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

  /// One of the cases of an enumeration, by their raw values.
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
  /// The reader itself, for a map that is read later.
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

  /// A duration, in seconds.
  static var duration: Kind<Int64> {
    Kind<Int64>(.kind("duration", .pattern("^[0-9]+ (second|minute|hour|day)s?$"))) { $0.duration() }
  }
}

extension Word.Shape {
  /// The words of a choice; empty if any word is valid.
  var choices: [String] {
    switch self {
    case .choice(let words): words
    case .kind(_, let inner): inner.choices
    default: []
    }
  }

  /// A day that its month has, with or without a time. Only the reader checks whether a year has 29 February.
  static let dateShape = kind(
    "date",
    .pattern(
      "^[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))"
        + "(T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$"))
}

extension Node {
  /// A default word.
  static func usual(_ word: String) -> Node { .text(word, .nowhere) }

  /// Default words.
  static func usual(_ words: [String]) -> Node { .list(words.map { .text($0, .nowhere) }, .nowhere) }

  /// This map with its default values written down, in the order of the words.
  func completed<Model>(by section: Section<Model>, of model: Model) -> Node {
    var node = self
    for entry in section.entries where node[entry.word.name] == nil {
      if let value = entry.usual(model) { node.set(entry.word.name, value) }
    }
    return node.ordered(by: section.words)
  }
}

extension SourceMark {
  /// The place of a node that is in no file.
  static let nowhere = SourceMark(file: "", line: 1, column: 1)
}
