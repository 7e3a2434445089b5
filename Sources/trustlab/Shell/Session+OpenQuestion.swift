import Learning
import Rendering
import Scenarios

/// What the session does while a question is open: it is not forgotten, nothing tells its answer unasked, and who looks
/// the answer up has looked it up.
extension Session {
  /// The open question once more.
  func stillOpen(_ asked: Progress.Asked) -> Output {
    let line = "question \(teaching.asked.count) is still open, about \(asked.subject.scenario.id): 'reveal' closes it"
    return show(Document([.paragraph(RichText(line, .warning), indent: 0)]) + view(asked.question, asked.subject))
  }

  /// Whether a line that begins with this word answers the open question: `a` is `answer a`.
  func isLetterOfOpenQuestion(_ word: String) -> Bool {
    guard let question = teaching.open?.question, case .option = question.solution else { return false }
    return question.options.indices.contains { Question.letter($0) == word.lowercased() }
  }

  /// Whether a question about this scenario is open.
  func isAsked(about opened: Opened) -> Bool { teaching.open?.subject.scenario.id == opened.scenario.id }

  /// The scenario's name; its id alone while a question about it is open, as the name of a case can be the answer.
  func name(of opened: Opened) -> String { isAsked(about: opened) ? opened.scenario.id : opened.scenario.name }

  /// Commands that play other runs, or this one to its end.
  private static let playing = ["export", "diff"]

  /// Remembers that the answer to the open question has been seen.
  mutating func noteLookingUp(with command: ShellCommand) {
    guard let open = teaching.open, let opened, isAsked(about: opened) else { return }
    guard command.group == .many || Self.playing.contains(command.name) || hasSeenEnd(of: open) else { return }
    teaching.update { $0.isLookedUp = true }
  }

  /// Whether a run of the scenario that was asked about has been played that shows the answer.
  func hasSeenEnd(of asked: Progress.Asked) -> Bool {
    guard let opened, opened.scenario.id == asked.subject.scenario.id else { return false }
    let isSame = opened.key == asked.about
    if isSame, asked.subject.isOver || asked.question.kind.isAboutOtherWorlds { return false }
    let isDecided = !opened.now.outcome.verdict.because.isEmpty && [.verdict, .reason].contains(asked.question.kind)
    return isDecided || opened.hasBeenPlayed
  }

  /// What the end of a run says about the questions that were asked before it, when it has just been reached.
  mutating func notePredictions(since before: Opened?) -> String {
    guard let opened, teaching.asked.contains(where: { $0.about == opened.key }), opened.hasBeenPlayed,
      before.map({ $0.key == opened.key && $0.hasBeenPlayed }) != true
    else { return "" }
    var document = Document()
    for (place, asked) in teaching.asked.enumerated()
    where asked.about == opened.key && !asked.question.kind.isAboutOtherWorlds && asked.result != .revealed {
      let isRight = asked.isOpen && (asked.misses == 0 || asked.isOfQuiz) ? nil : !asked.isMissed
      document += GradeView.ending(of: asked.question, number: place + 1, isRight: isRight)
      // The run has told what the answer did not.
      if asked.isOpen, isRight == false { teaching.asked[place].result = .wrong }
    }
    return document.blocks.isEmpty ? "" : "\n" + show(document).text
  }
}
