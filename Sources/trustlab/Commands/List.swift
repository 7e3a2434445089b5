import ArgumentParser
import Learning
import Rendering
import Scenarios

/// The `trustlab list` command.
struct List: ParsableCommand {
  /// The kind of objects to list.
  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case rules
    case scenarios
    case lessons
    case words
    case suites
    case errors
    case mutants
  }

  /// The format of a list.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
    case markdown
  }

  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the rules, scenarios, lessons, scenario words, cipher suites, error codes or historical bugs.",
    discussion: """
      Examples:
        trustlab list rules
        trustlab list words
        trustlab list scenarios --format json
        trustlab list rules --format markdown   # with fixes, errors and scenarios
      """)

  @Argument(help: "The kind of list: rules, scenarios, lessons, words, suites, errors or mutants (historical bugs).")
  var kind: Kind

  @Option(help: "The output format: text, json or markdown.")
  var format = Format.text

  @OptionGroup var styling: StyleOptions

  func run() throws {
    if format == .markdown, let page = try referencePage() { return Console.out(page) }
    let (document, json) = try view()
    switch format {
    case .text: Console.out(document.text(styling.style))
    case .json: Console.out(json.text(pretty: true))
    case .markdown: Console.out(document.markdown())
    }
  }

  /// The reference page that is generated from the list; nil if there is none.
  private func referencePage() throws -> String? {
    switch kind {
    case .rules:
      let files = try ScenarioLibrary.curriculum().files()
      return ReferencePages.rules { Explain.scenarios(naming: $0.id, among: files) }
    case .words: return ReferencePages.words
    default: return nil
    }
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
