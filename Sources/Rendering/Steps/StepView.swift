import Endpoint
import Explanation
import Simulator

/// One step of a run.
public struct StepView: Sendable {
  let step: Step
  let simulation: Simulation
  private let learnt: [KnowledgeTimeline.Learnt]

  /// A view of `step`, a step of `simulation`.
  public init(step: Step, simulation: Simulation) {
    let timeline = KnowledgeTimeline(simulation, upTo: step.number)
    self.init(step: step, simulation: simulation, learnt: timeline.learnt(in: step.number))
  }

  init(step: Step, simulation: Simulation, learnt: [KnowledgeTimeline.Learnt]) {
    self.step = step
    self.simulation = simulation
    self.learnt = learnt
  }

  /// Number, who, to whom, and what: `3  server → client  ServerHello`.
  public var oneLine: String { "\(step.number)  \(actors)  \(step.title)" }

  private var actors: String { step.to.map { "\(step.from.name) → \($0.name)" } ?? step.from.name }

  /// The step at `depth`.
  public func document(_ depth: Depth) -> Document {
    var document = Document()
    let number = String(repeating: " ", count: max(0, 3 - String(step.number).count)) + String(step.number)
    var spans = [Span(number, .strong), Span("  \(actors)  "), Span(step.title, .strong)]
    if step.isProtected { spans.append(Span("  encrypted", .protected)) }
    if let connection = step.connection { spans.append(Span("  [\(connection)]", .dim)) }
    document.blocks.append(.bullet(RichText([spans[0]]), RichText(Array(spans.dropFirst())), indent: 0))
    document.paragraph("\(step.narration)", indent: 5)
    for finding in step.findings where finding.outcome != .satisfied {
      document.bullet(finding.glyph, finding.line, indent: 5)
    }
    document += satisfied
    for group in learnt {
      document.bullet("+", knowledge(group), indent: 5)
    }
    if depth != .story { document += FieldTree(step).document }
    if depth == .numbers { document += ValueNumbers(step, simulation).document }
    return document
  }

  private var satisfied: Document {
    let rules = step.findings.filter { $0.outcome == .satisfied }.map(\.rule.id)
    var document = Document()
    guard !rules.isEmpty else { return document }
    let seen = rules.enumerated().filter { rules.firstIndex(of: $0.element) == $0.offset }.map(\.element)
    document.bullet(RichText("✓", .good), "\(seen.joined(separator: ", "))", indent: 5)
    return document
  }

  private func knowledge(_ group: KnowledgeTimeline.Learnt) -> RichText {
    let who =
      group.parties.count > 2 && group.parties.count == simulation.parties.count
      ? "everyone" : group.parties.map(\.name).joined(separator: ", ")
    return RichText("\(who): ") + RichText(group.values.joined(separator: ", "), .name)
  }
}
