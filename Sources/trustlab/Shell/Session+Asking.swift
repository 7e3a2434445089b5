import Explanation
import Rendering
import Scenarios
import Simulator

/// Asking about the run: reasons, knowledge and meanings.
extension Session {
  func derive(_ argument: String) throws -> Output {
    let opened = try requireOpened()
    guard !argument.isEmpty else {
      throw Complaint(
        message: "derive what?", hint: "derive master_secret as client; without 'as', as the eavesdropper")
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
    guard !name.isEmpty else { throw Complaint(message: "who knows what?", hint: "who knows master_secret") }
    return showTable(KnowersView(of: try value(name, opened), in: opened.now).document())
  }

  private func value(_ name: String, _ opened: Opened) throws -> Value.ID {
    guard opened.now.trace.values[name] == nil else { return name }
    let names = opened.now.trace.valueNames
    let named = names.filter { $0.hasSuffix(".\(name)") }.prefix(3).map { "'\($0)'" }.joined(separator: " or ")
    throw Complaint(
      message: "there is no value '\(name)' so far",
      hint: named.isEmpty ? Spelling.hint(for: name, among: names) : "did you mean \(named)?")
  }

  func why(_ argument: String) throws -> Output {
    let opened = try requireOpened()
    if argument == "not" || argument.hasPrefix("not ") {
      return try whyNot(String(argument.dropFirst(3).drop(while: \.isWhitespace)), opened)
    }
    if !argument.isEmpty, RuleCatalogue.rule(argument) == nil {
      throw Complaint(
        message: "unknown rule '\(argument)'", hint: Spelling.hint(for: argument, among: RuleCatalogue.ids))
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

  private func whyNot(_ name: String, _ opened: Opened) throws -> Output {
    let words = Verdict.Word.allCases.map(\.rawValue)
    guard let word = Verdict.Word.allCases.first(where: { !name.isEmpty && $0.rawValue.hasPrefix(name.lowercased()) })
    else {
      throw Complaint(
        message: name.isEmpty ? "why not what?" : "'\(name)' is no verdict",
        hint: Spelling.hint(for: name, among: words))
    }
    return show(ObstacleView(opened.now.outcome, isOver: opened.isAtEnd).document(to: word))
  }

  mutating func explain(_ argument: String) throws -> Output {
    guard !argument.isEmpty else { throw Complaint(message: "explain what?", hint: "explain ats.no-forward-secrecy") }
    let scenarios = Explain.scenarios(naming: argument, among: (try? files()) ?? [])
    guard let document = ExplainView.document(for: argument, scenarios: scenarios) else {
      throw Complaint(
        message: "'\(argument)' is not a word of trustlab", hint: ExplainView.nearest(argument, listedBy: "list"))
    }
    return show(document)
  }
}
