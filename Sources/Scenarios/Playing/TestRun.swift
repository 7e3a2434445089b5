import Foundation
import Simulator
import Synchronization

/// Plays every case of some files, several at once, and reports what came of each as soon as all before it are known.
/// A refusal that is as expected, but whose accepted sibling fails, proves nothing and is skipped.
///
/// Files are read when their turn comes, and what came of a case is kept as its verdict and its judgement alone: a run
/// of many thousand cases takes no more memory than one of a few.
public struct TestRun: Sendable {
  /// What is tested.
  public enum Source: Sendable {
    /// The cases of a file that was read.
    case file(ScenarioFile)
    /// Those of the file at this path.
    case path(String)

    /// The id of its scenario.
    var id: String {
      switch self {
      case .file(let file): file.id
      case .path(let path): ScenarioLocation(path: path).id
      }
    }
  }

  /// One case: what came of it, or why it could not be played.
  public struct Entry: Sendable {
    /// How a case ended.
    public enum Ending: Sendable {
      /// It was played: what the client made of it, and whether that is as expected.
      case judged(Verdict, Judgement)
      /// A file that the case names cannot be used.
      case unplayable(Diagnostics)
      /// The scenario file itself cannot be read, whatever cases it has.
      case unreadable(Diagnostics)
    }

    /// The scenario's id: the file's name without its extension.
    public let id: String
    /// The case's name; `main` for a file that cannot be read.
    public let caseName: String
    /// The file as the user named it.
    public let file: String
    /// How it ended.
    public internal(set) var ending: Ending
    /// The accepted case that it leans on, if it is a refused one.
    public internal(set) var sibling: Sibling?
    /// How long playing it took, by the clock of the run.
    public let duration: Duration
    /// The line of the file where what it expects stands, or its row; from 1.
    public var line = 1
    /// How many of its expectations nobody has reviewed.
    public var unreviewed = 0

    /// `L1-15`, or `L1-15/iOS 8 has no ATS` for a row.
    public var name: String { caseName == Scenario.mainCase ? id : "\(id)/\(caseName)" }

    /// The test's result; what cannot be played has failed.
    public var result: Judgement.Result {
      if case .judged(_, let judgement) = ending { return judgement.result }
      return .failed
    }

    /// What came of it; nil when it was not played.
    public var verdict: Verdict? { if case .judged(let verdict, _) = ending { verdict } else { nil } }

    /// Whether that is as expected; nil when it was not played.
    public var judgement: Judgement? { if case .judged(_, let judgement) = ending { judgement } else { nil } }

    /// Why the case could not be played; nil when it was.
    public var obstacle: Diagnostics? {
      switch ending {
      case .judged: nil
      case .unplayable(let diagnostics), .unreadable(let diagnostics): diagnostics
      }
    }
  }

  /// How many cases came out how.
  public struct Sums: Sendable, Hashable {
    /// As expected.
    public private(set) var passed = 0
    /// Not as expected, or not to be played at all.
    public private(set) var failed = 0
    /// Saying nothing.
    public private(set) var skipped = 0
    /// Of those that failed, how many could not be played.
    public private(set) var obstacles = 0
    /// How many expectations nobody has reviewed.
    public private(set) var unreviewed = 0
    /// How many cases are wanted, in whichever shard.
    public internal(set) var wanted = 0

    /// No cases.
    public init() {}

    /// One case more.
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

  /// Whether an expectation that nobody has reviewed is as good as another; if not, its case fails.
  public var takesUnreviewed = true

  let sources: [Source]
  let player: ScenarioPlayer
  let shard: Shard
  let isWanted: @Sendable (Scenario) -> Bool
  private let reading: @Sendable (String) throws(Diagnostics) -> ScenarioFile
  private let sibling: @Sendable (String) -> ScenarioFile?
  private let time: @Sendable () -> Duration

  /// A run of the cases of `sources` that `isWanted` and that fall to `shard`.
  ///
  /// - Parameters:
  ///   - sources: files, in the order in which they are told of.
  ///   - player: who plays.
  ///   - shard: which part of them.
  ///   - isWanted: which cases of theirs.
  ///   - reading: reads the file at a path.
  ///   - sibling: finds the file of a sibling that is not among `sources`, by its id.
  ///   - time: a clock that only goes forward; left out, nothing takes any time.
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

  /// A run of every case of `files`.
  public init(_ files: [ScenarioFile], player: ScenarioPlayer) {
    self.init(files.map { .file($0) }, player: player)
  }

  /// Plays all cases on `jobs` threads at once, and returns what came of each, in the order of the files.
  public func entries(jobs: Int = 1) -> [Entry] {
    let entries = Mutex<[Entry]>([])
    play(jobs: jobs) { entry in entries.withLock { $0.append(entry) } }
    return entries.withLock { $0 }
  }

  /// Plays all cases on `jobs` threads at once.
  ///
  /// - Parameters:
  ///   - jobs: the number of threads.
  ///   - progress: told how many files of how many are done, by one thread at a time.
  ///   - report: told what came of each case, by one thread at a time. Order and content are the same for every number
  ///     of threads.
  @discardableResult public func play(
    jobs: Int = 1, progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in },
    report: @escaping @Sendable (Entry) -> Void
  ) -> Sums {
    let queue = TestQueue(self, progress: progress, report: report)
    DispatchQueue.concurrentPerform(iterations: max(1, jobs)) { _ in queue.work() }
    return queue.sums
  }

  /// The file at `index` of the sources with what is to be played of it, or the entry that says why it cannot be read.
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

  /// The file with the scenario of this id, among the sources or elsewhere.
  func file(ofID id: String) -> ScenarioFile? {
    if let source = sources.first(where: { $0.id == id }) { return try? file(source) }
    return sibling(id)
  }

  func entry(_ job: TestPlan.Job) -> Entry {
    let start = time()
    let ending: Entry.Ending
    do throws(Diagnostics) {
      let result = try player.play(job.scenario)
      ending = .judged(result.outcome.verdict, judgement(result.judgement, of: job.scenario))
    } catch {
      ending = .unplayable(job.file.showing(error))
    }
    return Entry(
      id: job.scenario.id, caseName: job.scenario.caseName, file: job.scenario.file, ending: ending,
      duration: time() - start, line: job.file.line(ofCase: job.scenario.caseName),
      unreviewed: job.scenario.unreviewedCount)
  }

  /// The same with what nobody has reviewed among the mismatches, where that does not do.
  private func judgement(_ judgement: Judgement, of scenario: Scenario) -> Judgement {
    guard !takesUnreviewed, scenario.unreviewedCount > 0 else { return judgement }
    let unread = Judgement.Mismatch(
      path: "unreviewed", expected: "that a person has read what is expected, and has taken the word away",
      found: "true")
    return Judgement(judgement.mismatches + [unread])
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
