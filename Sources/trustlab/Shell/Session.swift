import Explanation
import Learning
import Rendering
import Scenarios
import Simulator

/// A REPL session, which evaluates one line at a time.
///
/// The session itself only reads and writes files that a line names.
struct Session {
  /// The result of a line.
  struct Output {
    var text: String
    /// The error of the line; nil if the line succeeded.
    var complaint: Diagnostic?
    var quits = false
    /// Whether a terminal waits for a key after each screen of the result.
    var isPaged = true
    /// The result as pictures, by media type.
    var pictures: [(type: String, content: String)] = []

    var isError: Bool { complaint != nil }
  }

  let workbench: Workbench
  var style: TextStyle
  /// Whether the user has interrupted the current command.
  let isInterrupted: @Sendable () -> Bool
  var opened: Opened?
  var depth = Depth.story
  /// The conditions that stop `run`.
  var stops: [Stop] = []
  /// The states before each change, which `undo` restores.
  var earlier: [Opened] = []
  /// The runs that the user kept under a name.
  var forks: [(name: String, opened: Opened)] = []
  /// The files that this session wrote.
  var written: Set<String> = []
  /// The lines of the session, which `save` writes.
  private(set) var journal: [String] = []
  /// The progress of the current student.
  var teaching = Progress()
  /// The key with which answer sheets are sealed.
  var sealing = Sheet.Key.everybody
  /// The progress of other students, by name.
  var others: [String: Progress] = [:]
  /// The function that is called with the number of finished runs and of all runs.
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

  /// The prompt: `L1-01 3> `, with an asterisk if the scenario was changed.
  var prompt: String {
    guard let opened else { return "trustlab> " }
    let toy = opened.now.calculation == nil ? "" : " toy"
    return "\(opened.scenario.id)\(opened.changes.isEmpty ? "" : "*")\(toy) \(opened.position)> "
  }

  /// Evaluates one line. An error does not end the session.
  mutating func evaluate(_ line: String) -> Output {
    guard line.utf8.count <= Self.longestLine else {
      return complaint(
        "the line is longer than \(Self.longestLine) bytes", "write one command per line; try 'help'")
    }
    let typed = line.drop(while: \.isWhitespace)
    let trimmed = typed.hasPrefix("/") ? Substring("search " + typed.dropFirst()) : typed
    let first = String(trimmed.prefix { !$0.isWhitespace })
    guard !first.isEmpty else {
      if awaitsNextQuestion { return evaluate("quiz") }
      return opened == nil ? Output(text: "") : evaluate("step")
    }
    // Failed lines are also recorded, so that a saved session replays with the same output.
    if (try? ShellCommand.named(first))?.isKept != false { journal.append(line.replacing("\n", with: " ")) }
    do {
      let isAnswer = isLetterOfOpenQuestion(first) && ShellCommand.shorthands[first.lowercased()] == nil
      let command = try isAnswer ? ShellCommand.named("answer") : self.command(first)
      let argument = Self.trimmed(isAnswer ? trimmed : trimmed.dropFirst(first.count))
      guard command.takesArgument || argument.isEmpty else {
        let isScenario = (try? ScenarioLibrary.curriculum().path(ofID: argument)) != nil
        return complaint(
          "the command '\(command.name)' takes no argument",
          isScenario ? "use 'open \(argument)', then '\(command.name)'" : "write \(command.name)")
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
      let more = rest > 0 ? "\nand \(rest) more; 'trustlab check FILE' prints all of them" : ""
      return Output(
        text: wrapped(Diagnostics(Array(diagnostics.all.prefix(Self.mostDiagnostics))).description + more),
        complaint: diagnostics.all.first ?? Diagnostic(diagnostics.description))
    } catch {
      return complaint("\(error)", "this is a bug in trustlab; please report it")
    }
  }

  /// Returns the command at the beginning of a line. If it is a scenario instead, the hint shows how to open it.
  private func command(_ word: String) throws -> ShellCommand {
    do { return try ShellCommand.named(word) } catch let error as Diagnostics {
      let ids = (try? ScenarioLibrary.curriculum().ids) ?? []
      let wanted = word.lowercased()
      let id = ids.first { $0.lowercased() == wanted }
      let lesson = ids.first { $0.lowercased().hasPrefix(wanted + "-") }?.prefix { $0 != "-" }
      guard let name = id ?? lesson.map(String.init) else { throw error }
      throw Diagnostics(error.all.first?.message ?? "", hint: "open it with 'open \(name)'")
    }
  }

  /// Returns the open scenario, or throws an error if there is none.
  func requireOpened() throws -> Opened {
    guard let opened else {
      throw Diagnostics("no scenario is open", hint: "open one with 'open L1-01', or choose a lesson with 'lessons'")
    }
    return opened
  }

  /// Returns a text wrapped to the terminal's width.
  func say(_ text: String) -> Output { Output(text: wrapped(text)) }

  func show(_ document: Document) -> Output { Output(text: document.text(style)) }

  /// Returns a document with an HTML version for browsers.
  func showTable(_ document: Document) -> Output {
    Output(text: document.text(style), pictures: [("text/html", document.html())])
  }

  private func complaint(_ message: String, _ hint: String) -> Output {
    Output(
      text: wrapped("error: \(message)" + (hint.isEmpty ? "" : "\nhint: \(hint)")),
      complaint: Diagnostic(message, hint: hint))
  }

  /// Wraps the text to the terminal's width. Indented lines, which quote input, keep their columns.
  func wrapped(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let lines = Document([.paragraph(RichText(String(line)), indent: 0)]).text(TextStyle(width: style.width))
      return line.hasPrefix("  ") || line.isEmpty ? style.shown(String(line)) : String(lines.dropLast())
    }.joined(separator: "\n")
  }

  /// Removes the quotation marks around a name. Paths require them if a name contains a space.
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
  /// The maximum number of diagnostics, because a file that is not a scenario has an error in every line.
  private static let mostDiagnostics = 5
}

/// An open scenario with all states of its run. To go back, the session selects an earlier state.
struct Opened: Sendable {
  let file: ScenarioFile
  /// The case as written in the file.
  let written: Scenario
  /// The case with all changes.
  let scenario: Scenario
  /// The changes as the user typed them.
  var changes: [String] = []
  /// The states after 0, 1, 2 and more steps; never empty.
  private(set) var states: [Simulation]
  var position = 0

  /// Creates a run at its beginning.
  init(file: ScenarioFile, written: Scenario, scenario: Scenario, beginning: Simulation) {
    self.file = file
    self.written = written
    self.scenario = scenario
    states = [beginning]
  }

  var now: Simulation { states[min(position, states.count - 1)] }

  /// The state at the end of the run.
  var finished: Simulation {
    var end = states[states.count - 1]
    end.run()
    return end
  }

  /// Whether there is no next step.
  var isAtEnd: Bool {
    var ahead = self
    return !ahead.step()
  }

  /// Whether the run has been played to its end, whatever the current step.
  var hasBeenPlayed: Bool {
    var last = states[states.count - 1]
    return !last.step()
  }

  /// The key that identifies the run: the name of the case and its changes.
  var key: String { ([scenario.name] + changes).joined(separator: "\n") }

  /// Performs one step. Returns false at the end of the run.
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

  /// Goes to the step with this number, or to the last step if there are fewer.
  mutating func go(to target: Int) {
    position = min(target, states.count - 1)
    while position < target, step() {}
  }
}
