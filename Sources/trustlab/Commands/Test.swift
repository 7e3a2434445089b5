import ArgumentParser
import Foundation
import Rendering
import Scenarios
import Synchronization

/// `trustlab test`
struct Test: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Play scenarios and judge what each expects.",
    discussion: """
      Examples:
        trustlab test                      # the whole curriculum, or ./Scenarios
        trustlab test L1-15 my-scenarios   # some of it, and a folder of your own
        trustlab test L1 --filter '*iOS 9*' --format json
        trustlab test my-scenarios --format junit --output report.xml
        trustlab test my-scenarios --format junit --no-time --output report.xml
        trustlab test my-scenarios --format tap --output report.tap
        trustlab test my-scenarios --format code-quality \\
          --output gl-code-quality-report.json
        trustlab test L2 --shard 2/3       # the second of three parts
        trustlab test L3 --validator basic-constraints   # failed cases catch the bug
        trustlab test my.yaml --bless      # replace wrong expectations with results
        trustlab describe L1-15 --full | trustlab test -

      JSON is as Scenarios/schema/test.schema.json says.

      What is written is the same for every number of jobs, each case as soon as all before it are known; only JUnit \
      says how long a case took, unless --no-time. The variables TEST_SHARD_INDEX (from 0) and TEST_TOTAL_SHARDS stand \
      in for --shard.

      --bless shows what it changes and asks first; comments stay, and what it writes is marked 'unreviewed: true' \
      until a person takes the mark away. It leaves what would hide something: an attack that met nothing, a sibling \
      that fails.

      The exit status is 0 when nothing failed, 1 when something did, 2 when a file cannot be read.
      """)

  @Argument(
    help: "Files, folders, ids or groups, or - for standard input; left out, the folder Scenarios or the curriculum.")
  var paths: [String] = []

  @Option(help: "Only cases whose name, such as 'L1-15/iOS 8 has no ATS', matches this glob.")
  var filter: String?

  @Option(help: "text, json, junit, tap or code-quality (GitLab's).")
  var format = TestReport.Format.text

  @Flag(inversion: .prefixedNo, help: "Say in JUnit how long each case took.")
  var time = true

  @OptionGroup var validation: ValidatorOptions
  @OptionGroup var search: SearchOptions
  @OptionGroup var division: DivisionOptions

  @OptionGroup var blessing: BlessingOptions
  @OptionGroup var input: StandardInputOptions

  @Flag(name: .shortAndLong, help: "Show every case, not only those that did not pass.")
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
          "--bless writes into files, and standard input is none", hint: "keep it in a file, and name that")
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

  /// Plays and writes what comes of each case.
  private func play(_ run: TestRun, _ jobs: Int) throws -> TestRun.Sums {
    let file = output.stream()
    let report = Mutex(
      TestReport(
        format, style: output.style(styling), isVerbose: verbose, mutant: try validation.mutant(),
        naming: RepositoryPaths().named))
    let sums = run.play(jobs: jobs, progress: { Console.progress($0, of: $1) }) { entry in
      if case .unreadable(let diagnostics) = entry.ending { Console.complain(diagnostics.description) }
      report.withLock { file.write($0.text(of: entry)) }
    }
    guard sums.wanted > 0 else {
      throw Diagnostics(
        filter.map { "no case matches '\($0)'" } ?? "there is no scenario here",
        hint: "'trustlab list scenarios' prints the curriculum")
    }
    report.withLock { file.write($0.end(sums)) }
    try file.close()
    return sums
  }

  private func scenarioPaths(_ workbench: Workbench) throws -> [String] {
    if !paths.isEmpty {
      // What is named twice, as by a file and its folder, is played once.
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

/// What is done about expectations that do not hold, or that nobody has reviewed.
struct BlessingOptions: ParsableArguments {
  @Flag(help: "Write what was observed into the files, marked unreviewed, after showing it and asking.")
  var bless = false

  @Flag(help: "With --bless: write without asking.")
  var yes = false

  @Flag(help: "Fail where an expectation is marked unreviewed.")
  var strict = false

  /// What a bug makes of a run is nothing to expect.
  func check(mutant: Mutant?) throws {
    if yes, !bless { throw Diagnostics("--yes answers what --bless asks", hint: "add --bless, or leave --yes out") }
    if bless, let mutant {
      throw Diagnostics(
        "--bless would write down what the bug '\(mutant.name)' does", hint: "leave --validator or --bless out")
    }
  }
}

/// How the work of a run of tests is divided, among threads and among machines.
struct DivisionOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Play so many cases at once; left out, one for each core.", valueName: "n"))
  var jobs: String?

  @Option(
    help: ArgumentHelp("Play only part K of N, counted from 1; all parts together play everything.", valueName: "k/n"))
  var shard: String?

  /// The most threads that can be asked for.
  private static let maximumJobs = 1024

  var jobCount: Int {
    get throws {
      guard let jobs else { return ProcessInfo.processInfo.activeProcessorCount }
      guard let count = Int(jobs), (1...Self.maximumJobs).contains(count) else {
        throw Diagnostics(
          "--jobs takes a number from 1 to \(Self.maximumJobs), not '\(jobs)'",
          hint: "left out, it is the number of cores")
      }
      return count
    }
  }

  /// The part that is played: that of `--shard`, else that of the variables which test runners set.
  var part: Shard {
    get throws {
      guard let shard else { return try Self.part(ProcessInfo.processInfo.environment) }
      guard let part = Shard(shard) else {
        throw Diagnostics("--shard takes K/N, not '\(shard)'", hint: "--shard 2/3 is the second of three parts")
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
        "TEST_SHARD_INDEX=\(index ?? "") and TEST_TOTAL_SHARDS=\(count ?? "") name no part",
        hint: "the index counts from 0 and is less than the total; unset both to play everything")
    }
    return part
  }
}
