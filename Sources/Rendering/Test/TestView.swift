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

extension TestView {
  /// The run as TAP, version 14 of the Test Anything Protocol: a test point for each case, in order.
  public func tap() -> String {
    let points = run.entries.enumerated().map { Self.point($0.element, number: $0.offset + 1) }
    return (["TAP version 14", "1..\(points.count)"] + points).joined(separator: "\n")
  }

  private static func point(_ entry: TestRun.Entry, number: Int) -> String {
    let status = entry.result == .failed ? "not ok" : "ok"
    let line = "\(status) \(number) - \(description(entry.name))"
    switch entry {
    case .played(let result):
      if let reason = result.judgement.reason { return "\(line) # SKIP \(description(reason))" }
      guard !result.judgement.mismatches.isEmpty else { return line }
      return line + "\n" + block(of: result)
    case .unplayable, .unreadable:
      let message = entry.obstacle?.description ?? "cannot be played"
      return line + "\n" + block([("message", text(message)), ("severity", "error"), ("file", text(entry.file))])
    }
  }

  private static func block(of result: CaseResult) -> String {
    let mismatches = result.judgement.mismatches.map { mismatch in
      "\n    - path: \(text(mismatch.path))\n      expected: \(text(mismatch.expected))"
        + "\n      found: \(text(mismatch.found))"
    }
    return block([
      ("message", text(result.judgement.mismatches.first?.sentence ?? "")), ("severity", "fail"),
      ("file", text(result.scenario.file)), ("verdict", text(summary(of: result.outcome.verdict))),
      ("mismatches", mismatches.joined()),
    ])
  }

  /// A block of YAML below a test point.
  private static func block(_ members: [(key: String, value: String)]) -> String {
    let lines = members.map { "  \($0.key):\($0.value.hasPrefix("\n") ? "" : " ")\($0.value)" }
    return (["  ---"] + lines + ["  ..."]).joined(separator: "\n")
  }

  /// JSON's strings are double-quoted scalars of YAML.
  private static func text(_ text: String) -> String { JSONValue.string(text).text(pretty: false) }

  /// What a line of TAP may say: a number sign would begin a directive, and a line ends the test point.
  private static func description(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\\", "#": "\\\(scalar)"
      case "\t", "\n", "\r", "\u{2028}", "\u{2029}": " "
      case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}": "\\\\u{\(String(scalar.value, radix: 16))}"
      default: "\(scalar)"
      }
    }.joined()
  }

  /// The run as JUnit XML, as Jenkins' and Surefire's schemas have it: a suite for each file, a test for each case.
  ///
  /// What cannot be played is an error, a mismatch a failure. `time` is 0 everywhere: the same run is the same bytes.
  public func junit() -> String {
    let suites = files.map { XMLElement("testsuite", Self.sums($0.entries, name: $0.id), children: Self.suite($0)) }
    let sums = Self.sums(run.entries, name: "trustlab").filter { $0.name != "skipped" }
    return XMLElement("testsuites", sums, children: suites).document
  }

  private struct File {
    let id: String
    let path: String
    var entries: [TestRun.Entry]
  }

  /// The entries by file, in the order in which the files came.
  private var files: [File] {
    run.entries.reduce(into: []) { files, entry in
      if files.last?.path == entry.file {
        files[files.count - 1].entries.append(entry)
      } else {
        files.append(File(id: entry.id, path: entry.file, entries: [entry]))
      }
    }
  }

  private static func suite(_ file: File) -> [XMLElement] {
    let path = XMLElement("property", [.init("name", "file"), .init("value", file.path)])
    return [XMLElement("properties", [], children: [path])] + file.entries.map(testCase)
  }

  private static func sums(_ entries: [TestRun.Entry], name: String) -> [XMLElement.Attribute] {
    let errors = entries.count { $0.obstacle != nil }
    return [
      .init("name", name), .init("tests", "\(entries.count)"),
      .init("failures", "\(entries.count { $0.result == .failed } - errors)"), .init("errors", "\(errors)"),
      .init("skipped", "\(entries.count { $0.result == .skipped })"), .init("time", "0"),
    ]
  }

  private static func testCase(_ entry: TestRun.Entry) -> XMLElement {
    XMLElement(
      "testcase", [.init("name", entry.caseName), .init("classname", entry.id), .init("time", "0")],
      children: details(of: entry))
  }

  private static func details(of entry: TestRun.Entry) -> [XMLElement] {
    guard case .played(let result) = entry else {
      let obstacle = entry.obstacle
      let message = obstacle?.all.first { $0.severity == .error }?.message ?? "cannot be played"
      return [
        XMLElement(
          "error", [.init("message", message), .init("type", "unreadable")], text: obstacle?.description ?? "")
      ]
    }
    let verdict = result.outcome.verdict
    let said = XMLElement("system-out", [], text: summary(of: verdict))
    let mismatches = result.judgement.mismatches
    if let first = mismatches.first {
      let more = mismatches.count == 1 ? "" : " (and \(mismatches.count - 1) more)"
      return [
        XMLElement(
          "failure", [.init("message", first.sentence + more), .init("type", "mismatch")],
          text: mismatches.map(\.sentence).joined(separator: "\n")),
        said,
      ]
    }
    let reason = result.judgement.reason.map { XMLElement("skipped", [.init("message", $0)]) }
    return (reason.map { [$0] } ?? []) + [said]
  }

  /// The verdict and the rules that decided: `refused by ats: ats.no-forward-secrecy`.
  static func summary(of verdict: Verdict) -> String {
    let layer = verdict.layer.map { " by \($0.rawValue)" } ?? ""
    let because = verdict.because.map(\.id).joined(separator: ", ")
    return verdict.word.rawValue + layer + (because.isEmpty ? "" : ": \(because)")
  }
}

extension Judgement.Mismatch {
  /// What was expected and what came out, on one line.
  var sentence: String { "\(path): expected \(expected), found \(found)" }
}
