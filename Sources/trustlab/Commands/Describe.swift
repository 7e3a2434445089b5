import ArgumentParser
import Foundation
import Rendering
import Scenarios

/// `trustlab describe`
struct Describe: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "describe",
    abstract: "Print a scenario as prose, or with every default expanded.",
    discussion: """
      Examples:
        trustlab describe L1-15
        trustlab describe my-scenario.yaml
        trustlab describe L1-15 --full > L1-15-full.yaml

      --full writes YAML that plays as the scenario does, with all that it takes from the baseline and from the \
      defaults of the language, and each case as its smallest difference. Paths in it start from the folder that the \
      command is run in; with --output they are whole.
      """)

  @Argument(help: "A file, or the id of a scenario of the curriculum.")
  var scenario: String

  @Flag(help: "Write the whole scenario as YAML, with every default expanded.")
  var full = false

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    let workbench = Workbench()
    let file = try workbench.file(for: scenario)
    if full {
      let text = try workbench.library(of: file.path).reader.fullText(of: file, filesIn: folder(of: file))
      try output.write(String(text.dropLast()))
    } else {
      try output.write(ScenarioStory(file).document().text(output.style(styling)))
    }
  }

  /// Where the files that the scenario names are, for whoever reads the text: in the folder that this command is run in, or
  /// wherever --output puts it.
  private func folder(of file: ScenarioFile) -> String? {
    guard let slash = file.path.lastIndex(of: "/") else { return nil }
    let folder = String(file.path[...slash])
    return output.output == nil ? folder : URL(fileURLWithPath: folder).standardizedFileURL.path + "/"
  }
}
