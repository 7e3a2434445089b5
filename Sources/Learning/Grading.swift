import Cryptography
import Endpoint
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
  /// Where the changed run parts from the one that was asked about; nil where nothing was changed.
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

/// The steps of two runs from where they part.
public struct Parting: Sendable {
  /// The run that was asked about.
  public let before: [Step]
  /// The run with the change.
  public let after: [Step]

  /// Nil where no step of one is other than the same step of the other.
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
    case .change(_, let aim): return try grade(try AnswerReading(question).change(text), aim, subject)
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

  /// Plays the change; what works by harm, or by breaking something else, is told so first.
  private func grade(_ change: Assignment, _ aim: Aim, _ subject: Subject) throws(Diagnostics) -> Grade {
    let result = try player.play(try change.applied(to: subject.scenario, beside: subject.file.cases))
    let outcome = result.outcome
    let isReached = aim.isReached(by: outcome)
    let cost = isReached ? Cost(of: outcome, instead: subject.outcome, aim).sentences : []
    return Grade(
      isReached, remarks: cost + [Self.sentence(outcome)] + (isReached ? Self.elsewhere(outcome, aim, subject) : []),
      parting: Parting(subject.end, result.simulation))
  }

  /// What is said where a change makes a run refused by something that the scenario is not about.
  private static func elsewhere(_ outcome: Outcome, _ aim: Aim, _ subject: Subject) -> [String] {
    let rules = outcome.verdict.because
    let own = subject.mechanism
    guard aim == .refused, let rule = rules.first, !own.isEmpty, !rules.contains(where: { own.contains($0.layer) })
    else { return [] }
    let names = own.map(\.rawValue).sorted().joined(separator: ", ")
    return [
      "It works by breaking something else, in the layer '\(rule.layer.rawValue)': what the scenario is about is decided in "
        + "'\(names)'. The app gets nothing, from the genuine server either."
    ]
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
    return Grade(true, remarks: Cost(of: outcome, instead: subject.outcome, .accepted).sentences)
  }

  private static func sentence(_ outcome: Outcome) -> String {
    let because = outcome.verdict.because.map(\.id).joined(separator: ", ")
    return "Played: it is \(outcome.verdict.word.rawValue)" + (because.isEmpty ? "." : ": \(because).")
  }
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

  /// The letter of a line that is offered, or a line of one's own.
  func change(_ text: String) throws(Diagnostics) -> Assignment {
    let line = text.hasPrefix("set ") ? String(text.dropFirst(4)) : text
    guard !line.contains("=") else { return try Assignment(reading: line) }
    let (place, _) = try option(line)
    return try Assignment(reading: question.options[place].text)
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
