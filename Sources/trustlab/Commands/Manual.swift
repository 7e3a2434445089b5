import ArgumentParser
import Rendering
import Scenarios

/// The `trustlab manual` command.
struct Manual: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual",
    abstract: "Print the manual page, generated from the help of all commands.",
    discussion: """
      Examples:
        trustlab manual | man -l -
        trustlab manual --output trustlab.1
        trustlab manual --markdown
      """, shouldDisplay: false)

  @Flag(help: "Print the command reference in Markdown instead.")
  var markdown = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    let version = TrustLab.configuration.version
    guard let page = ManualPage(help: TrustLab._dumpHelp(), version: version) else {
      throw Diagnostics("cannot generate the manual page", hint: "use 'trustlab --help'")
    }
    try output.write(markdown ? page.markdown : page.text)
  }
}
