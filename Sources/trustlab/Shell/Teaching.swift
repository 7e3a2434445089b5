import Rendering
import Scenarios

/// What a student has played and answered in this session.
struct Teaching {
  /// Who is asked.
  var student = Student()
  /// The ids of scenarios that were played to their end.
  var played: Set<String> = []
  /// The lesson that is gone through, scenario by scenario; nil when scenarios are opened by their own names.
  var lesson: Lesson?
  /// All questions so far, the last of which may be open.
  var asked: [Asked] = []
  var quiz: Quiz?

  /// A question, and what became of it so far.
  struct Asked {
    let question: Question
    let subject: Subject
    /// Which run it was asked about: `Opened.key`.
    let about: String
    let isOfQuiz: Bool
    /// How many answers were wrong.
    var misses = 0
    var hints = 0
    var confidence: Int?
    /// Whether the student has seen what is asked for before answering.
    var isLookedUp = false
    var result = ScoreView.Row.Result.open

    var isOpen: Bool { result == .open }

    func asksTheSame(as other: Asked) -> Bool {
      about == other.about && question.kind == other.question.kind && question.text == other.question.text
    }

    var row: ScoreView.Row {
      let isAnswered = [.alone, .helped, .lookedUp].contains(result)
      return ScoreView.Row(
        scenario: isOpen ? subject.scenario.id : question.scenario, kind: question.kind.rawValue,
        tries: misses + (isAnswered ? 1 : 0), hints: hints,
        confidence: confidence, result: result)
    }
  }

  /// A walk through a lesson, a question about each scenario.
  struct Quiz {
    let lesson: Lesson
    /// How many scenarios were asked about.
    var done = 0
    /// Where its questions begin among all that were asked.
    let start: Int
  }

  /// The question that waits for an answer.
  var open: Asked? { asked.last.flatMap { $0.isOpen ? $0 : nil } }

  /// The questions that count, each once: asked again, the first answer stays.
  var counted: [Asked] {
    asked.enumerated().filter { place, one in
      let same = asked.indices.filter { asked[$0].asksTheSame(as: one) }
      return place == (same.first { asked[$0].result != .leftOut } ?? same.first)
    }.map(\.element)
  }

  /// Leaves the question out that waits for an answer.
  mutating func leaveOut() {
    if open != nil { update { $0.result = .leftOut } }
  }

  /// Changes the question that waits for an answer.
  mutating func update(_ change: (inout Asked) -> Void) {
    guard let last = asked.indices.last else { return }
    change(&asked[last])
  }

  /// The kinds that need not be asked about a run any more: those that were, and what their answers have told.
  func told(about run: String) -> Set<Question.Kind> {
    let own = asked.filter { $0.about == run }
    var kinds = Set(own.map(\.question.kind))
    if own.contains(where: \.hasToldReason) { kinds.insert(.reason) }
    if kinds.contains(.reason) { kinds.insert(.verdict) }
    return kinds
  }
}

extension Teaching.Asked {
  /// Whether its answer, as it was shown, says why it comes out as it does.
  var hasToldReason: Bool {
    question.kind == .verdict
      ? isOfQuiz || [.wrong, .revealed].contains(result) : question.kind == .versions && !isOpen
  }
}
