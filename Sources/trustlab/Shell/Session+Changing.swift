import Explanation
import Learning
import Rendering
import Scenarios
import Simulator
import Trust
import URLLoading

/// The commands that change the open scenario. Each change is merged into the case, checked as strictly as the file,
/// and replayed to the same step.
extension Session {
  /// Handles `set PATH = VALUE`.
  mutating func set(_ argument: String) throws -> Output {
    if argument.hasPrefix("ascii ") { return try ascii(String(argument.dropFirst(6))) }
    let setting = try Assignment(reading: argument)
    do {
      let isEmpty = setting.value.entries?.isEmpty == true
      return try change(
        try setting.change(in: try requireOpened().scenario.tree), line: setting.line, saying: setting.text,
        unchanged: isEmpty ? "{} adds nothing, because maps are merged; null removes a value" : nil)
    } catch let diagnostics as Diagnostics {
      guard setting.value.isNull, let old = opened?.scenario.tree.value(at: setting.path) else { throw diagnostics }
      let hint = old.entries == nil ? ": change it with 'set \(setting.path) = VALUE'" : ""
      throw Diagnostics(
        "cannot remove '\(setting.path)': a run requires it",
        hint: hint.isEmpty
          ? "change a value inside it, or 'undo' earlier changes" : "its value is \(old.flowText)\(hint)")
    }
  }

  mutating func system(_ name: String) throws -> Output {
    guard !name.isEmpty else { throw Diagnostics("'os' requires the name of a system", hint: "os iOS 9") }
    let os = try OSVersion.named(name, isQuoted: false).description
    return try set("client.os = \(os)")
  }

  mutating func clock(_ date: String) throws -> Output {
    guard !date.isEmpty else { throw Diagnostics("'clock' requires a date", hint: "clock 2030-01-01") }
    return try set("clock = \(date)")
  }

  /// Handles `leak SECRET [after TIME]`.
  mutating func leak(_ argument: String) throws -> Output {
    guard !argument.isEmpty else { throw Diagnostics("'leak' requires a secret", hint: "leak api.key after 30 days") }
    let parts = argument.components(separatedBy: " after ")
    let after = parts.count > 1 ? ", after: \(parts[1])" : ""
    return try addToNetwork("{ leak: \(parts[0])\(after) }", saying: "leak \(argument)")
  }

  /// Shows the attackers in the scenario's network.
  private func attackers() throws -> Output {
    let items = try requireOpened().scenario.tree["network"]?.items ?? []
    let verbs = (NetworkVerb.plain + NetworkVerb.all).joined(separator: ", ")
    let head = Document.Block.paragraph(items.isEmpty ? "no attacker is on the network" : "on the network:", indent: 0)
    let others = items.map { Document.Block.bullet(RichText("·", .dim), RichText($0.flowText, .name), indent: 2) }
    let ways = [
      "'attacker VERB' adds an attacker: \(verbs)",
      "'attacker only VERB' first removes the other attackers, 'attacker none' removes all; an eavesdropper stays",
    ].map { Document.Block.paragraph(RichText($0, .dim), indent: 0) }
    return show(Document([head] + others + ways))
  }

  /// Handles `drop Alert from server`, `strip`, `{ intercept: { presents: [evil] } }`, `none` and `only VERB`.
  mutating func attacker(_ argument: String) throws -> Output {
    if argument.isEmpty { return try attackers() }
    if argument == "none" { return try set("network = \(try listening())") }
    if argument.hasPrefix("only ") {
      // The eavesdropper stays, because questions are about its knowledge.
      let before = self
      _ = try set("network = \(try listening())")
      do { return try attacker(String(argument.dropFirst(5))) } catch {
        self = before
        throw error
      }
    }
    if argument.hasPrefix("{") { return try addToNetwork(argument, saying: "attacker \(argument)") }
    let words = argument.split(separator: " ").map(String.init)
    // Pairs of words form a map: `drop Alert from server`.
    let pairs = stride(from: 0, to: words.count - 1, by: 2).map { "\(words[$0]): \(words[$0 + 1])" }
    let text = words.count % 2 == 0 ? "{ \(pairs.joined(separator: ", ")) }" : argument
    do { return try addToNetwork(text, saying: "attacker \(argument)") } catch let diagnostics as Diagnostics {
      throw Diagnostics(
        diagnostics.all.map {
          Diagnostic(
            $0.message, hint: Self.asCommand($0.hint, verb: words.first ?? ""), at: $0.mark, line: $0.line,
            severity: $0.severity)
        })
    }
  }

  /// Returns the network with only the eavesdropper, or an empty network if there is none.
  private func listening() throws -> String {
    let items = try requireOpened().scenario.tree["network"]?.items ?? []
    return items.contains { $0.flowText == "eavesdrop" } ? "[eavesdrop]" : "[]"
  }

  /// Turns a hint about the file into a REPL command: `write { drop: Alert }` becomes `write attacker drop Alert`.
  private static func asCommand(_ hint: String, verb: String) -> String {
    if verb == "alter", hint.hasPrefix("write one of flip:") {
      return "attacker alter ServerHello flip 12, or attacker alter ServerHello field random to 00"
    }
    guard hint.hasPrefix("write {"), hint.hasSuffix("}") else { return hint }
    let inner = hint.dropFirst(7).dropLast().drop { $0 == " " }
    // Nested maps and lists can only be written as YAML.
    guard !inner.contains("{"), !inner.contains("[") else { return "write attacker \(hint.dropFirst(6))" }
    let words = inner.replacing(": ", with: " ").replacing(", ", with: " ")
    return "write attacker \(words)".replacing("  ", with: " ")
  }

  /// Refuses to alter a field that the message lacks, if the run has this message.
  private func checkField(of item: Node, _ opened: Opened) throws {
    guard let title = item["alter"]?.flowText, let name = item["field"]?.flowText else { return }
    let steps = opened.finished.trace.steps.filter { $0.message?.description == title }
    let names = steps.compactMap { FieldsView($0) }.flatMap(\.names)
    guard !names.isEmpty, !names.contains(name) else { return }
    throw Diagnostics("\(title) has no field '\(name)'", hint: Spelling.hint(for: name, among: names))
  }

  mutating func validator(_ name: String) throws -> Output {
    let names = Mutant.all.map(\.name)
    if name == "none" {
      let parties = ["server", "client"].filter { opened?.scenario.tree[$0]?["mutant"] != nil }
      guard !parties.isEmpty else { return Output(text: "no party has a historical bug") }
      return try parties.map { try set("\($0).mutant = null") }.last ?? Output(text: "")
    }
    guard let mutant = Mutant.named(name) else {
      throw Diagnostics(
        name.isEmpty ? "'validator' requires the name of a bug" : "no such mutant: '\(name)'",
        hint: name.isEmpty
          ? "use one of \(names.joined(separator: ", ")), or none" : Spelling.hint(for: name, among: names + ["none"]))
    }
    guard mutant.isOfBothEnds else {
      return try set("\(mutant.isOfClients ? "client" : "server").mutant = \(mutant.name)")
    }
    _ = try set("server.mutant = \(mutant.name)")
    return try set("client.mutant = \(mutant.name)")
  }

  private mutating func addToNetwork(_ item: String, saying text: String) throws -> Output {
    let opened = try requireOpened()
    let setting = try Assignment(reading: "network = \(item)")
    try checkField(of: setting.value, opened)
    let before = opened.scenario.tree["network"]?.items ?? []
    let network = Node.list(before + [setting.value], setting.value.mark)
    return try change(setting.change(to: network), line: setting.line, saying: text)
  }

  private mutating func change(
    _ change: Node, line: String, saying text: String, unchanged: String? = nil
  ) throws -> Output {
    let before = try requireOpened()
    var changed: Opened
    do throws(Diagnostics) {
      let scenario = try before.scenario.changing(change, beside: before.file.cases)
      changed = Opened(
        file: before.file, written: before.written, scenario: scenario,
        beginning: try workbench.player.simulation(of: scenario))
    } catch {
      throw before.file.showing(error.showing(line, of: Assignment.place))
    }
    guard let difference = changed.scenario.tree.difference(from: before.scenario.tree) else {
      return say(unchanged ?? "nothing changed: the scenario already has this value")
    }
    changed.changes = before.changes + [text]
    changed.go(to: before.position)
    earlier.append(before)
    opened = changed
    return Output(text: changeText(difference, before, changed))
  }

  /// Shows the old and new values, and the current step.
  private func changeText(_ change: Node, _ before: Opened, _ changed: Opened) -> String {
    var document = Document()
    for (path, value) in change.leaves {
      let old = before.scenario.tree.value(at: path)?.flowText ?? "not set"
      let new = value.isNull ? "not set" : value.flowText
      document.blocks.append(
        .facts([.init("\(path)", RichText(new, .good)), .init("was", RichText(old, .bad))], indent: 2))
    }
    if change.leaves.contains(where: { $0.path.segments.last == "os" }) {
      document += Self.doubts(about: changed.scenario.connections.map(\.client.os))
    }
    let place =
      changed.position < before.position
      ? "the run is now shorter: it ends with step \(changed.position)"
      : before.position > 0 && before.isAtEnd && !changed.isAtEnd
        ? "replayed to step \(changed.position); the run no longer ends there: type 'step' to continue"
        : "replayed to step \(changed.position)"
    document.blocks.append(
      .paragraph(RichText("\(place); 'diff' shows the differences, 'undo' reverts the change", .dim), indent: 0))
    return document.text(style)
  }

  /// Returns the uncertainties about these systems, each listed once.
  static func doubts(about systems: [OSVersion]) -> Document {
    let doubts = systems.compactMap { system -> String? in
      switch AppTransportSecurity.Profile(system).releaseDoubt {
      case .likely(let text), .unknown(let text): text
      default: nil
      }
    }
    let unique = doubts.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    return Document(unique.map { .paragraph(RichText("! \($0)", .warning), indent: 2) })
  }
}
