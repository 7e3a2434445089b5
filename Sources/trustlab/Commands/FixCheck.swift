import ArgumentParser
import Foundation
import Rendering
import Scenarios

/// `trustlab fix-check`
struct FixCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fix-check",
    abstract: "Play the fix that each rule prints, and report whether it removes the finding.",
    discussion: """
      For each finding that decides, this command carries out each part of the printed fix as changes of the scenario, \
      plays the changed case, and reports the result. The changes are commands of the shell ('trustlab repl'). A part is 'removed' if the finding no longer decides, 'remains' \
      if it still does, 'hidden' if another rule now decides before it, and 'not-played', with the reason, if it is \
      outside of the input.

      Examples:
        trustlab fix-check L1-15
        trustlab fix-check L4 --quiet
        trustlab fix-check my-scenarios --format json --output fixes.json

      JSON is as Scenarios/schema/fix-check.schema.json says.

      The exit status is 0 if every fix that was played removes its finding, 1 if one does not, 2 if a file cannot be \
      read.
      """)

  @Argument(help: "Files, folders, ids or groups; left out, the folder Scenarios or the curriculum.")
  var paths: [String] = []

  @Option(help: "Only cases whose name, such as 'L1-15/iOS 8 has no ATS', matches this glob.")
  var filter: String?

  @Option(help: "text or json.")
  var format = OutputFormat.text

  @Flag(name: .shortAndLong, help: "Show only the fixes that do not remove their finding.")
  var quiet = false

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    let workbench = Workbench()
    let named = paths.isEmpty && Workbench.isThere("Scenarios") ? ["Scenarios"] : paths
    let files = try (named.isEmpty ? ScenarioLibrary.curriculum().paths : workbench.paths(among: named)).map {
      try workbench.read($0)
    }
    let wanted = files.flatMap { file in file.cases.filter(isWanted).map { (file: file, scenario: $0) } }
    guard !wanted.isEmpty else {
      throw Diagnostics(
        filter.map { "no case matches '\($0)'" } ?? "there is no scenario here",
        hint: "'trustlab list scenarios' prints the curriculum")
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
