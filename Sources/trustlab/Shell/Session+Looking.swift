import Endpoint
import Explanation
import Rendering
import Scenarios
import Simulator

/// The commands that show the current run.
extension Session {
  mutating func show(_ argument: String) throws -> Output {
    let opened = try requireOpened()
    if argument.isEmpty { return show(stepView(of: opened)) }
    if let depth = Depth(rawValue: argument) { return try deepen(to: depth) }
    if let number = Int(argument) {
      guard (1...max(1, opened.position)).contains(number), opened.position > 0 else {
        throw missing(number, of: opened)
      }
      return show(stepView(of: opened, number: number))
    }
    return try showThing(argument, opened)
  }

  /// Returns the error for a step that does not exist or has not been played.
  private func missing(_ number: Int, of opened: Opened) -> Diagnostics {
    let last = opened.finished.trace.steps.count
    guard (1...max(1, last)).contains(number) else {
      return Diagnostics("no such step: \(number)", hint: "use a step from 1 to \(last)")
    }
    return Diagnostics("step \(number) has not been played", hint: "play up to it with 'goto \(number)'")
  }

  /// Sets the depth at which later steps are shown, and shows the current step at this depth.
  mutating func deepen(to depth: Depth) throws -> Output {
    self.depth = depth
    guard let opened, opened.position > 0 else {
      return Output(text: "steps are now shown at the depth '\(depth.rawValue)'")
    }
    return show(stepView(of: opened))
  }

  private func showThing(_ argument: String, _ opened: Opened) throws -> Output {
    let name = Self.unquoted(argument)
    let simulation = opened.now
    if simulation.calculation != nil, ["plist", "session"].contains(name) {
      throw Diagnostics("a calculation has no \(name)", hint: "show a party's knowledge with 'knows PARTY'")
    }
    if name == "plist" {
      guard let list = opened.scenario.tree["client"]?["infoPlist"] else { return Output(text: "{}") }
      return Output(text: list.entries == nil ? list.flowText : YAMLText.text(of: list))
    }
    if name == "session" { return session(simulation) }
    if ["challenge", "challenges", "storage"].contains(name) { return challenges(name, simulation) }
    if let party = simulation.parties.first(where: { $0.name == name }) {
      return show(KnowledgeView(party: party, simulation: simulation).document())
    }
    let hierarchy = try workbench.player.certificates(of: opened.scenario)
    if let found = hierarchy.first(where: { $0.name.lowercased() == name.lowercased() }) {
      return show(CertificateView(name: found.name, certificate: found.certificate).document())
    }
    throw Diagnostics(
      "there is nothing called '\(name)' to show", hint: Spelling.hint(for: name, among: things(opened)))
  }

  /// Returns the names that `show` accepts.
  func things(_ opened: Opened) -> [String] {
    let scenario = opened.scenario
    return opened.now.parties.map(\.name) + (scenario.authorities + scenario.certificates).map(\.name)
      + ["session", "plist", "challenges", "storage"] + Depth.allCases.map(\.rawValue)
  }

  /// Shows the latest challenge (`challenge`), all challenges (`challenges`) or the credential storage (`storage`).
  private func challenges(_ name: String, _ simulation: Simulation) -> Output {
    if name == "storage" {
      let begun = simulation.accounts.last?.client.conversation.storage
      return show(StorageView(begun ?? simulation.plans.first?.client.challenges.storage).document())
    }
    let all = simulation.accounts.flatMap(\.client.conversation.exchanges)
    guard !all.isEmpty else {
      return Output(text: "no challenge has arrived yet: every full TLS handshake causes one; type 'step' to continue")
    }
    return show(ChallengeView(all, lastAlone: name == "challenge").document())
  }

  private func session(_ simulation: Simulation) -> Output {
    let lines = simulation.accounts.map { account -> String in
      guard let parameters = account.client.parameters else {
        let words =
          account.plan.url.isSecure
          ? "the client and server have not negotiated anything yet" : "plain HTTP negotiates nothing"
        return "\(account.plan.url): \(words)"
      }
      let agreed =
        [parameters.version.description, parameters.cipherSuite.name]
        + [parameters.group?.description].compactMap(\.self)
      return "\(account.plan.url):\n  \(agreed.joined(separator: ", "))"
    }
    return Output(text: lines.isEmpty ? "no connection has started" : lines.joined(separator: "\n"))
  }

  func diagram() throws -> Output {
    let opened = try requireOpened()
    let view = view(of: opened)
    return Output(
      text: diagramText(of: opened),
      pictures: [("image/svg+xml", view.svg()), ("text/html", view.diagram().html())])
  }

  func chain() throws -> Output {
    let opened = try requireOpened()
    try refuseCalculation(opened, what: "certificate path")
    let view = PathView(opened.now)
    var output = showTable(view.document())
    if let picture = view.svg() { output.pictures.insert(("image/svg+xml", picture), at: 0) }
    return output
  }

  func tree() throws -> Output {
    let opened = try requireOpened()
    try refuseCalculation(opened, what: "certificates")
    let certificates = try workbench.player.certificates(of: opened.scenario)
    return showTable(HierarchyView(opened.scenario, certificates: certificates, in: opened.now).document())
  }

  func refuseCalculation(_ opened: Opened, what: String) throws {
    guard opened.now.calculation != nil else { return }
    throw Diagnostics("a calculation has no \(what)", hint: "show the current step with 'show'")
  }

  /// Shows a field of the message. Without a name, sets the depth to `fields`.
  mutating func fields(_ name: String) throws -> Output {
    let opened = try requireOpened()
    guard !name.isEmpty else { return try deepen(to: .fields) }
    let view = try message(of: opened, with: name)
    guard let document = view.field(name, columns: style.width) else {
      throw Diagnostics("no such field: '\(name)'", hint: Spelling.hint(for: name, among: view.names))
    }
    return show(document)
  }

  func bytes(_ name: String) throws -> Output {
    let view = try message(of: try requireOpened(), with: name)
    guard view.hasField(name) else {
      throw Diagnostics("no such field: '\(name)'", hint: Spelling.hint(for: name, among: view.names))
    }
    return show(view.bytes(marking: name.isEmpty ? nil : name, columns: style.width))
  }

  /// Returns the latest message of the run. If it lacks a field called `name`, returns the latest message with this
  /// field.
  func message(of opened: Opened, with name: String) throws -> FieldsView {
    let views = opened.now.trace.steps.reversed().lazy.compactMap(FieldsView.init)
    if let view = views.first(where: { $0.hasField(name) }) ?? views.first { return view }
    throw Diagnostics(
      opened.position == 0 ? "no step has been played" : "no message has been sent yet",
      hint: "continue to the first message with 'step'")
  }

  func knows(_ argument: String) throws -> Output {
    let opened = try requireOpened()
    return show(KnowledgeView(party: try party(argument, opened), simulation: opened.now).document())
  }

  func cost() throws -> Output {
    let opened = try requireOpened()
    try refuseCalculation(opened, what: "cost on a network")
    return showTable(CostView(opened.now).document())
  }

  mutating func ascii(_ argument: String) throws -> Output {
    guard ["on", "off", ""].contains(argument) else {
      throw Diagnostics("'\(argument)' is neither on nor off", hint: "ascii on")
    }
    if !argument.isEmpty { style.isASCII = argument == "on" }
    return Output(text: style.isASCII ? "output uses only ASCII" : "output uses Unicode symbols")
  }

  func party(_ name: String, _ opened: Opened) throws -> Party {
    let parties = opened.now.parties
    let wanted = Self.unquoted(name).lowercased()
    if let party = parties.first(where: { $0.name.lowercased() == wanted }) { return party }
    if let party = parties.first(where: { !wanted.isEmpty && $0.name.lowercased().hasPrefix(wanted) }) { return party }
    throw Diagnostics(
      name.isEmpty ? "the command requires a party" : "no such party: '\(name)'",
      hint: "use one of \(parties.map(\.name).joined(separator: ", "))")
  }
}
