import ArgumentParser
import Foundation
import Rendering
import Scenarios

/// The `trustlab fix-check` command.
struct FixCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fix-check",
    abstract: "Apply the fix that each rule prints, and report whether it removes the finding.",
    discussion: """
      For each finding that decides a case, TrustLab applies each part of the printed fix as REPL commands, plays the \
      changed case and reports one of these results:
        removed     the finding no longer decides
        remains     the finding still decides
        hidden      another rule now decides first
        not-played  the part cannot be applied to the scenario; the reason is printed

      Examples:
        trustlab fix-check L1-15
        trustlab fix-check L4 --quiet
        trustlab fix-check my-scenarios --format json --output fixes.json

      Scenarios/schema/fix-check.schema.json describes the JSON output.

      The exit status is 0 if every applied fix removes its finding, 1 if one does not, and 2 if a file cannot be read.
      """)

  @Argument(help: "The files, folders, ids or groups to check. Default: the folder Scenarios or the curriculum.")
  var paths: [String] = []

  @Option(help: "A glob pattern for the names of cases, such as 'L1-15/iOS 8 has no ATS'.")
  var filter: String?

  @Option(help: "The output format: text or json.")
  var format = OutputFormat.text

  @Flag(name: .shortAndLong, help: "Show only the fixes that do not remove their finding.")
  var quiet = false

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    let workbench = Workbench()
    let files = try workbench.files(orDefault: paths)
    let wanted = files.flatMap { file in file.cases.filter(isWanted).map { (file: file, scenario: $0) } }
    guard !wanted.isEmpty else {
      throw Diagnostics(
        filter.map { "no case matches '\($0)'" } ?? "no scenarios found",
        hint: "'trustlab list scenarios' lists all scenarios")
    }
    let check = FixCheck(player: workbench.player)
    let jobs = ProcessInfo.processInfo.activeProcessorCount
    let results = ParallelMap.results(of: wanted, jobs: jobs, progress: { Console.progress($0, of: $1) }) { item in
      Result { () throws(Diagnostics) in try check.entries(of: item.scenario, in: item.file) }
    }
    let view = FixCheckView(
      try zip(wanted, results).map { item, result in (item.scenario, try result.get()) }, isQuiet: quiet)
    try output.write(
      format == .json ? view.json().text(pretty: true) : view.document().text(output.style(styling)))
    if view.hasFalseFix { throw NotAsExpected() }
  }

  private func isWanted(_ scenario: Scenario) -> Bool {
    guard let filter else { return true }
    let names = [scenario.name, "\(scenario.id)/\(scenario.caseName)"]
    return names.contains { name in fnmatch(filter, name, 0) == 0 }
  }
}
