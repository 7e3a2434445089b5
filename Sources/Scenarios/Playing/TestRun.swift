import Foundation
import Simulator
import Synchronization

/// Runs every case of some files in parallel, and reports each result after all previous results.
///
/// If a refusal is expected and its accepted sibling fails, the case proves nothing and is skipped.
///
/// The run reads files on demand and only keeps the verdict and the judgement of each case. Memory use does not grow
/// with the number of cases.
public struct TestRun: Sendable {
  /// The source of the cases of one file.
  public enum Source: Sendable {
    /// The cases of a parsed file.
    case file(ScenarioFile)
    /// The cases of the file at this path.
    case path(String)

    /// The id of the source's scenario.
    var id: String {
      switch self {
      case .file(let file): file.id
      case .path(let path): ScenarioLocation(path: path).id
      }
    }
  }

  /// A case with its result, or with the reason why it could not be run.
  public struct Entry: Sendable {
    /// The way in which a case ended.
    public enum Ending: Sendable {
      /// The case was run. It has the client's verdict and a comparison with the expectation.
      case judged(Verdict, Judgement)
      /// A file that the case names cannot be used.
      case unplayable(Diagnostics)
      /// The scenario file itself cannot be read.
      case unreadable(Diagnostics)
    }

    /// The id of the scenario, which is the name of the file without its extension.
    public let id: String
    /// The name of the case; `main` for a file that cannot be read.
    public let caseName: String
    /// The file name as the user wrote it.
    public let file: String
    /// The way in which the case ended.
    public internal(set) var ending: Ending
    /// The accepted sibling of a refused case.
    public internal(set) var sibling: Sibling?
    /// The duration of the case, measured by the clock of the run.
    public let duration: Duration
    /// The line of the case's expectation in the file, or of its row; from 1.
    public var line = 1
    /// The number of unreviewed expectations of the case.
    public var unreviewed = 0
    /// The warnings about the case's file.
    public var warnings: [Diagnostic] = []

    /// The name of the case with its file: `L1-15`, or `L1-15/iOS 8 has no ATS` for a row.
    public var name: String { caseName == Scenario.mainCase ? id : "\(id)/\(caseName)" }

    /// The result of the test. A case that cannot be played has failed.
    public var result: Judgement.Result {
      if case .judged(_, let judgement) = ending { return judgement.result }
      return .failed
    }

    /// The client's verdict; nil if the case was not played.
    public var verdict: Verdict? { if case .judged(let verdict, _) = ending { verdict } else { nil } }

    /// The comparison with the expectation; nil if the case was not played.
    public var judgement: Judgement? { if case .judged(_, let judgement) = ending { judgement } else { nil } }

    /// The reason why the case could not be played; nil if it was played.
    public var obstacle: Diagnostics? {
      switch ending {
      case .judged: nil
      case .unplayable(let diagnostics), .unreadable(let diagnostics): diagnostics
      }
    }
  }

  /// The number of cases for each result.
  public struct Sums: Sendable, Hashable {
    /// The number of cases with the expected result.
    public private(set) var passed = 0
    /// The number of cases with another result, including those that could not be played.
    public private(set) var failed = 0
    /// The number of cases that prove nothing.
    public private(set) var skipped = 0
    /// The number of failed cases that could not be played.
    public private(set) var obstacles = 0
    /// The number of unreviewed expectations.
    public private(set) var unreviewed = 0
    /// The number of selected cases in all shards.
    public internal(set) var wanted = 0

    /// Creates sums without any cases.
    public init() {}

    /// Adds the result of one case.
    public mutating func add(_ entry: Entry) {
      switch entry.result {
      case .passed: passed += 1
      case .failed: failed += 1
      case .skipped: skipped += 1
      }
      if entry.obstacle != nil { obstacles += 1 }
      unreviewed += entry.unreviewed
    }
  }

  /// Whether unreviewed expectations are valid; if not, their cases fail.
  public var takesUnreviewed = true

  let sources: [Source]
  let player: ScenarioPlayer
  let shard: Shard
  let isWanted: @Sendable (Scenario) -> Bool
  private let reading: @Sendable (String) throws(Diagnostics) -> ScenarioFile
  private let sibling: @Sendable (String) -> ScenarioFile?
  private let time: @Sendable () -> Duration

  /// Creates a run of the cases of `sources` that `isWanted` selects and that belong to `shard`.
  ///
  /// - Parameters:
  ///   - sources: the files, in the order of the report.
  ///   - player: the player that runs the cases.
  ///   - shard: the part of the cases that is run.
  ///   - isWanted: returns whether to run a case.
  ///   - reading: reads the file at a path.
  ///   - sibling: returns the file of a sibling that is not among `sources`, by the sibling's id.
  ///   - time: a monotonic clock; by default, every duration is zero.
  public init(
    _ sources: [Source], player: ScenarioPlayer, shard: Shard = .whole,
    isWanted: @escaping @Sendable (Scenario) -> Bool = { _ in true },
    reading: @escaping @Sendable (String) throws(Diagnostics) -> ScenarioFile = { path throws(Diagnostics) in
      try ScenarioLibrary.curriculum().file(at: path)
    },
    sibling: @escaping @Sendable (String) -> ScenarioFile? = { _ in nil },
    time: @escaping @Sendable () -> Duration = { .zero }
  ) {
    self.sources = sources
    self.player = player
    self.shard = shard
    self.isWanted = isWanted
    self.reading = reading
    self.sibling = sibling
    self.time = time
  }

  /// Creates a run of all cases in `files`.
  public init(_ files: [ScenarioFile], player: ScenarioPlayer) {
    self.init(files.map { .file($0) }, player: player)
  }

  /// Runs all cases on up to `jobs` threads, and returns the results in the order of the files.
  public func entries(jobs: Int = 1) -> [Entry] {
    let entries = Mutex<[Entry]>([])
    play(jobs: jobs) { entry in entries.withLock { $0.append(entry) } }
    return entries.withLock { $0 }
  }

  /// Runs all cases on up to `jobs` threads.
  ///
  /// - Parameters:
  ///   - jobs: the number of threads.
  ///   - progress: receives the number of finished files and of all files, from one thread at a time.
  ///   - report: receives the result of each case, from one thread at a time. The order and content of results do not
  ///     depend on `jobs`.
  @discardableResult public func play(
    jobs: Int = 1, progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in },
    report: @escaping @Sendable (Entry) -> Void
  ) -> Sums {
    let queue = TestQueue(self, progress: progress, report: report)
    DispatchQueue.concurrentPerform(iterations: max(1, jobs)) { _ in queue.work() }
    return queue.sums
  }

  /// Returns the cases to run of the source at `index`, or the entry of an unreadable file.
  func plan(_ index: Int) -> TestPlan {
    do throws(Diagnostics) {
      return TestPlan(try file(sources[index]), at: index, in: self)
    } catch {
      guard case .path(let path) = sources[index] else { return TestPlan() }
      let entry = Entry(
        id: sources[index].id, caseName: Scenario.mainCase, file: path, ending: .unreadable(error), duration: .zero)
      return TestPlan(shard.has(index) ? entry : nil)
    }
  }

  private func file(_ source: Source) throws(Diagnostics) -> ScenarioFile {
    switch source {
    case .file(let file): file
    case .path(let path): try reading(path)
    }
  }

  /// Returns the file with the scenario of this id, among the sources or elsewhere.
  func file(ofID id: String) -> ScenarioFile? {
    if let source = sources.first(where: { $0.id == id }) { return try? file(source) }
    return sibling(id)
  }

  func entry(_ job: TestPlan.Job) -> Entry {
    let start = time()
    let ending: Entry.Ending
    do throws(Diagnostics) {
      let result = try player.play(job.scenario)
      ending = .judged(result.outcome.verdict, judgement(result.judgement, of: job))
    } catch {
      ending = .unplayable(job.file.showing(error))
    }
    return Entry(
      id: job.scenario.id, caseName: job.scenario.caseName, file: job.scenario.file, ending: ending,
      duration: time() - start, line: job.file.line(ofCase: job.scenario.caseName),
      unreviewed: job.scenario.unreviewedCount,
      warnings: job.file.warnings.isEmpty ? [] : job.file.showing(Diagnostics(job.file.warnings)).all)
  }

  /// Returns the judgement with a mismatch for unreviewed expectations and for each false claim of the file.
  ///
  /// The claims belong to the main case.
  private func judgement(_ judgement: Judgement, of job: TestPlan.Job) -> Judgement {
    var more = job.scenario.caseName == Scenario.mainCase ? falseClaims(of: job.file) : []
    if !takesUnreviewed, job.scenario.unreviewedCount > 0 {
      more.append(
        Judgement.Mismatch(
          path: "unreviewed", expected: "a review by a person, who removes this key afterwards", found: "true"))
    }
    return more.isEmpty ? judgement : Judgement(judgement.mismatches + more)
  }
}

/// A part of a test run with one of every `count` cases. The parts together have every case once.
public struct Shard: Sendable, Hashable {
  /// The index of the part, from 0.
  public let index: Int
  /// The number of parts.
  public let count: Int

  /// Creates part `index` of `count`; nil if there is no such part.
  public init?(index: Int, count: Int) {
    guard count > 0, (0..<count).contains(index) else { return nil }
    self.index = index
    self.count = count
  }

  /// Creates a part from the notation of `--shard`, counted from 1: `2/3`; nil if the text is invalid.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in part.utf8.allSatisfy { (48...57).contains($0) } ? Int(part) : nil }
    guard parts.count == 2, numbers.count == 2, numbers[0] > 0 else { return nil }
    self.init(index: numbers[0] - 1, count: numbers[1])
  }

  /// The only part of an undivided run.
  public static let whole = Shard(whole: ())

  private init(whole: Void) { (index, count) = (0, 1) }

  /// Returns whether the case at `position` belongs to this part.
  func has(_ position: Int) -> Bool { position % count == index }
}
