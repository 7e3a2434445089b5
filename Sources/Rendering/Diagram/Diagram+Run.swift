import Endpoint
import Explanation
import Simulator
import TLS

extension Diagram {
  /// Creates the diagram of a run.
  public init(_ simulation: Simulation) {
    let lanes = Self.lanes(of: simulation)
    let own: [Party] = [.client, .eavesdropper, .interceptor]
    let hosts = simulation.calculation.map { $0.parties.filter { !own.contains($0) }.map(\.name) }
    self.init(
      lanes: lanes,
      servers: (hosts ?? simulation.plans.map(\.url.host)).reduce(into: []) { if !$0.contains($1) { $0.append($1) } },
      rows: Self.rows(of: simulation.trace.steps, lanes) { Self.heading(of: $0, in: simulation) },
      results: simulation.isAtEnd ? Outcome.connections(of: simulation).map { Result($0) } : [],
      isToy: simulation.calculation != nil)
  }

  /// Creates the diagram of a recording.
  public init(_ session: ReplayedSession) {
    let server = session.serverName ?? "server"
    let lanes = [
      Lane(.client, label: "client"), Lane(.eavesdropper, label: "eavesdropper"), Lane(.server, label: server),
    ]
    self.init(
      lanes: lanes, servers: [server], rows: Self.rows(of: session.trace.steps, lanes) { ["[\($0)]"] },
      results: [Result(Outcome(session))], isToy: false)
  }

  private static func rows(of steps: [Step], _ lanes: [Lane], heading: (String) -> [String]) -> [Row] {
    var rows: [Row] = []
    var connection: String?
    for (index, step) in steps.enumerated() {
      if let name = step.connection, name != connection {
        connection = name
        rows.append(Row(.heading(heading(name)), in: name))
      }
      rows += contents(of: index, in: steps, lanes).map { Row($0, in: step.connection) }
    }
    return rows
  }

  /// Returns the rows for the step at this index: a message, or a note and the message that arrives.
  private static func contents(of index: Int, in steps: [Step], _ lanes: [Lane]) -> [Content] {
    func lane(_ party: Party?) -> Int? { lanes.firstIndex { $0.party == party } }
    let step = steps[index]
    let from = lane(step.isFetch ? .client : step.from) ?? 0
    if step.kind == .message, !step.isFetch, let to = lane(step.to) {
      return [
        .message(Message(step, at: index, from: from, to: steps.isStopped(at: index) ? lane(.interceptor) ?? to : to))
      ]
    }
    let note = Content.note(Note(step, at: index, lane: from))
    guard let arrival = steps.arrival(at: index), let to = lane(step.to) else { return [note] }
    return [
      note,
      .arrival(
        .init(step: index, from: from, to: to, message: arrival.message.description, change: arrival.kind)),
    ]
  }

  private static func lanes(of simulation: Simulation) -> [Lane] {
    let steps = simulation.trace.steps
    func acts(_ party: Party) -> Bool { steps.contains { $0.from == party || $0.to == party } }
    // The middle lane belongs to an attacker that interferes. An observer gets a lane only if it has events.
    let isAttacked = acts(.interceptor)
    var parties = simulation.calculation?.parties ?? [.client]
    let isCalculation = simulation.calculation != nil
    if !isCalculation, !isAttacked && !acts(.proxy) || acts(.eavesdropper) { parties.append(.eavesdropper) }
    if isAttacked, !isCalculation { parties.append(.interceptor) }
    if acts(.proxy) { parties.append(.proxy) }
    for plan in simulation.plans where !parties.contains(plan.server.tls.party) {
      parties.append(plan.server.tls.party)
    }
    for step in steps where !step.isFetch {
      for party in [step.from, step.to].compactMap(\.self) where !parties.contains(party) { parties.append(party) }
    }
    return parties.map { Lane($0, label: label(of: $0, in: simulation)) }
  }

  private static func label(of party: Party, in simulation: Simulation) -> String {
    let plans = simulation.plans
    if party == .client {
      let systems = Set(plans.map(\.client.decision.load.os.description))
      return systems.count == 1 ? "client (\(systems.first ?? ""))" : "client"
    }
    return plans.first { $0.server.tls.party == party }?.url.host ?? party.name
  }

  /// Returns the connection's name and load, and the changes in the world since the previous connection.
  static func heading(of name: String, in simulation: Simulation) -> [String] {
    guard let plan = simulation.plans.first(where: { $0.name == name }) else { return ["[\(name)]"] }
    let load = plan.client.decision.load
    let what =
      plan.replayed.map { "the interceptor replays \($0)" } ?? "\(load.os.description), \(load.url.description)"
    return ["[\(name)]  \(what)"] + plan.changes.map { "now \($0)" }
  }
}

extension Diagram.Result {
  fileprivate init(_ outcome: Outcome) {
    let verdict = outcome.verdict
    self.init(verdict.word, because: verdict.because.map(\.id), on: outcome.name, note: outcome.errorNote)
  }
}

extension Diagram.Message {
  fileprivate init(_ step: Step, at index: Int, from: Int, to: Int) {
    self.init(
      step: index, from: from, to: to, title: step.title, values: step.shownValues,
      words: step.isEncrypted ? nil : step.saying?.label, isEncrypted: step.isEncrypted,
      isIntercepted: [step.from, step.to].contains(.interceptor))
  }
}

extension Diagram.Note {
  fileprivate init(_ step: Step, at index: Int, lane: Int) {
    let isDerivation = step.kind == .derivation
    self.init(
      Kind(step.kind), step: index, lane: lane, text: step.titleInLane + step.day,
      actor: isDerivation ? step.words.actor?.party.name : nil,
      mark: isDerivation ? nil : step.mark)
  }
}

extension Diagram.Note.Kind {
  /// Creates the kind of a note from a step that is not a message between lanes.
  fileprivate init(_ kind: Step.Kind) {
    self =
      switch kind {
      case .message: .fetch
      case .decision: .decision
      case .derivation: .derivation
      case .attack: .attack
      }
  }
}

extension Step {
  /// The event without the party and the connection, which the lane and the heading name.
  fileprivate var titleInLane: String {
    if isFetch, let to { return "\(from.name) to \(to.name): \(title)" }
    return kind == .derivation ? plain(words.predicate) : title
  }

  /// The names of the values that a message makes public.
  ///
  /// A resumed session is identified by its ID, because its master secret is never sent (RFC 5246 sections 7.4.1.2 and
  /// 8.1).
  fileprivate var shownValues: [String] {
    if isEncrypted { return [] }
    let published = values.filter { $0.derivations.contains(.published) }.map(\.id)
    let resumes = handshakeType == .clientHello && values.contains(where: \.isOfOlderSession)
    let showsTicket = published.contains { $0.kind == .offeredSessionTicket }
    return published.map { plain($0.description) }.filter { $0.split(separator: ".").count <= 2 }
      + (resumes && !showsTicket ? [ValueKind.sessionID.word] : [])
  }

  /// Returns a text without the scopes of value names, including the scopes on the interceptor's server side.
  private func plain(_ text: String) -> String {
    let own = connection.map { text.replacing("\($0).", with: "") } ?? text
    return own.replacing("upstream.", with: "")
  }

  /// The date of an event that has its own time, in parentheses.
  fileprivate var day: String {
    let isDated = kind == .attack && interference == nil && at != ReplayedSession.unknownTime
    return isDated ? " (\(at.description.prefix(10)))" : ""
  }

  /// The glyph and style of a step: the result of its checks, or its kind.
  fileprivate var mark: Span {
    if let interference { return interference.kind.mark }
    if kind == .attack { return Span("!", .bad) }
    if findings.contains(where: \.refuses) { return Span("✗", .bad) }
    if findings.contains(where: { $0.outcome == .violated }) { return Span("!", .warning) }
    // Checks that do not apply, and connections that are not simulated, are neither good nor bad.
    let limits: [Rule] = [
      .versionNotImplemented, .suiteNotImplemented, .incompleteMessage, .truncatedConnection,
    ]
    if findings.contains(where: { limits.contains($0.rule) && $0.outcome == .unknown }) {
      return Span("?", .warning)
    }
    if !findings.isEmpty, findings.allSatisfy({ $0.outcome == .notApplicable }) { return Span("·", .dim) }
    return Span("✓", .good)
  }
}

extension Value {
  /// Whether the value is the master secret of a session that a later connection resumes.
  fileprivate var isOfOlderSession: Bool {
    derivations.contains { if case .computed(.resumingSession, _) = $0 { true } else { false } }
  }
}

extension Interference.Kind {
  /// The glyph and style for the finding.
  var mark: Span {
    switch self {
    case .read: Span("◉", .warning)
    case .dropped, .cut: Span("×", .bad)
    case .replayed: Span("»", .bad)
    case .altered, .rewritten: Span("≠", .bad)
    case .injected: Span("+", .bad)
    case .unaltered: Span("·", .dim)
    }
  }
}

extension [Step] {
  /// Returns whether the original message was stopped by an attacker.
  func isStopped(at index: Int) -> Bool {
    guard indices.contains(index), self[index].kind == .message else { return false }
    return self[(index + 1)...].prefix { $0.interference.map { $0.kind != .rewritten } ?? false }
      .contains { $0.interference?.stops == true }
  }

  /// Returns the message that arrives after the attack in this step; nil if none arrives or another attacker receives
  /// it.
  func arrival(at index: Int) -> Interference? {
    guard indices.contains(index), let interference = self[index].interference, interference.adds,
      self[index].to != nil
    else { return nil }
    let next = indices.contains(index + 1) ? self[index + 1].interference : nil
    return next?.stops == true ? nil : interference
  }
}
