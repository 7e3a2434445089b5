import Cryptography
import Explanation
import Simulator
import Trust
import URLLoading

/// One case of a scenario file, with its defaults from the baseline.
public struct Scenario: Sendable, CustomStringConvertible, CustomReflectable {
  /// The name of the file without its extension: `L1-15`.
  public let id: String
  /// The name of the case. The case of the file itself is `main`.
  public let caseName: String
  /// The file name as the user wrote it.
  public let file: String
  /// The title, lesson and sources of the scenario.
  public let about: About
  /// The time of the first connection.
  public let clock: Instant
  /// The time from which the hierarchy is dated: the file's own clock, independent of a case's clock.
  public let epoch: Instant
  /// The seed of all random values.
  public let seed: Seed
  /// The CAs of the scenario, in the order of the file.
  public let authorities: [CertificateDescription]
  /// The certificates that are not CAs, in the order of the file.
  public let certificates: [CertificateDescription]
  /// The described CT logs, by name.
  public let logs: [String: LogDescription]
  /// The servers of the scenario.
  public let servers: [ServerDescription]
  /// The events on the network, including leaks of secrets.
  public let network: [NetworkVerb]
  /// The third parties that try to reach the attackers' goals.
  public let attackers: AttackersDescription
  /// The loads in order; empty in a calculation. A `request` in the file is a single load.
  public let connections: [ConnectionDescription]
  /// This case on later dates, with the changes of each date; empty for a scenario of one date.
  public let later: [Scenario]
  /// The calculation; nil if the case makes connections instead.
  public let calculation: CalculationPlan?
  /// The lines of the calculation, as nodes of the file.
  let calculationLines: [Node]
  /// The expectation for the whole case; nil if the file has none.
  public let expectation: Expectation?
  /// The name of the accepted case that differs from this one in one line; nil if the file names none.
  public let sibling: String?
  /// The place where the file names the sibling.
  public let siblingMark: SourceMark?
  /// The tree of this case: the baseline with the file and the row merged into it.
  public let tree: Node
  /// The values that the file or the row removed from the tree, with their places.
  let removed: Removals

  /// The name of the case with its file: `L1-15`, or `L1-15/iOS 8 has no ATS` for a row.
  public var name: String { caseName == Scenario.mainCase ? id : "\(id)/\(caseName)" }

  /// The name of the case, which is also the name of its test.
  public var description: String { name }

  /// An empty mirror, because a failed test would otherwise print the whole tree.
  public var customMirror: Mirror { Mirror(self, children: []) }

  /// The case on each of its dates, in order.
  public var dates: [Scenario] { [self] + later }

  /// The number of the case's expectations that a program wrote and no person has reviewed.
  public var unreviewedCount: Int {
    let own = [expectation] + connections.map(\.expectation) + later.map(\.expectation)
    return own.compactMap { $0?.unreviewedCount }.reduce(0, +)
  }

  /// The name of the case of the file itself.
  public static let mainCase = "main"

  /// The title, lesson and sources of a scenario.
  public struct About: Sendable, Hashable {
    /// The point of the scenario, in one line.
    public var title = ""
    /// The id of the lesson or curriculum that the scenario belongs to.
    public var lesson: String?
    /// The difficulty of the scenario, from 1.
    public var level: Int?
    /// The seed documents, RFC sections and incidents that the scenario is based on.
    public var sources: [String] = []
    /// A claim on which the sources disagree; nil if they agree.
    public var disputed: Dispute?
    /// The introduction that is printed before the run; nil if the file has none.
    public var before: String?
    /// The explanation that is printed after the run; nil if the file has none.
    public var after: String?
    /// The validator bugs that the scenario detects.
    public var kills: [String] = []
  }
}

extension Scenario {
  /// Returns this case with `value` merged into the node at `path`, without its expectation.
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

  /// Returns this case with `change` merged into its tree, without its expectation.
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

/// A parsed scenario file with its cases. The case of the file itself is the first.
public struct ScenarioFile: Sendable {
  /// The name of the file without its extension.
  public let id: String
  /// The file name as the user wrote it.
  public let path: String
  /// The case `main`, followed by the rows of `cases` and then those of a `sweep`.
  public let cases: [Scenario]
  /// The problems of the file that are not errors.
  public let warnings: [Diagnostic]
  /// The tree of the file itself, without the baseline.
  public let root: Node
  /// The lines of the file.
  public let lines: [String]

  /// Returns these diagnostics with the lines of this file at their marks.
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

  /// Returns the line of the row called `name`, or else of the file's expectation or sweep; from 1.
  func line(ofCase name: String) -> Int {
    let row = root["cases"]?.items?.first { row in
      if case .scalar(name, _, _)? = row["name"] { true } else { false }
    }
    let key = name == Scenario.mainCase ? "expect" : "sweep"
    return (row?.mark ?? root.entries?.first { $0.key == key }?.mark)?.line ?? 1
  }

  /// Returns the case called `name`; nil if there is none.
  public func scenario(named name: String) -> Scenario? { cases.first { $0.caseName == name } }
}

extension Scenario {
  /// Returns whether the case exercises a rule, error, result or key.
  ///
  /// `word` is an expected rule or error, a SecTrustResultType, or a key of the file's App Transport Security
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
  /// Returns whether this node, or a node below it, is a map with this key.
  fileprivate func hasKey(_ key: String) -> Bool {
    (entries ?? []).contains { $0.key == key || $0.value.hasKey(key) }
  }
}
