import ArgumentParser
import Foundation
import Rendering
import Scenarios

/// `trustlab test`
struct Test: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Play scenarios and judge what each expects.",
    discussion: """
      Examples:
        trustlab test                      the whole curriculum, or ./Scenarios
        trustlab test L1-15 my/scenarios   some of it, and a folder of your own
        trustlab test --filter '*iOS 9*' --format json

      The exit status is 0 when nothing failed, 1 when something did, 2 when a file cannot be read.
      """)

  @Argument(help: "Files, folders, ids or groups; left out, the folder Scenarios or the curriculum.")
  var paths: [String] = []

  @Option(help: "Only cases whose name, such as 'L1-15/iOS 8 has no ATS', matches this glob.")
  var filter: String?

  @Option(help: "text or json.")
  var format = OutputFormat.text

  @Flag(name: .shortAndLong, help: "Show every case, not only those that did not pass.")
  var verbose = false

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    let workbench = Workbench()
    var files: [ScenarioFile] = []
    var isComplete = true
    for path in try scenarioPaths(workbench) {
      do throws(Diagnostics) {
        files.append(try workbench.read(path))
      } catch {
        Console.complain(error.description)
        isComplete = false
      }
    }
    let run = TestRun(
      files, player: workbench.player, isWanted: isWanted, sibling: { Self.curriculumFile($0, workbench) },
      progress: { Console.progress($0, of: $1) })
    if run.entries.isEmpty, isComplete {
      throw Complaint(
        message: filter.map { "no case matches '\($0)'" } ?? "there is no scenario here",
        hint: "'trustlab list scenarios' prints the curriculum")
    }
    try show(run)
    if !isComplete || run.entries.contains(where: \.isUnplayable) { throw UnreadableInput() }
    if run.count(.failed) > 0 { throw NotAsExpected() }
  }

  private func scenarioPaths(_ workbench: Workbench) throws -> [String] {
    if !paths.isEmpty { return try paths.flatMap(workbench.paths) }
    if FileManager.default.fileExists(atPath: "Scenarios") { return try workbench.paths(for: "Scenarios") }
    return try ScenarioLibrary.curriculum().paths
  }

  private func isWanted(_ scenario: Scenario) -> Bool {
    guard let filter else { return true }
    return fnmatch(filter, scenario.name, 0) == 0 || fnmatch(filter, "\(scenario.id)/\(scenario.caseName)", 0) == 0
  }

  private func show(_ run: TestRun) throws {
    let view = TestView(run)
    switch format {
    case .json: try output.write(view.json().text(pretty: true))
    case .text: try output.write(view.document(verbose: verbose).text(styling.style))
    }
  }

  private static func curriculumFile(_ id: String, _ workbench: Workbench) -> ScenarioFile? {
    guard let path = (try? ScenarioLibrary.curriculum())?.path(ofID: id) else { return nil }
    return try? workbench.read(path)
  }
}

extension TestRun.Entry {
  fileprivate var isUnplayable: Bool {
    if case .unplayable = self { return true }
    return false
  }
}
