import Learning
import Rendering
import Scenarios

/// Questions about a run before its first step, with the grade of every option.
enum PredictionQuestions {
  /// The kinds that a page can grade: one option is right.
  private static let kinds: [Question.Kind] = [.verdict, .reason, .risk, .whoKnows]

  /// `[{text, given, options: [{text, detail, isRight, remarks}]}]`; empty for a case that cannot be asked about.
  static func json(about reference: CaseReference, _ player: ScenarioPlayer) -> JSONValue {
    guard let start = try? player.simulation(of: reference.scenario) else { return [] }
    let subject = Subject(reference.scenario, of: reference.file, at: start)
    let examiner = Examiner(player: player)
    return .array(
      kinds.compactMap { kind in
        guard let question = try? examiner.question(kind, about: subject), case .option = question.solution else {
          return nil
        }
        return json(question, about: subject, examiner)
      })
  }

  private static func json(_ question: Question, about subject: Subject, _ examiner: Examiner) -> JSONValue {
    let options = question.options.enumerated().map { place, option -> JSONValue in
      let grade = try? examiner.grade(Question.letter(place), to: question, about: subject)
      return [
        "text": .string(option.text), "detail": .string(option.detail), "isRight": .boolean(grade?.isRight == true),
        "remarks": .array((grade?.remarks ?? []).map { .string($0) }),
      ]
    }
    return [
      "text": .string(question.text), "given": .array(question.given.map { .string($0) }), "options": .array(options),
    ]
  }
}
