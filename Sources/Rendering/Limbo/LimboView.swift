import Explanation
import Laboratory
import Trust

/// The results for a file with certificate chains, as text and as JSON.
public struct LimboView: Sendable {
  private let run: LimboRun

  /// Creates a view of the results of `run`.
  public init(_ run: LimboRun) { self.run = run }

  /// The results as JSON, version 1, with the totals.
  public func json() -> JSONValue {
    [
      "trustlab": 1, "agreed": .integer(run.results.count(where: \.agrees)),
      "falselyAccepted": .integer(run.count(expected: .failure, actual: .success)),
      "falselyRefused": .integer(run.count(expected: .success, actual: .failure)),
      "skipped": .integer(run.count(actual: .skipped)),
      "results": .array(run.results.map(Self.json)),
    ]
  }

  private static func json(_ result: LimboRun.Result) -> JSONValue {
    [
      "id": .string(result.id), "expected": .string(result.expected.rawValue),
      "actual": .string(result.actual.rawValue), "because": .strings(result.because),
      "profile": .string(result.profile.rawValue),
    ]
  }

  /// The results as text: agreement by namespace, every disagreement with TrustLab's reasons, and every skipped case
  /// with the reason.
  public func document() -> Document {
    var document = Document([.table(header: ["namespace", "agreed", "of", "skipped"], rows: rows, indent: 0)])
    disagreements("Accepted, but expected to be refused", expected: .failure, actual: .success, &document)
    disagreements("Refused, but expected to be accepted", expected: .success, actual: .failure, &document)
    skips(&document)
    document.blocks.append(.space)
    document.paragraph(RichText(sums, run.agrees ? .good : .bad))
    return document
  }

  private var sums: String {
    let refused = run.count(expected: .success, actual: .failure)
    let accepted = run.count(expected: .failure, actual: .success)
    return "\(run.results.count(where: \.agrees)) agreed, \(accepted) falsely accepted, \(refused) falsely refused, "
      + "\(run.count(actual: .skipped)) skipped"
  }

  private var rows: [[RichText]] {
    let groups = Dictionary(grouping: run.results, by: \.namespace)
    return groups.keys.sorted().map { name in
      let results = groups[name] ?? []
      let agreed = results.count(where: \.agrees)
      let skipped = results.count { $0.actual == .skipped }
      let isGood = agreed + skipped == results.count
      return [
        RichText([Span(isGood ? "✓ " : "✗ ", isGood ? .good : .bad), Span(name)]), "\(agreed)", "\(results.count)",
        "\(skipped)",
      ]
    }
  }

  private func disagreements(
    _ title: String, expected: LimboCase.Outcome, actual: LimboCase.Outcome, _ document: inout Document
  ) {
    let results = run.results.filter { $0.expected == expected && $0.actual == actual }
    guard !results.isEmpty else { return }
    document.heading("\(title)")
    for result in results {
      let reasons = result.because.joined(separator: ", ")
      document.bullet(
        RichText("✗", .bad), RichText([Span(result.id), Span(reasons.isEmpty ? "" : "  \(reasons)", .dim)]), indent: 2)
    }
  }

  private func skips(_ document: inout Document) {
    let results = run.results.filter { $0.actual == .skipped }
    guard !results.isEmpty else { return }
    document.heading("Skipped")
    for result in results {
      document.bullet(
        RichText("–", .warning), RichText([Span(result.id), Span("  \(result.because.joined())", .dim)]), indent: 2)
    }
  }
}
