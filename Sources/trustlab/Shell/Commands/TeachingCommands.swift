import Learning
import Scenarios

// Lessons, predictions and quizzes.
extension ShellCommand {
  static let teaching: [ShellCommand] = [
    .init(
      "lessons [LESSON]", .learn, "the lessons, how far you are, and how to begin one",
      examples: ["lessons", "lessons L1"]
    ) { session, argument in try session.lessons(argument) },
    .init(
      "predict [KIND]", .learn, "ask me what is still to come", examples: ["predict", "predict verdict"],
      completing: .oneOf(Question.Kind.allCases.map(\.rawValue))
    ) { session, argument in try session.predict(argument) },
    .init(
      "answer ANSWER", .learn, "answer it; 1 to 3 behind it says how sure: 3 and wrong has no second try",
      examples: ["answer b", "answer b 3"]
    ) { session, argument in try session.answer(argument) },
    .init("hint", .learn, "help with it: the layer, then the object, then the rule", examples: ["hint"]) {
      session, _ in try session.hint()
    },
    .init("reveal", .learn, "the answer to it, and why", examples: ["reveal"]) { session, _ in try session.reveal() },
    .init(
      "quiz [LESSON]", .learn, "a question about each scenario of a lesson", examples: ["quiz", "quiz L0"]
    ) { session, argument in try session.quiz(argument) },
    .init("score", .learn, "what was asked, and what became of it", examples: ["score"]) { session, _ in
      session.score()
    },
  ]
}
