import ArgumentParser
import Foundation
import Rendering
import Scenarios

/// The `trustlab coverage` command.
struct CoverageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coverage",
    abstract: "Report the rules, keys, messages and errors that no scenario exercises.",
    discussion: """
      TrustLab plays the scenarios and lists the rules that no case violates or satisfies. It also lists unused keys \
      of App Transport Security by system, transitions of TLS, alerts and errors. The last list has the statements of \
      the five documents that no scenario shows.

      Examples:
        trustlab coverage                    # the whole curriculum, or ./Scenarios
        trustlab coverage L7 --format svg --output coverage.svg

      Scenarios/schema/coverage.schema.json describes the JSON output. In the picture, each square is a rule, key, \
      transition, alert, error or statement. A case exercises the filled ones.

      The exit status is 0, or 2 if a file cannot be read.
      """)

  @Argument(help: "The files, folders, ids or groups to play. Default: the folder Scenarios or the curriculum.")
  var paths: [String] = []

  @Option(help: ArgumentHelp("The number of cases to play at once. Default: one per core.", valueName: "n"))
  var jobs: String?

  @Option(help: "The output format: text, json or svg.")
  var format = CoverageView.Format.text

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    let jobs = try DivisionOptions.jobCount(jobs)
    let workbench = Workbench()
    let coverage = try Coverage(
      of: try workbench.files(orDefault: paths), by: workbench.player, statements: Self.statements, jobs: jobs
    ) { Console.progress($0, of: $1) }
    try output.write(CoverageView(coverage).text(format, output.style(styling)))
  }

  /// The statements in the tables of the document about the lessons' sources, with the scenarios that show each.
  private static var statements: [(name: String, shownBy: [String])] {
    let lines = Documents.installed().text(at: "docs/seeds.md")?.split(separator: "\n") ?? []
    return lines.compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 4, let number = Int(cells[0]) else { return nil }
      let words = cells[3].split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map(String.init)
      return ("\(number). \(cells[1])", words.filter { $0.hasPrefix("L") && $0.contains("-") })
    }
  }
}

extension CoverageView.Format: ExpressibleByArgument {}
