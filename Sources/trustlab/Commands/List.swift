import ArgumentParser
import Learning
import Rendering
import Scenarios

/// `trustlab list`
struct List: ParsableCommand {
  /// What can be listed.
  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case rules
    case scenarios
    case lessons
    case words
    case suites
    case errors
    case mutants
  }

  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Print every word the scenario language, the engine and the lessons know.",
    discussion: """
      Examples:
        trustlab list rules
        trustlab list words
        trustlab list scenarios --format json
      """)

  @Argument(help: "rules, scenarios, lessons, words, suites, errors or mutants.")
  var kind: Kind

  @Option(help: "text or json.")
  var format = OutputFormat.text

  @OptionGroup var styling: StyleOptions

  func run() throws {
    let (document, json) = try view()
    Console.out(format == .json ? json.text(pretty: true) : document.text(styling.style))
  }

  private func view() throws -> (Document, JSONValue) {
    switch kind {
    case .rules: ListView.rules()
    case .scenarios: ListView.scenarios(try ScenarioLibrary.curriculum().files())
    case .lessons: ListView.lessons(try ScenarioLibrary.curriculum().lessons())
    case .words: ListView.words()
    case .suites: ListView.suites()
    case .errors: ListView.errors()
    case .mutants: ListView.mutants()
    }
  }
}
