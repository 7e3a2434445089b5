import Endpoint
import Explanation
import Simulator
import TLS

/// A step of a run, as text and as JSON.
public struct StepView: Sendable {
  let step: Step
  let simulation: any TracedRun
  private let timeline: KnowledgeTimeline

  /// Creates a view of `step`, a step of `simulation`.
  public init(step: Step, simulation: any TracedRun) {
    self.init(step: step, simulation: simulation, timeline: KnowledgeTimeline(simulation, upTo: step.number))
  }

  /// Creates a view of `step`, with the timeline of values that the parties learn in the whole run.
  init(step: Step, simulation: any TracedRun, timeline: KnowledgeTimeline) {
    self.step = step
    self.simulation = simulation
    self.timeline = timeline
  }

  /// The number, parties and title of the step: `3  server → client  ServerHello`.
  public var oneLine: String { Self.oneLine(of: step) }

  static func oneLine(of step: Step) -> String {
    ["\(step.number)", actors(of: step), step.title].filter { !$0.isEmpty }.joined(separator: "  ")
  }

  private var actors: String { Self.actors(of: step) }

  /// Returns the acting parties, unless the title names them.
  private static func actors(of step: Step) -> String {
    if step.interference != nil { return "" }
    if let to = step.to { return "\(step.from.name) → \(to.name)" }
    return step.titleNamesActor ? "" : step.from.name
  }

  /// Returns the step as text at `depth`.
  public func document(_ depth: Depth) -> Document {
    var document = Document()
    let number = String(repeating: " ", count: max(0, 3 - String(step.number).count)) + String(step.number)
    var spans = step.interference.map { [$0.kind.mark, Span(" ")] } ?? []
    spans.append(Span(step.title, .strong))
    if !actors.isEmpty { spans.insert(Span("\(actors)  "), at: 0) }
    if step.isEncrypted { spans.append(Span("  encrypted", .protected)) }
    if arithmetic != nil { spans.append(Span("  toy", .warning)) }
    if let connection = step.connection { spans.append(Span("  [\(connection)]", .dim)) }
    document.bullet(RichText(number, .strong), RichText([Span(" ")] + spans))
    document.paragraph("\(step.narration)", indent: 5)
    document += said
    document += checks(depth)
    for group in timeline.learnt(in: step.number) {
      document.bullet("+", knowledge(group), indent: 5)
    }
    if let arithmetic { return document + ArithmeticView(arithmetic, depth, values: step.values).document }
    if depth != .story { document += ChangeView(step).document }
    if depth != .story { document += FieldTree(step).document }
    if depth == .numbers { document += ValueNumbers(step, simulation).document }
    return document
  }

  /// The message in plain words with its readers. For an accepted load, it is the content that the app shows.
  private var said: Document {
    guard let (speech, words) = speech else { return Document() }
    let lead =
      switch speech {
      case .says where step.isEncrypted: "readable with the keys: "
      case .says: "readable by everyone on the path: "
      case .arrives: "received: "
      case .shown: "the app shows: "
      }
    return Document([.paragraph(RichText([Span(lead, .dim), Span(words, .strong)]), indent: 5)])
  }

  /// The readers of a step's message, as named in JSON.
  private enum Speech: String {
    /// Everyone who can read the message.
    case says
    /// The receiver of an unencrypted message that an attacker changed.
    case arrives
    /// The user of the app.
    case shown
  }

  private var speech: (Speech, words: String)? {
    if let saying = step.saying { return (.says, saying.words) }
    if let saying = step.arriving { return (.arrives, saying.words) }
    guard step.isReceived,
      let shown = simulation.trace.steps.shown(after: step.number, in: step.connection), !shown.content.isEmpty
    else { return nil }
    return (.shown, shown.content)
  }

  /// The arithmetic of a calculation's step; nil for other steps.
  var arithmetic: Arithmetic? {
    guard let moves = simulation.calculation?.moves, moves.indices.contains(step.number - 1) else { return nil }
    return moves[step.number - 1].arithmetic
  }

  /// Returns the checks of the step: violated rules individually, others counted by layer. At greater depth, all are
  /// named.
  private func checks(_ depth: Depth) -> Document {
    var document = Document()
    for finding in step.findings where finding.outcome == .violated {
      document.bullet(finding.glyph, finding.line, indent: 5)
    }
    for outcome in Finding.Outcome.allCases where outcome != .violated {
      let findings = step.findings.filter { $0.outcome == outcome }
      guard let first = findings.first, outcome == .satisfied || depth != .story else { continue }
      let names = depth == .story ? layers(of: findings) : rules(of: findings)
      let head =
        outcome == .satisfied
        ? "\(findings.count == 1 ? "1 check passes" : "\(findings.count) checks pass")" : outcome.rawValue
      document.bullet(first.glyph, "\(head): \(names)", indent: 5)
    }
    return document
  }

  private func rules(of findings: [Finding]) -> String {
    var names: [String] = []
    for finding in findings where !names.contains(finding.rule.id) { names.append(finding.rule.id) }
    return names.map { name in
      let count = findings.count { $0.rule.id == name }
      return count == 1 ? name : "\(name) ×\(count)"
    }.joined(separator: ", ")
  }

  private func layers(of findings: [Finding]) -> String {
    Layer.allCases.compactMap { layer in
      let count = findings.count { $0.rule.layer == layer }
      return count == 0 ? nil : "\(layer.rawValue) \(count)"
    }.joined(separator: ", ")
  }

  private func knowledge(_ group: KnowledgeTimeline.Learnt) -> RichText {
    let who =
      group.parties.count > 2 && group.parties.count == simulation.parties.count
      ? "everyone" : group.parties.map(\.name).joined(separator: ", ")
    return RichText(group.isOpen ? "\(who) (can compute): " : "\(who): ")
      + RichText(group.values.joined(separator: ", "), .name)
  }
}

extension StepView {
  /// Returns the step as JSON, with its members in the documented order. Values are given by name, and findings by
  /// index.
  func json(_ table: FindingTable) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("number", .integer(step.number)), .init("at", .string(step.at.description)),
      .init("from", .string(step.from.name)), .init("to", .optional(step.to?.name)),
      .init("title", .string(step.title)), .init("kind", .string(step.kind.rawValue)),
      .init("protected", .boolean(step.isProtected)), .init("fields", .array(step.fields.map(Self.json))),
      .init("bytes", .string(Hex.string(step.bytes))),
    ]
    if step.isProtected {
      members.append(.init("plaintext", .string(Hex.string(step.plaintext))))
      members.append(.init("plaintextFields", .array(step.plaintextFields.map(Self.json))))
    }
    members += [
      .init("values", .strings(step.values.map(\.id))), .init("narration", .string(step.narration)),
      .init("findings", table.references(to: step.findings)),
    ]
    return .object(members + circumstances)
  }

  /// The optional members of a step, followed by the values that parties learn.
  private var circumstances: [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    if step.isEncrypted { members.append(.init("encrypted", true)) }
    if let carrier = step.carrier { members.append(.init("carrier", .string(carrier.name))) }
    if let arrival = step.arrival.word { members.append(.init("arrival", .string(arrival))) }
    if let url = step.fetchedURL { members.append(.init("fetch", .string(url))) }
    if let (speech, words) = speech { members.append(.init(speech.rawValue, .string(words))) }
    if let arithmetic {
      members.append(.init("arithmetic", ArithmeticView(arithmetic, .numbers, values: step.values).json))
    }
    if let connection = step.connection { members.append(.init("connection", .string(connection))) }
    if let interference = step.interference { members.append(.init("interference", json(interference))) }
    if !step.leaked.isEmpty { members.append(.init("leaked", .strings(step.leaked.map(\.description)))) }
    return members + [.init("learnt", .array(timeline.entries(in: step.number).map(Self.json)))]
  }

  private func json(_ interference: Interference) -> JSONValue {
    let changes = ChangeView(step).changes.map { change -> JSONValue in
      [
        "field": .string(change.field), "sent": .optional(change.before.map(Hex.string)),
        "arrives": .optional(change.after.map(Hex.string)),
      ]
    }
    return [
      "kind": .string(interference.kind.rawValue), "message": .string(interference.message.description),
      "sent": .string(Hex.string(interference.bytes)), "changes": .array(changes),
    ]
  }

  /// Returns a field as JSON. Members for a meaning or children exist only if the field has them.
  private static func json(_ field: Field) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", .string(field.name)),
      .init("range", [.integer(field.range.lowerBound), .integer(field.range.upperBound)]),
    ]
    if !field.meaning.isEmpty { members.append(.init("meaning", .string(field.meaning))) }
    if !field.children.isEmpty { members.append(.init("children", .array(field.children.map(json)))) }
    return .object(members)
  }

  private static func json(_ entry: KnowledgeHistory.Learnt) -> JSONValue {
    [
      "party": .string(entry.party.name), "value": .string(entry.value),
      "how": .string(KnowledgeView.way(entry.how, by: entry.party)), "canCompute": .boolean(entry.isOpen),
    ]
  }
}

extension Step.Arrival {
  /// The arrival as named in JSON; nil for a message that arrives unchanged.
  fileprivate var word: String? {
    switch self {
    case .whole: nil
    case .changed: "changed"
    case .none: "none"
    }
  }
}
