import ArgumentParser
import Rendering
import Scenarios
import Trust
import URLLoading

/// `trustlab ats lint`
struct AtsLint: ParsableCommand {
  /// How findings are written.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
    case sarif
  }

  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Find what is misspelt, misplaced, ignored or surprising in an app's plist.",
    discussion: """
      Examples:
        trustlab ats lint App/Info.plist
        trustlab ats lint App/Info.plist Widget/Info.plist --os "iOS 15" "iOS 18.4"
        trustlab ats lint App --format sarif > ats.sarif
        plutil -convert xml1 -o - Info.plist | trustlab ats lint -

      Takes XML and binary property lists, folders of them, and - for standard input. Without --os the releases that \
      the app names itself count (MinimumOSVersion, LSMinimumSystemVersion), else all since iOS 10. 'trustlab \
      explain plist.unknown-key' says more about a rule.

      Errors are what the system does not read as it is written; warnings what is probably not meant; notes what is \
      worth knowing. The exit status is 0 when there is no error, 1 when there is one, 2 when a file cannot be read.
      """)

  @Argument(help: "Info.plist files, XML or binary, or folders; - is standard input.")
  var files: [String]

  @Option(
    name: .customLong("os"), parsing: .upToNextOption, help: "Systems, such as \"iOS 18.4\", \"macOS 15\" or doc.")
  var systems: [String] = []

  @Option(help: "text, json or sarif (SARIF 2.1.0, for code scanning).")
  var format = Format.text

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    let systems = try systems.map(OSVersion.named)
    let paths = try files.flatMap(PropertyListPaths.paths)
    let view = LintView(paths.map { read($0, systems) }, systems: systems)
    switch format {
    case .json: try output.write(view.json().text(pretty: true))
    case .sarif: try output.write(view.sarif().text(pretty: true))
    case .text: try output.write(view.document(width: styling.style.width).text(output.style(styling)))
    }
    if view.unreadable > 0 { throw UnreadableInput() }
    if view.count(.error) > 0 { throw NotAsExpected() }
  }

  /// Lints one file; one that cannot be read keeps nobody from the others.
  private func read(_ path: String, _ systems: [OSVersion]) -> LintView.File {
    let name = path == "-" ? "<stdin>" : path
    do {
      return .init(try InfoPlistFile(try AppSettings.bytes(path), path: name), systems: systems)
    } catch let error as Diagnostics {
      Console.complain(error.description)
      return .init(path: name, unreadable: error)
    } catch {
      let diagnostics = Diagnostics("cannot read '\(path)'", hint: "\(error)")
      Console.complain(diagnostics.description)
      return .init(path: name, unreadable: diagnostics)
    }
  }
}
