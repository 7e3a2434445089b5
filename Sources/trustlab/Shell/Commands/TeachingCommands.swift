// Lessons, predictions and quizzes.
extension ShellCommand {
  static let teaching: [ShellCommand] = []
}
