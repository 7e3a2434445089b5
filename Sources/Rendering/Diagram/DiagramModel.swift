import Endpoint
import Explanation
import Simulator
import TLS

/// Who sent what to whom, and what was decided: what a picture of a run shows, before it has a form.
struct DiagramModel {
  /// Someone who takes part or watches.
  struct Lane: Hashable {
    let party: Party
    let label: String
  }

  /// What stands below what stands before it, in one connection where there are several.
  struct Row {
    let connection: String?
    let content: Content
  }

  enum Content {
    /// A connection begins, or a calculation with toy numbers.
    case heading([String])
    /// Someone sends something; the lanes by their index.
    case message(Step, from: Int, to: Int)
    /// Someone decides, computes or steals something.
    case note(Step, at: Int)
    /// What an attacker made of a message arrives, or what was added to it.
    case arrival(Interference, from: Int, to: Int)
  }

  /// The lanes from left to right: the client, who watches, and those it speaks with.
  let lanes: [Lane]
  /// The names of the servers that are asked, each once; of a calculation its other parties.
  let servers: [String]
  /// The rows from top to bottom.
  let rows: [Row]
  /// What came of each connection, in order.
  let outcomes: [Outcome]
  /// Whether nothing is still to come.
  let isOver: Bool
  /// Whether the numbers are toys.
  let isToy: Bool

  /// The picture of a run.
  init(_ simulation: Simulation) {
    lanes = Self.lanes(of: simulation)
    let own: [Party] = [.client, .eavesdropper, .interceptor]
    let hosts = simulation.calculation.map { $0.parties.filter { !own.contains($0) }.map(\.name) }
    servers = (hosts ?? simulation.plans.map(\.url.host)).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    rows = Self.rows(of: simulation.trace.steps, lanes) { Self.heading(of: $0, in: simulation) }
    outcomes = Outcome.connections(of: simulation)
    isOver = simulation.isAtEnd
    isToy = simulation.calculation != nil
  }

  /// The picture of a recording.
  init(_ session: ReplayedSession) {
    let server = session.serverName ?? "server"
    lanes = [
      Lane(party: .client, label: "client"), Lane(party: .eavesdropper, label: "eavesdropper"),
      Lane(party: .server, label: server),
    ]
    servers = [server]
    rows = Self.rows(of: session.trace.steps, lanes) { ["[\($0)]"] }
    outcomes = [Outcome(session)]
    isOver = true
    isToy = false
  }

  private static func rows(of steps: [Step], _ lanes: [Lane], heading: (String) -> [String]) -> [Row] {
    var rows: [Row] = []
    var connection: String?
    func lane(_ party: Party?) -> Int? { lanes.firstIndex { $0.party == party } }
    for (index, step) in steps.enumerated() {
      func add(_ content: Content) { rows.append(Row(connection: step.connection, content: content)) }
      if let name = step.connection, name != connection {
        connection = name
        add(.heading(heading(name)))
      }
      let from = lane(step.isFetch ? .client : step.from) ?? 0
      if step.kind == .message, !step.isFetch, let to = lane(step.to) {
        add(.message(step, from: from, to: steps.isStopped(at: index) ? lane(.interceptor) ?? to : to))
      } else {
        add(.note(step, at: from))
        if let arrival = steps.arrival(at: index), let to = lane(step.to) {
          add(.arrival(arrival, from: from, to: to))
        }
      }
    }
    return rows
  }

  /// What came of each connection, in words; a run that goes on has come to nothing yet.
  func verdicts(firstError: Bool) -> [(outcome: Outcome, reasons: [String])] {
    (isOver ? outcomes : []).map { outcome in
      let reasons = outcome.verdict.because.map(\.id)
      return (outcome, firstError ? Array(reasons.prefix(1)) : reasons)
    }
  }

  /// Whether anyone does more than listen.
  var isAttacked: Bool { rows.contains { row in [row.step?.from, row.step?.to].contains(.interceptor) } }

  /// The connections in which someone stands in the middle, rather than beside.
  var intercepted: Set<String?> { Set(rows.filter { $0.step?.isIntercepted == true }.map(\.connection)) }

  private static func lanes(of simulation: Simulation) -> [Lane] {
    let steps = simulation.trace.steps
    func acts(_ party: Party) -> Bool { steps.contains { $0.from == party || $0.to == party } }
    // Between the ends stands who interferes; who only listens is shown beside only when there is more to say.
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
    return parties.map { Lane(party: $0, label: label(of: $0, in: simulation)) }
  }

  private static func label(of party: Party, in simulation: Simulation) -> String {
    let plans = simulation.plans
    if party == .client {
      let systems = Set(plans.map(\.client.decision.load.os.description))
      return systems.count == 1 ? "client (\(systems.first ?? ""))" : "client"
    }
    return plans.first { $0.server.tls.party == party }?.url.host ?? party.name
  }

  /// The connection's name and what it loads, and below it what has changed in the world since the one before.
  static func heading(of name: String, in simulation: Simulation) -> [String] {
    guard let plan = simulation.plans.first(where: { $0.name == name }) else { return ["[\(name)]"] }
    let load = plan.client.decision.load
    let what =
      plan.replayed.map { "the interceptor plays \($0) again" } ?? "\(load.os.description), \(load.url.description)"
    return ["[\(name)]  \(what)"] + plan.changes.map { "now \($0)" }
  }
}

extension DiagramModel.Row {
  /// The step that it shows.
  var step: Step? {
    switch content {
    case .message(let step, _, _), .note(let step, _): step
    case .heading, .arrival: nil
    }
  }
}

extension Step {
  /// What happened, where a lane already says who did it and a heading in which connection.
  var titleInLane: String {
    if isFetch, let to { return "\(from.name) to \(to.name): \(title)" }
    return kind == .derivation ? plain(titleWithoutActor) : title
  }

  /// What happened, where a heading already says in which connection.
  var titleInConnection: String { kind == .derivation ? plain(title) : title }

  /// What a message shows to everyone: what it says in plain words, or the values that become public with it, by name.
  ///
  /// A session that goes on is called by its name, and its master secret never travels: RFC 5246 sections 7.4.1.2 and 8.1.
  var shownValues: [String] {
    if isEncrypted { return [] }
    if let saying { return [saying.label] }
    let published = values.filter { $0.derivations.contains(.published) }.map { plain($0.id) }
    let resumes = handshakeType == .clientHello && values.contains(where: \.isOfOlderSession)
    return published.filter { $0.split(separator: ".").count <= 2 }
      + (resumes && !published.contains("offered_session_ticket") ? ["session_id"] : [])
  }

  /// A text without what begins the names of the connection's values, and of those on the interceptor's far side. Who acts
  /// keeps the whole name: a host may begin with a connection's.
  private func plain(_ text: String) -> String {
    let subject = text.hasPrefix("\(from.name) ") ? from.name : ""
    let rest = String(text.dropFirst(subject.count))
    let own = connection.map { rest.replacing("\($0).", with: "") } ?? rest
    return subject + own.replacing("upstream.", with: "")
  }

  /// The day of what happens at a time of its own, in parentheses.
  var day: String {
    let isDated = kind == .attack && interference == nil && at != ReplayedSession.unknownTime
    return isDated ? " (\(at.description.prefix(10)))" : ""
  }

  /// Whether it is a message that someone in the middle sends or receives in place of an end.
  var isIntercepted: Bool { kind == .message && (from == .interceptor || to == .interceptor) }

  /// Glyph and style of a step: what came of its checks, or what kind of thing happened.
  var mark: Span {
    if let interference { return interference.mark }
    if kind == .attack { return Span("!", .bad) }
    if findings.contains(where: \.refuses) { return Span("✗", .bad) }
    if findings.contains(where: { $0.outcome == .violated }) { return Span("!", .warning) }
    // What does not apply is neither good nor bad, and so is what is not played.
    let limits: [Rule] = [
      .versionNotImplemented, .suiteNotImplemented, .noApplicationProtocol, .truncatedConnection,
    ]
    if findings.contains(where: { limits.contains($0.rule) && $0.outcome == .unknown }) {
      return Span("?", .warning)
    }
    if !findings.isEmpty, findings.allSatisfy({ $0.outcome == .notApplicable }) { return Span("·", .dim) }
    return Span("✓", .good)
  }
}

extension Value {
  /// Whether it is the master secret of a session that a later connection goes on with.
  fileprivate var isOfOlderSession: Bool {
    derivations.contains { if case .computed(.resumingSession, _) = $0 { true } else { false } }
  }
}

extension Interference {
  /// Glyph and style by what was done.
  var mark: Span {
    switch kind {
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
  /// The message of this place as it was sent never got past an attacker.
  func isStopped(at index: Int) -> Bool {
    guard indices.contains(index), self[index].kind == .message else { return false }
    return self[(index + 1)...].prefix { $0.interference.map { $0.kind != .rewritten } ?? false }
      .contains { $0.interference?.stops == true }
  }

  /// What arrives of what an attacker did in the step of this place: a message that is on its way from there; nil when
  /// nothing does, or when the next attacker has it first.
  func arrival(at index: Int) -> Interference? {
    guard indices.contains(index), let interference = self[index].interference, interference.adds,
      self[index].to != nil
    else { return nil }
    let next = indices.contains(index + 1) ? self[index + 1].interference : nil
    return next?.stops == true ? nil : interference
  }
}
