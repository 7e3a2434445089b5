import Scenarios
import Simulator

/// A run of tests, as text, JSON, JUnit XML and TAP.
public struct TestView: Sendable {
  let run: TestRun

  /// A view of `run`.
  public init(_ run: TestRun) { self.run = run }

  /// Every case and the sums, version 1.
  public func json() -> JSONValue {
    [
      "trustlab": 1, "tests": .array(run.entries.map(Self.json)), "passed": .integer(run.count(.passed)),
      "failed": .integer(run.count(.failed)), "skipped": .integer(run.count(.skipped)),
    ]
  }

  /// One line per case, differences below failing ones, and the sums on a line alone.
  ///
  /// - Parameter verbose: also the cases that passed; without it only what failed or was skipped.
  public func document(verbose: Bool) -> Document {
    var document = Document()
    for entry in run.entries where verbose || entry.result != .passed { document += Self.document(entry) }
    if !document.blocks.isEmpty { document.blocks.append(.space) }
    document.paragraph(RichText(Self.sums(run), run.count(.failed) == 0 ? .good : .bad))
    return document
  }

  private static func sums(_ run: TestRun) -> String {
    "\(run.count(.passed)) passed, \(run.count(.failed)) failed, \(run.count(.skipped)) skipped"
  }

  private static func document(_ entry: TestRun.Entry) -> Document {
    var document = Document()
    switch entry {
    case .played(let result):
      let verdict = result.outcome.verdict
      let reasons = verdict.because.map(\.id).joined(separator: ", ")
      let line = RichText([
        Span(entry.name), Span("  \(verdict.word.rawValue)", verdict.word.style),
        Span(reasons.isEmpty ? "" : "  \(reasons)", .dim),
      ])
      document.bullet(glyph(entry.result), line)
      if let reason = result.judgement.reason { document.paragraph("skipped: \(reason)", indent: 4) }
      document += RunView.differences(result.judgement.mismatches, indent: 4)
    case .unreadable(let path, _):
      // What is wrong in the file was said when it was read.
      document.bullet(glyph(.failed), "\(path)  cannot be read")
    case .unplayable(_, let diagnostics):
      document.bullet(glyph(.failed), "\(entry.name)  cannot be played")
      let lines = diagnostics.description.split(separator: "\n").map { RichText(String($0)) }
      for line in lines { document.paragraph(line, indent: 4) }
    }
    return document
  }

  private static func glyph(_ result: Judgement.Result) -> RichText {
    switch result {
    case .passed: RichText("✓", .good)
    case .failed: RichText("✗", .bad)
    case .skipped: RichText("–", .warning)
    }
  }

  private static func json(_ entry: TestRun.Entry) -> JSONValue {
    let played: CaseResult? = if case .played(let result) = entry { result } else { nil }
    let verdict = played?.outcome.verdict
    return [
      "scenario": .string(entry.id), "case": .string(entry.caseName), "file": .string(entry.file),
      "result": .string(entry.result.rawValue), "verdict": .optional(verdict?.word.rawValue),
      "layer": .optional(verdict?.layer?.rawValue), "because": .strings(verdict?.because.map(\.id) ?? []),
      "mismatches": .array(played?.judgement.mismatches.map(\.json) ?? []),
      "reason": .optional(played?.judgement.reason), "error": .optional(entry.obstacle?.description),
    ]
  }
}
