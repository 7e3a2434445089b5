import ArgumentParser
import Explanation
import Foundation
import Rendering
import Scenarios

/// The `trustlab mutate` command.
struct Mutate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mutate",
    abstract: "Report which faults the expectations of scenarios detect.",
    discussion: """
      TrustLab plays the scenarios with one mutant at a time. A mutant is a historical bug or a generated fault. A \
      generated fault skips a rule, reads a key of App Transport Security wrongly, or compares a limit incorrectly.

      A mutant is killed if the verdict of a case changes, or if a case does not end. It is noticed if only reasons, \
      paths or goals change. It survives if cases reach the fault and nothing changes. It is equivalent if no case can \
      kill it. The score is the share of killed mutants. TrustLab excludes equivalent mutants, and prints the reasons.

      Examples:
        trustlab mutate                     # the whole curriculum
        trustlab mutate L3 --mutant basic-constraints
        trustlab mutate my-scenarios --min-score 80

      Scenarios/schema/mutate.schema.json describes the JSON output.

      The exit status is 0 if the score is at least --min-score, and 1 if it is lower. It is 2 if a file cannot be \
      read, or if a scenario fails without a mutant.
      """)

  @Argument(help: "The files, folders, ids or groups to play. Default: the folder Scenarios or the curriculum.")
  var paths: [String] = []

  @Option(
    name: .customLong("mutant"),
    help: ArgumentHelp(
      "A mutant to play: a bug of 'trustlab list mutants', a rule, or a generated mutant. Default: all.",
      valueName: "name"))
  var names: [String] = []

  @Option(help: ArgumentHelp("The lowest accepted score in percent.", valueName: "n"))
  var minScore: String?

  @Option(help: ArgumentHelp("The number of cases to play at once. Default: one per core.", valueName: "n"))
  var jobs: String?

  @Option(help: "The output format: text, json, junit or markdown.")
  var format = MutationView.Format.text

  @Flag(name: .shortAndLong, help: "Show every mutant, including those that are killed or not reached.")
  var verbose = false

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    let (jobs, minimum, mutants) = (try DivisionOptions.jobCount(jobs), try minimumScore, try self.mutants)
    let workbench = Workbench()
    let files = try workbench.files(orDefault: paths)
    let run = MutationRun(files, mutants, player: workbench.player)
    let report = try run.report(jobs: jobs) { Console.progress($0, of: $1) }
    let view = MutationView(report, minimum: minimum, isVerbose: verbose || !names.isEmpty)
    try output.write(view.text(format, output.style(styling)))
    if let minimum, report.score.percent < minimum { throw NotAsExpected() }
  }

  private var minimumScore: Int? {
    get throws {
      guard let minScore else { return nil }
      guard let score = Int(minScore), (0...100).contains(score) else {
        throw Diagnostics(
          "--min-score requires a number from 0 to 100, not '\(minScore)'",
          hint: "write --min-score 80 for 80 percent")
      }
      return score
    }
  }

  private var mutants: [Mutant] {
    get throws {
      guard !names.isEmpty else { return Mutant.everyMutant }
      var seen: Set<String> = []
      return try names.filter { seen.insert($0).inserted }.map { name in
        if let mutant = Mutant.everyMutant.first(where: { $0.name == name }) { return mutant }
        throw Diagnostics(
          "no such mutant: '\(name)'", hint: Spelling.hint(for: name, among: Mutant.everyMutant.map(\.name)))
      }
    }
  }
}

extension MutationView.Format: ExpressibleByArgument {}
