import Cryptography
import Explanation
import Scenarios
import Simulator
import URLLoading

/// The amount of detail that is shown for a step.
public enum Depth: String, CaseIterable, Sendable {
  /// The step has its parties, the action with its reason, and the learned values.
  case story
  /// The step also has its message as a tree of fields with their bytes.
  case fields
  /// The step also has the arithmetic, and commands that reproduce it.
  case numbers
}

/// A case that was run, as text and as JSON.
public struct RunView: Sendable {
  /// The minimum number of columns of a diagram.
  public static let diagramColumns = TextDiagram.Lanes.narrowest
  let result: CaseResult
  /// The names of the cases in the file; empty if the file is not known.
  let cases: [String]
  var scenario: Scenario { result.scenario }
  var simulation: Simulation { result.simulation }
  var outcome: Outcome { result.outcome }

  /// Creates a view of `result`, a case of a file with these cases.
  public init(_ result: CaseResult, cases: [String] = []) {
    self.result = result
    self.cases = cases
  }

  /// Returns the sequence diagram with at most 80 columns.
  public func diagram() -> Document { TextDiagram(Diagram(simulation)).document() }

  /// Returns the diagram at this width. Pass `hasVerdict: false` if the verdict is shown next to it.
  public func diagram(width: Int, hasVerdict: Bool) -> Document {
    TextDiagram(Diagram(simulation), width: width).document(hasVerdicts: hasVerdict)
  }

  var systems: String {
    var names: [String] = []
    for plan in simulation.plans {
      let name = plan.client.decision.load.os.description
      if !names.contains(name) { names.append(name) }
    }
    return names.joined(separator: ", ")
  }

  var seed: JSONValue {
    if simulation.isRecorded { return "recorded" }
    if case .number(let number) = scenario.seed, let integer = Int(exactly: number) { return .integer(integer) }
    return .string(scenario.seed.description)
  }
}

extension RunView {
  /// Returns the run as text: setup, diagram, every step, the verdict with its reasons, and the test result.
  ///
  /// - Parameters:
  ///   - depth: the amount of detail for each step.
  ///   - firstError: whether to show only the first reason for a refusal.
  public func document(_ depth: Depth, firstError: Bool = false) -> Document {
    var document = header
    document.blocks.append(.space)
    return document + diagram() + Document([.space]) + account(depth, firstError: firstError)
  }

  /// Returns the text below the diagram: every step, the verdict with its reasons, and the test result.
  func account(_ depth: Depth, firstError: Bool) -> Document {
    var document = Document()
    document.heading("Steps")
    let timeline = KnowledgeTimeline(simulation)
    var connection: String?
    for step in simulation.trace.steps {
      if let name = step.connection, name != connection {
        connection = name
        document.blocks.append(.space)
        for line in Diagram.heading(of: name, in: simulation) { document.paragraph(RichText(line, .strong)) }
      }
      let view = StepView(step: step, simulation: simulation, timeline: timeline)
      document.blocks.append(.space)
      document += view.document(depth)
    }
    for (index, connection) in result.connections.enumerated() {
      document.heading(verdictHeading(connection, number: index + 1), level: 2)
      document += Self.verdict(of: connection, firstError: firstError)
      document += GoalProofs(connection, simulation, depth).document
      if depth != .story, !connection.challenges.isEmpty {
        document.blocks.append(.space)
        document.paragraph("Challenges to the app", indent: 2)
        document += ChallengeView(connection.challenges).document(indent: 4)
      }
      if depth == .numbers, !connection.attempts.isEmpty {
        document.blocks.append(.space)
        document.paragraph("Attacks tried", indent: 2)
        document += AttemptView(connection).document(indent: 4)
      }
    }
    document.heading("Values that each party knows at the end")
    document += KnowledgeView.table(simulation)
    if simulation.isRecorded {
      document.paragraph(
        "For the server, only values on the wire are listed: the recording does not show its computations.", indent: 2)
    }
    if depth == .numbers { document += IssuingView(simulation).document() }
    let words = WordsView(scenario)
    // The conclusion describes the run that the file expects.
    let conclusion = result.judgement.result == .skipped ? Document() : words.after
    for part in [words.answer(outcome), conclusion] where !part.blocks.isEmpty {
      document.blocks.append(.space)
      document += part
    }
    document.blocks.append(.space)
    document += Self.test(result.judgement)
    return document
  }

  /// The name and title of the scenario.
  var title: String { scenario.name + (scenario.about.title.isEmpty ? "" : ": \(scenario.about.title)") }

  var header: Document {
    var document = Document()
    document.heading("\(title)", level: 1)
    var facts = [Document.Fact]()
    var settings: [String] = []
    if simulation.calculation != nil { document.paragraph(RichText(Calculation.banner, .warning)) }
    for plan in simulation.plans {
      let load = plan.client.decision.load
      let name = plan.name.map { " (\($0))" } ?? ""
      guard plan.replayed == nil else {
        facts.append(.init("replays", "\(plan.replayed ?? "")\(name)"))
        continue
      }
      facts.append(.init("loads", "\(load.url.description)\(name)"))
      // Settings that stay the same are printed once.
      let own = ["\(load.os.description), \(load.loader.rawValue)", Self.standing(plan.client.decision)]
      guard own != settings else { continue }
      settings = own
      facts.append(.init("client", "\(own[0])"))
      facts.append(.init("ATS", "\(own[1])"))
    }
    if simulation.calculation == nil {
      facts.append(.init("clock", "\(scenario.dates.map(\.clock.description).joined(separator: ", "))"))
      facts.append(.init("seed", "\(seed.text(pretty: false).filter { $0 != "\"" })"))
    }
    if let answer = outcome.response?.statusLine { facts.append(.init("answered", "\(answer)")) }
    if let mutant = result.mutant { facts.append(.init("mutant", "\(mutant.name) (\(mutant.placeText))")) }
    facts.append(.init("sources", "\(scenario.about.sources.joined(separator: "; "))"))
    document.facts(facts)
    let words = WordsView(scenario)
    for part in [words.before, words.question] where !part.blocks.isEmpty {
      document.blocks.append(.space)
      document += part
    }
    return document
  }

  static func standing(_ decision: AppTransportSecurity.Decision) -> String {
    switch (decision.verdict, decision.standing) {
    case (.blocked, _): "blocks the load (\(decision.decidedBy))"
    case (_, .notApplicable): "does not apply"
    case (_, .lifted): "lifted by \(decision.decidedBy)"
    default: "in force (\(decision.decidedBy))"
    }
  }

  private func verdictHeading(_ connection: Outcome, number: Int) -> RichText {
    guard result.connections.count > 1 else { return "Verdict" }
    return "Verdict on connection \(connection.name ?? String(number)): \(connection.url)"
  }

  static func verdict(of connection: Outcome, firstError: Bool) -> Document {
    var document = FindingsView(connection.findings, verdict: connection.verdict)
      .why(firstError: firstError, note: connection.errorNote)
    var facts = [Document.Fact]()
    facts.append(.init("path", "\(connection.path.joined(separator: " ← "))"))
    facts.append(.init("issuers from", "\(connection.issuerSources.map(\.rawValue).joined(separator: ", "))"))
    facts.append(.init("trust result", "\(connection.trustResult ?? "")"))
    facts.append(.init("server", server(of: connection)))
    facts.append(.init("cipher suite", "\(connection.cipherSuite ?? "")"))
    facts.append(.init("waits for", "\(connection.awaited.joined(separator: " or "))"))
    if let content = connection.content {
      facts.append(.init("content", "\(shown(content))"))
    }
    // No source documents whether the timeout runs while the app asks a user. If it does, these errors result.
    let isOpen = connection.verdict.word == .hangs && connection.verdict.layer == .challenge
    let errors = connection.errors.map { "\($0.description) \($0.name)" }.joined(separator: ", ")
    let told =
      isOpen && !errors.isEmpty
      ? "none, or \(errors) if the timeout runs meanwhile, which is not documented"
      : errors.isEmpty ? AppError.openQuestion(about: connection.verdict.because)?.note ?? "" : errors
    facts.append(.init(connection.errors.count > 1 ? "errors" : "error", "\(told)"))
    document.facts(facts, indent: 2)
    document.blocks.append(.space)
    return document + GoalView(connection).document
  }

  /// Returns the beginning of the content. Control characters are replaced, because the content is not trusted.
  private static func shown(_ content: [UInt8]) -> String {
    let lines = content.prefix(longestContent).filter { $0 != 13 }
    let text = String(decoding: lines, as: UTF8.self).unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control && !"\n\t".unicodeScalars.contains(scalar)
        ? "\u{fffd}" : String(scalar)
    }.joined()
    return content.count > longestContent ? "\(text)… (\(content.count) bytes)" : text
  }
  private static let longestContent = 2000

  /// Returns the result of the server: `✓ carried out POST /pay: pay 100`.
  private static func server(of connection: Outcome) -> RichText {
    let verdict = connection.server
    let words: String
    if let response = connection.response, response.isError {
      let requests = connection.executed.joined(separator: ", ")
      return RichText("!", .warning) + RichText(" responded to \(requests) with \(response.status)")
    }
    switch verdict.word {
    case .accepted where connection.executed.isEmpty: words = "accepted"
    case .accepted: words = "carried out \(connection.executed.joined(separator: ", "))"
    case .refused: words = "refused: \(verdict.because.map(\.id).joined(separator: ", "))"
    case .hangs where connection.hasReachedServer == true:
      words = "carried out nothing: the request had no credentials, or the server did not accept them"
    case .hangs, .notApplicable:
      words = connection.hasReachedServer == nil ? "unknown" : "no request reached the server"
    }
    let glyph = verdict.word == .hangs ? RichText("–", .dim) : verdict.word.glyph
    return glyph + RichText(" \(words)")
  }

  /// Returns the result of the test, with all mismatches.
  static func test(_ judgement: Judgement) -> Document {
    var document = Document()
    switch judgement.result {
    case .passed: document.heading(RichText([Span("Test: "), Span("✓ passed", .good)]))
    case .skipped: document.heading(RichText([Span("Test: "), Span("– skipped", .warning)]))
    case .failed: document.heading(RichText([Span("Test: "), Span("✗ failed", .bad)]))
    }
    document.facts([.init("because", "\(judgement.reason ?? "")")], indent: 2)
    document += differences(judgement.mismatches, indent: 2)
    return document
  }

  static func differences(_ mismatches: [Judgement.Mismatch], indent: Int) -> Document {
    var document = Document()
    for mismatch in mismatches {
      document.paragraph(RichText(mismatch.path, .name), indent: indent)
      document.facts(
        [
          .init("expected", RichText(mismatch.expected, .good)), .init("found", RichText(mismatch.foundWords, .bad)),
        ], indent: indent + 2)
    }
    return document
  }

  /// Returns the run as a Mermaid sequence diagram.
  ///
  /// - Parameter firstError: whether to show only the first reason for a refusal.
  public func mermaid(firstError: Bool = false) -> String {
    MermaidDiagram(Diagram(simulation), firstError: firstError).text
  }

  /// Returns the sequence diagram of the run as a self-contained SVG picture for light and dark mode.
  ///
  /// - Parameter firstError: whether to show only the first reason for a refusal.
  public func svg(firstError: Bool = false) -> String {
    SVGDiagram(Diagram(simulation), title: title, firstError: firstError).text
  }

  /// Returns the sequence diagram of the run as a 16:9 picture, for a slide.
  ///
  /// - Parameter firstError: whether to show only the first reason for a refusal.
  public func slide(firstError: Bool = false) -> String {
    SVGSlide(Diagram(simulation), title: title, firstError: firstError).text
  }

  /// Returns the run in GitHub Flavored Markdown, with its diagram in Mermaid.
  ///
  /// - Parameters:
  ///   - depth: the amount of detail for each step.
  ///   - firstError: whether to show only the first reason for a refusal.
  public func markdown(_ depth: Depth, firstError: Bool = false) -> String {
    let diagram = "```mermaid\n\(mermaid(firstError: firstError))```\n"
    return [header.markdown(), diagram, account(depth, firstError: firstError).markdown()].joined(separator: "\n")
  }

  /// Returns the run as a self-contained HTML page, with its diagram in SVG.
  ///
  /// - Parameters:
  ///   - depth: the amount of detail for each step.
  ///   - firstError: whether to show only the first reason for a refusal.
  public func html(_ depth: Depth, firstError: Bool = false) -> String {
    let parts = [header.html(), svg(firstError: firstError), account(depth, firstError: firstError).html()]
    return HTMLPage.text(title: title, body: parts.joined(separator: "\n"))
  }
}
