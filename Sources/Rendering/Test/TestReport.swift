import Scenarios
import Simulator

/// The report of a test run in one of five formats. The result of each case is written as soon as it is known.
public struct TestReport: Sendable {
  /// The format of a report.
  public enum Format: String, Sendable, CaseIterable {
    case text
    case json
    case junit
    case tap
    case codeQuality = "code-quality"
  }

  private let format: Format
  private let style: TextStyle
  private let isVerbose: Bool
  private let mutant: Mutant?
  private let naming: @Sendable (String) -> String
  private var count = 0
  private var suites: TestSuites
  private var issues: [CodeQualityIssue] = []

  /// Creates a report of a test run.
  ///
  /// Text uses this style, and lists passed cases only if `isVerbose` is true. If there is a `mutant`, every program
  /// that can have the bug has it, and a failed case has detected the bug. In reports for a CI service, `naming`
  /// changes the file names.
  public init(
    _ format: Format, style: TextStyle = TextStyle(), isVerbose: Bool = false, mutant: Mutant? = nil,
    naming: @escaping @Sendable (String) -> String = { $0 }
  ) {
    self.format = format
    self.style = style
    self.isVerbose = isVerbose
    self.mutant = mutant
    self.naming = naming
    suites = TestSuites(mutant)
  }

  /// Returns the output for this case; empty if the format writes it later.
  public mutating func text(of entry: TestRun.Entry) -> String {
    defer { count += 1 }
    switch format {
    case .text:
      guard isVerbose || entry.result != .passed else {
        count -= 1
        return ""
      }
      return Self.document(entry).text(style)
    case .json:
      let json = Self.json(entry).text(pretty: true, depth: 2)
      return (count == 0 ? opening + "\n    " : ",\n    ") + json
    case .junit:
      suites.add(entry, path: naming(entry.file))
      return ""
    case .codeQuality:
      issues += Self.issues(entry, path: naming(entry.file))
      return ""
    case .tap: return (count == 0 ? tapOpening : "") + Self.point(entry, number: count + 1) + "\n"
    }
  }

  /// Returns the output at the end of the run, with these totals.
  public func end(_ sums: TestRun.Sums) -> String {
    switch format {
    case .text:
      var document = Document()
      if count > 0 { document.blocks.append(.space) }
      document.paragraph(RichText(Self.words(sums), sums.failed == 0 ? .good : .bad))
      if sums.unreviewed > 0 { document.paragraph(RichText(Self.unreviewed(sums), .warning)) }
      if let mutant { document.paragraph(Self.catches(sums, mutant)) }
      return document.text(style)
    case .json:
      let last = """
        ],
          "passed": \(sums.passed),
          "failed": \(sums.failed),
          "skipped": \(sums.skipped),
          "unreviewed": \(sums.unreviewed)
        }

        """
      return count == 0 ? opening + last : "\n  " + last
    case .junit: return suites.document + "\n"
    case .codeQuality: return CodeQualityIssue.report(issues).text(pretty: true) + "\n"
    case .tap:
      let remark = sums.unreviewed > 0 ? "# \(Self.unreviewed(sums))\n" : ""
      return (count == 0 ? tapOpening : "") + "1..\(count)\n" + remark
    }
  }

  /// Returns a complete report of these cases.
  public static func text(
    of entries: [TestRun.Entry], as format: Format, style: TextStyle = TextStyle(), isVerbose: Bool = false,
    mutant: Mutant? = nil
  ) -> String {
    var report = TestReport(format, style: style, isVerbose: isVerbose, mutant: mutant)
    var (text, sums) = ("", TestRun.Sums())
    for entry in entries {
      text += report.text(of: entry)
      sums.add(entry)
    }
    return text + report.end(sums)
  }

  private static func words(_ sums: TestRun.Sums) -> String {
    "\(sums.passed) passed, \(sums.failed) failed, \(sums.skipped) skipped"
  }

  private static func unreviewed(_ sums: TestRun.Sums) -> String {
    "\(sums.unreviewed) \(sums.unreviewed == 1 ? "expectation" : "expectations") unreviewed"
  }

  /// Returns the number of cases that detected the bug, or a warning that none did.
  private static func catches(_ sums: TestRun.Sums, _ mutant: Mutant) -> RichText {
    let caught = sums.failed - sums.obstacles
    let rest =
      "the bug '\(mutant.name)' of a \(mutant.placeText), out of \(sums.passed + sums.failed) judged cases"
    guard caught > 0 else { return RichText("no case caught \(rest)", .warning) }
    return "\(caught) \(caught == 1 ? "case" : "cases") caught \(rest)"
  }

  /// The beginning of the JSON report, version 1, before the first case.
  private var opening: String {
    let bug = mutant.map { "\n  \"mutant\": \(JSONValue.string($0.name).text(pretty: false))," } ?? ""
    return "{\n  \"trustlab\": 1,\(bug)\n  \"tests\": ["
  }

  /// The beginning of the TAP report. A line that begins with a number sign is a comment.
  private var tapOpening: String { "TAP version 13\n" + (mutant.map { "# mutant: \($0.name)\n" } ?? "") }
}

extension TestReport {
  private static func document(_ entry: TestRun.Entry) -> Document {
    var document = Document()
    switch entry.ending {
    case .judged(let verdict, let judgement):
      // If there are several loads, this is the verdict of the load with a mismatch.
      let verdict = judgement.mismatches.first?.verdict ?? verdict
      let reasons = verdict.because.map(\.id).joined(separator: ", ")
      let line = RichText([
        Span(entry.name), Span("  \(verdict.word.rawValue)", verdict.word.style),
        Span(reasons.isEmpty ? "" : "  \(reasons)", .dim),
      ])
      document.bullet(glyph(entry.result), line)
      if let reason = judgement.reason { document.paragraph("skipped: \(reason)", indent: 4) }
      document += RunView.differences(judgement.mismatches, indent: 4)
    case .unreadable:
      // The problems in the file were already printed when it was read.
      document.bullet(glyph(.failed), "\(entry.file)  cannot be read")
    case .unplayable(let diagnostics):
      document.bullet(glyph(.failed), "\(entry.name)  cannot run")
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
    let verdict = entry.verdict
    return [
      "scenario": .string(entry.id), "case": .string(entry.caseName), "file": .string(entry.file),
      "result": .string(entry.result.rawValue), "verdict": .optional(verdict?.word.rawValue),
      "layer": .optional(verdict?.layer?.rawValue), "because": .strings(verdict?.because.map(\.id) ?? []),
      "mismatches": .array(entry.judgement?.mismatches.map(\.json) ?? []),
      "reason": .optional(entry.judgement?.reason), "error": .optional(entry.obstacle?.description),
      "sibling": entry.sibling.map { ["name": .string($0.name), "differences": .strings($0.differences)] } ?? .null,
    ]
  }

  /// Returns the verdict and the rules that decided: `refused by ats: ats.no-forward-secrecy`.
  static func summary(of verdict: Verdict) -> String {
    let layer = verdict.layer.map { " by \($0.rawValue)" } ?? ""
    let because = verdict.because.map(\.id).joined(separator: ", ")
    return verdict.word.rawValue + layer + (because.isEmpty ? "" : ": \(because)")
  }
}

// Version 13 of the Test Anything Protocol, which every harness reads. Each case is a test point, in order. The YAML
// block below it contains the expectations, and the plan is at the end.
extension TestReport {
  private static func point(_ entry: TestRun.Entry, number: Int) -> String {
    let status = entry.result == .failed ? "not ok" : "ok"
    let line = "\(status) \(number) - \(description(entry.name))"
    switch entry.ending {
    case .judged(let verdict, let judgement):
      if let reason = judgement.reason { return "\(line) # SKIP \(description(reason))" }
      guard let first = judgement.mismatches.first else { return line }
      return line + "\n" + block(judgement.mismatches, first, verdict, entry.file)
    case .unplayable(let obstacle), .unreadable(let obstacle):
      return line + "\n"
        + block([("message", text(obstacle.description)), ("severity", "error"), ("file", text(entry.file))])
    }
  }

  private static func block(
    _ mismatches: [Judgement.Mismatch], _ first: Judgement.Mismatch, _ verdict: Verdict, _ file: String
  ) -> String {
    let list = mismatches.map { mismatch in
      "\n    - path: \(text(mismatch.path))\n      expected: \(text(mismatch.expected))"
        + "\n      found: \(text(mismatch.foundWords))"
    }
    return block([
      ("message", text(first.sentence)), ("severity", "fail"), ("file", text(file)),
      ("verdict", text(summary(of: first.verdict ?? verdict))), ("mismatches", list.joined()),
    ])
  }

  /// Returns a block of YAML below a TAP test point.
  private static func block(_ members: [(key: String, value: String)]) -> String {
    let lines = members.map { "  \($0.key):\($0.value.hasPrefix("\n") ? "" : " ")\($0.value)" }
    return (["  ---"] + lines + ["  ..."]).joined(separator: "\n")
  }

  /// Returns a YAML scalar. JSON strings are valid double-quoted scalars of YAML.
  private static func text(_ text: String) -> String { JSONValue.string(text).text(pretty: false) }

  /// Returns text for a line of TAP. A number sign would begin a directive, and a line break would end the test point.
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
}

/// A test run as JUnit XML, by the schemas of Jenkins and Surefire. Each file is a suite, and each case is a test.
///
/// A case that cannot run is an error, and a mismatch is a failure. The totals precede the tests, so the elements are
/// kept until the end.
private struct TestSuites {
  private struct File {
    let id: String
    let path: String
    var tests: [XMLElement] = []
    var sums = TestRun.Sums()
    var duration = Duration.zero
  }

  private let mutant: Mutant?
  private var files: [File] = []

  init(_ mutant: Mutant?) { self.mutant = mutant }

  mutating func add(_ entry: TestRun.Entry, path: String) {
    if files.last?.path != path { files.append(File(id: entry.id, path: path)) }
    let last = files.count - 1
    files[last].tests.append(Self.testCase(entry))
    files[last].sums.add(entry)
    files[last].duration += entry.duration
  }

  var document: String {
    let suites = files.map { file in
      let path = XMLElement("property", [.init("name", "file"), .init("value", file.path)])
      let bug = mutant.map { [XMLElement("property", [.init("name", "mutant"), .init("value", $0.name)])] } ?? []
      return XMLElement(
        "testsuite", Self.attributes([file], name: file.id),
        children: [XMLElement("properties", [], children: [path] + bug)] + file.tests)
    }
    let attributes = Self.attributes(files, name: "trustlab").filter { $0.name != "skipped" }
    return XMLElement("testsuites", attributes, children: suites).document
  }

  private static func attributes(_ files: [File], name: String) -> [XMLElement.Attribute] {
    func sum(_ count: KeyPath<TestRun.Sums, Int>) -> Int { files.map { $0.sums[keyPath: count] }.reduce(0, +) }
    return [
      .init("name", name), .init("tests", "\(sum(\.passed) + sum(\.failed) + sum(\.skipped))"),
      .init("failures", "\(sum(\.failed) - sum(\.obstacles))"), .init("errors", "\(sum(\.obstacles))"),
      .init("skipped", "\(sum(\.skipped))"), .init("time", seconds(files.map(\.duration).reduce(.zero, +))),
    ]
  }

  /// Returns seconds with three decimals, or `0` if there is no clock.
  private static func seconds(_ duration: Duration) -> String {
    guard duration > .zero else { return "0" }
    let (seconds, attoseconds) = duration.components
    let milliseconds = String(attoseconds / 1_000_000_000_000_000)
    return "\(seconds)." + String(repeating: "0", count: 3 - milliseconds.count) + milliseconds
  }

  private static func testCase(_ entry: TestRun.Entry) -> XMLElement {
    XMLElement(
      "testcase",
      [.init("name", entry.caseName), .init("classname", entry.id), .init("time", seconds(entry.duration))],
      children: details(of: entry))
  }

  private static func details(of entry: TestRun.Entry) -> [XMLElement] {
    switch entry.ending {
    case .unplayable(let obstacle), .unreadable(let obstacle):
      let message = obstacle.all.first { $0.severity == .error }?.message ?? "cannot run"
      return [
        XMLElement("error", [.init("message", message), .init("type", "unreadable")], text: obstacle.description)
      ]
    case .judged(let verdict, let judgement):
      let first = judgement.mismatches.first
      let said = XMLElement("system-out", [], text: TestReport.summary(of: first?.verdict ?? verdict))
      if let first { return [failure(judgement.mismatches, first), said] }
      return (judgement.reason.map { [XMLElement("skipped", [.init("message", $0)])] } ?? []) + [said]
    }
  }

  private static func failure(_ mismatches: [Judgement.Mismatch], _ first: Judgement.Mismatch) -> XMLElement {
    let more = mismatches.count == 1 ? "" : " (and \(mismatches.count - 1) more)"
    return XMLElement(
      "failure", [.init("message", first.sentence + more), .init("type", "mismatch")],
      text: mismatches.map(\.sentence).joined(separator: "\n"))
  }
}

extension Judgement.Mismatch {
  /// The expected and the observed value, on one line.
  var sentence: String { "\(path): expected \(expected), found \(foundWords)" }

  /// The observed value. For the verdict of one load, the rules that decided are added.
  var foundWords: String {
    guard let verdict, found == verdict.word.rawValue, !verdict.because.isEmpty else { return found }
    return "\(found) by \(verdict.because.map(\.id).joined(separator: ", "))"
  }
}
