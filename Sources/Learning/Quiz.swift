import Explanation
import Scenarios
import Simulator

/// Selects the question for each position in a lesson's quiz.
///
/// All students get the same kinds of questions with the same number of options, so that sheets can be compared. The
/// cases, the numbers and the order of options differ by student. They are chosen so that no answer is right more often
/// than others.
extension Examiner {
  /// A question and its subject.
  public typealias Asked = (question: Question, subject: Subject)

  /// Returns the question about `file` at this position of `quiz`, considering the answers to earlier questions.
  ///
  /// - Returns: nil if there is no question.
  /// - Throws: `Diagnostics` if a file that the scenario names cannot be used.
  public func question(
    about file: ScenarioFile, at place: Int, of quiz: inout Progress.Quiz
  ) throws(Diagnostics) -> Asked? {
    guard let common = try nobodys.common(file, at: place, of: quiz.lesson.id, &quiz.plan) else { return nil }
    let found = student.id.isEmpty ? common : try own(common, about: file, quiz.answers)
    if let answer = found.question.countedAnswer {
      quiz.answers[found.question.kind, default: [:]][answer, default: 0] += 1
    }
    return found
  }

  /// Returns all questions of a lesson's quiz.
  ///
  /// The files are in teaching order. The first sheet of a class determines `plan`, which the others reuse.
  ///
  /// - Throws: `Diagnostics` if a file that a scenario names cannot be used.
  public func sheet(
    of lesson: Lesson, files: [ScenarioFile], plan: inout Progress.Quiz.Plan
  ) throws(Diagnostics) -> [Asked] {
    var quiz = Progress.Quiz(lesson: lesson, start: 0, plan: plan)
    var sheet: [Asked] = []
    for (place, file) in files.enumerated() {
      if let found = try question(about: file, at: place, of: &quiz) { sheet.append(found) }
    }
    plan = quiz.plan
    return sheet
  }

  /// An examiner for the anonymous student, whose questions are the model for all students.
  private var nobodys: Examiner { Examiner(player: player) }

  /// Returns the model question for this position. Positions must be requested in order.
  private func common(
    _ file: ScenarioFile, at place: Int, of lesson: String, _ plan: inout Progress.Quiz.Plan
  ) throws(Diagnostics) -> Asked? {
    if let known = plan.places[place] { return known }
    for kind in Self.kinds(of: lesson, at: place, about: file) {
      // One such question is enough: a student who has found the difference would find it again immediately.
      if kind == .detective, plan.answers[kind] != nil { continue }
      guard let found = try best(kind, about: file, plan.answers) else { continue }
      plan.answers[kind, default: [:]][found.question.countedAnswer ?? "", default: 0] += 1
      plan.places[place] = found
      return found
    }
    return nil
  }

  /// Returns the student's own question for a position. Its kind and number of options are those of the model.
  private func own(
    _ common: Asked, about file: ScenarioFile, _ answers: [Question.Kind: [String: Int]]
  ) throws(Diagnostics) -> Asked {
    switch (common.question.kind, common.question.solution) {
    case (.minimal, _): return common
    case (.flip, .change(let change, let aim)):
      // The remaining changes depend on earlier ones, so all students get the same change.
      let flip = FlipQuestion(subject: common.subject, student: student, player: player)
      return (try flip.question(for: change, aim) ?? common.question, common.subject)
    case (let kind, _):
      if let found = try best(kind, about: file, answers, options: common.question.options.count) { return found }
      let question = try question(kind, about: common.subject, used: answers[kind] ?? [:])
      return (question ?? common.question, common.subject)
    }
  }

  /// Returns the kinds of question for a position, preferred kind first.
  static func kinds(of lesson: String, at place: Int, about file: ScenarioFile) -> [Question.Kind] {
    let cycle = cycles[lesson] ?? usual
    let turned = cycle.indices.map { cycle[($0 + place) % cycle.count] }
    // In lessons about delegates, a delegate from a document is shown as a program.
    let isRead = ["L11", "L13"].contains(lesson) && file.cases.contains { DelegateListing(of: $0) != nil }
    // An unnoticed attacker in the network is suitable for a question.
    let isHidden =
      ["L3", "L5", "L11", "L12"].contains(lesson) && file.cases.contains(where: DetectiveQuestion.isPossible)
    let first: [Question.Kind] = (isHidden ? [.detective] : []) + (isRead ? [.bug] : [])
    return first + turned + usual.filter { !turned.contains($0) }
  }

  private static let usual: [Question.Kind] = [.risk, .verdict, .flip, .whoKnows, .reason, .order]
  private static let trust: [Question.Kind] = [.verdict, .reason, .flip, .risk, .versions]
  private static let settings: [Question.Kind] = [.verdict, .reason, .versions, .flip, .minimal]
  private static let app: [Question.Kind] = [.verdict, .reason, .flip, .risk]

  /// The kinds of questions by lesson.
  private static let cycles: [String: [Question.Kind]] = [
    "L0": [.risk, .whoKnows, .verdict, .flip],
    "L2": [.compute, .order, .risk, .flip, .verdict], "L3": trust, "L4": trust,
    "L5": [.verdict, .reason, .flip, .risk, .versions], "L6": trust,
    "L8": [.risk, .whoKnows, .flip], "L9": settings, "L10": settings, "L11": app,
    "L12": [.verdict, .reason, .flip, .risk],
    "L13": app, "L14": settings,
  ]

  /// The maximum number of cases of a file that are considered.
  private static let mostCases = 5

  /// Returns a question of this kind whose answer was right least often. If a number of options is given, the question
  /// has that number.
  private func best(
    _ kind: Question.Kind, about file: ScenarioFile, _ answers: [Question.Kind: [String: Int]], options: Int? = nil
  ) throws(Diagnostics) -> Asked? {
    let used = answers[kind] ?? [:]
    var best: (question: Question, subject: Subject, count: Int)?
    let isRare = [.bug, .detective].contains(kind)
    for scenario in candidates(kind, among: file.cases, used).prefix(isRare ? .max : Self.mostCases) {
      var simulation = try player.simulation(of: scenario)
      if [.flip, .minimal].contains(kind) { simulation.run() }
      let subject = Subject(scenario, of: file, at: simulation)
      guard let question = try question(kind, about: subject, used: used),
        options.map({ $0 == question.options.count }) ?? true
      else { continue }
      let answer = question.countedAnswer ?? ""
      let count = kind == .risk ? RiskQuestion.frequency(of: answer, used) : used[answer, default: 0]
      // A change that was used before is not used for another question.
      if count > 0, [.flip, .minimal].contains(kind) { continue }
      if best.map({ count < $0.count }) ?? true { best = (question, subject, count) }
      if count == 0 || kind == .verdict || kind == .reason { break }
    }
    return best.map { ($0.question, $0.subject) }
  }

  /// Returns the cases of a file in the order in which they are tried. Cases with the desired verdict are first.
  private func candidates(_ kind: Question.Kind, among cases: [Scenario], _ used: [String: Int]) -> [Scenario] {
    guard let first = cases.first else { return [] }
    let label = "quiz/\(first.id)/\(kind.rawValue)"
    let shuffled = student.shuffled(cases, for: label)
    let words = Verdict.Word.allCases.filter { word in cases.contains { $0.expectedWord == word } }
    switch kind {
    case .verdict:
      // If every case has the same result, the question would be trivial.
      guard words.count > 1 else { return [] }
      let counts = words.map { used[$0.rawValue, default: 0] }
      let rarest = words.filter { used[$0.rawValue, default: 0] + 1 < (counts.max() ?? 0) }
      let wanted = student.pick(rarest.isEmpty ? words : rarest, for: "\(label)/word")
      return shuffled.filter { $0.expectedWord == wanted } + shuffled.filter { $0.expectedWord != wanted }
    case .reason:
      let isAccepted = student.choice(of: 3, for: "\(label)/word") == 0
      let wanted: Verdict.Word = isAccepted ? .accepted : .refused
      return shuffled.filter { $0.expectedWord == wanted } + shuffled.filter { $0.expectedWord != wanted }
    case .detective: return shuffled.filter(DetectiveQuestion.isPossible)
    case .versions:
      // These cases differ only in their systems.
      return shuffled.filter { $0.expectedWord != .accepted } + shuffled.filter { $0.expectedWord == .accepted }
    default: return shuffled
    }
  }
}
