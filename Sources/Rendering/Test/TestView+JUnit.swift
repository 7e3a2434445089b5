import Scenarios
import Simulator

extension TestView {
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
