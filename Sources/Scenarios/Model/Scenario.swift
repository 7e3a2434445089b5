import Cryptography
import Explanation
import Simulator
import Trust
import URLLoading

/// One case of a scenario file, with everything it left out taken from the baseline.
public struct Scenario: Sendable, CustomStringConvertible, CustomReflectable {
  /// The file's name without its extension: `L1-15`.
  public let id: String
  /// The case's name; the file alone is `main`.
  public let caseName: String
  /// The file as the user named it.
  public let file: String
  /// What it is about, where it belongs and what it rests on.
  public let about: About
  /// The day on which the (first) connection happens.
  public let clock: Instant
  /// The day the hierarchy is dated by: the file's own clock, which a case's clock does not move.
  public let epoch: Instant
  /// Where randomness comes from.
  public let seed: Seed
  /// The CA hierarchy, in the order of the file.
  public let authorities: [CertificateDescription]
  /// Certificates that are not authorities, in the order of the file.
  public let certificates: [CertificateDescription]
  /// The logs of certificates of which something is said, by name.
  public let logs: [String: LogDescription]
  /// The servers there are.
  public let servers: [ServerDescription]
  /// What happens on the network and to secrets.
  public let network: [NetworkVerb]
  /// The third parties against whom the goals are tried.
  public let attackers: AttackersDescription
  /// What is loaded, in order; none in a calculation. A `request` is one connection.
  public let connections: [ConnectionDescription]
  /// The same case on later dates, with what has changed by then; empty for a scenario of one date.
  public let later: [Scenario]
  /// What is calculated; nil where connections are made.
  public let calculation: CalculationPlan?
  /// Where the lines of the calculation stand.
  let calculationLines: [Node]
  /// What must come out of the whole; nil when the file does not say.
  public let expectation: Expectation?
  /// The accepted case this one differs from in one line, when it is named.
  public let sibling: String?
  /// Where that name stands.
  public let siblingMark: SourceMark?
  /// The tree this case was read from: the baseline with the file and the row laid over it.
  public let tree: Node
  /// What was taken away from it, and where.
  let removed: Removals

  /// `L1-15`, or `L1-15/iOS 8 has no ATS` for a row.
  public var name: String { caseName == Scenario.mainCase ? id : "\(id)/\(caseName)" }

  /// The name, which is what a test of it is called by.
  public var description: String { name }

  /// Nothing beside the description: a test that fails would show the whole tree.
  public var customMirror: Mirror { Mirror(self, children: []) }

  /// The case on all its dates, the first one first.
  public var dates: [Scenario] { [self] + later }

  /// How many of its expectations a program wrote that nobody has reviewed.
  public var unreviewedCount: Int {
    let own = [expectation] + connections.map(\.expectation) + later.map(\.expectation)
    return own.compactMap { $0?.unreviewedCount }.reduce(0, +)
  }

  /// The name of the case that is the file alone.
  public static let mainCase = "main"

  /// What a scenario is about, where it belongs and what it rests on.
  public struct About: Sendable, Hashable {
    /// One line that says what the scenario shows.
    public var title = ""
    /// The lesson or curriculum id it belongs to.
    public var lesson: String?
    /// How demanding it is, from 1.
    public var level: Int?
    /// Seed documents, RFC sections and incidents.
    public var sources: [String] = []
    /// A claim that sources disagree on; nil where they agree.
    public var disputed: Dispute?
    /// What a reader should know before the run; nil where the file has no words.
    public var before: String?
    /// What the run has shown, once it was played; nil where the file has no words.
    public var after: String?
    /// Validator bugs it catches.
    public var kills: [String] = []
  }
}

extension Scenario {
  /// The same case with `value` laid over what stands at `path`, without the expectation that was made for the other.
  ///
  /// - Parameters:
  ///   - path: what is changed.
  ///   - value: what it is changed to.
  ///   - others: cases of the same file, which may use what this one uses no more.
  /// - Throws: `Diagnostics` when the scenario would no longer be one.
  public func changing(
    _ path: ScenarioPath, to value: Node, beside others: [Scenario] = []
  ) throws(Diagnostics) -> Scenario {
    let change = try tree.change(to: value, at: path, marks: path.segments.map { _ in value.mark })
    return try changing(change, beside: others)
  }

  /// The same case with `change` laid over its tree, without the expectation that was made for the other.
  ///
  /// - Parameters:
  ///   - change: the difference, as a row of a file says it.
  ///   - others: cases of the same file, which may use what this one uses no more.
  /// - Throws: `Diagnostics` when the scenario would no longer be one.
  public func changing(_ change: Node, beside others: [Scenario] = []) throws(Diagnostics) -> Scenario {
    let location = ScenarioLocation(path: file)
    let sink = DiagnosticSink(lines: [:], folder: location.folder)
    let row = CaseRow(
      name: caseName, tree: tree.laidOver(by: change), expect: nil, sibling: nil, removed: removed.adding(change))
    let changed = CaseReading(location: location, epoch: epoch, row: row, sink: sink).scenario()
    if let changed { ReferenceCheck(cases: others + [changed], file: file, sink: sink).run() }
    _ = try sink.finish()
    guard let changed else { throw Diagnostics("the scenario cannot be read any more", at: change.mark) }
    return changed
  }
}

/// A scenario file that was read: its cases, the file alone first.
public struct ScenarioFile: Sendable {
  /// The file's name without its extension.
  public let id: String
  /// The file as the user named it.
  public let path: String
  /// The case `main`, then the rows of `cases`, then those of a `sweep`.
  public let cases: [Scenario]
  /// What is odd in it, without being wrong.
  public let warnings: [Diagnostic]
  /// The file's own tree, without the baseline.
  public let root: Node
  /// The file's lines.
  public let lines: [String]

  /// The same diagnostics with the lines of this file that they point at.
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

  /// The line of the row called `name`, else that of what the file expects or that of its sweep; from 1.
  func line(ofCase name: String) -> Int {
    let row = root["cases"]?.items?.first { row in
      if case .scalar(name, _, _)? = row["name"] { true } else { false }
    }
    let key = name == Scenario.mainCase ? "expect" : "sweep"
    return (row?.mark ?? root.entries?.first { $0.key == key }?.mark)?.line ?? 1
  }

  /// The case called `name`, nil when there is none.
  public func scenario(named name: String) -> Scenario? { cases.first { $0.caseName == name } }
}

extension Scenario {
  /// Whether the case exercises a word: a rule or an error that it expects, a SecTrustResultType, or a key of App
  /// Transport Security in the dictionary that stands in the file.
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
  /// Whether it, or anything below it, is a map with this key.
  fileprivate func hasKey(_ key: String) -> Bool {
    (entries ?? []).contains { $0.key == key || $0.value.hasKey(key) }
  }
}
