import Explanation

// Null removes the value under a key. If there is no such value, the resulting tree does not reveal a misspelt key, so
// this check is here.
extension Node {
  /// Reports keys of `change` with the value null that are neither in this tree nor in the vocabulary.
  func checkRemovals(
    in change: Node, _ sink: DiagnosticSink, of place: VocabularyPlace = .file, called path: String = ""
  ) {
    for entry in change.entries ?? [] {
      let known = self[entry.key]
      if !entry.value.isNull {
        let inner = path.isEmpty ? entry.key : "\(path).\(entry.key)"
        (known ?? .map([], mark)).checkRemovals(in: entry.value, sink, of: place.below(entry.key), called: inner)
      } else if known == nil, !place.takes(entry.key) {
        let names = place.words ?? (entries ?? []).map(\.key)
        let message = place.words == nil ? "there is no '\(entry.key)'" : "unknown key '\(entry.key)'"
        sink.error(
          path.isEmpty ? message : "\(message) in \(path)", hint: LikelyWord.hint(for: entry.key, among: names),
          at: entry.mark)
      }
    }
  }
}

/// The keys that the vocabulary permits at a place of a scenario.
struct VocabularyPlace {
  private let shapes: [Word.Shape]

  /// The place of the whole file.
  static let file = VocabularyPlace([.section(ScenarioParts.section.words.name)])

  private init(_ shapes: [Word.Shape]) { self.shapes = shapes.flatMap(Self.plain) }

  /// Returns a shape without its name. For `either`, returns each of its shapes.
  private static func plain(_ shape: Word.Shape) -> [Word.Shape] {
    switch shape {
    case .kind(_, let inner): plain(inner)
    case .either(let several): several.flatMap(plain)
    default: [shape]
    }
  }

  /// The keys that are permitted here; nil if the author chooses the keys.
  var words: [String]? {
    let sections = shapes.compactMap { shape -> WordSection? in
      guard case .section(let name) = shape else { return nil }
      return Vocabulary.sections.first { $0.name == name }
    }
    return sections.isEmpty ? nil : sections.flatMap { $0.words.map(\.name) }
  }

  /// Returns whether `key` is a keyword here, or the map has keys of another format. Names that the author chose are
  /// not keywords.
  func takes(_ key: String) -> Bool {
    if let words { return words.contains(key) }
    return !shapes.contains { if case .named = $0 { true } else { false } }
  }

  /// Returns the place under `key`, with the shapes that are permitted there.
  func below(_ key: String) -> VocabularyPlace {
    VocabularyPlace(
      shapes.flatMap { shape -> [Word.Shape] in
        switch shape {
        case .section(let name):
          Vocabulary.sections.first { $0.name == name }?.words.filter { $0.name == key }.map(\.shape) ?? []
        case .named(let inner): [inner]
        default: []
        }
      })
  }
}
