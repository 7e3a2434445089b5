import ArgumentParser
import Rendering
import Scenarios

/// `trustlab manual`
struct Manual: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual",
    abstract: "Print the manual page, which is made from the help of all commands.",
    discussion: """
      Examples:
        trustlab manual | man -l -
        trustlab manual --output /usr/local/share/man/man1/trustlab.1
      """, shouldDisplay: false)

  @OptionGroup var output: OutputOptions

  func run() throws {
    let version = TrustLab.configuration.version
    guard let page = ManualPage(help: TrustLab._dumpHelp(), version: version) else {
      throw Diagnostics("the help cannot be read", hint: "'trustlab --help' prints it")
    }
    try output.write(page.text)
  }
}
