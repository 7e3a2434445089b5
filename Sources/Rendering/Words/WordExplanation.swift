/// What there is to say about a word.
struct WordExplanation: Sendable, Hashable {
  /// What kind of word it is: `rule`, `error`, `cipher suite`, …
  let kind: String
  /// The word as it is written.
  let word: String
  /// Facts in the order in which they are shown; empty ones are left out.
  let facts: [(key: String, values: [String])]

  init(_ kind: String, _ word: String, _ facts: [(key: String, values: [String])]) {
    self.kind = kind
    self.word = word
    self.facts = facts.filter { !$0.values.allSatisfy(\.isEmpty) }
  }

  var document: Document {
    var document = Document()
    document.bullet(RichText("\(kind)", .dim), RichText(word, .name))
    document.facts(facts.map { .init($0.key, "\($0.values.joined(separator: ", "))") }, indent: 2)
    return document
  }

  var json: JSONValue {
    JSONValue.object([.init("kind", .string(kind)), .init("word", .string(word))]).adding(
      facts.map { .init($0.key, $0.values.count == 1 ? .string($0.values[0]) : .strings($0.values)) })
  }

  static func == (left: WordExplanation, right: WordExplanation) -> Bool { left.json == right.json }
  func hash(into hasher: inout Hasher) { hasher.combine(json) }
}
