import Cryptography
import Explanation
import Scenarios
import Simulator

/// What became of an answer.
public struct Grade: Sendable {
  /// Whether it is right.
  public let isRight: Bool
  /// How sure the student was, from 1 to 3; nil when it was not said.
  public let confidence: Int?
  /// What there is to say about it, in short sentences.
  public let remarks: [String]
  /// The rule that was chosen wrongly; nil where none was.
  public let chosen: Rule?

  init(_ isRight: Bool, confidence: Int? = nil, remarks: [String] = [], chosen: Rule? = nil) {
    self.isRight = isRight
    self.confidence = confidence
    self.remarks = remarks
    self.chosen = chosen
  }
}

extension Examiner {
  /// Judges an answer: letters and numbers against the run, changes and exceptions by playing them.
  ///
  /// - Throws: `Diagnostics` when it is no answer to this question, which does not count as a wrong one.
  public func grade(_ text: String, to question: Question, about subject: Subject) throws(Diagnostics) -> Grade {
    let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard !text.isEmpty else { throw Diagnostics("answer what?", hint: question.format) }
    switch question.solution {
    case .option(let right):
      let (place, confidence) = try AnswerReading(question).option(text)
      let chosen = place == right ? nil : RuleCatalogue.rule(question.options[place].text)
      return Grade(place == right, confidence: confidence, remarks: remarks(on: chosen, subject), chosen: chosen)
    case .order(let right): return Grade(try AnswerReading(question).order(text) == right)
    case .number(let right): return try grade(text, against: right, question)
    case .row(let right):
      let row = try AnswerReading(question).row(text)
      let count = zip(row, right).count { $0 == $1 }
      return Grade(row == right, remarks: row == right ? [] : ["\(count) of \(right.count) are right."])
    case .change(_, let aim): return try grade(Assignment(reading: text.dropping("set ")), aim, subject)
    case .exception(let smallest):
      return try grade(Exception(Assignment.value(text, line: text)), against: smallest, subject)
    }
  }

  private func grade(_ text: String, against right: Natural, _ question: Question) throws(Diagnostics) -> Grade {
    let (number, confidence) = try AnswerReading(question).number(text)
    return Grade(number == right, confidence: confidence)
  }

  /// What this run made of the rule that was chosen wrongly.
  private func remarks(on rule: Rule?, _ subject: Subject) -> [String] {
    guard let rule else { return [] }
    guard let finding = subject.outcome.findings.first(where: { $0.rule == rule }) else {
      return ["\(rule.id) was not checked here."]
    }
    if case .overridden(let by) = finding.weight, finding.outcome == .violated {
      return ["\(rule.id) is broken, but overridden by \(by.rawValue)."]
    }
    return finding.outcome == .violated
      ? ["\(rule.id) is broken too, but does not decide."] : ["\(rule.id) is \(finding.outcome.rawValue)."]
  }

  private func grade(_ change: Assignment, _ aim: Aim, _ subject: Subject) throws(Diagnostics) -> Grade {
    let outcome = try player.play(try change.applied(to: subject.scenario)).outcome
    return Grade(aim.isReached(by: outcome), remarks: [Self.sentence(outcome)] + Self.price(of: outcome))
  }

  private func grade(_ exception: Exception, against smallest: Exception, _ subject: Subject) throws(Diagnostics)
    -> Grade
  {
    guard exception.dictionary.entries != nil else {
      throw Diagnostics("that is no dictionary", hint: "write { NSExceptionDomains: { HOST: { KEY: true } } }")
    }
    let outcome = try exception.outcome(of: subject.scenario, player: player)
    guard outcome.verdict.word == .accepted else { return Grade(false, remarks: [Self.sentence(outcome)]) }
    for (key, rest) in exception.withoutOneKey
    where try rest.outcome(of: subject.scenario, player: player).verdict.word == .accepted {
      return Grade(false, remarks: ["It is accepted, but also without \(key)."])
    }
    guard exception.weight <= smallest.weight else {
      return Grade(false, remarks: ["It is accepted, but it opens more than is needed."])
    }
    return Grade(true, remarks: Self.price(of: outcome))
  }

  private static func sentence(_ outcome: Outcome) -> String {
    let because = outcome.verdict.because.map(\.id).joined(separator: ", ")
    return "Played: it is \(outcome.verdict.word.rawValue)" + (because.isEmpty ? "." : ": \(because).")
  }

  /// Whether it is safe: what an attacker can do now.
  private static func price(of outcome: Outcome) -> [String] {
    guard outcome.verdict.word == .accepted else { return [] }
    let lost = Goal.allCases.filter { outcome.goals[$0].map(Aim.isLost) == true }
    return lost.isEmpty
      ? ["It is safe: in this run no attacker reaches a goal."]
      : [
        "It is not safe. Lost: "
          + lost.map { "\($0.rawValue) (\(outcome.goals[$0]?.rawValue ?? ""))" }.joined(separator: ", ") + "."
      ]
  }
}

extension String {
  /// The text without `prefix`, where it begins with it.
  fileprivate func dropping(_ prefix: String) -> String { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self }
}

/// Reads what a student typed.
struct AnswerReading {
  private let question: Question

  init(_ question: Question) { self.question = question }

  /// A letter or the option's own words, and how sure the student is.
  func option(_ text: String) throws(Diagnostics) -> (place: Int, confidence: Int?) {
    let (answer, confidence) = try confident(text)
    if let named = question.options.firstIndex(where: { $0.text.lowercased() == answer.lowercased() }) {
      return (named, confidence)
    }
    guard answer.count == 1, let letter = answer.first, let place = question.place(of: letter) else {
      throw refused(answer)
    }
    return (place, confidence)
  }

  /// Every letter once.
  func order(_ text: String) throws(Diagnostics) -> [Int] {
    let letters = text.filter { $0.isLetter }
    let places = letters.compactMap(question.place)
    guard places.count == letters.count, Set(places).count == question.options.count,
      places.count == question.options.count
    else { throw refused(text) }
    return places
  }

  func number(_ text: String) throws(Diagnostics) -> (number: Natural, confidence: Int?) {
    let (answer, confidence) = try confident(text)
    guard let number = Quantities.number(answer), number.bitWidth <= Quantities.mostBits else { throw refused(answer) }
    return (number, confidence)
  }

  /// A letter for each system.
  func row(_ text: String) throws(Diagnostics) -> [Verdict.Word] {
    let words: [Character: Verdict.Word] = ["a": .accepted, "r": .refused, "h": .hangs]
    let letters = text.lowercased().filter { $0.isLetter }
    let row = letters.compactMap { words[$0] }
    guard row.count == letters.count, row.count == VersionsQuestion.systems.count else { throw refused(text) }
    return row
  }

  /// The answer, and a last word of 1, 2 or 3 that says how sure the student is.
  private func confident(_ text: String) throws(Diagnostics) -> (String, Int?) {
    let words = text.split(separator: " ")
    guard words.count == 2, let last = Int(words[1]) else { return (text, nil) }
    guard (1...3).contains(last) else {
      throw Diagnostics("'\(last)' is not how sure one can be", hint: "1 guessed, 2 think so, 3 certain")
    }
    return (String(words[0]), last)
  }

  private func refused(_ answer: String) -> Diagnostics {
    Diagnostics("'\(answer.prefix(40))' is no answer to this question", hint: question.format)
  }
}
