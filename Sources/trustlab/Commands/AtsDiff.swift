import ArgumentParser
import Rendering
import Scenarios
import Trust
import URLLoading

/// `trustlab ats diff`
struct AtsDiff: ParsableCommand {
  /// What makes a build fail.
  enum Gate: String, ExpressibleByArgument, CaseIterable {
    case newlyAllowed = "newly-allowed"
    case newlyBlocked = "newly-blocked"
    case any
    case never

    fileprivate func fails(_ kind: AppTransportSecurity.SettingsDifference.Kind) -> Bool {
      switch self {
      case .newlyAllowed: kind.opens
      case .newlyBlocked: !kind.opens
      case .any: true
      case .never: false
      }
    }
  }

  /// How the difference is written.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case markdown
    case json
  }

  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Say which loads newly pass and which newly fail between two plists, and by which key.",
    discussion: """
      Examples:
        trustlab ats diff Old.plist New.plist
        trustlab ats diff Old.plist New.plist --url http://cdn.example/ --os "iOS 17"
        git show main:App/Info.plist | trustlab ats diff - App/Info.plist --format markdown

      The hosts that either plist names are loaded from, over http and https, one that neither names, a local name and \
      an address; --url adds others. Without --os one system of each era is asked, from the release on that the \
      new plist needs. An https load that passes before \
      and after is compared by what is demanded of its server.

      The exit status is 1 when something is newly allowed or less is demanded (--fail-on newly-allowed, the default); \
      newly-blocked asks for the opposite, any for either, never for none. It is 2 when a plist cannot be read.
      """)

  @Argument(help: "The plist as it was; - is standard input.")
  var old: String

  @Argument(help: "The plist as it is; - is standard input.")
  var new: String

  @Option(parsing: .upToNextOption, help: "What the app loads besides.")
  var url: [String] = []

  @Option(
    name: .customLong("os"), parsing: .upToNextOption, help: "Systems, such as \"iOS 18.4\", \"macOS 15\" or doc.")
  var systems: [String] = []

  @Option(name: .customLong("fail-on"), help: "newly-allowed, newly-blocked, any or never.")
  var failOn = Gate.newlyAllowed

  @Option(help: "text, markdown (for a pull request) or json.")
  var format = Format.text

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    if old == "-", new == "-" {
      throw Diagnostics("one plist is read from standard input, not both", hint: "name a file")
    }
    let settings = (try AppSettings(old), try AppSettings(new))
    let urls = try url.map(LoadURL.written)
    let systems = try systems.isEmpty ? OSVersion.eras(of: settings.1.file) : systems.map(OSVersion.deciding)
    let difference = AppTransportSecurity.SettingsDifference(
      from: settings.0.file.configuration, to: settings.1.file.configuration, urls: urls, systems: systems)
    let view = SettingsDifferenceView(difference, old: settings.0.file.path, new: settings.1.file.path)
    let text =
      switch format {
      case .text: view.document().text(output.style(styling))
      case .markdown: view.markdown()
      case .json: view.json().text(pretty: true)
      }
    try output.write(text)
    if difference.changes.contains(where: { failOn.fails($0.kind) }) { throw NotAsExpected() }
  }
}
