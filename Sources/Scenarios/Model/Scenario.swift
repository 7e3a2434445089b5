import Cryptography
import Explanation
import Simulator
import Trust
import URLLoading

/// One case of a scenario file, with its defaults from the baseline.
public struct Scenario: Sendable, CustomStringConvertible, CustomReflectable {
  /// The file's name without its extension: `L1-15`.
  public let id: String
  /// The case's name; the file itself is `main`.
  public let caseName: String
  /// The file as the user named it.
  public let file: String
  /// Its title, lesson and sources.
  public let about: About
  /// The time of the (first) connection.
  public let clock: Instant
  /// The time that dates the hierarchy: the file's own clock, independent of a case's clock.
  public let epoch: Instant
  /// The source of randomness.
  public let seed: Seed
  /// The CA hierarchy, in the order of the file.
  public let authorities: [CertificateDescription]
  /// Certificates that are not CAs, in the order of the file.
  public let certificates: [CertificateDescription]
  /// The described CT logs, by name.
  public let logs: [String: LogDescription]
  /// The servers.
  public let servers: [ServerDescription]
  /// The events on the network, and leaks of secrets.
  public let network: [NetworkVerb]
  /// The third parties who try to reach the goals.
  public let attackers: AttackersDescription
  /// The loads, in order; none in a calculation. A `request` is one connection.
  public let connections: [ConnectionDescription]
  /// The same case on later dates, with their changes; empty for a scenario of one date.
  public let later: [Scenario]
  /// The calculation; nil if the case makes connections.
  public let calculation: CalculationPlan?
  /// The lines of the calculation in the file.
  let calculationLines: [Node]
  /// The expectation for the whole case; nil if the file has none.
  public let expectation: Expectation?
  /// The accepted case that differs from this one in one line, if it is named.
  public let sibling: String?
  /// The place of that name.
  public let siblingMark: SourceMark?
  /// The tree of this case: the baseline with the file and the row laid over it.
  public let tree: Node
  /// The values that were removed from the tree, with their places.
  let removed: Removals

  /// `L1-15`, or `L1-15/iOS 8 has no ATS` for a row.
  public var name: String { caseName == Scenario.mainCase ? id : "\(id)/\(caseName)" }

  /// The name of the case, which is also the name of its test.
  public var description: String { name }

  /// Empty, because a failed test would otherwise print the whole tree.
  public var customMirror: Mirror { Mirror(self, children: []) }

  /// The case on each of its dates, in order.
  public var dates: [Scenario] { [self] + later }

  /// The number of its expectations that a program wrote and no person has reviewed.
  public var unreviewedCount: Int {
    let own = [expectation] + connections.map(\.expectation) + later.map(\.expectation)
    return own.compactMap { $0?.unreviewedCount }.reduce(0, +)
  }

  /// The name of the case that is the file itself.
  public static let mainCase = "main"

  /// The title, lesson and sources of a scenario.
  public struct About: Sendable, Hashable {
    /// The point of the scenario, in one line.
    public var title = ""
    /// The lesson or curriculum id it belongs to.
    public var lesson: String?
    /// How demanding it is, from 1.
    public var level: Int?
    /// Seed documents, RFC sections and incidents.
    public var sources: [String] = []
    /// A claim that sources disagree on; nil if they agree.
    public var disputed: Dispute?
    /// The introduction before the run; nil if the file has none.
    public var before: String?
    /// The explanation after the run; nil if the file has none.
    public var after: String?
    /// The validator bugs that it catches.
    public var kills: [String] = []
  }
}

extension Scenario {
  /// The same case with `value` laid over the node at `path`, without its expectation.
  ///
  /// - Parameters:
  ///   - path: the path of the changed value.
  ///   - value: the new value.
  ///   - others: cases of the same file, which may use names that this case no longer uses.
  /// - Throws: `Diagnostics` if the result is not a valid scenario.
  public func changing(
    _ path: ScenarioPath, to value: Node, beside others: [Scenario] = []
  ) throws(Diagnostics) -> Scenario {
    let change = try tree.change(to: value, at: path, marks: path.segments.map { _ in value.mark })
    return try changing(change, beside: others)
  }

  /// The same case with `change` laid over its tree, without its expectation.
  ///
  /// - Parameters:
  ///   - change: the difference, written like a row of a file.
  ///   - others: cases of the same file, which may use names that this case no longer uses.
  /// - Throws: `Diagnostics` if the result is not a valid scenario.
  public func changing(_ change: Node, beside others: [Scenario] = []) throws(Diagnostics) -> Scenario {
    let location = ScenarioLocation(path: file)
    let sink = DiagnosticSink(lines: [:], folder: location.folder)
    let row = CaseRow(
      name: caseName, tree: tree.laidOver(by: change), expect: nil, sibling: nil, removed: removed.adding(change))
    let changed = CaseReading(location: location, epoch: epoch, row: row, sink: sink).scenario()
    if let changed { ReferenceCheck(cases: others + [changed], file: file, sink: sink).run() }
    _ = try sink.finish()
    guard let changed else { throw Diagnostics("the changed scenario cannot be read", at: change.mark) }
    return changed
  }
}

/// A parsed scenario file: its cases, the file itself first.
public struct ScenarioFile: Sendable {
  /// The file's name without its extension.
  public let id: String
  /// The file as the user named it.
  public let path: String
  /// The case `main`, then the rows of `cases`, then those of a `sweep`.
  public let cases: [Scenario]
  /// Problems that are not errors.
  public let warnings: [Diagnostic]
  /// The file's own tree, without the baseline.
  public let root: Node
  /// The file's lines.
  public let lines: [String]

  /// The same diagnostics with the lines of this file at their marks.
  public func showing(_ diagnostics: Diagnostics) -> Diagnostics {
    Diagnostics(
      diagnostics.all.map { diagnostic in
        guard let mark = diagnostic.mark, mark.file == path, diagnostic.line == nil,
          lines.indices.contains(mark.line - 1)
        else { return diagnostic }
        return Diagnostic(
          diagnostic.message, hint: diagnostic.hint, at: mark, line: lines[mark.line - 1], severity: diagnostic.severity
        )
      })
  }

  /// The line of the row called `name`, else of the file's expectation or sweep; from 1.
  func line(ofCase name: String) -> Int {
    let row = root["cases"]?.items?.first { row in
      if case .scalar(name, _, _)? = row["name"] { true } else { false }
    }
    let key = name == Scenario.mainCase ? "expect" : "sweep"
    return (row?.mark ?? root.entries?.first { $0.key == key }?.mark)?.line ?? 1
  }

  /// The case called `name`; nil if there is none.
  public func scenario(named name: String) -> Scenario? { cases.first { $0.caseName == name } }
}

extension Scenario {
  /// Whether the case exercises a word.
  ///
  /// The word is an expected rule or error, a SecTrustResultType, or a key of the file's App Transport Security
  /// dictionary.
  public func exercises(_ word: String) -> Bool {
    let expectations = ([expectation] + connections.map(\.expectation)).compactMap { $0 }
    return expectations.contains { $0.names(word) } || tree["client"]?["infoPlist"]?.hasKey(word) == true
      || later.contains { $0.exercises(word) }
  }
}

extension Expectation {
  fileprivate func names(_ word: String) -> Bool {
    if (because ?? []).contains(word) || (overridden ?? []).contains(word) || trustResult == word { return true }
    if connections.values.contains(where: { $0.names(word) }) { return true }
    return (errors ?? []).contains { [$0.description, $0.name, "\($0.code)"].contains(word) }
  }
}

extension Node {
  /// Whether it, or a node below it, is a map with this key.
  fileprivate func hasKey(_ key: String) -> Bool {
    (entries ?? []).contains { $0.key == key || $0.value.hasKey(key) }
  }
}
