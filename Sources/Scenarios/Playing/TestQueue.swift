import Foundation

/// The cases of a single file that the test run plays.
struct TestPlan {
  /// A case to play, with its file.
  struct Job {
    let scenario: Scenario
    let file: ScenarioFile

    /// The key that identifies the case among all cases.
    var key: String { "\(scenario.file)/\(scenario.caseName)" }
  }

  /// The accepted sibling of a refused case.
  struct Support {
    let sibling: Sibling
    /// The key of the sibling; nil if there is none.
    let key: String?
  }

  /// An entry of the report that may be unfinished: a case and its sibling, or a finished entry.
  enum Item {
    case scenario(key: String, Support?)
    case known(TestRun.Entry)
  }

  private(set) var items: [Item] = []
  /// The cases to play: those of the file, and their siblings.
  private(set) var jobs: [Job] = []
  /// The number of selected cases in all shards.
  private(set) var wanted = 0

  init() {}

  /// Creates a plan for a file that cannot be read, which counts as one case.
  init(_ entry: TestRun.Entry?) {
    items = entry.map { [.known($0)] } ?? []
    wanted = 1
  }

  init(_ file: ScenarioFile, at index: Int, in run: TestRun) {
    for scenario in file.cases where run.isWanted(scenario) {
      if run.shard.has(index + wanted) { add(Job(scenario: scenario, file: file), in: run) }
      wanted += 1
    }
  }

  private mutating func add(_ job: Job, in run: TestRun) {
    jobs.append(job)
    let leaned = Self.sibling(of: job, in: run)
    if let leaned { jobs.append(leaned) }
    let missing =
      job.scenario.expectsAcceptance
      ? nil : job.scenario.sibling.map { Support(sibling: Sibling(name: $0, differences: []), key: nil) }
    let support = leaned.map { leaned in
      let differences = job.scenario.differences(from: leaned.scenario)
      return Support(sibling: Sibling(name: leaned.scenario.name, differences: differences), key: leaned.key)
    }
    items.append(.scenario(key: job.key, support ?? missing))
  }

  /// Returns the named sibling, or else the accepted case of the same file with the fewest differences.
  static func sibling(of job: Job, in run: TestRun) -> Job? {
    guard !job.scenario.expectsAcceptance else { return nil }
    guard let name = job.scenario.sibling else { return accepted(in: job.file, by: job.scenario) }
    if let own = job.file.scenario(named: name) { return Job(scenario: own, file: job.file) }
    let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
    guard let other = parts.first.flatMap(run.file(ofID:)) else { return nil }
    guard parts.count == 2 else { return accepted(in: other, by: job.scenario) }
    return other.scenario(named: parts[1]).map { Job(scenario: $0, file: other) }
  }

  private static func accepted(in file: ScenarioFile, by scenario: Scenario) -> Job? {
    file.nearestAccepted(to: scenario).map { Job(scenario: $0, file: file) }
  }
}

/// The shared state of a run's threads: files to read, cases to play, and results.
///
/// Threads take cases before files, so that the number of files in memory does not exceed the number of threads.
final class TestQueue: @unchecked Sendable {
  private let run: TestRun
  private let progress: @Sendable (Int, Int) -> Void
  private let report: @Sendable (TestRun.Entry) -> Void
  /// The condition that protects all properties below, and is signalled after each change.
  private let change = NSCondition()
  private var nextFile = 0
  private var readingCount = 0
  private var jobs: [TestPlan.Job] = []
  /// The keys of the cases that are or were in `jobs`.
  private var known: Set<String> = []
  private var played: [String: TestRun.Entry] = [:]
  /// The unreported entries of the files that were read.
  private var plans: [Int: ArraySlice<TestPlan.Item>] = [:]
  private var reportedFiles = 0
  private(set) var sums = TestRun.Sums()

  init(
    _ run: TestRun, progress: @escaping @Sendable (Int, Int) -> Void,
    report: @escaping @Sendable (TestRun.Entry) -> Void
  ) {
    self.run = run
    self.progress = progress
    self.report = report
  }

  /// Processes jobs until none is left.
  func work() {
    change.lock()
    defer { change.unlock() }
    while true {
      if let job = jobs.popLast() {
        let entry = unlocked { run.entry(job) }
        played[job.key] = entry
      } else if nextFile < run.sources.count {
        let index = nextFile
        nextFile += 1
        readingCount += 1
        let plan = unlocked { run.plan(index) }
        readingCount -= 1
        add(plan, index)
      } else if readingCount > 0 {
        change.wait()
        continue
      } else {
        return
      }
      reportWhatIsKnown()
      change.broadcast()
    }
  }

  private func unlocked<T>(_ body: () -> T) -> T {
    change.unlock()
    defer { change.lock() }
    return body()
  }

  private func add(_ plan: TestPlan, _ index: Int) {
    // Jobs are taken from the end, so the next entry's cases are played next.
    jobs += plan.jobs.filter { known.insert($0.key).inserted }.reversed()
    plans[index] = plan.items[...]
    sums.wanted += plan.wanted
  }

  /// Reports every finished entry whose predecessors have been reported.
  private func reportWhatIsKnown() {
    while var items = plans[reportedFiles] {
      while let item = items.first, let entry = entry(item) {
        items.removeFirst()
        sums.add(entry)
        report(entry)
      }
      plans[reportedFiles] = items
      guard items.isEmpty else { return }
      plans[reportedFiles] = nil
      reportedFiles += 1
      progress(reportedFiles, run.sources.count)
    }
  }

  /// Returns the entry of an item; nil while one of its cases is unfinished.
  private func entry(_ item: TestPlan.Item) -> TestRun.Entry? {
    switch item {
    case .known(let entry): return entry
    case .scenario(let key, let sibling):
      guard var entry = played[key] else { return nil }
      entry.sibling = sibling?.sibling
      // A case that itself failed stays failed, regardless of its sibling.
      guard let sibling, case .judged(let verdict, let judgement) = entry.ending, judgement.result != .failed else {
        return entry
      }
      if let key = sibling.key, played[key] == nil { return nil }
      guard let reason = Self.doubt(sibling, sibling.key.flatMap { played[$0]?.result }) else { return entry }
      entry.ending = .judged(verdict, Judgement(skippedBecause: reason))
      return entry
    }
  }

  /// Returns the reason why a refused case proves nothing; nil if its sibling passed.
  private static func doubt(_ support: TestPlan.Support, _ result: Judgement.Result?) -> String? {
    let sibling = support.sibling
    guard let result else { return "its sibling \(sibling.name) does not exist" }
    let differences = sibling.differences.prefix(3).joined(separator: ", ")
    let what = differences.isEmpty ? "" : ", from which it differs in \(differences)"
    return result == .failed ? "its sibling \(sibling.name) failed\(what)" : nil
  }
}

extension Scenario {
  /// Whether all expectations of the case require that the client accepts.
  public var expectsAcceptance: Bool {
    ([expectation] + connections.map(\.expectation)).allSatisfy { $0?.expectsAcceptance ?? true }
  }
}
