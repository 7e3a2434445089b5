import Explanation
import Foundation

/// Finds entries by words, parts of words, and phrases, best match first.
public struct SearchIndex: Sendable {
  /// An entry with its names and text in lower case, as UTF-8 bytes.
  private struct Folded: Sendable {
    let entry: SearchEntry
    let names: [[UInt8]]
    /// The names without punctuation. For example, `self signed` matches `self-signed`.
    let plainNames: [[UInt8]]
    let text: [UInt8]

    init(_ entry: SearchEntry) {
      self.entry = entry
      names = ([entry.name] + entry.others).map(SearchIndex.folded)
      plainNames = names.map(SearchIndex.plain)
      text = SearchIndex.folded(entry.text)
    }
  }

  /// The points for the ways in which a word can match.
  private enum Points {
    static let wholeName = 60.0
    static let wordOfName = 30.0
    static let partOfName = 12.0
    static let wordOfText = 6.0
    static let partOfText = 2.0
    /// The points if the whole query is a name or a phrase of the text.
    static let query = 400.0
    static let phrase = 80.0
  }

  private let entries: [Folded]

  /// Creates an index of these entries.
  public init(_ entries: [SearchEntry]) { self.entries = entries.map(Folded.init) }

  /// Returns the entries that match `query`, best first. Entries that rank far below the best are excluded.
  public func results(for query: String) -> [SearchEntry] {
    let words = Self.words(of: query)
    guard !words.isEmpty else { return [] }
    let points = words.map { word in entries.map { Self.points(of: word, in: $0) } }
    let name = Self.plain(Self.folded(query))
    let whole = Self.folded(query.trimmingCharacters(in: .whitespacesAndNewlines))
    let scores = entries.indices.map {
      score(of: $0, points, whole: whole, isName: entries[$0].plainNames.contains(name)) * entries[$0].entry.kind.weight
    }
    // An entry whose name equals the whole query comes first, but does not exclude the others.
    let others = entries.indices.filter { !entries[$0].plainNames.contains(name) }
    let least = (others.map { scores[$0] }.max() ?? 0) * 0.12
    let ranked = entries.indices.filter { scores[$0] > 0 && scores[$0] >= least }
      .sorted { (scores[$1], $0) < (scores[$0], $1) }
    var commands: Set<[String]> = []
    return ranked.map { entries[$0].entry }.filter { commands.insert($0.command).inserted }
  }

  /// Returns at most five names that are nearest to the words of a query without results.
  public func nearest(to query: String) -> [String] {
    let names = entries.filter { $0.entry.kind != .document }.flatMap { [$0.entry.name] + $0.entry.others }
    var candidates = names
    for name in names {
      candidates += name.split { !$0.isLetter && !$0.isNumber }.map(String.init).filter { $0.count > 3 }
    }
    var found: [String] = []
    let words = [query] + query.split(separator: " ").map(String.init)
    for slips in [{ (_: String) in Int?.none }, { $0.count * 2 / 3 }] where found.isEmpty {
      for word in words where word.count > 1 {
        guard let near = Spelling.nearest(to: word, among: candidates, within: slips(word)), !found.contains(near)
        else { continue }
        found.append(near)
      }
    }
    return Array(found.prefix(5))
  }

  /// Returns the score of an entry. Rare words have more weight, and an entry that contains all words scores higher.
  private func score(of place: Int, _ points: [[Double]], whole: [UInt8], isName: Bool) -> Double {
    var sum = 0.0
    var fitting = 0
    for row in points where row[place] > 0 {
      fitting += 1
      sum += row[place] * Self.rarity(of: row)
    }
    guard fitting > 0 else { return 0 }
    let coverage = Double(fitting) / Double(points.count)
    let entry = entries[place]
    if isName { return sum + Points.query }
    let isPhrase = points.count > 1 && Self.place(of: whole, in: entry.text) != nil
    return sum * coverage * coverage + (isPhrase ? Points.phrase : 0)
  }

  private static func rarity(of row: [Double]) -> Double {
    log(1 + Double(row.count) / Double(1 + row.count { $0 > 0 }))
  }

  private static func points(of word: [UInt8], in entry: Folded) -> Double {
    var best = 0.0
    for name in entry.names {
      if name == word { return Points.wholeName }
      if let found = place(of: word, in: name) {
        best = max(best, found ? Points.wordOfName : partCounts(word) ? Points.partOfName : 0)
      }
    }
    guard best == 0, let found = place(of: word, in: entry.text) else { return best }
    return found ? Points.wordOfText : partCounts(word) ? Points.partOfText : 0
  }

  /// Returns whether a match of a word's part is accepted. One or two letters occur in too many words.
  private static func partCounts(_ word: [UInt8]) -> Bool { word.count > 2 }

  /// Returns whether `word` occurs as a separate word (true) or only inside another (false); nil if it does not occur.
  private static func place(of word: [UInt8], in text: [UInt8]) -> Bool? {
    guard !word.isEmpty, word.count <= text.count else { return nil }
    var isPart = false
    var begin = 0
    while begin + word.count <= text.count, let found = offset(of: word, in: text, from: begin) {
      let end = found + word.count
      let isWord =
        (found == 0 || !isLetter(text[found - 1]) || !isLetter(text[found]))
        && (end == text.count || !isLetter(text[end]) || !isLetter(text[end - 1]))
      if isWord { return true }
      isPart = true
      begin = found + 1
    }
    return isPart ? false : nil
  }

  private static func offset(of word: [UInt8], in text: [UInt8], from begin: Int) -> Int? {
    text.withUnsafeBytes { text in
      word.withUnsafeBytes { word in
        guard let start = text.baseAddress, let sought = word.baseAddress, let first = word.first else { return nil }
        var place = begin
        while place + word.count <= text.count,
          let found = memchr(start + place, Int32(first), text.count - word.count + 1 - place)
        {
          if memcmp(found, sought, word.count) == 0 { return UnsafeRawPointer(found) - start }
          place = UnsafeRawPointer(found) - start + 1
        }
        return nil
      }
    }
  }

  /// Returns whether the byte is an ASCII letter or digit. In other scripts, a word may begin and end anywhere.
  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte)
  }

  /// Returns the words of a name with one space between them.
  private static func plain(_ name: [UInt8]) -> [UInt8] {
    Array(name.split { !isLetter($0) && $0 < 0x80 }.joined(separator: [0x20]))
  }

  /// Returns the text with ASCII letters in lower case, which is much faster than full Unicode conversion.
  private static func folded(_ text: String) -> [UInt8] {
    text.utf8.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 }
  }

  /// Returns the words of a query in lower case. They consist of letters and digits, and stop words are excluded.
  private static func words(of query: String) -> [[UInt8]] {
    let parts = query.prefix(500).split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
    let telling = parts.filter { !frequent.contains($0.lowercased()) }
    return (telling.isEmpty ? parts : telling).reduce(into: []) { words, part in
      let word = folded(part)
      if !words.contains(word) { words.append(word) }
    }
  }

  private static let frequent: Set<String> = [
    "a", "an", "and", "are", "as", "by", "can", "do", "does", "for", "how", "i", "in", "is", "it", "my", "not", "of",
    "on", "or", "the", "to", "was", "what", "when", "which", "who", "why", "with",
  ]
}
