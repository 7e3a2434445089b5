import Explanation
import Foundation

/// Which scenario of a curriculum a question in plain words is about: by the words they share, the rarer the more.
///
/// It understands nothing: it compares words, says which ones it went by, and finds nothing rather than anything.
public struct QuestionMatch: Sendable {
  /// A scenario that may be meant.
  public struct Candidate: Sendable {
    /// The scenario.
    public let file: ScenarioFile
    /// The words of the question that it was found by.
    public let words: [String]
    let score: Double
  }

  /// The best first; none where no rare word of the question is known.
  public let candidates: [Candidate]

  /// What to ask instead where there is no candidate: the nearest word that a scenario is found by, or what such words are.
  public let hint: String

  /// The scenarios of `files` that share words with `question`.
  public init(_ question: String, in files: [ScenarioFile]) {
    let asked = Self.stems(of: question)
    let texts = files.map { ($0, Self.weights(of: $0)) }
    let frequencies = texts.reduce(into: [String: Int]()) { sums, text in
      for stem in text.1.keys { sums[stem, default: 0] += 1 }
    }
    let count = Double(max(1, files.count))
    hint = Self.hint(asked.map(\.word), files)
    candidates = texts.compactMap { file, weights -> Candidate? in
      let shared = asked.filter { weights[$0.stem] != nil }
      // A word that every fifth scenario has tells none of them from the others.
      guard shared.contains(where: { Double(frequencies[$0.stem] ?? 0) < count / 5 }) else { return nil }
      let score = shared.reduce(0) { sum, word in
        sum + (weights[word.stem] ?? 0) * log(count / Double(frequencies[word.stem] ?? 1))
      }
      return Candidate(file: file, words: shared.map(\.word), score: score)
    }.sorted { ($1.score, $0.file.id) < ($0.score, $1.file.id) }
  }

  private static func hint(_ asked: [String], _ files: [ScenarioFile]) -> String {
    let rules = Set(files.flatMap(\.cases).flatMap { $0.expectation?.because ?? [] }).sorted()
    let known = Set(
      (rules + files.compactMap { $0.cases.first?.about.title }).joined(separator: " ").lowercased()
        .split { !$0.isLetter && !$0.isNumber }.map(String.init).filter { $0.count > 3 && !common.contains($0) })
    // One slip in a short word is near; two make another word of it.
    let near = asked.compactMap { Spelling.nearest(to: $0, among: known.sorted(), within: $0.count < 6 ? 1 : 2) }
    if !near.isEmpty { return "did you mean \(near.map { "'\($0)'" }.joined(separator: " and "))?" }
    return
      "ask by a rule, such as chain.expired or name.mismatch ('trustlab list rules' prints all), or by a word of a "
      + "title ('trustlab list scenarios')"
  }

  /// What a scenario is about, each word with how much it says: what decides, the title, the first comment.
  private static func weights(of file: ScenarioFile) -> [String: Double] {
    guard let main = file.cases.first else { return [:] }
    var weights: [String: Double] = [:]
    func add(_ text: String, _ weight: Double) {
      for stem in Set(stems(of: text).map(\.stem)) { weights[stem, default: 0] += weight }
    }
    for rule in main.expectation?.because ?? [] { add(rule, 3) }
    for (goal, state) in main.expectation?.goals ?? [:] where [.possible, .later].contains(state) {
      add(goal.rawValue, 2)
    }
    let others = file.cases.dropFirst().flatMap { $0.expectation?.because ?? [] }
    add(others.joined(separator: " "), 0.5)
    add(main.about.title, 2)
    add(file.lines.first { $0.hasPrefix("#") } ?? "", 1)
    return weights
  }

  /// The words that say something, without their endings, each with the word that stands for it in the language.
  private static func stems(of text: String) -> [(word: String, stem: String)] {
    text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
      .filter { !common.contains($0) && $0.count > 1 }
      .map { (word: $0, stem: stem(of: meant[$0] ?? $0)) }
  }

  private static func stem(of word: String) -> String { String(word.prefix(6)) }

  private static let common: Set<String> = [
    "a", "about", "an", "and", "any", "app", "are", "be", "by", "can", "certificate", "certificates", "client",
    "connection", "could", "do", "does", "for", "from", "happens", "has", "have", "how", "if", "in", "ios", "is", "it",
    "its", "me", "my", "not", "of", "on", "or", "server", "someone", "still", "that", "the", "their", "there", "they",
    "this", "to", "was", "what", "when", "where", "which", "who", "why", "will", "with", "without", "refused",
    "accepted", "rejected", "fails", "fail", "works", "work",
  ]

  /// Words that people use for those of the language.
  private static let meant: [String: String] = [
    "read": "eavesdropping", "reads": "eavesdropping", "listen": "eavesdropping", "decrypt": "eavesdropping",
    "change": "tampering", "changes": "tampering", "modify": "tampering", "pretend": "impersonation",
    "pose": "impersonation", "fake": "impersonation", "hostname": "name", "domain": "name", "cleartext": "insecure",
    "outdated": "expired", "expiry": "expired", "expires": "expired", "pinning": "pin", "pinned": "pin",
    "selfsigned": "self", "mitm": "interceptor", "stolen": "leak", "leaked": "leak", "withdrawn": "revoked",
  ]
}
