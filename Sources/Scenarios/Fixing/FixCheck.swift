import Explanation
import Simulator
import URLLoading

/// Plays the printed fix of each deciding finding in a case, and checks whether it removes the finding.
public struct FixCheck: Sendable {
  /// One part of a printed fix, and the result of carrying it out.
  public struct Trial: Sendable {
    /// The possible results.
    public enum Result: String, Sendable, Hashable, CaseIterable {
      /// The finding no longer decides.
      case removed
      /// The finding still decides: the fix is wrong.
      case remains
      /// Another rule decides before the finding's rule can: the change proves nothing.
      case hidden
      /// The scenario language cannot express the part.
      case notPlayed = "not-played"
    }

    /// The finding.
    public let finding: Finding
    /// The part of the printed fix; empty if no remedy covers a part of it.
    public let words: String
    /// The lines that carry it out.
    public let changes: [String]
    /// The result.
    public let result: Result
    /// The reason why the part was not played, or the rule that hides the finding.
    public let reason: String?
    /// The verdict of the changed case; nil if it was not played.
    public let verdict: Verdict?
    /// Rules that decide in the changed case, but not in the original.
    public let new: [Rule]

    /// Whether the trial shows that the printed fix is wrong.
    public var isFalse: Bool { result == .remains || result == .hidden }
    /// Whether the finding is gone, but another rule now refuses the connection.
    public var leadsOn: Bool { result == .removed && !new.isEmpty && verdict?.word != .accepted }
  }

  /// A finding that decides, and the trials of its fix.
  public struct Entry: Sendable {
    /// The finding.
    public let finding: Finding
    /// The name of the load that it decides; nil if the case has one load.
    public let load: String?
    /// One trial for each part of its fix that applies to this case; never empty.
    public let trials: [Trial]

    /// Whether a part of the fix was played.
    public var isPlayed: Bool { trials.contains { $0.result != .notPlayed } }
  }

  /// The place of the changed lines.
  static let mark = SourceMark(file: Assignment.place, line: 1, column: 1)

  let player: ScenarioPlayer
  let remedies: [Remedy]

  /// Creates a check that plays cases with `player`.
  public init(player: ScenarioPlayer) { self.init(player: player, remedies: Remedy.all) }

  /// Creates a check of these remedies only.
  init(player: ScenarioPlayer, remedies: [Remedy]) {
    self.player = player
    self.remedies = remedies
  }

  /// The deciding findings in `scenario`, a case of `file`, each with the trials of its fix.
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

  /// The trial of one part; nil if it does not apply to this case.
  private func trial(
    of remedy: Remedy, _ context: FixContext, _ scenario: Scenario, _ file: ScenarioFile, _ before: Deciding
  ) -> Trial? {
    let finding = context.finding
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

/// The subject of a finding, and its load.
private struct Place: Hashable {
  let subject: Finding.Subject
  let load: String?

  init(_ subject: Finding.Subject, _ load: Outcome) { (self.subject, self.load) = (subject, load.name) }
}

/// The deciding findings of a run, each once, with its load.
private struct Deciding {
  let all: [(finding: Finding, load: Outcome, date: (place: Int, clock: Instant))]
  let outcome: Outcome

  var rules: [Rule] { all.map(\.finding.rule) }

  func places(of rule: Rule) -> Set<Place> {
    Set(all.filter { $0.finding.rule == rule }.map { Place($0.finding.subject, $0.load) })
  }

  /// Whether the run checked the rule or passed the point of its check. It passed if the app got a challenge, or a
  /// request reached the server.
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
  /// The same case with these lines `PATH = VALUE` applied in order, without its expectation.
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
