import Explanation
import Scenarios
import Simulator
import TLS

/// Replayed recordings of sessions, as text and as JSON.
public struct ReplayView: Sendable {
  /// The path of the file, as the user wrote it.
  let path: String
  let sessions: [ReplayedSession]

  /// Creates a view of the sessions in the file called `path`.
  public init(path: String, sessions: [ReplayedSession]) {
    self.path = path
    self.sessions = sessions
  }

  /// Returns the sessions as text, one after the other.
  public func document(_ depth: Depth) -> Document {
    sessions.reduce(into: Document()) { document, session in
      if !document.blocks.isEmpty { document.blocks.append(.space) }
      document += Self.document(session, depth)
    }
  }

  /// Returns a text with one line for each session.
  public func summary() -> Document {
    var document = Document()
    document.heading("\(sessions.count) sessions in \(path)", level: 1)
    for session in sessions {
      let verdict = session.verdict
      let because = verdict.because.map(\.id).joined(separator: ", ")
      document.bullet(verdict.word.glyph, RichText(session.recording.id, .name))
      document.paragraph(
        "\([Self.agreement(session), Self.count(session), because].filter { !$0.isEmpty }.joined(separator: "; "))",
        indent: 4)
      if let reason = Self.missingSecret(session) { document.paragraph("\(reason)", indent: 4) }
    }
    return document
  }

  private static func document(_ session: ReplayedSession, _ depth: Depth) -> Document {
    var document = Document()
    document.heading("\(session.recording.id)", level: 1)
    var facts = [Document.Fact("agreed", "\(agreement(session))")]
    if let prelude = session.recording.prelude {
      facts.insert(Document.Fact("before TLS", "\(prelude); data before the ClientHello is omitted"), at: 0)
    }
    if let linkType = session.recording.linkType { facts.insert(Document.Fact("network", "\(linkType)"), at: 0) }
    facts.append(Document.Fact("protected", "\(count(session))"))
    facts.append(Document.Fact("decrypted with", "\(secrets(session))"))
    if session.openedCount > 0, let reason = lackingSecrets(session) {
      facts.append(Document.Fact("not decrypted", "\(reason)"))
    }
    document.facts(facts)
    document.blocks.append(.space)
    document += TextDiagram(Diagram(session)).document()
    document.heading("Steps")
    let timeline = KnowledgeTimeline(session)
    for step in session.trace.steps {
      document.blocks.append(.space)
      document += StepView(step: step, simulation: session, timeline: timeline).document(depth)
    }
    document += stream(of: session)
    if session.isTLS13 { document += ClearPartsView(session).document }
    document.heading("Verdict", level: 2)
    document += RunView.verdict(of: Outcome(session), firstError: false)
    document.heading("Values that each party knows at the end")
    document += KnowledgeView.table(session)
    return document
  }

  private static func agreement(_ session: ReplayedSession) -> String {
    let isLimit = session.failure?.finding.outcome == .unknown
    guard let parameters = session.parameters ?? (isLimit ? nil : session.selected) else { return shortfall(session) }
    let group = parameters.group.map { ", \($0)" } ?? ""
    let agreement = "\(parameters.version), \(parameters.cipherSuite.name)\(group)"
    if session.parameters != nil { return agreement }
    let isOpen = session.openedCount > 0 && session.lackingSecrets.isEmpty
    return agreement + (isOpen ? " (\(unfinished))" : " (the handshake is not decrypted)")
  }

  /// Returns the reason why the negotiated parameters are unknown.
  private static func shortfall(_ session: ReplayedSession) -> String {
    guard let finding = session.failure?.finding, finding.outcome == .unknown else {
      let lacking = Side.allCases.compactMap { session.recording.incomplete[$0] }.first
      guard let finding = session.failure?.finding else { return lacking.map { "unknown: \($0)" } ?? unfinished }
      // The data that replaced TLS is the reason.
      let isForeign = [.unexpectedRecordType, .recordVersion].contains(finding.rule)
      return isForeign ? "\(unfinished): \(finding.found.description)" : unfinished
    }
    let isLimit = [.versionNotImplemented, .suiteNotImplemented].contains(finding.rule)
    return "unknown: \(finding.found.description)" + (isLimit ? " is not modelled" : "")
  }

  private static let unfinished = "the handshake is not complete"

  private static func count(_ session: ReplayedSession) -> String {
    let isUnknown = session.failure?.finding.outcome == .unknown || !session.recording.incomplete.isEmpty
    if isUnknown, session.protectedCount == 0 { return "unknown" }
    if session.isClear, session.openedCount == session.protectedCount {
      return "\(session.protectedCount) messages, authenticated but not encrypted by this suite"
    }
    return "\(session.openedCount) of \(session.protectedCount) protected messages decrypted"
  }

  private static func secrets(_ session: ReplayedSession) -> String {
    let names = session.trace.leaks.map(\.content.description).joined(separator: ", ")
    if names.isEmpty, session.hasForeignKey { return "nothing: the given key is not the certificate's" }
    if names.isEmpty, session.isClear { return "nothing: the content is readable without a key" }
    if names.isEmpty, let reason = missingSecret(session) { return "nothing: \(reason)" }
    if names.isEmpty { return "nothing: only unencrypted messages are shown" }
    return session.openedCount == 0 && session.protectedCount > 0 ? "nothing: \(names) decrypts no message" : names
  }

  /// Returns the reason why the provided secrets decrypt nothing; nil if they decrypt everything or there are none.
  private static func missingSecret(_ session: ReplayedSession) -> String? {
    let randomName = ValueName(.random, of: .client)
    let log = session.recording.secrets.keyLog
    if let random = session.misfit {
      return
        "the secret given for \(randomName) \(short(random)) does not fit this session: the secret belongs to another "
        + "session, or records were altered"
    }
    guard let count = log.lineCount, session.openedCount < session.protectedCount,
      session.recording.secrets.serverKey == nil
    else { return nil }
    guard count > 0 else { return "the key log has no secrets" }
    guard let random = session.trace.values[randomName]?.bytes else { return nil }
    if session.isTLS13, log.trafficSecrets[random] != nil { return lackingSecrets(session) }
    let labels = log.otherLabels[random] ?? []
    if let first = labels.first, let version = session.parameters?.version {
      return "the key log has only \(Array(Set(labels)).sorted().prefix(3).joined(separator: ", ")) "
        + "for \(randomName) \(short(random)); \(first) is for TLS 1.3, and \(version) needs CLIENT_RANDOM"
    }
    guard log.masterSecrets[random] == nil, log.premasterSecrets[random] == nil else { return nil }
    return "the key log has no line for \(randomName) \(short(random)) (it has \(count) for other sessions)"
  }

  /// Returns the labels of TLS 1.3 that the key log lacks for the session's records; nil if it lacks none.
  private static func lackingSecrets(_ session: ReplayedSession) -> String? {
    let labels = session.lackingSecrets.compactMap(\.keyLogLabel)
    let randomName = ValueName(.random, of: .client)
    guard !labels.isEmpty, let random = session.trace.values[randomName]?.bytes else { return nil }
    return "the key log lacks \(labels.joined(separator: ", ")) for \(randomName) \(short(random))"
  }

  /// Returns the first eight bytes, by which a user can find the line in a key log.
  private static func short(_ bytes: [UInt8]) -> String { "\(Hex.string(bytes.prefix(8)))…" }

  /// The maximum number of lines that are shown of each side's content.
  private static let maximumLines = 40

  /// Returns the decrypted content: the complete lines of each side, without control characters.
  private static func stream(of session: ReplayedSession) -> Document {
    var document = Document()
    for side in Side.allCases {
      let bytes = session.applicationData(of: side)
      guard !bytes.isEmpty else { continue }
      if document.blocks.isEmpty { document.heading("Decrypted content") }
      document.paragraph("the \(side), \(bytes.count) bytes")
      let lines = String(decoding: bytes, as: UTF8.self).split(
        omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      for line in lines.prefix(maximumLines) where !line.isEmpty {
        document.paragraph(RichText(String(line.unicodeScalars.map { shown($0) })), indent: 4)
      }
      if lines.count > maximumLines {
        document.paragraph("and \(lines.count - maximumLines) more lines: --format json prints all", indent: 4)
      }
    }
    return document
  }

  /// Returns the character, or a period in place of a control character.
  private static func shown(_ scalar: Unicode.Scalar) -> Character {
    scalar.properties.generalCategory == .control ? "." : Character(scalar)
  }
}

extension ReplayView {
  /// Returns the sessions as JSON, version 1. Each has the same structure as a run.
  ///
  /// - Parameter hasSecrets: whether the result contains the bytes of keys and of their inputs.
  public func json(hasSecrets: Bool = false) -> JSONValue {
    let sessions = sessions.map { Self.json($0, hasSecrets: hasSecrets) }
    return ["trustlab": 1, "recording": .string(path), "sessions": .array(sessions)]
  }

  private static func json(_ session: ReplayedSession, hasSecrets: Bool) -> JSONValue {
    let outcome = Outcome(session)
    let start = session.trace.steps.first?.at ?? ReplayedSession.unknownTime
    var members: [JSONValue.Member] = [
      .init("trustlab", 1), .init("scenario", .string(session.recording.id)), .init("case", .string(Scenario.mainCase)),
      .init("os", "unknown"), .init("clock", .string(start.description)), .init("seed", "recorded"),
    ]
    members += RunView.facts(of: outcome)
    let table = FindingTable(verdict: outcome.findings, others: session.trace.steps.flatMap(\.findings))
    members += table.members + RunView.steps(of: session, table, hasSecrets: hasSecrets)
    members += [
      .init("diagram", Diagram(session).json(session.trace.steps)), .init("chain", []),
      .init("cost", CostView(session).json()),
    ]
    members += KnowledgeView.json(of: session)
    members += [
      .init("test", test(session)),
      .init("about", ["title": .string(session.recording.id), "sources": [], "disputed": nil]), .init("loads", []),
      .init("issuerSources", []),
    ]
    return .object(members)
  }

  /// Returns the result of the replay, which passes if every record was decrypted and every check passed.
  private static func test(_ session: ReplayedSession) -> JSONValue {
    let verdict = session.verdict
    let words = [verdict.word.rawValue] + verdict.because.map(\.id)
    let mismatches: [JSONValue] =
      verdict.word == .accepted
      ? []
      : [
        [
          "path": "verdict", "expected": "accepted", "found": .string(words.joined(separator: " ")),
          "because": .strings(verdict.because.map(\.id)),
        ]
      ]
    return ["result": verdict.word == .accepted ? "passed" : "failed", "mismatches": .array(mismatches)]
  }
}
