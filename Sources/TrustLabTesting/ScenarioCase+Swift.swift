import Explanation
import Foundation
import Laboratory
import Scenarios
import Simulator

extension ScenarioCase {
  /// Creates a scenario in Swift from the settings that differ from those of an accepted connection.
  ///
  /// ```swift
  /// let gateway = try ScenarioCase(
  ///   "our old gateway",
  ///   [
  ///     "server.cipherSuites": ["TLS_RSA_WITH_AES_128_GCM_SHA256"], "client.os": "iOS 17",
  ///     "client.infoPlist": "App/Info.plist",
  ///   ], expecting: .refused, because: [.atsNoForwardSecrecy])
  /// try gateway.check()
  /// ```
  ///
  /// The `title` is the name of the test. The keys of `settings` are paths of the scenario language. The settings are
  /// applied in order to a baseline whose connection is accepted.
  ///
  /// The client's decision must be `verdict`. Pass nil if `settings` contains the expected decision, or if the test
  /// checks it. If `rules` is not nil, exactly these violated rules must determine the decision.
  ///
  /// File paths are relative to the folder of the test's own `file`.
  ///
  /// - Throws: `Diagnostics` with all errors, at the `line` of the test.
  public init(
    _ title: String, _ settings: KeyValuePairs<String, ScenarioValue> = [:], expecting verdict: Verdict.Word? = nil,
    because rules: [Rule]? = nil, file: String = #filePath, line: Int = #line
  ) throws(Diagnostics) {
    let mark = SourceMark(file: file, line: line, column: 1)
    let name = title.replacing("/", with: "-")
    var root = Node.map([], mark)
    func lay(_ value: ScenarioValue, at text: String) throws(Diagnostics) {
      guard let path = ScenarioPath(text) else {
        throw Diagnostics(
          "'\(text)' is not a path", hint: "write client.os, or quote a segment: authorities.\"Root A\".trust",
          at: mark)
      }
      // A replaced part of the baseline stays a separate map, on which null is applied later.
      root = root.laidOver(by: value.node(at: mark), at: path, mark: mark)
    }
    try lay(.text(title), at: "title")
    for (path, value) in settings { try lay(value, at: path) }
    if let verdict { try lay(.text(verdict.rawValue), at: "expect.verdict") }
    if let rules { try lay(.list(rules.map { .text($0.id) }), at: "expect.because") }
    let library = try ScenarioLibrary.curriculum()
    let path = "\((file as NSString).deletingLastPathComponent)/\(name)"
    let scenarios = try library.reader.read(root, lines: [], path: path)
    guard let scenario = scenarios.cases.first else { throw Diagnostics("'\(title)' has no case", at: mark) }
    self.init(
      scenario, of: scenarios, siblings: Siblings(library: nil), player: ScenarioLibrary.player(keys: KeyStore()))
  }

  /// The same scenario with other values applied to it, such as the accepted sibling of a refusal.
  ///
  /// - Throws: `Diagnostics` with all errors.
  public func changing(
    _ title: String, _ settings: KeyValuePairs<String, ScenarioValue>, expecting verdict: Verdict.Word? = nil,
    because rules: [Rule]? = nil, file: String = #filePath, line: Int = #line
  ) throws(Diagnostics) -> ScenarioCase {
    let mark = SourceMark(file: file, line: line, column: 1)
    var expected: [(key: String, value: ScenarioValue)] = []
    if let verdict { expected.append(("verdict", .text(verdict.rawValue))) }
    if let rules { expected.append(("because", .list(rules.map { .text($0.id) }))) }
    let row: [(key: String, value: ScenarioValue)] = [
      ("name", .text(title)), ("with", .map(settings.map { (key: $0.key, value: $0.value) })),
    ]
    let cases = ScenarioValue.list([.map(row + (expected.isEmpty ? [] : [("expect", .map(expected))]))])
    var entries = self.file.root.entries ?? []
    entries.removeAll { $0.key == "cases" }
    entries.append(.init(key: "cases", mark: mark, value: cases.node(at: mark)))
    let library = try ScenarioLibrary.curriculum()
    let scenarios = try library.reader.read(.map(entries, mark), lines: [], path: self.file.path)
    guard let scenario = scenarios.scenario(named: title) else {
      throw Diagnostics("'\(title)' has no case", at: mark)
    }
    return ScenarioCase(scenario, of: scenarios, siblings: Siblings(library: nil), player: player)
  }
}
