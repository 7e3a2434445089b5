import Scenarios
import Simulator

/// What a student has played and answered.
public struct Progress: Sendable {
  /// Who is asked.
  public let student: Student
  /// The ids of scenarios that were played to their end.
  public var played: Set<String> = []
  /// The lesson that is gone through, scenario by scenario; nil when scenarios are opened by their own names.
  public var lesson: Lesson?
  /// All questions so far, the last of which may be open.
  public var asked: [Asked] = []
  /// How often a quiz was begun, by lessons.
  public var begun: [String: Int] = [:]
  /// The quiz at hand; nil for none.
  public var quiz: Quiz?

  /// The progress of `student`, who has done nothing yet.
  public init(student: Student = Student()) { self.student = student }

  /// A question, and what became of it so far.
  public struct Asked: Sendable {
    /// The question.
    public let question: Question
    /// What it is about.
    public let subject: Subject
    /// Which run it was asked about.
    public let about: String
    /// Whether a quiz asked it.
    public let isOfQuiz: Bool
    /// What was answered, in order, as it was typed.
    public var answers: [String] = []
    /// How many answers were wrong.
    public var misses = 0
    /// How many hints were taken.
    public var hints = 0
    /// How sure the student was of the last answer, 1 to 3; nil when it was not said.
    public var confidence: Int?
    /// Whether the student has seen what is asked for before answering.
    public var isLookedUp = false
    /// What became of it.
    public var result = Score.Result.open

    /// A question about the run `about`, asked just now.
    public init(question: Question, subject: Subject, about: String, isOfQuiz: Bool) {
      self.question = question
      self.subject = subject
      self.about = about
      self.isOfQuiz = isOfQuiz
    }

    /// Whether it waits for an answer.
    public var isOpen: Bool { result == .open }

    /// Whether the last answer was wrong.
    public var isMissed: Bool { misses > 0 && [.open, .wrong].contains(result) }

    /// Whether `other` is the same question about the same run.
    public func asksTheSame(as other: Asked) -> Bool {
      about == other.about && question.kind == other.question.kind && question.text == other.question.text
    }

    /// Whether its answer, as it was shown, says why it comes out as it does.
    var revealsReason: Bool {
      question.kind == .verdict
        ? isOfQuiz || [.wrong, .revealed].contains(result) : question.kind == .versions && !isOpen
    }

    /// What a list of answers says of it.
    public var score: Score {
      let isAnswered = [.alone, .helped, .lookedUp].contains(result)
      return Score(
        scenario: isOpen ? subject.scenario.id : question.scenario, kind: question.kind,
        tries: misses + (isAnswered ? 1 : 0), hints: hints, confidence: confidence, result: result)
    }
  }

  /// A walk through a lesson, a question about each scenario.
  public struct Quiz: Sendable {
    /// The lesson.
    public let lesson: Lesson
    /// How many scenarios were asked about.
    public var done = 0
    /// Where its questions begin among all that were asked.
    public let start: Int
    /// What was right how often so far, by the kinds of questions.
    public var answers: [Question.Kind: [String: Int]] = [:]
    /// What is the same for every student, as far as it was asked for.
    public var plan: Plan

    /// What every student of a lesson is asked, place by place: the kind of question, and how many options there are.
    public struct Plan: Sendable {
      /// The questions of a student who did not say who it is, by their places.
      var places: [Int: Examiner.Asked] = [:]
      /// What was right how often in them.
      var answers: [Question.Kind: [String: Int]] = [:]

      /// Nothing was asked for yet.
      public init() {}
    }

    /// A quiz on `lesson` whose questions are the ones from `start` on.
    public init(lesson: Lesson, start: Int, plan: Plan = Plan()) {
      self.lesson = lesson
      self.start = start
      self.plan = plan
    }
  }

  /// The question that waits for an answer.
  public var open: Asked? { asked.last.flatMap { $0.isOpen ? $0 : nil } }

  /// The questions that count, each once: asked again, the first answer stays.
  public var counted: [Asked] {
    asked.enumerated().filter { place, one in
      let same = asked.indices.filter { asked[$0].asksTheSame(as: one) }
      return place == (same.first { asked[$0].result != .leftOut } ?? same.first)
    }.map(\.element)
  }

  /// Leaves the question out that waits for an answer.
  public mutating func leaveOut() {
    if open != nil { update { $0.result = .leftOut } }
  }

  /// Changes the question that was asked last.
  public mutating func update(_ change: (inout Asked) -> Void) {
    guard let last = asked.indices.last else { return }
    change(&asked[last])
  }

  /// The kinds that need not be asked about a run any more: those that were, and what their answers reveal.
  public func settled(about run: String) -> Set<Question.Kind> {
    let own = asked.filter { $0.about == run }
    var kinds = Set(own.map(\.question.kind))
    if own.contains(where: \.revealsReason) { kinds.insert(.reason) }
    if kinds.contains(.reason) { kinds.insert(.verdict) }
    // Of what is known to be accepted no rule is to blame.
    let accepted = own.contains { one in
      one.question.kind == .verdict && !one.isOpen && one.question.countedAnswer == Verdict.Word.accepted.rawValue
    }
    if accepted { kinds.insert(.reason) }
    return kinds
  }
}

/// One question and what became of it, as a list of answers says it.
public struct Score: Sendable, Hashable {
  /// What became of a question.
  public enum Result: String, Sendable, Hashable {
    /// Right at the first try, without a hint.
    case alone = "right"
    /// Right after other tries or with hints.
    case helped = "right, with help"
    /// Answered when this run, or another one of the scenario, had already shown it.
    case lookedUp = "right, looked up"
    /// Answered wrongly and certain of it, or not rightly before the run showed it.
    case wrong
    /// Told.
    case revealed
    /// Not answered, as the quiz was given up.
    case leftOut = "left out"
    /// Not answered yet.
    case open

    /// Whether the answer was right in the end.
    public var isRight: Bool { [.alone, .helped, .lookedUp].contains(self) }
  }

  /// The case it was about.
  public let scenario: String
  /// What was asked for.
  public let kind: Question.Kind
  /// How many answers were given.
  public let tries: Int
  /// How many hints were taken.
  public let hints: Int
  /// How sure the student was of the last answer, 1 to 3; nil when it was not said.
  public let confidence: Int?
  /// What became of it.
  public let result: Result
}
