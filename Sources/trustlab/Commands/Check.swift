import ArgumentParser
import Explanation
import Learning
import Scenarios

/// `trustlab check`
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Say what is wrong with scenario files, without playing them.",
    discussion: """
      Example:
        trustlab check my-scenario.yaml

      Slips are reported with file, line and column, all that can be told at once: those in what the scenario refers \
      to (files, property lists) come when the file itself is right. The exit status is 2 when there is one.
      """)

  @Argument(help: "Files or folders.")
  var files: [String]

  func run() throws {
    let workbench = Workbench()
    var hasErrors = false
    for path in try files.flatMap(workbench.paths) {
      do throws(Diagnostics) {
        let file = try workbench.read(path)
        try checkLesson(of: file, workbench)
        for scenario in file.cases { try check(scenario, of: file, workbench) }
        try workbench.remark(on: file, file.cases)
        Console.out("\(path): ok, \(file.cases.count) \(file.cases.count == 1 ? "case" : "cases")")
      } catch {
        Console.complain(error.description)
        hasErrors = true
      }
    }
    if hasErrors { throw UnreadableInput() }
  }

  /// A lesson that there is not is one that nobody finds the scenario in; without a curriculum nobody knows.
  private func checkLesson(of file: ScenarioFile, _ workbench: Workbench) throws(Diagnostics) {
    guard let main = file.cases.first, let lesson = main.about.lesson, let mark = main.tree["lesson"]?.mark,
      let lessons = try? ScenarioLibrary.curriculum().lessons()
    else { return }
    let known = lessons.map(\.id) + lessons.flatMap(\.all)
    guard !known.contains(lesson) else { return }
    throw file.showing(
      Diagnostics("there is no lesson '\(lesson)'", hint: Spelling.hint(for: lesson, among: known), at: mark))
  }

  /// Issues its certificates and reads the files it names, so that those are checked too.
  private func check(_ scenario: Scenario, of file: ScenarioFile, _ workbench: Workbench) throws(Diagnostics) {
    do throws(Diagnostics) { _ = try workbench.player.simulation(of: scenario) } catch { throw file.showing(error) }
  }
}
