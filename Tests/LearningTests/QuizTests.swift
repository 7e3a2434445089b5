import Learning
import Oracles
import Scenarios
import Testing

@Suite("The questions of a quiz")
struct QuizTests {
  /// The questions of a lesson for these students, in their order.
  static func sheets(of lesson: Lesson, for students: [String]) throws -> [[Question]] {
    let files = try lesson.scenarios.map { try #require(Asking.files[$0]) }
    var plan = Progress.Quiz.Plan()
    return try students.map { student in
      let examiner = Examiner(player: Lab.player, student: Student(student))
      return try examiner.sheet(of: lesson, files: files, plan: &plan).map(\.question)
    }
  }

  /// The number of times each answer is right in these students' sheets, by kind of question. It also checks that no
  /// sheet asks for a change twice, and that the sheets of a lesson are comparable.
  static func answers(of lessons: [Lesson], by students: [String]) throws -> [String: [String: Int]] {
    var answers: [String: [String: Int]] = [:]
    for lesson in lessons {
      let sheets = try sheets(of: lesson, for: students)
      for sheet in sheets {
        let flips = sheet.filter { $0.kind == .flip }.map(\.answer)
        #expect(Set(flips).count == flips.count, "\(lesson.id): \(flips)")
        #expect(sheet.map(Self.form) == sheets[0].map(Self.form), "sheets of \(lesson.id) cannot be compared")
        for question in sheet {
          guard let answer = question.countedAnswer else { continue }
          let isOfTwo = question.options.count == 2
          answers["\(question.kind.rawValue), \(isOfTwo ? "2" : "more")", default: [:]][answer, default: 0] += 1
        }
      }
    }
    return answers
  }

  /// The form by which questions are comparable: their kind, and their number of options.
  private static func form(_ question: Question) -> String { "\(question.kind.rawValue) of \(question.options.count)" }

  @Test("no change is asked for twice, and every student gets the same kinds")
  func comparable() throws {
    let lessons = try Lab.library().lessons().filter { $0.id == "L0" }
    #expect(try !Self.answers(of: lessons, by: ["", "2"]).isEmpty)
  }

  @Test("a question on a document's delegate asks for the step that violates a rule")
  func bug() throws {
    let question = try #require(
      try Examiner(player: Lab.player).question(.bug, about: Asking.subject("L11-05")))
    #expect(question.options.first?.text.shows("ServerTrust … return") == true)
    #expect(question.answer == "a")
    // The system handles the challenge, so the same server asks the app for nothing.
    let name = "L11-05/left to the system, the 401 is the app's"
    #expect(try Examiner(player: Lab.player).question(.bug, about: Asking.subject(name)) == nil)
  }

  @Test(
    "of six networks, the one with another certificate has the interceptor",
    arguments: ["", "7"])
  func detective(_ student: String) throws {
    let examiner = Examiner(player: Lab.player, student: Student(student))
    for name in ["L3-18", "L5-06", "L11-02", "L12-05"] {
      let question = try #require(try examiner.question(.detective, about: Asking.subject(name)))
      let columns = question.options.map { $0.text.components(separatedBy: ", ") }
      guard case .option(let right) = question.solution else { return }
      #expect(columns.count == 6 && columns.allSatisfy { $0.count == 5 })
      // The address differs everywhere; a difference outside the certificate also occurs in an honest network.
      #expect(Set(columns.map { $0[2] }).count == 6)
      for column in [0, 1] { #expect(columns.count { $0[column] == columns[right][column] } > 1, "\(columns)") }
      #expect(Set(columns.map { $0[4] }).count == 2 && columns.count { $0[4] == columns[right][4] } == 1)
      #expect(question.hints.allSatisfy { !$0.lowercased().contains("certificate") })
    }
  }

  @Test("without an undetected interceptor there is no hunt")
  func noDetective() throws {
    for name in ["L1-01", "L12-05/public key", "L12-05/public key, and nobody between"] {
      #expect(try Examiner(player: Lab.player).question(.detective, about: Asking.subject(name)) == nil)
    }
    try Self.checkHunts(in: ["L5"])
  }

  /// One hunt in a lesson is enough: a second one is too easy.
  static func checkHunts(in ids: [String]) throws {
    for lesson in try Lab.library().lessons() where ids.contains(lesson.id) {
      let kinds = try sheets(of: lesson, for: [""]).joined().map(\.kind)
      #expect(kinds.count { $0 == .detective } == 1)
    }
  }
}

/// The checks of `QuizTests` in a few lessons, here in all. A student's question takes a run or two, so few are asked.
@Suite("The questions of quizzes in every lesson")
struct QuizSweep {
  @Test("no option is right in over 45 of 100 questions, or 60 with two options")
  func balanced() throws {
    let lessons = try Lab.library().lessons().filter { !$0.scenarios.isEmpty }
    let answers = try QuizTests.answers(of: lessons, by: ["", "2", "3"])
    // With few answers, one may be right in most.
    let compared = answers.mapValues { ($0.values.reduce(0, +), $0) }.filter { $0.value.0 > 20 }
    #expect(compared.keys.contains { $0.hasSuffix("2") } && compared.keys.contains { $0.hasSuffix("more") })
    for (kind, (sum, counts)) in compared {
      guard let most = counts.max(by: { $0.value < $1.value }) else { continue }
      let limit = kind.hasSuffix("2") ? 60 : 45
      #expect(most.value * 100 <= sum * limit, "\(kind): \(most.key) is right in \(most.value) of \(sum)")
    }
  }

  @Test("a lesson with an interceptor has one hunt")
  func hunts() throws { try QuizTests.checkHunts(in: ["L3", "L11", "L12"]) }

  @Test("the messages to be ordered stop before a refusal, so they do not reveal it")
  func order() throws { try PredictionTests.checkOrder(Asking.cases) }

  @Test("exactly one option of every question is right, and examples are no answers", arguments: Asking.further)
  func oneRight(name: String) throws {
    try PredictionTests().oneRight(name: name)
    try PredictionTests().hints(name: name)
    try PredictionTests().narrowing(name: name)
    try ChangeTests().letters(name: name)
  }
}
