import Explanation
import Learning
import Rendering
import Scenarios
import Simulator
import TLS
import URLLoading

/// Asking about the run: reasons, knowledge and meanings.
extension Session {
  func derive(_ argument: String) throws -> Output {
    let opened = try requireOpened()
    guard !argument.isEmpty else {
      throw Diagnostics(
        "derive what?", hint: "derive \(ValueKind.masterSecret.word) as client; without 'as', as the eavesdropper")
    }
    let parts = argument.components(separatedBy: " as ")
    let value = try value(parts[0], opened)
    let party = try parts.count > 1 ? party(parts[1], opened) : Party.eavesdropper
    return show(KnowledgeView.proof(of: value, as: party, in: opened.now, depth))
  }

  /// `who knows VALUE`
  func who(_ argument: String) throws -> Output {
    let opened = try requireOpened()
    let name = argument.hasPrefix("knows") ? String(argument.dropFirst(5).drop(while: \.isWhitespace)) : argument
    guard !name.isEmpty else { throw Diagnostics("who knows what?", hint: "who knows \(ValueKind.masterSecret.word)") }
    return showTable(KnowersView(of: try value(name, opened), in: opened.now).document())
  }

  private func value(_ name: String, _ opened: Opened) throws -> Value.ID {
    let value = ValueName(name)
    guard opened.now.trace.values[value] == nil else { return value }
    let names = opened.now.trace.valueNames
    let named = names.filter { $0.scope != value.scope && $0.bare == value }.prefix(3).map { "'\($0)'" }.joined(
      separator: " or ")
    throw Diagnostics(
      "there is no value '\(name)' so far",
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
    // As the steps have told them: those of every connection, and of whoever stands between.
    let satisfied = opened.now.trace.steps.flatMap(\.findings).count { $0.outcome == .satisfied }
    let checks = satisfied == 1 ? "1 check" : "\(satisfied) checks"
    let text =
      opened.now.calculation == nil
      ? "nothing refuses the connection so far: \(checks) satisfied. The run is not over."
      : "no check has failed\(satisfied == 0 ? "" : ", \(checks) held"). The calculation is not over."
    return say(text)
  }

  /// `why prevented impersonation`: what was tried, and what stopped it.
  private func whyState(_ state: Goal.State, of name: Substring, _ opened: Opened) throws -> Output {
    let goals = Goal.allCases.map(\.rawValue)
    guard let goal = Goal.allCases.first(where: { !name.isEmpty && $0.rawValue.hasPrefix(name.lowercased()) }) else {
      throw Diagnostics(
        name.isEmpty ? "why is what \(state.rawValue)?" : "'\(name)' is no goal of an attacker",
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
        name.isEmpty ? "why not what?" : "'\(name)' is no verdict",
        hint: Spelling.hint(for: name, among: words))
    }
    return show(ObstacleView(opened.now.outcome, isOver: opened.isAtEnd).document(to: word))
  }

  func explain(_ argument: String) throws -> Output {
    guard !argument.isEmpty else { throw Diagnostics("explain what?", hint: "explain ats.no-forward-secrecy") }
    let scenarios = Explain.scenarios(naming: argument)
    guard let document = ExplainView.document(for: argument, scenarios: scenarios) else {
      // A line of a device's log, for the load of the scenario that is open.
      if let line = LogLine(argument) {
        let decision = try? requireOpened().now.accounts.last?.plan.client.decision
        return show(LogLineView(line, decision: decision).document())
      }
      throw Diagnostics(
        "'\(argument)' is not a word of trustlab", hint: ExplainView.nearest(argument, listedBy: "list"))
    }
    return show(document)
  }

  func search(_ argument: String) throws -> Output {
    guard !argument.isEmpty else { throw Diagnostics("search for what?", hint: "search forward secrecy") }
    let index = SearchIndex.installed()
    let view = SearchView(argument, in: index)
    guard !view.isEmpty else { throw Diagnostics.nothingFound(argument, in: index) }
    return show(view.document(width: style.width))
  }

  // Which scenarios, words and commands there are.

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

  /// The files of a group, which may be named without its `@`.
  private func group(_ name: String) throws -> [ScenarioFile] {
    let library = try ScenarioLibrary.curriculum()
    let paths: [String]
    do {
      paths = try ScenarioGroup.paths(of: name.hasPrefix("@") ? name : "@\(name)", in: library)
    } catch let error as Diagnostics {
      let words = ["scenarios", "lessons", "rules", "words", "suites", "errors", "mutants"]
      let lessons = Set(library.ids.map { String($0.prefix { $0 != "-" }) }).sorted()
      guard !name.hasPrefix("@") else { throw error }
      throw Diagnostics("there is no list of '\(name)'", hint: Spelling.hint(for: name, among: words + lessons))
    }
    return try library.files(at: paths)
  }

  /// The overview on one screen of 80 columns and 24 rows, or one command.
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
      "An empty line steps on. 's' steps, 'b' goes back; any word can be cut short.",
      "'help COMMAND' says what it does, with an example.",
    ] { document.blocks.append(.paragraph(RichText(line), indent: 0)) }
    return Output(text: show(document).text.replacing("\u{a0}", with: " "))
  }

  /// The signs, each as this terminal shows it.
  func legend() -> Output {
    let rows: [(String, String)] = [
      ("✓", "a check holds; in the diagram, one that decides"), ("✗", "a check is broken, and refuses"),
      ("!", "something is broken, and lifted or only advised"), ("·", "does not apply, or not looked at"),
      ("–", "nothing to judge, or nothing was attacked"), ("?", "a question, or something that is not known"),
      ("≠", "other than before, or changed on its way"), ("×", "dropped on its way"),
      ("─ ═", "travels in clear text; encrypted"), ("┆", "someone listens to what passes"),
      ("→ ←", "to whom; whose issuer, as in leaf ← Root A"), ("+", "what a party learns in this step"),
      ("toy", "numbers for a blackboard, never for a connection"), ("*", "behind a name: the run was changed"),
    ]
    let text = rows.map { "  \($0.0.padding(toLength: 5, withPad: " ", startingAt: 0))\($0.1)" }.joined(separator: "\n")
    let words =
      style.isASCII
      ? "\nIn ASCII v is a check that holds, and the end of a lane; + is a corner too." : ""
    return Output(
      text: text.split(separator: "\n").map { style.shown(String($0)) }.joined(separator: "\n") + words
        + "\n'explain WORD' says what a word means: 'explain later', 'explain seed 000'")
  }

  private func helpText(of command: ShellCommand) -> String {
    let examples = examples(of: command).map { "  \($0)" }.joined(separator: "\n")
    return "\(command.usage)\n  \(command.meaning)\n\(command.examples.count > 1 ? "examples" : "example")\n\(examples)"
  }

  /// Lines that work where the run stands: a field that a message has.
  func examples(of command: ShellCommand) -> [String] {
    guard command.argument == .field, let opened, let view = try? message(of: opened, with: "random"),
      !view.hasField("random"), let name = view.names.last
    else { return command.examples }
    return command.examples.map { $0.replacing("random", with: name) }
  }
}
