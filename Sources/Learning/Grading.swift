import Cryptography
import Endpoint
import Explanation
import Scenarios
import Simulator

/// The grade of an answer.
public struct Grade: Sendable {
  /// Whether the answer is right.
  public let isRight: Bool
  /// The student's confidence, from 1 to 3; nil if none was given.
  public let confidence: Int?
  /// Remarks about the answer, in short sentences.
  public let remarks: [String]
  /// The rule that the student wrongly chose; nil for other answers.
  public let chosen: Rule?
  /// The first steps that differ between the changed run and the original; nil without a change.
  public let parting: Parting?

  init(
    _ isRight: Bool, confidence: Int? = nil, remarks: [String] = [], chosen: Rule? = nil, parting: Parting? = nil
  ) {
    self.isRight = isRight
    self.confidence = confidence
    self.remarks = remarks
    self.chosen = chosen
    self.parting = parting
  }
}

/// The steps of two runs, from the first step that differs.
public struct Parting: Sendable {
  /// The original run.
  public let before: [Step]
  /// The changed run.
  public let after: [Step]

  /// Creates the pair of steps; nil if the two runs have no different step.
  init?(_ before: Simulation, _ after: Simulation) {
    let (old, new) = (before.trace.steps, after.trace.steps)
    let same = zip(old, new).prefix { Self.isSame($0, $1) }.count
    guard same < max(old.count, new.count) else { return nil }
    self.before = Array(old.dropFirst(same))
    self.after = Array(new.dropFirst(same))
  }

  private static func isSame(_ left: Step, _ right: Step) -> Bool {
    left.from.name == right.from.name && left.to?.name == right.to?.name && left.event.kind == right.event.kind
      && left.message == right.message && left.values.map(\.id) == right.values.map(\.id)
      && left.findings.map(\.outcome) == right.findings.map(\.outcome)
      && left.findings.map(\.rule) == right.findings.map(\.rule)
  }
}

extension Examiner {
  /// Grades an answer. Letters and numbers are compared with the run, and changes and exceptions are applied to it.
  ///
  /// - Throws: `Diagnostics` if the text does not answer this question, which is not graded as a wrong answer.
  public func grade(_ text: String, to question: Question, about subject: Subject) throws(Diagnostics) -> Grade {
    let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard !text.isEmpty else { throw Diagnostics("the answer is empty", hint: question.format) }
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
      return Grade(row == right, remarks: row == right ? [] : ["\(count) of \(right.count) letters are right."])
    case .change(_, let aim): return try grade(try AnswerReading(question).change(text), aim, subject)
    case .exception(let smallest):
      return try grade(Exception(Assignment.value(text, line: text)), against: smallest, subject)
    }
  }

  private func grade(_ text: String, against right: Natural, _ question: Question) throws(Diagnostics) -> Grade {
    let (number, confidence) = try AnswerReading(question).number(text)
    return Grade(number == right, confidence: confidence)
  }

  /// Returns remarks about the result of the wrongly chosen rule in this run.
  private func remarks(on rule: Rule?, _ subject: Subject) -> [String] {
    guard let rule else { return [] }
    guard let finding = subject.outcome.findings.first(where: { $0.rule == rule }) else {
      return ["This run did not check \(rule.id)."]
    }
    if case .overridden(let by) = finding.weight, finding.outcome == .violated {
      return ["\(rule.id) is violated, but it is overridden by \(by.rawValue)."]
    }
    return finding.outcome == .violated
      ? ["\(rule.id) is also violated, but it does not decide the result."]
      : ["\(rule.id) is \(finding.outcome.rawValue)."]
  }

  /// Runs the changed scenario. If the change causes harm or an unrelated failure, the first remark says so.
  private func grade(_ change: Assignment, _ aim: Aim, _ subject: Subject) throws(Diagnostics) -> Grade {
    let result = try player.play(try change.applied(to: subject.scenario, beside: subject.file.cases))
    let outcome = result.outcome
    let isReached = aim.isReached(by: outcome)
    let cost = isReached ? Cost(of: outcome, instead: subject.outcome, aim).sentences : []
    return Grade(
      isReached, remarks: cost + [Self.sentence(outcome)] + (isReached ? Self.elsewhere(outcome, aim, subject) : []),
      parting: Parting(subject.end, result.simulation))
  }

  /// Returns the remark about a change after which an unrelated rule refuses the run.
  private static func elsewhere(_ outcome: Outcome, _ aim: Aim, _ subject: Subject) -> [String] {
    let rules = outcome.verdict.because
    let own = subject.mechanism
    guard aim == .refused, let rule = rules.first, !own.isEmpty, !rules.contains(where: { own.contains($0.layer) })
    else { return [] }
    let names = own.map(\.rawValue).sorted().joined(separator: ", ")
    return [
      "The change makes an unrelated rule fail in the layer '\(rule.layer.rawValue)', but the scenario is about the "
        + "layer '\(names)'. The app now gets no content, even from the genuine server."
    ]
  }

  private func grade(_ exception: Exception, against smallest: Exception, _ subject: Subject) throws(Diagnostics)
    -> Grade
  {
    guard exception.dictionary.entries != nil else {
      throw Diagnostics("not a dictionary", hint: "write { NSExceptionDomains: { HOST: { KEY: true } } }")
    }
    let outcome = try exception.outcome(of: subject.scenario, player: player)
    guard outcome.verdict.word == .accepted else { return Grade(false, remarks: [Self.sentence(outcome)]) }
    for (key, rest) in exception.withoutOneKey
    where try rest.outcome(of: subject.scenario, player: player).verdict.word == .accepted {
      return Grade(false, remarks: ["The client accepts, but it also accepts without the key \(key)."])
    }
    guard exception.weight <= smallest.weight else {
      return Grade(false, remarks: ["The client accepts, but the exception allows more than necessary."])
    }
    return Grade(true, remarks: Cost(of: outcome, instead: subject.outcome, .accepted).sentences)
  }

  private static func sentence(_ outcome: Outcome) -> String {
    let because = outcome.verdict.because.map(\.id).joined(separator: ", ")
    return "The result of the run is: \(outcome.verdict.word.rawValue)" + (because.isEmpty ? "." : " (\(because)).")
  }
}

/// Parses an answer.
struct AnswerReading {
  private let question: Question

  init(_ question: Question) { self.question = question }

  /// Reads the letter or the text of an option, and the student's confidence.
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

  /// Reads the letter of an option, or a change that the student wrote.
  func change(_ text: String) throws(Diagnostics) -> Assignment {
    let line = text.hasPrefix("set ") ? String(text.dropFirst(4)) : text
    guard !line.contains("=") else { return try Assignment(reading: line) }
    let (place, _) = try option(line)
    return try Assignment(reading: question.options[place].text)
  }

  /// Reads the letters of all options, each exactly once.
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

  /// Reads a row with one letter for each system.
  func row(_ text: String) throws(Diagnostics) -> [Verdict.Word] {
    let words: [Character: Verdict.Word] = ["a": .accepted, "r": .refused, "h": .hangs]
    let letters = text.lowercased().filter { $0.isLetter }
    let row = letters.compactMap { words[$0] }
    guard row.count == letters.count, row.count == VersionsQuestion.systems.count else { throw refused(text) }
    return row
  }

  /// Removes a final 1, 2 or 3 from the answer and returns it as the student's confidence.
  private func confident(_ text: String) throws(Diagnostics) -> (String, Int?) {
    let words = text.split(separator: " ")
    guard words.count == 2, let last = Int(words[1]) else { return (text, nil) }
    guard (1...3).contains(last) else {
      throw Diagnostics("'\(last)' is not a valid confidence", hint: "use 1 (guessed), 2 (fairly sure) or 3 (certain)")
    }
    return (String(words[0]), last)
  }

  private func refused(_ answer: String) -> Diagnostics {
    Diagnostics("'\(answer.prefix(40))' does not answer this question", hint: question.format)
  }
}
