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
    document.facts(facts.flatMap(Self.lines), indent: 2)
    return document
  }

  /// Words stand side by side; sentences each stand on a line.
  private static func lines(_ fact: (key: String, values: [String])) -> [Document.Fact] {
    guard fact.values.contains(where: { $0.count > 60 }) else {
      return [.init(fact.key, "\(fact.values.joined(separator: ", "))")]
    }
    return fact.values.enumerated().map { .init($0.offset == 0 ? fact.key : "", "\($0.element)") }
  }

  var json: JSONValue {
    JSONValue.object([.init("kind", .string(kind)), .init("word", .string(word))]).adding(
      facts.map { .init($0.key, $0.values.count == 1 ? .string($0.values[0]) : .strings($0.values)) })
  }

  static func == (left: WordExplanation, right: WordExplanation) -> Bool { left.json == right.json }
  func hash(into hasher: inout Hasher) { hasher.combine(json) }
}
