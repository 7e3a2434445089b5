import Explanation
import Learning
import Rendering
import Scenarios
import Simulator
import TLS
import URLLoading

/// The commands that ask about the run: reasons, knowledge and meanings.
extension Session {
  func derive(_ argument: String) throws -> Output {
    let opened = try requireOpened()
    guard !argument.isEmpty else {
      throw Diagnostics(
        "'derive' requires a value",
        hint: "derive \(ValueKind.masterSecret.word) as client; the default party is the eavesdropper")
    }
    let parts = argument.components(separatedBy: " as ")
    let value = try value(parts[0], opened)
    let party = try parts.count > 1 ? party(parts[1], opened) : Party.eavesdropper
    return show(KnowledgeView.proof(of: value, as: party, in: opened.now, depth))
  }

  /// Handles `who knows VALUE`.
  func who(_ argument: String) throws -> Output {
    let opened = try requireOpened()
    let name = argument.hasPrefix("knows") ? String(argument.dropFirst(5).drop(while: \.isWhitespace)) : argument
    guard !name.isEmpty else { throw Diagnostics("which value?", hint: "who knows \(ValueKind.masterSecret.word)") }
    return showTable(KnowersView(of: try value(name, opened), in: opened.now).document())
  }

  private func value(_ name: String, _ opened: Opened) throws -> Value.ID {
    let value = ValueName(name)
    guard opened.now.trace.values[value] == nil else { return value }
    let names = opened.now.trace.valueNames
    let named = names.filter { $0.scope != value.scope && $0.bare == value }.prefix(3).map { "'\($0)'" }.joined(
      separator: " or ")
    throw Diagnostics(
      "no step has produced a value '\(name)' yet",
      hint: named.isEmpty ? Spelling.hint(for: name, among: names.map(\.description)) : "did you mean \(named)?")
  }

  func why(_ argument: String) throws -> Output {
    let opened = try requireOpened()
    if argument == "not" || argument.hasPrefix("not ") {
      return try whyNot(String(argument.dropFirst(3).drop(while: \.isWhitespace)), opened)
    }
    if let state = Goal.State(rawValue: String(argument.prefix { !$0.isWhitespace })) {
      return try whyState(state, of: argument.dropFirst(state.rawValue.count).drop(while: \.isWhitespace), opened)
    }
    if !argument.isEmpty, RuleCatalogue.rule(argument) == nil {
      throw Diagnostics("unknown rule '\(argument)'", hint: Spelling.hint(for: argument, among: RuleCatalogue.ids))
    }
    let outcome = opened.now.outcome
    let view = FindingsView(outcome.findings, verdict: outcome.verdict)
    if !argument.isEmpty { return show(view.why(rule: argument)) }
    guard outcome.verdict.because.isEmpty, !opened.isAtEnd else {
      let grounds = outcome.verdict.word == .accepted ? GroundsView(opened.now).document() : Document()
      return show(view.why() + grounds + ErrorsView(outcome.errors).document() + risks(of: opened))
    }
    // Counts from the steps, which include the checks of every connection and of the interceptor.
    let satisfied = opened.now.trace.steps.flatMap(\.findings).count { $0.outcome == .satisfied }
    let checks = satisfied == 1 ? "1 check" : "\(satisfied) checks"
    let text =
      opened.now.calculation == nil
      ? "no check has refused the connection yet: \(checks) passed. The run is not over."
      : "no check has failed yet\(satisfied == 0 ? "" : ": \(checks) passed"). The calculation is not over."
    return say(text)
  }

  /// Handles `why prevented impersonation`: shows the attempts at a goal, and the reasons why they failed.
  private func whyState(_ state: Goal.State, of name: Substring, _ opened: Opened) throws -> Output {
    let goals = Goal.allCases.map(\.rawValue)
    guard let goal = Goal.allCases.first(where: { !name.isEmpty && $0.rawValue.hasPrefix(name.lowercased()) }) else {
      throw Diagnostics(
        name.isEmpty ? "'why \(state.rawValue)' requires an attacker's goal" : "'\(name)' is not an attacker's goal",
        hint: name.isEmpty
          ? "why \(state.rawValue) impersonation" : Spelling.hint(for: String(name), among: goals))
    }
    return show(GoalView(opened.now.outcome).document(on: goal, asked: state))
  }

  private func whyNot(_ name: String, _ opened: Opened) throws -> Output {
    let words = Verdict.Word.allCases.map(\.rawValue)
    guard let word = Verdict.Word.allCases.first(where: { !name.isEmpty && $0.rawValue.hasPrefix(name.lowercased()) })
    else {
      throw Diagnostics(
        name.isEmpty ? "'why not' requires a verdict" : "'\(name)' is not a verdict",
        hint: Spelling.hint(for: name, among: words))
    }
    return show(ObstacleView(opened.now.outcome, isOver: opened.isAtEnd).document(to: word))
  }

  func explain(_ argument: String) throws -> Output {
    guard !argument.isEmpty else {
      throw Diagnostics("'explain' requires a word", hint: "explain ats.no-forward-secrecy")
    }
    let scenarios = Explain.scenarios(naming: argument)
    guard let document = ExplainView.document(for: argument, scenarios: scenarios) else {
      // A log line from a device is explained for the load of the open scenario.
      if let line = LogLine(argument) {
        let decision = try? requireOpened().now.accounts.last?.plan.client.decision
        return show(LogLineView(line, decision: decision).document())
      }
      throw Diagnostics(
        "unknown word '\(argument)'", hint: ExplainView.nearest(argument, listedBy: "list"))
    }
    return show(document)
  }

  func search(_ argument: String) throws -> Output {
    guard !argument.isEmpty else {
      throw Diagnostics("'search' requires at least one word", hint: "search forward secrecy")
    }
    let index = SearchIndex.installed()
    let view = SearchView(argument, in: index)
    guard !view.isEmpty else { throw Diagnostics.nothingFound(argument, in: index) }
    return show(view.document(width: style.width))
  }

  // The lists of scenarios, words and commands.

  func list(_ argument: String) throws -> Output {
    switch argument.lowercased() {
    case "", "scenarios": return show(ListView.overview(try workbench.curriculum()))
    case "lessons": return show(ListView.lessons(try ScenarioLibrary.curriculum().lessons()).0)
    case "rules": return show(ListView.rules().0)
    case "words": return show(ListView.words().0)
    case "suites": return show(ListView.suites().0)
    case "errors": return show(ListView.errors().0)
    case "mutants": return show(ListView.mutants().0)
    default: return show(ListView.scenarios(try group(argument), isAsking: teaching.open != nil).0)
    }
  }

  /// Returns the files of a group, with or without the `@` in its name.
  private func group(_ name: String) throws -> [ScenarioFile] {
    let library = try ScenarioLibrary.curriculum()
    let paths: [String]
    do {
      paths = try ScenarioGroup.paths(of: name.hasPrefix("@") ? name : "@\(name)", in: library)
    } catch let error as Diagnostics {
      let words = ["scenarios", "lessons", "rules", "words", "suites", "errors", "mutants"]
      let lessons = Set(library.ids.map { String($0.prefix { $0 != "-" }) }).sorted()
      guard !name.hasPrefix("@") else { throw error }
      throw Diagnostics("there is no list called '\(name)'", hint: Spelling.hint(for: name, among: words + lessons))
    }
    return try library.files(at: paths)
  }

  /// Prints all commands on one screen of 80 columns and 24 rows, or one command.
  func help(_ argument: String) throws -> Output {
    guard argument.isEmpty else { return Output(text: helpText(of: try ShellCommand.named(argument))) }
    var document = Document()
    let rows = ShellCommand.Group.allCases.compactMap { group -> Document.Fact? in
      let commands = ShellCommand.all.filter { $0.group == group }
      guard !commands.isEmpty else { return nil }
      let usages = commands.map { RichText($0.usage.replacing(" ", with: "\u{a0}"), .name) }
      return Document.Fact(group.rawValue, RichText(Array(usages.map(\.spans).joined(separator: [Span(" · ", .dim)]))))
    }
    document.blocks.append(.facts(rows, indent: 0))
    document.blocks.append(.space)
    for line in [
      "An empty line or 's' takes the next step, and 'b' goes back. You can abbreviate every command.",
      "'help COMMAND' describes a command, with an example.",
    ] { document.blocks.append(.paragraph(RichText(line), indent: 0)) }
    return Output(text: show(document).text.replacing("\u{a0}", with: " "))
  }

  /// Returns the legend of the symbols, as this terminal shows them.
  func legend() -> Output {
    let rows: [(String, String)] = [
      ("✓", "a check passes; in the diagram, a check that decides"),
      ("✗", "a check fails, so the client or server refuses"),
      ("!", "a failed check that does not refuse: it is overridden, or only advice"),
      ("·", "a check that does not apply, or was not made"),
      ("–", "nothing to check, or no attack"), ("?", "a question, or an unknown result"),
      ("≠", "a difference, or a message that an attacker changed"), ("×", "a message that an attacker dropped"),
      ("─ ═", "a message in clear text; an encrypted message"), ("┆", "an eavesdropper observes the message"),
      ("→ ←", "points to the receiver; leaf ← Root A means that Root A issued leaf"),
      ("+", "a value that a party learns in this step"),
      ("toy", "small numbers for teaching, too weak for a connection"),
      ("*", "after the name of a scenario: you changed the run"),
    ]
    let text = rows.map { "  \($0.0.padding(toLength: 5, withPad: " ", startingAt: 0))\($0.1)" }.joined(separator: "\n")
    let words =
      style.isASCII
      ? "\nIn ASCII output, v is a check that passes or the end of a lane, and + is also a corner." : ""
    return Output(
      text: text.split(separator: "\n").map { style.shown(String($0)) }.joined(separator: "\n") + words
        + "\n'explain WORD' explains a word, such as 'explain later' or 'explain seed 000'")
  }

  private func helpText(of command: ShellCommand) -> String {
    let examples = examples(of: command).map { "  \($0)" }.joined(separator: "\n")
    return "\(command.usage)\n  \(command.meaning)\n\(command.examples.count > 1 ? "examples" : "example")\n\(examples)"
  }

  /// Returns the examples of a command, with a field that the current message has.
  func examples(of command: ShellCommand) -> [String] {
    guard command.argument == .field, let opened, let view = try? message(of: opened, with: "random"),
      !view.hasField("random"), let name = view.names.last
    else { return command.examples }
    return command.examples.map { $0.replacing("random", with: name) }
  }
}
