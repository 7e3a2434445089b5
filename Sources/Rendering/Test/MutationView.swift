import Explanation
import Scenarios

/// The results of `trustlab mutate`, as text, JSON, JUnit XML or Markdown.
public struct MutationView: Sendable {
  /// The output formats.
  public enum Format: String, Sendable, CaseIterable {
    case text
    case json
    case junit
    case markdown
  }

  private let report: MutationReport
  private let minimum: Int?
  private let isVerbose: Bool

  /// Creates a view of a report.
  ///
  /// - Parameters:
  ///   - report: the report.
  ///   - minimum: the lowest accepted score in percent; nil for any.
  ///   - isVerbose: whether the text lists every mutant, including the generated ones that several files kill, and
  ///     those that no case reaches.
  public init(_ report: MutationReport, minimum: Int? = nil, isVerbose: Bool = false) {
    self.report = report
    self.minimum = minimum
    self.isVerbose = isVerbose
  }

  /// Returns the report in a format.
  public func text(_ format: Format, _ style: TextStyle = TextStyle()) -> String {
    switch format {
    case .text: document().text(style)
    case .json: json().text(pretty: true)
    case .junit: suites.document
    case .markdown: document().markdown()
    }
  }

  /// The report as text: each group of mutants, then the scores.
  public func document() -> Document {
    var document = Document()
    for group in report.groups {
      let all = report.entries(of: group)
      let shown = all.filter { isVerbose || $0.state != .notReached && !(group.isSystematic && $0.isWellKilled) }
      document.heading("\(group.title)")
      for entry in shown {
        document.bullet(entry.glyph, RichText([Span(entry.mutant.name, .name), Span("  \(entry.headline)")]))
      }
      let unreached = isVerbose ? 0 : all.count { $0.state == .notReached }
      let killed = all.count - shown.count - unreached
      if killed > 0 { document.paragraph(RichText("and \(killed) more, each killed by several files", .dim)) }
      if unreached > 0 {
        document.paragraph(RichText("and \(unreached) more that no case reaches: --verbose lists them", .dim))
      }
    }
    document.heading("Score")
    document.blocks.append(.table(header: Self.header, rows: rows, indent: 0))
    document.blocks.append(.space)
    document.paragraph(RichText(sums, isEnough ? .good : .bad))
    return document
  }

  private var isEnough: Bool { report.score.percent >= minimum ?? 0 }

  private static let header: [RichText] = [
    "", "killed", "noticed", "survived", "unreached", "excluded", "one file", "score",
  ]

  private var rows: [[RichText]] {
    report.groups.map { Self.row($0.rawValue, report.score(of: $0)) }
      + report.layers.map { Self.row("  \($0.layer.rawValue)", $0.score) }
  }

  private static func row(_ name: String, _ score: MutationReport.Score) -> [RichText] {
    let counts = [
      score.killed, score.noticed, score.survived, score.notReached, score.equivalent.count, score.onOneFile,
    ]
    return [RichText(name)] + counts.map { "\($0)" } + [score.counted == 0 ? "–" : "\(score.percent) %"]
  }

  /// The score with its numerator, its denominator and the excluded mutants.
  private var sums: String {
    let score = report.score
    let wanted = minimum.map { isEnough ? "" : ", below \($0) %" } ?? ""
    let kinds = Equivalence.Kind.allCases.compactMap { kind -> String? in
      let names = report.entries.filter { $0.state == .equivalent && $0.reason?.kind == kind }.map(\.mutant.name)
      return names.isEmpty ? nil : "\(kind.rawValue) (\(kind.meaning)): \(names.joined(separator: ", "))"
    }
    let excluded =
      kinds.isEmpty ? "" : "; excluded: \(score.equivalent.count), \(kinds.joined(separator: "; "))"
    return "score \(score.percent) %\(wanted): \(score.killed) of \(score.counted) mutants killed; \(report.cases) "
      + "\(report.cases == 1 ? "case" : "cases")\(excluded)"
  }
}

// The report as JSON, version 1.
extension MutationView {
  /// The report as JSON: the scores, and every mutant with its effects.
  public func json() -> JSONValue {
    [
      "trustlab": 1, "cases": .integer(report.cases), "score": Self.json(report.score),
      "groups": .array(report.groups.map { Self.json(report.score(of: $0), named: "group", $0.rawValue) }),
      "layers": .array(report.layers.map { Self.json($0.score, named: "layer", $0.layer.rawValue) }),
      "mutants": .array(report.entries.map(Self.json)),
    ]
  }

  private static func json(_ score: MutationReport.Score) -> JSONValue { .object(members(score)) }

  private static func json(_ score: MutationReport.Score, named key: String, _ name: String) -> JSONValue {
    .object([.init(key, .string(name))] + members(score))
  }

  private static func members(_ score: MutationReport.Score) -> [JSONValue.Member] {
    [
      .init("percent", .integer(score.percent)), .init("killed", .integer(score.killed)),
      .init("counted", .integer(score.counted)), .init("noticed", .integer(score.noticed)),
      .init("survived", .integer(score.survived)), .init("notReached", .integer(score.notReached)),
      .init("equivalent", .strings(score.equivalent)), .init("onOneFile", .integer(score.onOneFile)),
    ]
  }

  private static func json(_ entry: MutationReport.Entry) -> JSONValue {
    let mutant = entry.mutant
    return [
      "mutant": .string(mutant.name), "group": .string(mutant.group.rawValue),
      "of": .strings(mutant.places.map(\.rawValue)), "layer": .optional(mutant.layer?.rawValue),
      "meaning": .string(mutant.meaning), "result": .string(entry.state.rawValue),
      "reached": .integer(entry.reached), "complete": .boolean(entry.isComplete), "files": .strings(entry.files),
      "kills": .array(entry.kills.map(json)), "notices": .array(entry.notices.map(json)),
      "reason": entry.reason.map {
        ["kind": .string($0.kind.rawValue), "excluded": .boolean($0.kind.isExcluded), "words": .string($0.reason)]
      } ?? .null,
    ]
  }

  private static func json(_ effect: MutationReport.Effect) -> JSONValue {
    [
      "scenario": .string(effect.id), "case": .string(effect.name), "path": .string(effect.path),
      "expected": .string(effect.expected), "found": .string(effect.found),
      "overStrict": .boolean(effect.isOverStrict),
    ]
  }
}

// The report as JUnit XML: a suite for each group, and a test for each mutant.
extension MutationView {
  private var suites: XMLElement {
    XMLElement(
      "testsuites", Self.counts(report.entries, named: "trustlab mutate"),
      children: report.groups.map { group in
        let entries = report.entries(of: group)
        return XMLElement(
          "testsuite", Self.counts(entries, named: group.rawValue),
          children: entries.map { Self.test($0, in: group) })
      })
  }

  private static func counts(_ entries: [MutationReport.Entry], named name: String) -> [XMLElement.Attribute] {
    [
      .init("name", name), .init("tests", "\(entries.count)"),
      .init("failures", "\(entries.count(where: \.isFailure))"), .init("errors", "0"),
      .init("skipped", "\(entries.count { $0.state == .equivalent })"), .init("time", "0"),
    ]
  }

  private static func test(_ entry: MutationReport.Entry, in group: Mutant.Group) -> XMLElement {
    let attributes: [XMLElement.Attribute] = [
      .init("name", entry.mutant.name), .init("classname", group.rawValue), .init("time", "0"),
    ]
    let said = XMLElement("system-out", [], text: entry.headline)
    let result: [XMLElement] =
      if entry.isFailure {
        [XMLElement("failure", [.init("message", entry.headline), .init("type", entry.state.rawValue)])]
      } else if entry.state == .equivalent {
        [XMLElement("skipped", [.init("message", entry.headline)])]
      } else {
        []
      }
    return XMLElement("testcase", attributes, children: result + [said])
  }
}

extension Mutant.Group {
  /// The heading of the group in a report.
  var title: String {
    switch self {
    case .validators: "Historical validators"
    case .historical: "Other historical bugs"
    case .rules: "Rules that no party checks"
    case .ends: "Rules that one end does not check"
    case .keys: "App Transport Security keys that are read wrongly"
    case .limits: "Limits that are off by one"
    }
  }
}

extension Mutant {
  /// The mark of one of the fifteen historical validators in a list.
  var mark: String { group == .validators ? ", one of the fifteen historical validators" : "" }
}

extension MutationReport.Entry {
  /// Whether several files kill the mutant.
  fileprivate var isWellKilled: Bool { state == .killed && !dependsOnOneFile }

  /// Whether the mutant counts and is not killed.
  fileprivate var isFailure: Bool { state != .killed && state != .equivalent }

  fileprivate var glyph: RichText {
    switch state {
    case .killed: RichText("✓", dependsOnOneFile ? .warning : .good)
    case .noticed: RichText("!", .warning)
    case .survived, .notReached: RichText("✗", .bad)
    case .equivalent: RichText("–", .dim)
    }
  }

  /// The result in words: `killed by 2 cases in 1 file (one file only): …`.
  fileprivate var headline: String {
    let explained = reason.map { " (\($0.kind.rawValue): \($0.reason))" } ?? ""
    switch state {
    case .killed: return killed + (kills.first.map { ": \($0.words)" } ?? "")
    case .noticed: return "noticed only" + (notices.first.map { ": \($0.words)" } ?? "") + explained
    case .survived: return "survived; \(reached) \(reached == 1 ? "case reaches" : "cases reach") it\(explained)"
    case .notReached: return "not reached\(explained)"
    case .equivalent: return "equivalent\(explained)"
    }
  }

  private var killed: String {
    let count = "\(kills.count) \(kills.count == 1 ? "case" : "cases")"
    let files = "\(files.count) \(files.count == 1 ? "file" : "files")"
    let overStrict = kills.count(where: \.isOverStrict)
    return "killed by \(isComplete ? "" : "at least ")\(count) in \(files)"
      + (dependsOnOneFile ? " (one file only)" : "")
      + (overStrict == 0 ? "" : ", of which \(overStrict) should be accepted")
  }
}

extension MutationReport.Effect {
  /// The effect in words: `L3-09, verdict: expected refused, found accepted`.
  fileprivate var words: String { "\(name), \(path): expected \(expected), found \(found)" }
}
