import Explanation
import Simulator
import URLLoading

/// Applies the printed fix of each deciding finding to its case, and checks whether the finding disappears.
public struct FixCheck: Sendable {
  /// One part of a printed fix, and the result of applying it.
  public struct Trial: Sendable {
    /// The possible results of a trial.
    public enum Result: String, Sendable, Hashable, CaseIterable {
      /// The finding no longer decides, so the fix is right.
      case removed
      /// The finding still decides, so the fix is wrong.
      case remains
      /// Another rule decides before the finding's rule is checked, so the trial proves nothing.
      case hidden
      /// The scenario language cannot express this part of the fix.
      case notPlayed = "not-played"
    }

    /// The finding that the fix must remove.
    public let finding: Finding
    /// The part of the printed fix; empty if no remedy covers any part of the fix.
    public let words: String
    /// The scenario lines that apply the part.
    public let changes: [String]
    /// The result of the trial.
    public let result: Result
    /// The reason why the part was not applied, or the rule that hides the finding.
    public let reason: String?
    /// The verdict of the changed case; nil if the case was not played.
    public let verdict: Verdict?
    /// The rules that decide in the changed case, but not in the original case.
    public let new: [Rule]

    /// Whether the trial shows that the printed fix is wrong.
    public var isFalse: Bool { result == .remains || result == .hidden }
    /// Whether the finding is gone, but another rule now refuses the connection.
    public var leadsOn: Bool { result == .removed && !new.isEmpty && verdict?.word != .accepted }
  }

  /// A finding that decides, and the trials of its fix.
  public struct Entry: Sendable {
    /// The finding that decides the case.
    public let finding: Finding
    /// The name of the load with the finding; nil if the case has one load.
    public let load: String?
    /// One trial for each part of the fix that applies to this case; never empty.
    public let trials: [Trial]

    /// Whether at least one part of the fix was applied.
    public var isPlayed: Bool { trials.contains { $0.result != .notPlayed } }
  }

  /// The place that diagnostics report for the changed lines.
  static let mark = SourceMark(file: Assignment.place, line: 1, column: 1)

  let player: ScenarioPlayer
  let remedies: [Remedy]

  /// Creates a check that plays cases with `player` and uses all remedies.
  public init(player: ScenarioPlayer) { self.init(player: player, remedies: Remedy.all) }

  /// Creates a check that uses only these remedies.
  init(player: ScenarioPlayer, remedies: [Remedy]) {
    self.player = player
    self.remedies = remedies
  }

  /// Returns each deciding finding of `scenario`, a case of `file`, with the trials of its fix.
  ///
  /// - Throws: `Diagnostics` if the case itself cannot be played.
  public func entries(of scenario: Scenario, in file: ScenarioFile) throws(Diagnostics) -> [Entry] {
    let before = Deciding(try player.play(scenario))
    return before.all.map { item in
      let context = FixContext(tree: scenario.tree, finding: item.finding, load: item.load, date: item.date)
      let parts = remedies.filter { $0.isPart(of: item.finding) }
      let trials = parts.compactMap { trial(of: $0, context, scenario, file, before) }
      let reason = parts.isEmpty ? "no remedy covers this fix" : "no part of the fix applies to this case"
      return Entry(
        finding: item.finding, load: item.load.name,
        trials: trials.isEmpty ? [.notPlayed(item.finding, "", reason)] : trials)
    }
  }

  /// Returns the trial of one part; nil if the part does not apply to this case.
  private func trial(
    of remedy: Remedy, _ context: FixContext, _ scenario: Scenario, _ file: ScenarioFile, _ before: Deciding
  ) -> Trial? {
    let finding = context.finding
    if !remedy.repairsDeviation, let deviation = scenario.deviation {
      return .notPlayed(finding, remedy.words, deviation)
    }
    let lines: [String]
    do throws(NotPlayable) { lines = try remedy.changes(context) } catch {
      return .notPlayed(finding, remedy.words, error.reason)
    }
    guard !lines.isEmpty else { return nil }
    do throws(Diagnostics) {
      let changed = try scenario.changing(lines: lines, beside: file.cases)
      return Trial(context, remedy.words, lines, before, Deciding(try player.play(changed)))
    } catch {
      return .notPlayed(finding, remedy.words, error.all.first?.message ?? "the change cannot be read", lines)
    }
  }
}

extension Scenario {
  /// The reason why only a repair removes the finding; nil if no endpoint deviates from TLS on purpose.
  fileprivate var deviation: String? {
    let deviates =
      servers.contains { !$0.misbehaviors.isEmpty } || connections.contains { !$0.client.misbehaviors.isEmpty }
    return deviates ? "an endpoint deviates from TLS on purpose" : nil
  }
}

extension FixCheck.Trial {
  fileprivate static func notPlayed(_ finding: Finding, _ words: String, _ reason: String, _ changes: [String] = [])
    -> Self
  {
    Self(
      finding: finding, words: words, changes: changes, result: .notPlayed, reason: reason, verdict: nil, new: [])
  }

  fileprivate init(
    _ context: FixContext, _ words: String, _ changes: [String], _ before: Deciding, _ after: Deciding
  ) {
    let finding = context.finding
    let new = after.rules.filter { !before.rules.contains($0) }
    let (own, places) = (Place(finding.subject, context.load), before.places(of: finding.rule))
    let remains = after.places(of: finding.rule).contains { $0 == own || !places.contains($0) }
    let earlier = after.checked(finding.rule) ? nil : new.first { $0.layer < finding.rule.layer }
    self.finding = finding
    self.words = words
    self.changes = changes
    result = remains ? .remains : earlier == nil ? .removed : .hidden
    reason = remains ? nil : earlier.map { "\($0.id) decides before it" }
    verdict = after.outcome.verdict
    self.new = new
  }
}

/// The subject of a finding and the load that has the finding.
private struct Place: Hashable {
  let subject: Finding.Subject
  let load: String?

  init(_ subject: Finding.Subject, _ load: Outcome) { (self.subject, self.load) = (subject, load.name) }
}

/// The deciding findings of a run with their loads, each listed once.
private struct Deciding {
  let all: [(finding: Finding, load: Outcome, date: (place: Int, clock: Instant))]
  let outcome: Outcome

  var rules: [Rule] { all.map(\.finding.rule) }

  func places(of rule: Rule) -> Set<Place> {
    Set(all.filter { $0.finding.rule == rule }.map { Place($0.finding.subject, $0.load) })
  }

  /// Returns whether the run checked the rule or continued after its check. The run continued if the app received a
  /// challenge or a request reached the server.
  func checked(_ rule: Rule) -> Bool {
    outcome.findings.contains { $0.rule == rule } || rule.layer == .challenge && !outcome.challenges.isEmpty
      || (rule.layer == .clientAuth || rule == .noHTTPScheme) && outcome.hasReachedServer == true
  }

  init(_ result: CaseResult) {
    let loads = Outcome.loads(result.connections)
    let dates = result.scenario.dates.enumerated().flatMap { place, date in
      Array(repeating: (place: place, clock: date.clock), count: date.connections.count)
    }
    var seen: Set<[AnyHashable]> = []
    outcome = result.outcome
    all = loads.enumerated().flatMap { place, load in
      load.findings.settled.filter(\.refuses).map {
        (finding: $0, load: load, date: dates.indices.contains(place) ? dates[place] : (0, result.scenario.clock))
      }
    }.filter { seen.insert([$0.finding.rule, Place($0.finding.subject, $0.load)]).inserted }
  }
}

extension Scenario {
  /// Returns this case after applying the lines `PATH = VALUE` in order, without its expectation.
  ///
  /// - Throws: `Diagnostics` if a line cannot be read, or the result is not a valid scenario.
  func changing(lines: [String], beside others: [Scenario]) throws(Diagnostics) -> Scenario {
    var (tree, removed) = (tree, removed)
    for line in lines {
      let change = try Assignment(reading: line).change(in: tree)
      tree = tree.laidOver(by: change)
      removed = removed.adding(change)
    }
    let location = ScenarioLocation(path: file)
    let sink = DiagnosticSink(lines: [:], folder: location.folder)
    let row = CaseRow(name: caseName, tree: tree, expect: nil, sibling: nil, removed: removed)
    let changed = CaseReading(location: location, epoch: epoch, row: row, sink: sink).scenario()
    if let changed { ReferenceCheck(cases: others + [changed], file: file, sink: sink).run() }
    _ = try sink.finish()
    guard let changed else { throw Diagnostics("the changed case is not a valid scenario", at: FixCheck.mark) }
    return changed
  }
}
