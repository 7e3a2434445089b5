import Scenarios
import Simulator

/// The runs that a student has played, and the student's answers.
public struct Progress: Sendable {
  /// The student.
  public let student: Student
  /// The ids of scenarios that were played to the end.
  public var played: Set<String> = []
  /// The current lesson; nil if scenarios are opened by their own names.
  public var lesson: Lesson?
  /// All questions so far. The last one may be open.
  public var asked: [Asked] = []
  /// The number of started quizzes, by lesson.
  public var begun: [String: Int] = [:]
  /// The current quiz; nil without one.
  public var quiz: Quiz?

  /// Creates the empty progress of `student`.
  public init(student: Student = Student()) { self.student = student }

  /// A question, and its state so far.
  public struct Asked: Sendable {
    /// The question.
    public let question: Question
    /// The subject of the question.
    public let subject: Subject
    /// The name of the run that the question is about.
    public let about: String
    /// Whether the question is part of a quiz.
    public let isOfQuiz: Bool
    /// The answers in order, as typed.
    public var answers: [String] = []
    /// The number of wrong answers.
    public var misses = 0
    /// The number of hints used.
    public var hints = 0
    /// The student's confidence in the last answer, 1 to 3; nil if none was given.
    public var confidence: Int?
    /// Whether the run showed the answer before the student gave it.
    public var isLookedUp = false
    /// The result of the question.
    public var result = Score.Result.open

    /// Creates an unanswered question about the run `about`.
    public init(question: Question, subject: Subject, about: String, isOfQuiz: Bool) {
      self.question = question
      self.subject = subject
      self.about = about
      self.isOfQuiz = isOfQuiz
    }

    /// Whether the question is unanswered.
    public var isOpen: Bool { result == .open }

    /// Whether the last answer was wrong.
    public var isMissed: Bool { misses > 0 && [.open, .wrong].contains(result) }

    /// Whether `other` is the same question about the same run.
    public func asksTheSame(as other: Asked) -> Bool {
      about == other.about && question.kind == other.question.kind && question.text == other.question.text
    }

    /// Whether its answer was shown and contains the reason for the verdict.
    var revealsReason: Bool {
      question.kind == .verdict
        ? isOfQuiz || [.wrong, .revealed].contains(result) : question.kind == .versions && !isOpen
    }

    /// The question's line in a list of answers.
    public var score: Score {
      let isAnswered = [.alone, .helped, .lookedUp].contains(result)
      return Score(
        scenario: isOpen ? subject.scenario.id : question.scenario, kind: question.kind,
        tries: misses + (isAnswered ? 1 : 0), hints: hints, confidence: confidence, result: result)
    }
  }

  /// A quiz: a question about each scenario of a lesson.
  public struct Quiz: Sendable {
    /// The lesson.
    public let lesson: Lesson
    /// The number of scenarios with a question so far.
    public var done = 0
    /// The index of its first question among all questions.
    public let start: Int
    /// The number of times that each answer was right so far, by kind of question.
    public var answers: [Question.Kind: [String: Int]] = [:]
    /// The plan that all students share, as far as it is made.
    public var plan: Plan

    /// The plan of a lesson's quiz for all students: the kind of each question, and its number of options.
    public struct Plan: Sendable {
      /// The questions of the anonymous student, by position.
      var places: [Int: Examiner.Asked] = [:]
      /// The number of times that each answer was right in those questions.
      var answers: [Question.Kind: [String: Int]] = [:]

      /// Creates an empty plan.
      public init() {}
    }

    /// Creates a quiz on `lesson` with the questions from index `start` on.
    public init(lesson: Lesson, start: Int, plan: Plan = Plan()) {
      self.lesson = lesson
      self.start = start
      self.plan = plan
    }
  }

  /// The unanswered question.
  public var open: Asked? { asked.last.flatMap { $0.isOpen ? $0 : nil } }

  /// The questions that count. If a question was repeated, its first answer counts.
  public var counted: [Asked] {
    asked.enumerated().filter { place, one in
      let same = asked.indices.filter { asked[$0].asksTheSame(as: one) }
      return place == (same.first { asked[$0].result != .leftOut } ?? same.first)
    }.map(\.element)
  }

  /// Marks the unanswered question as left out.
  public mutating func leaveOut() {
    if open != nil { update { $0.result = .leftOut } }
  }

  /// Changes the most recent question.
  public mutating func update(_ change: (inout Asked) -> Void) {
    guard let last = asked.indices.last else { return }
    change(&asked[last])
  }

  /// The kinds that need no further question about a run: asked ones, and those that earlier answers reveal.
  public func settled(about run: String) -> Set<Question.Kind> {
    let own = asked.filter { $0.about == run }
    var kinds = Set(own.map(\.question.kind))
    if own.contains(where: \.revealsReason) { kinds.insert(.reason) }
    if kinds.contains(.reason) { kinds.insert(.verdict) }
    // An accepted run has no rule as its reason.
    let accepted = own.contains { one in
      one.question.kind == .verdict && !one.isOpen && one.question.countedAnswer == Verdict.Word.accepted.rawValue
    }
    if accepted { kinds.insert(.reason) }
    return kinds
  }
}

/// One question and its result, as in a list of answers.
public struct Score: Sendable, Hashable {
  /// The result of a question.
  public enum Result: String, Sendable, Hashable {
    /// Right at the first try, without a hint.
    case alone = "right"
    /// Right after other tries or with hints.
    case helped = "right, with help"
    /// Answered after this run, or another one of the scenario, had shown the answer.
    case lookedUp = "right, looked up"
    /// Answered wrongly with certainty, or not correctly before the run showed the answer.
    case wrong
    /// The answer was shown on request.
    case revealed
    /// Not answered, because the student left the quiz.
    case leftOut = "left out"
    /// Not answered yet.
    case open

    /// Whether the answer was right in the end.
    public var isRight: Bool { [.alone, .helped, .lookedUp].contains(self) }
  }

  /// The case that the question was about.
  public let scenario: String
  /// The kind of the question.
  public let kind: Question.Kind
  /// The number of answers.
  public let tries: Int
  /// The number of hints used.
  public let hints: Int
  /// The student's confidence in the last answer, 1 to 3; nil if none was given.
  public let confidence: Int?
  /// The result of the question.
  public let result: Result
}
