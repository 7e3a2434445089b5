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

/// What a run of tests plays: every case once, siblings included, whoever asks for it.
struct TestPlan {
  /// An entry of the run to be.
  enum Item {
    /// The case at this index of `scenarios`, its file, and the sibling it leans on, when it has one.
    case scenario(Int, ScenarioFile, Sibling?)
    case unreadable(path: String, Diagnostics)
  }

  /// The accepted case that a refused one differs from.
  struct Sibling {
    let name: String
    /// Its index in `scenarios`; nil when there is no such case.
    let index: Int?
  }

  /// The entries, in order.
  private(set) var items: [Item] = []
  /// The cases to play, none twice.
  private(set) var scenarios: [Scenario] = []
  private var indices: [String: Int] = [:]

  init(
    _ sources: [TestRun.Source], shard: Shard, isWanted: (Scenario) -> Bool, elsewhere: (String) -> ScenarioFile?
  ) {
    let files = sources.compactMap { source -> ScenarioFile? in
      if case .file(let file) = source { return file }
      return nil
    }
    var position = 0
    for source in sources {
      switch source {
      case .unreadable(let path, let diagnostics):
        if shard.has(position) { items.append(.unreadable(path: path, diagnostics)) }
        position += 1
      case .file(let file):
        for scenario in file.cases where isWanted(scenario) {
          if shard.has(position) { add(scenario, of: file, files: files, elsewhere: elsewhere) }
          position += 1
        }
      }
    }
  }

  private mutating func add(
    _ scenario: Scenario, of file: ScenarioFile, files: [ScenarioFile], elsewhere: (String) -> ScenarioFile?
  ) {
    let own = index(of: scenario)
    let sibling = Self.sibling(of: scenario, in: file, files: files, elsewhere: elsewhere)
    let leaned = sibling.map { Sibling(name: $0.name, index: index(of: $0)) }
    let missing = scenario.expectsAcceptance ? nil : scenario.sibling.map { Sibling(name: $0, index: nil) }
    items.append(.scenario(own, file, leaned ?? missing))
  }

  private mutating func index(of scenario: Scenario) -> Int {
    let key = "\(scenario.file)/\(scenario.caseName)"
    if let known = indices[key] { return known }
    indices[key] = scenarios.count
    scenarios.append(scenario)
    return scenarios.count - 1
  }

  /// The case it names, else the first accepted one of its file.
  private static func sibling(
    of scenario: Scenario, in file: ScenarioFile, files: [ScenarioFile], elsewhere: (String) -> ScenarioFile?
  ) -> Scenario? {
    guard !scenario.expectsAcceptance else { return nil }
    guard let name = scenario.sibling else { return file.cases.first { $0.expectsAcceptance } }
    if let own = file.scenario(named: name) { return own }
    let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
    guard let id = parts.first else { return nil }
    let other = files.first { $0.id == id } ?? elsewhere(id)
    if parts.count == 2 { return other?.scenario(named: parts[1]) }
    return other?.cases.first { $0.expectsAcceptance }
  }
}

extension Scenario {
  /// Whether every expectation of the case is that the client accepts.
  public var expectsAcceptance: Bool {
    ([expectation] + connections.map(\.expectation)).allSatisfy { $0?.expectsAcceptance ?? true }
  }
}

/// A part of a run of tests: of every `count` cases one, so that all parts together have every case once.
public struct Shard: Sendable, Hashable {
  /// Which part, from 0.
  public let index: Int
  /// How many parts there are.
  public let count: Int

  /// Part `index` of `count`; nil where there is no such part.
  public init?(index: Int, count: Int) {
    guard count > 0, (0..<count).contains(index) else { return nil }
    self.index = index
    self.count = count
  }

  /// A part as `--shard` writes it, counted from 1: `2/3`; nil when it is none.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in part.utf8.allSatisfy { (48...57).contains($0) } ? Int(part) : nil }
    guard parts.count == 2, numbers.count == 2, numbers[0] > 0 else { return nil }
    self.init(index: numbers[0] - 1, count: numbers[1])
  }

  /// Everything.
  public static let whole = Shard(whole: ())

  private init(whole: Void) { (index, count) = (0, 1) }

  /// Whether the case at `position` falls to this part.
  func has(_ position: Int) -> Bool { position % count == index }
}
