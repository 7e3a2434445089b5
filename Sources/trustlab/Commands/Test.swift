import ArgumentParser
import Foundation
import Rendering
import Scenarios
import Synchronization

/// The `trustlab test` command.
struct Test: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Play scenarios and check their expectations.",
    discussion: """
      Examples:
        trustlab test                      # the whole curriculum, or ./Scenarios
        trustlab test L1-15 my-scenarios   # one scenario, and your own folder
        trustlab test L1 --filter '*iOS 9*' --format json
        trustlab test my-scenarios --format junit --output report.xml
        trustlab test my-scenarios --format junit --no-time --output report.xml
        trustlab test my-scenarios --format tap --output report.tap
        trustlab test my-scenarios --format code-quality \\
          --output gl-code-quality-report.json
        trustlab test L2 --shard 2/3       # run the second of three parts
        trustlab test L3 --validator basic-constraints   # failures detect the bug
        trustlab test my.yaml --bless      # update failed expectations
        trustlab describe L1-15 --full | trustlab test -

      Scenarios/schema/test.schema.json describes the JSON output.

      The output does not depend on the number of jobs. TrustLab prints each case as soon as all earlier cases are \
      finished. Only JUnit output has durations, unless you pass --no-time. The variables TEST_SHARD_INDEX (from 0) \
      and TEST_TOTAL_SHARDS have the same effect as --shard.

      The option --bless shows its changes and asks before it writes them. It keeps comments, and marks each new \
      expectation 'unreviewed: true' until you remove the mark. It does not bless a case if that would hide a problem, \
      such as an attack that never applied or a sibling case that fails.

      The exit status is 0 if no case failed, 1 if a case failed, and 2 if a file cannot be read.
      """)

  @Argument(
    help:
      "The files, folders, ids or groups to test; - is standard input. Default: the folder Scenarios or the curriculum."
  )
  var paths: [String] = []

  @Option(help: "A glob pattern for the names of cases, such as 'L1-15/iOS 8 has no ATS'.")
  var filter: String?

  @Option(help: "The output format: text, json, junit, tap or code-quality (for GitLab).")
  var format = TestReport.Format.text

  @Flag(inversion: .prefixedNo, help: "Include the duration of each case in JUnit output.")
  var time = true

  @OptionGroup var validation: ValidatorOptions
  @OptionGroup var search: SearchOptions
  @OptionGroup var division: DivisionOptions

  @OptionGroup var blessing: BlessingOptions
  @OptionGroup var input: StandardInputOptions

  @Flag(name: .shortAndLong, help: "Show every case, including the cases that pass.")
  var verbose = false

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    let (jobs, shard) = (try division.jobCount, try division.part)
    let workbench = try workbench()
    let (filter, start, isTimed) = (filter, ContinuousClock.now, time)
    try blessing.check(mutant: workbench.player.mutant)
    let paths = try scenarioPaths(workbench)
    if blessing.bless {
      guard !self.paths.contains("-") else {
        throw Diagnostics(
          "--bless cannot write to standard input", hint: "save the scenario in a file, and pass the file")
      }
      return try Bless(
        workbench: workbench, style: output.style(styling), isAgreed: blessing.yes,
        isWanted: { Self.isWanted($0, filter) }
      ).run(paths)
    }
    let siblings = SiblingFiles(workbench: workbench, paths: paths)
    var run = TestRun(
      paths.map { .path($0) }, player: workbench.player, shard: shard,
      isWanted: { Self.isWanted($0, filter) }, reading: siblings.read, sibling: siblings.file,
      time: { isTimed ? start.duration(to: .now) : .zero })
    run.takesUnreviewed = !blessing.strict
    let sums = try play(run, jobs)
    if sums.obstacles > 0 { throw UnreadableInput() }
    if sums.failed > 0 { throw NotAsExpected() }
  }

  private func workbench() throws -> Workbench {
    var workbench = Workbench(mutant: try validation.mutant(), searchLimit: try search.bits)
    workbench.folder = input.folder
    return workbench
  }

  /// Plays the cases and writes the result of each.
  private func play(_ run: TestRun, _ jobs: Int) throws -> TestRun.Sums {
    let file = output.stream()
    let report = Mutex(
      TestReport(
        format, style: output.style(styling), isVerbose: verbose, mutant: try validation.mutant(),
        naming: RepositoryPaths().named))
    let warnedOf = Mutex<String?>(nil)
    let sums = run.play(jobs: jobs, progress: { Console.progress($0, of: $1) }) { entry in
      warnedOf.withLock { file in
        if file != entry.file { for warning in entry.warnings { Console.complain(warning.description) } }
        file = entry.file
      }
      if case .unreadable(let diagnostics) = entry.ending { Console.complain(diagnostics.description) }
      report.withLock { file.write($0.text(of: entry)) }
    }
    guard sums.wanted > 0 else {
      throw Diagnostics(
        filter.map { "no case matches '\($0)'" } ?? "no scenarios found",
        hint: "'trustlab list scenarios' lists all scenarios")
    }
    report.withLock { file.write($0.end(sums)) }
    try file.close()
    return sums
  }

  private func scenarioPaths(_ workbench: Workbench) throws -> [String] {
    if !paths.isEmpty {
      // A scenario that is named twice, for example by its file and its folder, is played once.
      var seen = Set<String>()
      return try paths.flatMap(workbench.paths).filter { seen.insert($0).inserted }
    }
    if FileManager.default.fileExists(atPath: "Scenarios") { return try workbench.paths(for: "Scenarios") }
    return try ScenarioLibrary.curriculum().paths
  }

  private static func isWanted(_ scenario: Scenario, _ filter: String?) -> Bool {
    guard let filter else { return true }
    return fnmatch(filter, scenario.name, 0) == 0 || fnmatch(filter, "\(scenario.id)/\(scenario.caseName)", 0) == 0
  }
}

extension TestReport.Format: ExpressibleByArgument {}

/// The options for failed and unreviewed expectations.
struct BlessingOptions: ParsableArguments {
  @Flag(help: "After you confirm, replace failed expectations with the observed results, marked unreviewed.")
  var bless = false

  @Flag(help: "With --bless: write without confirmation.")
  var yes = false

  @Flag(help: "Fail if an expectation is marked unreviewed.")
  var strict = false

  /// Refuses to bless the results of a run with a historical bug.
  func check(mutant: Mutant?) throws {
    if yes, !bless { throw Diagnostics("--yes requires --bless", hint: "add --bless, or remove --yes") }
    if bless, let mutant {
      throw Diagnostics(
        "--bless would record the effects of the bug '\(mutant.name)'", hint: "remove --validator or --bless")
    }
  }
}

/// The options that divide a test run among threads and machines.
struct DivisionOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The number of cases to play at once. Default: one per core.", valueName: "n"))
  var jobs: String?

  @Option(
    help: ArgumentHelp("The part of the cases to play: K/N is part K of N, counted from 1.", valueName: "k/n"))
  var shard: String?

  /// The highest accepted number of threads.
  private static let maximumJobs = 1024

  var jobCount: Int { get throws { try Self.jobCount(jobs) } }

  /// Returns the number of threads that `--jobs` requests; by default, one per core.
  static func jobCount(_ jobs: String?) throws -> Int {
    guard let jobs else { return ProcessInfo.processInfo.activeProcessorCount }
    guard let count = Int(jobs), (1...maximumJobs).contains(count) else {
      throw Diagnostics(
        "--jobs requires a number from 1 to \(maximumJobs), not '\(jobs)'",
        hint: "remove --jobs to use one job per core")
    }
    return count
  }

  /// The part of the run to play: the value of `--shard`, or else of the variables that test runners set.
  var part: Shard {
    get throws {
      guard let shard else { return try Self.part(ProcessInfo.processInfo.environment) }
      guard let part = Shard(shard) else {
        throw Diagnostics(
          "--shard requires a value such as 2/3, not '\(shard)'",
          hint: "write --shard 2/3 for the second of three parts")
      }
      return part
    }
  }

  private static func part(_ environment: [String: String]) throws -> Shard {
    let (index, count) = (environment["TEST_SHARD_INDEX"], environment["TEST_TOTAL_SHARDS"])
    if index == nil, count == nil { return .whole }
    guard let index = index.flatMap({ Int($0) }), let count = count.flatMap({ Int($0) }),
      let part = Shard(index: index, count: count)
    else {
      throw Diagnostics(
        "the values TEST_SHARD_INDEX=\(index ?? "") and TEST_TOTAL_SHARDS=\(count ?? "") are not a valid pair",
        hint: "use an index from 0 to the total minus 1, or unset both")
    }
    return part
  }
}
