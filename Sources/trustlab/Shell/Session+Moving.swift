import Endpoint
import Explanation
import Rendering
import Scenarios
import Simulator
import URLLoading

/// The commands that open a scenario and move through its run.
extension Session {
  mutating func open(_ argument: String) throws -> Output {
    guard !argument.isEmpty else { throw Diagnostics("'open' requires a scenario", hint: "open L1-01") }
    guard argument != "-" else {
      throw Diagnostics(
        "standard input contains the REPL's commands, not a scenario",
        hint: "save the scenario in a file, and open the file")
    }
    let (name, caseName) = splitCase(try continuing(argument) ?? argument)
    let file = try workbench.file(for: name)
    let scenario = try workbench.scenario(caseName, in: file)
    do throws(Diagnostics) {
      opened = Opened(
        file: file, written: scenario, scenario: scenario, beginning: try workbench.player.simulation(of: scenario))
    } catch {
      throw file.showing(error)
    }
    earlier = []
    return try info(isWhole: false)
  }

  /// Splits `L1-15 iOS 8 has no ATS` or `L1-15/iOS 8 has no ATS` into the scenario and the case. A path may contain
  /// spaces.
  private func splitCase(_ argument: String) -> (String, String?) {
    let argument = Self.unquoted(argument)
    if (try? workbench.paths(for: argument)) != nil { return (argument, nil) }
    guard let end = argument.firstIndex(where: { $0 == " " || $0 == "/" }) else { return (argument, nil) }
    let rest = argument[argument.index(after: end)...]
    let isPath = argument[end] == "/" && (try? workbench.paths(for: String(argument[..<end]))) == nil
    return isPath ? (argument, nil) : (String(argument[..<end]), Self.unquoted(String(rest)))
  }

  /// Describes the open scenario. If `isWhole` is true, also lists its special values.
  func info(isWhole: Bool = true) throws -> Output {
    let opened = try requireOpened()
    let scenario = opened.scenario
    var document = Document()
    document.blocks.append(.paragraph(RichText("\(name(of: opened)): \(scenario.about.title)", .strong), indent: 0))
    var facts: [Document.Fact] = []
    if opened.now.calculation != nil {
      document.blocks.append(.paragraph(RichText(Calculation.banner, .warning), indent: 0))
    } else {
      for connection in scenario.connections {
        let name = connection.name.map { "\($0): " } ?? ""
        let what = connection.replayed.map { "an attacker replays \($0)" }
        facts.append(.init("loads", "\(name)\(what ?? "\(connection.url) on \(connection.client.os.description)")"))
      }
      facts.append(.init("clock", "\(scenario.clock.description)"))
      if scenario.seed == .counting {
        facts.append(
          .init(
            "random",
            RichText(
              "the bytes are 00 01 02 03 … so that you recognize them; real random numbers are unpredictable", .dim)))
      }
    }
    if !scenario.about.sources.isEmpty {
      facts.append(.init("sources", "\(scenario.about.sources.joined(separator: "; "))"))
    }
    if opened.file.cases.count > 1, isAsked(about: opened) {
      facts.append(.init("cases", "\(opened.file.cases.count), shown after you answer the open question"))
    } else if opened.file.cases.count > 1 {
      facts.append(.init("cases", "\(opened.file.cases.map(\.caseName).joined(separator: " | "))"))
      facts.append(.init("", RichText("'open \(opened.file.id) CASE' opens a case", .dim)))
    }
    if isWhole, opened.now.calculation == nil {
      let special = try workbench.library(of: scenario.file).reader.situation(of: scenario, for: .verdict)
      facts += special.map { .init("special", "\($0.key) = \($0.value)") }
    }
    facts += opened.changes.map { .init("changed", "\($0)") }
    document.blocks.append(.facts(facts, indent: 0))
    let words = WordsView(scenario)
    for part in [words.before, words.question] where !part.blocks.isEmpty {
      document.blocks.append(.space)
      document += part
    }
    document.blocks.append(
      .paragraph(
        RichText("'predict' asks a question first, 'step' or an empty line continues, 'run' goes to the end", .dim),
        indent: 0))
    return show(document)
  }

  mutating func step(_ argument: String) throws -> Output {
    var opened = try requireOpened()
    let count = try number(argument, or: 1)
    guard count > 0 else { throw Diagnostics("the number of steps must be at least 1", hint: "write step, or step 3") }
    var documents: [Document] = []
    for _ in 0..<count {
      guard opened.step() else { break }
      documents.append(stepView(of: opened))
    }
    self.opened = opened
    guard !documents.isEmpty else {
      return Output(text: "this is the end of the run: 'why' gives the reasons, 'back' goes back")
    }
    var text = documents.map { $0.text(style) }.joined(separator: "\n")
    if documents.count < count { text += "\nstopped at the end, after \(documents.count) of \(count) steps" }
    return Output(text: opened.isAtEnd ? text + "\n" + verdict(of: opened) : text)
  }

  mutating func back(_ argument: String) throws -> Output {
    let opened = try requireOpened()
    let count = try number(argument, or: 1)
    guard count > 0 else { throw Diagnostics("the number of steps must be at least 1", hint: "write back, or back 3") }
    guard opened.position > 0 else { return Output(text: "this is the beginning of the run") }
    let output = try goTo(String(max(0, opened.position - count)))
    guard count > opened.position else { return output }
    return Output(text: "\(output.text)\nstopped at the beginning, after \(opened.position) of \(count) steps")
  }

  mutating func goTo(_ argument: String) throws -> Output {
    if let fork = forks.first(where: { $0.name == argument }) { return try returnTo(fork.opened, called: fork.name) }
    var opened = try requireOpened()
    let target = try number(argument, or: nil)
    opened.go(to: target)
    guard opened.position == target else {
      throw Diagnostics(
        "no such step: \(target); the last step is \(opened.position)",
        hint: "go there with 'goto \(opened.position)'")
    }
    self.opened = opened
    return target == 0 ? Output(text: "at the beginning of \(name(of: opened))") : show(stepView(of: opened))
  }

  mutating func runToEnd() throws -> Output {
    var opened = try requireOpened()
    defer { self.opened = opened }
    while !isInterrupted(), opened.step() {
      guard let stop = stops.first(where: { $0.matches(opened.now.trace.steps[opened.position - 1]) }) else { continue }
      return Output(text: show(stepView(of: opened)).text + "\nstopped on \(stop): type 'run' to continue")
    }
    let ending = isInterrupted() ? "interrupted at step \(opened.position)" : verdict(of: opened)
    return Output(text: diagramText(of: opened, hasVerdict: false) + "\n" + ending)
  }

  /// Returns the view of the latest step, or of the step `number`.
  func stepView(of opened: Opened, depth: Depth? = nil, number: Int? = nil) -> Document {
    let simulation = opened.now
    let index = (number ?? opened.position) - 1
    guard simulation.trace.steps.indices.contains(index) else { return Document() }
    return StepView(step: simulation.trace.steps[index], simulation: simulation).document(depth ?? self.depth)
  }

  /// Returns the diagram of the run. Its lanes move closer together in a narrow window, up to a limit.
  func diagramText(of opened: Opened, hasVerdict: Bool = true) -> String {
    let note =
      style.width < RunView.diagramColumns
      ? wrapped(
        "the diagram needs \(RunView.diagramColumns) columns, but the window has \(style.width): widen the window")
        + "\n"
      : ""
    return view(of: opened).diagram(width: style.width, hasVerdict: hasVerdict).text(style) + note
  }

  func view(of opened: Opened) -> RunView { RunView(workbench.player.judge(opened.now, as: opened.scenario)) }

  /// Returns the attackers' goals after the run; empty for a calculation without a protected value.
  func risks(of opened: Opened) -> Document {
    let isCalculation = opened.now.calculation != nil
    // Reasons that apply to all connections together do not apply to a calculation.
    let outcome = isCalculation ? Outcome.connections(of: opened.now).first ?? opened.now.outcome : opened.now.outcome
    let isAboutContent = !isCalculation || outcome.goals.values.contains { $0 != .notApplicable }
    return opened.isAtEnd && isAboutContent ? GoalView(outcome).document : Document()
  }

  /// Returns the verdict with its reasons, the attackers' goals and further cases.
  func verdict(of opened: Opened) -> String {
    let outcome = opened.now.outcome
    let because = outcome.verdict.because.map(\.id).joined(separator: ", ")
    let word = outcome.verdict.word.rawValue.uppercased()
    let head = wrapped(word + (because.isEmpty ? "" : " because of \(because): 'why' explains it"))
    let parts = [head, String(risks(of: opened).text(style).dropLast()), shown(by: opened), others(of: opened)]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// Returns the file's text about the result; empty for a changed run.
  private func shown(by opened: Opened) -> String {
    guard opened.isAtEnd, opened.changes.isEmpty else { return "" }
    let words = WordsView(opened.scenario)
    let parts = [words.answer(opened.now.outcome), words.after].map { $0.text(style) }.filter { !$0.isEmpty }
    return parts.isEmpty ? "" : "\n" + parts.map { String($0.dropLast()) }.joined(separator: "\n\n")
  }

  /// Returns the command that opens another case of the scenario.
  private func others(of opened: Opened) -> String {
    let others = opened.file.cases.filter { $0.caseName != opened.written.caseName }
    // The name of a case may be the answer to an open question.
    guard let first = others.first, !isAsked(about: opened) else { return "" }
    let count = others.count == 1 ? "1 other case" : "\(others.count) other cases"
    return wrapped("\(opened.file.id) has \(count): 'open \(opened.file.id) \(first.caseName)'")
  }

  private func number(_ text: String, or usual: Int?) throws -> Int {
    if text.isEmpty, let usual { return usual }
    guard let number = Int(text), (0...100_000).contains(number) else {
      let named =
        forks.isEmpty || usual != nil ? "" : ", or a kept run: \(forks.map(\.name).joined(separator: ", "))"
      throw Diagnostics(
        text.isEmpty ? "'goto' requires a step" : "'\(text)' is not a valid number of steps",
        hint: "write a whole number: goto 3\(named)")
    }
    return number
  }
}

/// A condition that stops `run`: a rule, a party or a message.
enum Stop: Sendable, Hashable, CustomStringConvertible {
  case rule(String)
  case party(String)
  case message(MessageName)

  var description: String {
    switch self {
    case .rule(let id): "the rule \(id)"
    case .party(let name): "the party \(name)"
    case .message(let name): "the message \(name)"
    }
  }

  /// Returns whether the step checks the rule with a definite result, involves the party, or is the message.
  func matches(_ step: Step) -> Bool {
    switch self {
    case .rule(let id):
      step.findings.contains { $0.rule.id == id && [.satisfied, .violated].contains($0.outcome) }
    case .party(let name): step.from.name == name || step.to?.name == name
    case .message(let name): step.message == name
    }
  }
}

/// The conditions that stop `run`.
extension Session {
  mutating func stop(_ argument: String) throws -> Output {
    let words = argument.split(separator: " ").map(String.init)
    switch words.first {
    case nil: return Output(text: stopList)
    case "clear":
      let number = words.count > 1 ? Int(words[1]) : nil
      if words.count > 1 {
        guard let number, stops.indices.contains(number - 1) else {
          throw Diagnostics("no such stop: '\(words[1])'", hint: stopList)
        }
        stops.remove(at: number - 1)
      } else {
        stops = []
      }
      return Output(text: stopList)
    default:
      let name = words[0] == "on" ? words.dropFirst().joined(separator: " ") : argument
      let stop = try self.stop(named: name)
      if !stops.contains(stop) { stops.append(stop) }
      return Output(text: "'run' stops on \(stop)")
    }
  }

  private var stopList: String {
    if stops.isEmpty { return "there are no stops: add one with 'break on ServerHello'" }
    return stops.enumerated().map { "\($0.offset + 1)  \($0.element)" }.joined(separator: "\n")
  }

  private func stop(named name: String) throws -> Stop {
    let parties = opened?.now.parties.map(\.name) ?? []
    let messages = NetworkVerb.messages.map(\.description)
    if RuleCatalogue.rule(name) != nil { return .rule(name) }
    if let party = parties.first(where: { $0.lowercased() == name.lowercased() }) { return .party(party) }
    if let message = NetworkVerb.messages.first(where: { $0.description.lowercased() == name.lowercased() }) {
      return .message(message)
    }
    throw Diagnostics(
      name.isEmpty ? "'break on' requires a rule, party or message" : "'\(name)' is not a rule, party or message",
      hint: Spelling.hint(for: name, among: messages + parties + RuleCatalogue.ids))
  }
}
