import ArgumentParser
import Foundation
import Rendering
import Scenarios

/// The `trustlab describe` command.
struct Describe: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "describe",
    abstract: "Print a scenario as prose, or as YAML with every default.",
    discussion: """
      Examples:
        trustlab describe L1-15
        trustlab describe my-scenario.yaml
        trustlab describe L1-15 --full > L1-15-full.yaml

      The option --full writes YAML that plays exactly like the scenario. The YAML includes all values from the \
      baseline and all defaults of the scenario language. For each case, it contains only the smallest difference from \
      the scenario. Paths are relative to the working directory; with --output they are absolute.
      """)

  @Argument(help: "A scenario file, or the id of a curriculum scenario.")
  var scenario: String

  @Flag(help: "Write the whole scenario as YAML, including every default.")
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

  /// Returns the folder of the scenario's files for the reader of the output. With `--output`, the folder is absolute,
  /// because the output may be in any folder.
  private func folder(of file: ScenarioFile) -> String? {
    guard let slash = file.path.lastIndex(of: "/") else { return nil }
    let folder = String(file.path[...slash])
    return output.output == nil ? folder : URL(fileURLWithPath: folder).standardizedFileURL.path + "/"
  }
}
