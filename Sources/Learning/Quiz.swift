import Explanation
import Scenarios
import Simulator

/// Which question stands in which place of a lesson's quiz.
///
/// The kinds, and how many options there are, are the same for every student, so that sheets can be compared; the cases,
/// the numbers and the order of the options are each student's own, chosen so that no answer is right more often than
/// others.
extension Examiner {
  /// A question, and what it is about.
  public typealias Asked = (question: Question, subject: Subject)

  /// The question about `file` in this place of `quiz`, whose answers so far it takes into account; nil when there is
  /// nothing to ask.
  ///
  /// - Throws: `Diagnostics` when a file that the scenario names cannot be used.
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

  /// All questions of a lesson, whose files are given in the order of teaching, as its quiz asks them; `plan` is worked out
  /// with the first sheet of a class, and serves the others.
  ///
  /// - Throws: `Diagnostics` when a file that a scenario names cannot be used.
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

  /// An examiner of a student who did not say who it is: what that one is asked is what all are compared by.
  private var nobodys: Examiner { Examiner(player: player) }

  /// What everybody's question in this place is like; places are asked for in their order.
  private func common(
    _ file: ScenarioFile, at place: Int, of lesson: String, _ plan: inout Progress.Quiz.Plan
  ) throws(Diagnostics) -> Asked? {
    if let known = plan.places[place] { return known }
    for kind in Self.kinds(of: lesson, at: place, about: file) {
      // One such hunt is enough: whoever has found what differs finds it again at once.
      if kind == .detective, plan.answers[kind] != nil { continue }
      guard let found = try best(kind, about: file, plan.answers) else { continue }
      plan.answers[kind, default: [:]][found.question.countedAnswer ?? "", default: 0] += 1
      plan.places[place] = found
      return found
    }
    return nil
  }

  /// The student's own question in the place of the one that is common to all: of the same kind, with as many options.
  private func own(
    _ common: Asked, about file: ScenarioFile, _ answers: [Question.Kind: [String: Int]]
  ) throws(Diagnostics) -> Asked {
    switch (common.question.kind, common.question.solution) {
    case (.minimal, _): return common
    case (.flip, .change(let change, let aim)):
      // Which changes are left depends on those that were asked for, so that all are asked for the same one.
      let flip = FlipQuestion(subject: common.subject, student: student, player: player)
      return (try flip.question(for: change, aim) ?? common.question, common.subject)
    case (let kind, _):
      if let found = try best(kind, about: file, answers, options: common.question.options.count) { return found }
      let question = try question(kind, about: common.subject, used: answers[kind] ?? [:])
      return (question ?? common.question, common.subject)
    }
  }

  /// The kinds for a place, the one that is wanted first.
  static func kinds(of lesson: String, at place: Int, about file: ScenarioFile) -> [Question.Kind] {
    let cycle = cycles[lesson] ?? usual
    let turned = cycle.indices.map { cycle[($0 + place) % cycle.count] }
    // A delegate of a document is a program to be read, once delegates are what the lesson is about.
    let isRead = ["L11", "L13"].contains(lesson) && file.cases.contains { DelegateListing(of: $0) != nil }
    // Where somebody stands between and is not noticed, there is something to find.
    let isHidden =
      ["L3", "L5", "L11", "L12"].contains(lesson) && file.cases.contains(where: DetectiveQuestion.isPossible)
    let first: [Question.Kind] = (isHidden ? [.detective] : []) + (isRead ? [.bug] : [])
    return first + turned + usual.filter { !turned.contains($0) }
  }

  private static let usual: [Question.Kind] = [.risk, .verdict, .flip, .whoKnows, .reason, .order]
  private static let trust: [Question.Kind] = [.verdict, .reason, .flip, .risk, .versions]
  private static let settings: [Question.Kind] = [.verdict, .reason, .versions, .flip, .minimal]
  private static let app: [Question.Kind] = [.verdict, .reason, .flip, .risk]

  /// What each lesson is about decides what is asked.
  private static let cycles: [String: [Question.Kind]] = [
    "L0": [.risk, .whoKnows, .verdict, .flip],
    "L2": [.compute, .order, .risk, .flip, .verdict], "L3": trust, "L4": trust,
    "L5": [.verdict, .reason, .flip, .risk, .versions], "L6": trust,
    "L8": [.risk, .whoKnows, .flip], "L9": settings, "L10": settings, "L11": app,
    "L12": [.verdict, .reason, .flip, .risk],
    "L13": app, "L14": settings,
  ]

  /// So many cases of a file are looked at before the best is taken.
  private static let mostCases = 5

  /// The question of this kind, with so many options where that is said, whose answer was right least often so far.
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
      // The same change twice is no question any more.
      if count > 0, [.flip, .minimal].contains(kind) { continue }
      if best.map({ count < $0.count }) ?? true { best = (question, subject, count) }
      if count == 0 || kind == .verdict || kind == .reason { break }
    }
    return best.map { ($0.question, $0.subject) }
  }

  /// The cases of a file in the order in which they are tried: first those whose verdict is wanted.
  private func candidates(_ kind: Question.Kind, among cases: [Scenario], _ used: [String: Int]) -> [Scenario] {
    guard let first = cases.first else { return [] }
    let label = "quiz/\(first.id)/\(kind.rawValue)"
    let shuffled = student.shuffled(cases, for: label)
    let words = Verdict.Word.allCases.filter { word in cases.contains { $0.expectedWord == word } }
    switch kind {
    case .verdict:
      // Where every case comes out in the same way there is nothing to ask.
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
      // Systems alone tell these cases apart.
      return shuffled.filter { $0.expectedWord != .accepted } + shuffled.filter { $0.expectedWord == .accepted }
    default: return shuffled
    }
  }
}
