import Scenarios
import Simulator

/// The runs that a student has completed, and the student's answers.
public struct Progress: Sendable {
  /// The student whose progress this is.
  public let student: Student
  /// The ids of the scenarios that the student played to the end.
  public var played: Set<String> = []
  /// The current lesson; nil if the student opens scenarios by name.
  public var lesson: Lesson?
  /// All questions that were asked. The last one may be unanswered.
  public var asked: [Asked] = []
  /// The number of quizzes that the student started, by lesson.
  public var begun: [String: Int] = [:]
  /// The current quiz; nil if there is none.
  public var quiz: Quiz?

  /// Creates the empty progress of `student`.
  public init(student: Student = Student()) { self.student = student }

  /// A question that was asked, and its current state.
  public struct Asked: Sendable {
    /// The question that was asked.
    public let question: Question
    /// The subject of the question.
    public let subject: Subject
    /// The name of the run that the question is about.
    public let about: String
    /// Whether the question is part of a quiz.
    public let isOfQuiz: Bool
    /// The student's answers in order, as typed.
    public var answers: [String] = []
    /// The number of wrong answers.
    public var misses = 0
    /// The number of hints that the student used.
    public var hints = 0
    /// The student's confidence in the last answer, from 1 to 3; nil if the student gave none.
    public var confidence: Int?
    /// Whether the run showed the answer before the student gave it.
    public var isLookedUp = false
    /// The current result of the question.
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

    /// Returns whether `other` is the same question about the same run.
    public func asksTheSame(as other: Asked) -> Bool {
      about == other.about && question.kind == other.question.kind && question.text == other.question.text
    }

    /// Whether the answer was shown and contains the reason for the verdict.
    var revealsReason: Bool {
      question.kind == .verdict
        ? isOfQuiz || [.wrong, .revealed].contains(result) : question.kind == .versions && !isOpen
    }

    /// The line of the question in a list of answers.
    public var score: Score {
      let isAnswered = [.alone, .helped, .lookedUp].contains(result)
      return Score(
        scenario: isOpen ? subject.scenario.id : question.scenario, kind: question.kind,
        tries: misses + (isAnswered ? 1 : 0), hints: hints, confidence: confidence, result: result)
    }
  }

  /// A quiz with a question about each scenario of a lesson.
  public struct Quiz: Sendable {
    /// The lesson of the quiz.
    public let lesson: Lesson
    /// The number of scenarios whose questions were asked.
    public var done = 0
    /// The index of the quiz's first question among all questions.
    public let start: Int
    /// The number of times that each answer was right in this quiz, by kind of question.
    public var answers: [Question.Kind: [String: Int]] = [:]
    /// The part of the shared plan that has been computed for this quiz.
    public var plan: Plan

    /// The plan of a lesson's quiz for all students: the kind of each question, and its number of options.
    public struct Plan: Sendable {
      /// The questions of the anonymous student, by position in the quiz.
      var places: [Int: Examiner.Asked] = [:]
      /// The number of times that each answer was right in those questions, by kind of question.
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

  /// The unanswered question; nil if there is none.
  public var open: Asked? { asked.last.flatMap { $0.isOpen ? $0 : nil } }

  /// The questions that are scored. If a question was repeated, its first answer is scored.
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

  /// Applies a change to the most recent question.
  public mutating func update(_ change: (inout Asked) -> Void) {
    guard let last = asked.indices.last else { return }
    change(&asked[last])
  }

  /// Returns the kinds that need no further question about a run: those already asked, and those that earlier answers
  /// reveal.
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

/// A question and its result, as shown in a list of answers.
public struct Score: Sendable, Hashable {
  /// The result of a question.
  public enum Result: String, Sendable, Hashable {
    /// The answer was right at the first try and without a hint.
    case alone = "right"
    /// The answer was right after other tries or with hints.
    case helped = "right, with help"
    /// The answer was given after this run, or another run of the scenario, had shown it.
    case lookedUp = "right, looked up"
    /// The answer was wrong and given with certainty, or the run showed the answer before the student found it.
    case wrong
    /// The answer was shown at the student's request.
    case revealed
    /// The question was not answered, because the student left the quiz.
    case leftOut = "left out"
    /// The question is not answered yet.
    case open

    /// Whether the final answer was right.
    public var isRight: Bool { [.alone, .helped, .lookedUp].contains(self) }
  }

  /// The case that the question was about.
  public let scenario: String
  /// The kind of the question.
  public let kind: Question.Kind
  /// The number of answers that the student gave.
  public let tries: Int
  /// The number of hints that the student used.
  public let hints: Int
  /// The student's confidence in the last answer, from 1 to 3; nil if the student gave none.
  public let confidence: Int?
  /// The result of the question.
  public let result: Result
}
