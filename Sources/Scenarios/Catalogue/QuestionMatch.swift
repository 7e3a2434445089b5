import Explanation
import Foundation

/// Finds the scenarios that match a question in plain English.
///
/// The search compares words and gives rare words more weight. It lists the matched words. If no rare word matches, it
/// returns no scenario.
public struct QuestionMatch: Sendable {
  /// A scenario that matches the question.
  public struct Candidate: Sendable {
    /// The file of the scenario.
    public let file: ScenarioFile
    /// The words of the question that match the scenario.
    public let words: [String]
    let score: Double
  }

  /// The candidates, best match first; empty if no scenario contains a rare word of the question.
  public let candidates: [Candidate]

  /// A hint if there is no candidate: the nearest known word, or the kind of words to use.
  public let hint: String

  /// Finds the scenarios among `files` that share words with `question`.
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
      // A word that appears in every fifth scenario does not distinguish scenarios.
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
    // In a short word, one typing error is tolerated; two errors produce a different word.
    let near = asked.compactMap { Spelling.nearest(to: $0, among: known.sorted(), within: $0.count < 6 ? 1 : 2) }
    if !near.isEmpty { return "did you mean \(near.map { "'\($0)'" }.joined(separator: " and "))?" }
    return
      "use a rule id such as chain.expired ('trustlab list rules' prints all rules), or a word of a title "
      + "('trustlab list scenarios')"
  }

  /// Returns the words of a scenario with their weights: its deciding rules, title and first comment.
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

  /// Returns the significant words without their endings, each with the equivalent scenario keyword.
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

  /// Common English words and the equivalent scenario keywords.
  private static let meant: [String: String] = [
    "read": "eavesdropping", "reads": "eavesdropping", "listen": "eavesdropping", "decrypt": "eavesdropping",
    "change": "tampering", "changes": "tampering", "modify": "tampering", "pretend": "impersonation",
    "pose": "impersonation", "fake": "impersonation", "hostname": "name", "domain": "name", "cleartext": "insecure",
    "outdated": "expired", "expiry": "expired", "expires": "expired", "pinning": "pin", "pinned": "pin",
    "selfsigned": "self", "mitm": "interceptor", "stolen": "leak", "leaked": "leak", "withdrawn": "revoked",
  ]
}
