/// Plays every case of some files; a refusal whose accepted sibling fails proves nothing and is skipped.
public struct TestRun: Sendable {
  /// One case: what came of it, or why it could not be played.
  public enum Entry: Sendable {
    /// The case was played.
    case played(CaseResult)
    /// A file that the case names cannot be used.
    case unplayable(Scenario, Diagnostics)
    /// The scenario file at this path cannot be read, whatever cases it has.
    case unreadable(path: String, Diagnostics)

    /// The scenario's id: the file's name without its extension.
    public var id: String {
      switch self {
      case .played(let result): result.scenario.id
      case .unplayable(let scenario, _): scenario.id
      case .unreadable(let path, _): ScenarioLocation(path: path).id
      }
    }

    /// The case's name; `main` for a file that cannot be read.
    public var caseName: String {
      switch self {
      case .played(let result): result.scenario.caseName
      case .unplayable(let scenario, _): scenario.caseName
      case .unreadable: Scenario.mainCase
      }
    }

    /// `L1-15`, or `L1-15/iOS 8 has no ATS` for a row.
    public var name: String { caseName == Scenario.mainCase ? id : "\(id)/\(caseName)" }

    /// The file as the user named it.
    public var file: String {
      switch self {
      case .played(let result): result.scenario.file
      case .unplayable(let scenario, _): scenario.file
      case .unreadable(let path, _): path
      }
    }

    /// The test's result; what cannot be played has failed.
    public var result: Judgement.Result {
      if case .played(let result) = self { return result.judgement.result }
      return .failed
    }

    /// Why the case could not be played; nil when it was.
    public var obstacle: Diagnostics? {
      switch self {
      case .played: nil
      case .unplayable(_, let diagnostics), .unreadable(_, let diagnostics): diagnostics
      }
    }
  }

  /// What is tested: a file that was read, or one that was not.
  public enum Source: Sendable {
    /// Its cases are played.
    case file(ScenarioFile)
    /// It stands for one case that cannot be played.
    case unreadable(path: String, Diagnostics)
  }

  /// Every case in the order of the files.
  public private(set) var entries: [Entry] = []

  /// Plays every case of `files` that `isWanted`, one after the other.
  public init(_ files: [ScenarioFile], player: ScenarioPlayer, isWanted: (Scenario) -> Bool = { _ in true }) {
    self.init(files.map { .file($0) }, player: player, isWanted: isWanted)
  }

  /// Plays the cases of `sources` that `isWanted` and that fall to `shard`, on `jobs` threads at once.
  ///
  /// The entries are the same for every number of threads, and in the same order.
  ///
  /// - Parameters:
  ///   - sibling: finds the file of a sibling that is not among `sources`, by its id.
  ///   - progress: told how many cases of how many have been played, by one thread at a time.
  public init(
    _ sources: [Source], player: ScenarioPlayer, jobs: Int = 1, shard: Shard = .whole,
    isWanted: (Scenario) -> Bool = { _ in true }, sibling: (String) -> ScenarioFile? = { _ in nil },
    progress: @Sendable (Int, Int) -> Void = { _, _ in }
  ) {
    let plan = TestPlan(sources, shard: shard, isWanted: isWanted, elsewhere: sibling)
    let played = ParallelMap.results(of: plan.scenarios, jobs: jobs, progress: progress) { scenario -> Entry in
      do throws(Diagnostics) { return .played(try player.play(scenario)) } catch {
        return .unplayable(scenario, error)
      }
    }
    entries = plan.items.map { item in
      switch item {
      case .unreadable(let path, let diagnostics): .unreadable(path: path, diagnostics)
      case .scenario(let index, let file, let sibling):
        Self.entry(played[index], of: file, sibling: sibling.map { ($0, $0.index.map { played[$0].result }) })
      }
    }
  }

  /// How many cases have this result.
  public func count(_ result: Judgement.Result) -> Int { entries.count { $0.result == result } }

  private static func entry(
    _ entry: Entry, of file: ScenarioFile, sibling: (TestPlan.Sibling, Judgement.Result?)?
  ) -> Entry {
    if case .unplayable(let scenario, let diagnostics) = entry {
      return .unplayable(scenario, file.showing(diagnostics))
    }
    guard case .played(var result) = entry, let sibling, let reason = doubt(sibling.0, sibling.1) else { return entry }
    result.judgement = Judgement(skippedBecause: reason)
    return .played(result)
  }

  /// Why a refused case proves nothing; nil when its sibling passed.
  private static func doubt(_ sibling: TestPlan.Sibling, _ result: Judgement.Result?) -> String? {
    guard let result else { return "its sibling \(sibling.name) is not found" }
    return result == .failed ? "its sibling \(sibling.name) failed" : nil
  }
}
