import Explanation
import Foundation
import Rendering
import Scenarios
import Simulator

/// Looking at the run, and asking about it.
extension Session {
  mutating func show(_ argument: String) throws -> Output {
    let opened = try requireOpened()
    if argument.isEmpty { return show(stepView(of: opened)) }
    if let depth = Depth(rawValue: argument) {
      self.depth = depth
      return show(stepView(of: opened, depth: depth))
    }
    if let number = Int(argument) {
      guard (1...max(1, opened.position)).contains(number), opened.position > 0 else {
        throw Complaint(message: "step \(number) has not been played", hint: "'goto \(number)' plays up to it")
      }
      return show(stepView(of: opened, number: number))
    }
    return try showThing(argument, opened)
  }

  private func showThing(_ name: String, _ opened: Opened) throws -> Output {
    let simulation = opened.now
    if simulation.calculation != nil, ["plist", "session"].contains(name) {
      throw Complaint(message: "a calculation has no \(name)", hint: "'knows PARTY' says what one of them knows")
    }
    if name == "plist" { return Output(text: opened.scenario.tree["client"]?["infoPlist"]?.flowText ?? "{}") }
    if name == "session" { return session(simulation) }
    if let party = simulation.parties.first(where: { $0.name == name }) {
      return show(KnowledgeView(party: party, simulation: simulation).document())
    }
    let hierarchy = try workbench.player.certificates(of: opened.scenario)
    if let found = hierarchy.first(where: { $0.name.lowercased() == name.lowercased() }) {
      return show(CertificateView(name: found.name, certificate: found.certificate).document())
    }
    let known =
      simulation.parties.map(\.name) + hierarchy.map(\.name) + ["session", "plist", "story", "fields", "numbers"]
    throw Complaint(message: "there is no '\(name)' to show", hint: Spelling.hint(for: name, among: known))
  }

  private func session(_ simulation: Simulation) -> Output {
    let lines = simulation.accounts.map { account -> String in
      guard let parameters = account.client.parameters else { return "\(account.plan.url): nothing is agreed on yet" }
      return "\(account.plan.url): \(parameters.version), \(parameters.cipherSuite.name)"
        + (parameters.group.map { ", \($0)" } ?? "")
    }
    return Output(text: lines.isEmpty ? "no connection has begun" : lines.joined(separator: "\n"))
  }

  func diagram() throws -> Output { show(diagramView(of: try requireOpened())) }

  func knows(_ argument: String) throws -> Output {
    let opened = try requireOpened()
    return show(KnowledgeView(party: try party(argument, opened), simulation: opened.now).document())
  }

  func derive(_ argument: String) throws -> Output {
    let opened = try requireOpened()
    let parts = argument.components(separatedBy: " as ")
    let simulation = opened.now
    guard !argument.isEmpty else {
      throw Complaint(
        message: "derive what?", hint: "derive master_secret as client; without 'as', as the eavesdropper")
    }
    guard let value = parts.first, simulation.trace.values[value] != nil else {
      throw Complaint(
        message: "there is no value '\(parts.first ?? "")' so far",
        hint: Spelling.hint(for: parts.first ?? "", among: simulation.trace.valueNames))
    }
    let party = try parts.count > 1 ? party(parts[1], opened) : Party.eavesdropper
    return show(KnowledgeView.proof(of: value, as: party, in: simulation, depth))
  }

  func why(_ argument: String) throws -> Output {
    let opened = try requireOpened()
    let outcome = opened.now.outcome
    if !argument.isEmpty, RuleCatalogue.rule(argument) == nil {
      throw Complaint(
        message: "unknown rule '\(argument)'", hint: Spelling.hint(for: argument, among: RuleCatalogue.ids))
    }
    let view = FindingsView(outcome.findings, verdict: outcome.verdict)
    var next = opened.now
    guard next.step(), argument.isEmpty, outcome.verdict.because.isEmpty else {
      return show(view.why(rule: argument.isEmpty ? nil : argument))
    }
    let satisfied = outcome.findings.count { $0.outcome == .satisfied }
    return Output(text: "nothing refuses the connection so far: \(satisfied) checks satisfied. The run is not over.")
  }

  func explain(_ argument: String) throws -> Output {
    guard !argument.isEmpty else { throw Complaint(message: "explain what?", hint: "explain ats.no-forward-secrecy") }
    guard let document = ExplainView.document(for: argument, scenarios: Explain.scenarios(naming: argument)) else {
      throw Complaint(message: "'\(argument)' is not a word of trustlab", hint: ExplainView.nearest(argument))
    }
    return show(document)
  }

  private func party(_ name: String, _ opened: Opened) throws -> Party {
    let parties = opened.now.parties
    if let party = parties.first(where: { $0.name == name }) { return party }
    if let party = parties.first(where: { !name.isEmpty && $0.name.hasPrefix(name) }) { return party }
    throw Complaint(
      message: name.isEmpty ? "who?" : "there is no party '\(name)'",
      hint: "the parties are \(parties.map(\.name).joined(separator: ", "))")
  }
}
