import Explanation

/// A key of the scenario language, as listed by `list words` and the JSON Schema.
public struct Word: Sendable, Hashable {
  /// The type of a key's value.
  public indirect enum Shape: Sendable, Hashable {
    case text
    case integer(ClosedRange<Int>)
    /// The value `true` or `false`.
    case flag
    /// One of these keywords.
    case choice([String])
    /// A text that matches this regular expression.
    case pattern(String)
    /// A shape with its own name: a rule, a system.
    case kind(String, Shape)
    case list(Shape)
    /// A map with the keys of the section with this name.
    case section(String)
    /// A map whose keys are names that the author chose, with values of this shape.
    case named(Shape)
    /// A map whose keys are paths into the scenario, such as `client.os`, with values of this shape.
    case paths(Shape)
    /// One of several shapes.
    case either([Shape])
    /// Any value, because its keys belong to another format.
    case anything
  }

  /// The key as written in a scenario.
  public let name: String
  /// The type of the key's value.
  public let shape: Shape
  /// The meaning of the key.
  public let meaning: String

  package init(_ name: String, _ shape: Shape, _ meaning: String) {
    self.name = name
    self.shape = shape
    self.meaning = meaning
  }
}

/// The keys of one kind of map in a scenario.
public struct WordSection: Sendable, Hashable {
  /// The section's name: `server`, `client`, …
  public let name: String
  /// The object that the section describes.
  public let meaning: String
  /// The keys of the section, in their usual order.
  public let words: [Word]

  package init(_ name: String, _ meaning: String, _ words: [Word]) {
    self.name = name
    self.meaning = meaning
    self.words = words
  }
}

/// The type of a key's value: its shape, and how the value is parsed and written.
struct Kind<Value>: Sendable {
  let shape: Word.Shape
  /// Reads the value; nil if the value is invalid, which the reader has reported.
  let read: @Sendable (NodeReader) -> Value?
  /// Returns the value on one line, in scenario notation.
  let written: @Sendable (Value) -> String
  /// Returns the items of a list; nil if the value is not a list.
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

/// A key of one kind of map: its type, meaning, destination, default and sentence in `describe`.
///
/// The reader, `list words`, the JSON Schema and `describe` use these entries, so a new key only needs one more entry.
struct Entry<Model>: Sendable {
  let word: Word
  /// Reads the key's value into a model.
  let read: @Sendable (NodeReader, inout Model) -> Void
  /// Returns whether a model has a value for this key.
  let isSaid: @Sendable (Model) -> Bool
  /// Returns the sentences about the value; empty if there is nothing to say.
  var sentences: @Sendable (Model) -> [String]
  /// Returns the default value as a node; nil if the default is never written.
  var usual: @Sendable (Model) -> Node? = { _ in nil }

  /// Returns a key that is read into an optional property, nil by default.
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

  /// Returns a key that is read into a property with a default value.
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

  /// Returns a key whose nested map has the keys of `section`, read into the same model.
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
  /// Returns this key with these sentences in `describe`. The sentences may combine several keys of the model.
  func saying(_ sentences: @escaping @Sendable (Model) -> [String]) -> Entry {
    var entry = self
    entry.sentences = sentences
    return entry
  }

  /// Returns this key with its default value, which a scenario with all defaults contains.
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
  /// The section as listed by `list words` and the JSON Schema.
  let words: WordSection

  init(_ name: String, _ meaning: String, _ entries: [Entry<Model>]) {
    self.name = name
    self.entries = entries
    words = WordSection(name, meaning, entries.map(\.word))
  }

  /// Returns the sentences that `describe` prints about a model, in the order of the keys.
  func sentences(on model: Model) -> [String] { entries.flatMap { $0.sentences(model) } }
}

extension NodeReader {
  /// Reads a map with only keys of `section` into `model`; nil if the node is not a map.
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
  /// Returns a kind with the same notation whose value is converted to another type.
  func map<Other>(
    written: @escaping @Sendable (Other) -> String = { "\($0)" }, _ transform: @escaping @Sendable (Value) -> Other?
  ) -> Kind<Other> {
    Kind<Other>(shape, written: written) { reader in read(reader).flatMap(transform) }
  }

  /// Returns this kind with its own name in the JSON Schema.
  func named(_ name: String) -> Kind {
    var kind = Kind(.kind(name, shape), written: written, read: read)
    kind.items = items
    return kind
  }

  /// Returns the value as a node of a file.
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

  /// A list of values in any order. It is written in alphabetical order, without duplicates.
  static func set<Item>(of item: Kind<Item>) -> Kind where Value == [Item] {
    listing(item) { Set($0.map(item.written)).sorted() }
  }

  /// A list in which no value occurs twice.
  static func distinct<Item: Hashable & Sendable>(_ item: Kind<Item>) -> Kind where Value == [Item] {
    Kind(.list(item.shape), written: Kind.list(item).written) { reader in
      var seen: Set<Item> = []
      return reader.list { reader in
        guard let value = item.read(reader) else { return nil }
        if seen.insert(value).inserted { return value }
        reader.fail("\(item.written(value)) is already in the list", hint: "remove one of the two")
        return nil
      }
    }
  }

  /// A single value or a list of values.
  static func oneOrMany<Item>(_ item: Kind<Item>) -> Kind where Value == [Item] {
    Kind(.either([item.shape, .list(item.shape)]), written: Kind.list(item).written) { reader in
      if case .list = reader.node { return reader.list(item.read) }
      return item.read(reader).map { [$0] }
    }
  }

  /// A map whose keys are names that the author chose.
  static func named<Item>(_ item: Kind<Item>) -> Kind where Value == [String: Item] {
    Kind(.named(item.shape)) { reader in
      let items = reader.named { name, _, reader in item.read(reader).map { (name, $0) } }
      return Dictionary(items) { first, _ in first }
    }
  }

  /// A map with the keys of `section`, read into a copy of `initial`.
  static func section(_ section: Section<Value>, _ initial: @escaping @Sendable () -> Value) -> Kind {
    Kind(.section(section.name)) { reader in
      var model = initial()
      return reader.read(section, into: &model) == nil ? nil : model
    }
  }

  /// One of the cases of an enumeration, written as its raw value.
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
  /// The unread node, for a map that is read later.
  static func unread(_ shape: Word.Shape) -> Kind { Kind(shape) { $0 } }
}

extension Kind<String> {
  /// Any text.
  static var text: Kind { Kind(.text) { $0.text() } }

  /// One of the keywords in `words`.
  static func choice(_ words: [String], called noun: String) -> Kind {
    Kind(.choice(words)) { $0.choice(words, called: noun) }
  }
}

extension Kind<Int> {
  /// A whole number within `range`.
  static func integer(_ range: ClosedRange<Int>) -> Kind { Kind(.integer(range)) { $0.integer(range) } }
}

extension Kind<Bool> {
  /// A Boolean value: `true` or `false`.
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
  /// The keywords of a choice; empty if any text is valid.
  var choices: [String] {
    switch self {
    case .choice(let words): words
    case .kind(_, let inner): inner.choices
    default: []
    }
  }

  /// The shape of a valid day of a month, with or without a time. Only the reader checks whether a year has 29
  /// February.
  static let dateShape = kind(
    "date",
    .pattern(
      "^[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))"
        + "(T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$"))
}

extension Node {
  /// Returns a text scalar, for use as a default value.
  static func usual(_ word: String) -> Node { .text(word, .nowhere) }

  /// Returns a list of text scalars, for use as a default value.
  static func usual(_ words: [String]) -> Node { .list(words.map { .text($0, .nowhere) }, .nowhere) }

  /// Returns this map with its default values added, in the order of the section's keys.
  func completed<Model>(by section: Section<Model>, of model: Model) -> Node {
    var node = self
    for entry in section.entries where node[entry.word.name] == nil {
      if let value = entry.usual(model) { node.set(entry.word.name, value) }
    }
    return node.ordered(by: section.words)
  }
}

extension SourceMark {
  /// The place of a node that no file contains.
  static let nowhere = SourceMark(file: "", line: 1, column: 1)
}
