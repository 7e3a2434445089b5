import Explanation
import Learning
import Rendering
import Scenarios
import Simulator

/// A conversation about scenarios: a value that takes one line and gives one answer. No I/O but files that a line names.
struct Session {
  /// The answer to one line.
  struct Output {
    var text: String
    /// What went wrong, in two parts; nil when nothing did.
    var complaint: Diagnostic?
    var quits = false
    /// Whether a terminal waits for a key between screens.
    var isPaged = true
    /// The same answer as pictures, by media type, where they say more.
    var pictures: [(type: String, content: String)] = []

    var isError: Bool { complaint != nil }
  }

  let workbench: Workbench
  var style: TextStyle
  /// Whether someone wants the command at hand to stop.
  let isInterrupted: @Sendable () -> Bool
  var opened: Opened?
  var depth = Depth.story
  /// Where `run` stops.
  var stops: [Stop] = []
  /// The states before each change, for `undo`.
  var earlier: [Opened] = []
  /// Runs that were kept under a name.
  var forks: [(name: String, opened: Opened)] = []
  /// The files that this session wrote.
  var written: Set<String> = []
  /// The lines so far, for `save`.
  private(set) var journal: [String] = []
  /// What the student has played and answered.
  var teaching = Progress()
  /// What sheets are sealed with.
  var sealing = Sheet.Key.everybody
  /// What other students have played and answered, by their names.
  var others: [String: Progress] = [:]
  /// Told how many of how many runs are done.
  let progress: @Sendable (Int, Int) -> Void

  init(
    workbench: Workbench, style: TextStyle, isInterrupted: @escaping @Sendable () -> Bool = { false },
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) {
    self.workbench = workbench
    self.style = style
    self.progress = progress
    self.isInterrupted = isInterrupted
  }

  /// What stands before the cursor: `L1-01 3> `, with a star where the scenario was changed.
  var prompt: String {
    guard let opened else { return "trustlab> " }
    let toy = opened.now.calculation == nil ? "" : " toy"
    return "\(opened.scenario.id)\(opened.changes.isEmpty ? "" : "*")\(toy) \(opened.position)> "
  }

  /// Answers one line; whatever is wrong with it, the session goes on.
  mutating func evaluate(_ line: String) -> Output {
    guard line.utf8.count <= Self.longestLine else {
      return complaint(
        "that line has more than \(Self.longestLine) characters", "a command is one short line; try 'help'")
    }
    let typed = line.drop(while: \.isWhitespace)
    let trimmed = typed.hasPrefix("/") ? Substring("search " + typed.dropFirst()) : typed
    let first = String(trimmed.prefix { !$0.isWhitespace })
    guard !first.isEmpty else {
      if awaitsNextQuestion { return evaluate("quiz") }
      return opened == nil ? Output(text: "") : evaluate("step")
    }
    // What fails is kept too: a saved session replays to the same answers.
    if (try? ShellCommand.named(first))?.isKept != false { journal.append(line.replacing("\n", with: " ")) }
    do {
      let isAnswer = isLetterOfOpenQuestion(first) && ShellCommand.shorthands[first.lowercased()] == nil
      let command = try isAnswer ? ShellCommand.named("answer") : self.command(first)
      let argument = Self.trimmed(isAnswer ? trimmed : trimmed.dropFirst(first.count))
      guard command.takesArgument || argument.isEmpty else {
        let isScenario = (try? ScenarioLibrary.curriculum().path(ofID: argument)) != nil
        return complaint(
          "'\(command.name)' takes nothing behind it",
          isScenario ? "'open \(argument)' opens it, then '\(command.name)'" : "write \(command.name)")
      }
      let before = opened
      var output = try command.run(&self, argument)
      noteLookingUp(with: command)
      if !isAnswer, isLetterOfOpenQuestion(first) {
        output.text += (output.text.hasSuffix("\n") ? "" : "\n") + "'answer \(first)' answers the open question\n"
      }
      if command.group == .move { output.text += noteProgress() + notePredictions(since: before) }
      return output
    } catch let diagnostics as Diagnostics {
      let rest = diagnostics.all.count - Self.mostDiagnostics
      let more = rest > 0 ? "\nand \(rest) more; 'trustlab check FILE' prints all" : ""
      return Output(
        text: wrapped(Diagnostics(Array(diagnostics.all.prefix(Self.mostDiagnostics))).description + more),
        complaint: diagnostics.all.first ?? Diagnostic(diagnostics.description))
    } catch {
      return complaint("\(error)", "this is a defect of trustlab itself")
    }
  }

  /// The command that a line begins with; who types a scenario in its place learns how one is opened.
  private func command(_ word: String) throws -> ShellCommand {
    do { return try ShellCommand.named(word) } catch let error as Diagnostics {
      let ids = (try? ScenarioLibrary.curriculum().ids) ?? []
      let wanted = word.lowercased()
      let id = ids.first { $0.lowercased() == wanted }
      let lesson = ids.first { $0.lowercased().hasPrefix(wanted + "-") }?.prefix { $0 != "-" }
      guard let name = id ?? lesson.map(String.init) else { throw error }
      throw Diagnostics(error.all.first?.message ?? "", hint: "'open \(name)' opens it")
    }
  }

  /// The open scenario.
  func requireOpened() throws -> Opened {
    guard let opened else {
      throw Diagnostics("no scenario is open", hint: "'open L1-01' opens one, 'lessons' shows where to begin")
    }
    return opened
  }

  /// A sentence, which may name what was typed.
  func say(_ text: String) -> Output { Output(text: wrapped(text)) }

  func show(_ document: Document) -> Output { Output(text: document.text(style)) }

  /// A document that a browser shows better than a terminal.
  func showTable(_ document: Document) -> Output {
    Output(text: document.text(style), pictures: [("text/html", document.html())])
  }

  private func complaint(_ message: String, _ hint: String) -> Output {
    Output(
      text: wrapped("error: \(message)" + (hint.isEmpty ? "" : "\nhint: \(hint)")),
      complaint: Diagnostic(message, hint: hint))
  }

  /// The same words on lines as wide as the terminal; what shows a line of the input keeps its columns.
  func wrapped(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let lines = Document([.paragraph(RichText(String(line)), indent: 0)]).text(TextStyle(width: style.width))
      return line.hasPrefix("  ") || line.isEmpty ? style.shown(String(line)) : String(lines.dropLast())
    }.joined(separator: "\n")
  }

  /// A name without the quotes that it may be written in, as one with a space is elsewhere.
  static func unquoted(_ text: String) -> String {
    let isQuoted = text.utf8.count > 1 && text.hasPrefix("\"") && text.hasSuffix("\"")
    return isQuoted ? String(text.dropFirst().dropLast()) : text
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }

  private static let longestLine = 10_000
  /// A file that is no scenario has something wrong in every line.
  private static let mostDiagnostics = 5
}

/// The scenario that is open, and every state of its run so far: going back is taking an earlier one.
struct Opened: Sendable {
  let file: ScenarioFile
  /// The case as the file has it.
  let written: Scenario
  /// The case with everything that was changed since.
  let scenario: Scenario
  /// What was changed, as it was typed.
  var changes: [String] = []
  /// The run after 0, 1, 2, … steps; never empty.
  private(set) var states: [Simulation]
  var position = 0

  /// A run that has not begun.
  init(file: ScenarioFile, written: Scenario, scenario: Scenario, beginning: Simulation) {
    self.file = file
    self.written = written
    self.scenario = scenario
    states = [beginning]
  }

  var now: Simulation { states[min(position, states.count - 1)] }

  /// The run at its end, wherever it stands now.
  var finished: Simulation {
    var end = states[states.count - 1]
    end.run()
    return end
  }

  /// Whether there is no further step.
  var isAtEnd: Bool {
    var ahead = self
    return !ahead.step()
  }

  /// Whether the run has been played to its end, wherever it stands now.
  var hasBeenPlayed: Bool {
    var last = states[states.count - 1]
    return !last.step()
  }

  /// What tells this run from others: the case, and what was changed.
  var key: String { ([scenario.name] + changes).joined(separator: "\n") }

  /// One step on; false at the end.
  mutating func step() -> Bool {
    if position + 1 < states.count {
      position += 1
      return true
    }
    var next = now
    guard next.step() else { return false }
    states.append(next)
    position += 1
    return true
  }

  /// To this step, or to the last one where there are fewer.
  mutating func go(to target: Int) {
    position = min(target, states.count - 1)
    while position < target, step() {}
  }
}
