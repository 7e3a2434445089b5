import Advice
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
        git show main:App/Info.plist |
          trustlab ats diff - App/Info.plist --format markdown
        trustlab ats diff Old.plist New.plist --xcconfig Release.xcconfig \\
          --define API_HOST=api.example

      The hosts that either plist names are loaded from, over http and https, one that neither names, a local name and \
      an address; of subdomains and ranges one that falls under no closer entry of either plist; --url adds others. \
      Without --os one system of each era is asked, from the release on that the new plist needs, and 26.4 where a plist \
      has a key of NIAP. An https load that passes before and after is compared by what is demanded of its server. The \
      SDK of each plist is that of its DTSDKName, as in 'ats decide'.

      Of two apps (.app, .ipa) each extension, watch app and XPC service is compared too, by its own list.

      $(NAME) in either plist stands for what --define or --xcconfig says. Where they do not say which host an entry is \
      for, it is compared as a host of its own, shown as it is written, and named as not known.

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

  @OptionGroup var build: BuildSettingOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    if old == "-", new == "-" {
      throw Diagnostics("one plist is read from standard input, not both", hint: "name a file")
    }
    let build = try build.settings()
    let before = try AppSettings(old, settings: build).file
    let after = try AppSettings(new, settings: build).file
    let urls = try url.map(LoadURL.written)
    let systems = try systems.isEmpty ? Self.usual(before, after) : systems.map(OSVersion.deciding)
    let difference = AppTransportSecurity.SettingsDifference(
      from: before.configuration, to: after.configuration, urls: urls, systems: systems)
    let bundles = try bundles(urls, build)
    let view = BundleDifferencesView(
      SettingsDifferenceView(difference, old: before.path, new: after.path, failing: failOn.fails),
      nested: bundles.map { bundle in
        .init(
          bundle.place,
          SettingsDifferenceView(bundle.difference, old: bundle.old, new: bundle.new, failing: failOn.fails),
          remark: bundle.remark)
      })
    let text =
      switch format {
      case .text: view.document().text(output.style(styling))
      case .markdown: view.markdown()
      case .json: view.json().text(pretty: true)
      }
    try output.write(text)
    let changes = difference.changes + bundles.flatMap(\.difference.changes)
    if changes.contains(where: { failOn.fails($0.kind) }) { throw NotAsExpected() }
  }

  /// The difference of a bundle in the two apps.
  private struct BundleDifference {
    let place: String
    let old: String
    let new: String
    let difference: AppTransportSecurity.SettingsDifference
    let remark: String
  }

  /// The differences of the extensions, watch apps and XPC services that the new app has; one that the old app lacks is
  /// compared with a list that says nothing.
  private func bundles(_ urls: [LoadURL], _ build: BuildSettings) throws -> [BundleDifference] {
    let earlier = try AppBundle.nestedListsByPlace(in: old)
    return try AppBundle.nestedListsByPlace(in: new).map { list in
      let path = earlier.first { $0.place == list.place }?.path
      let before = try path.map { try Self.file(at: $0, build) }
      let after = try Self.file(at: list.path, build)
      let asked = try systems.isEmpty ? Self.usual(before ?? after, after) : systems.map(OSVersion.deciding)
      return BundleDifference(
        place: list.place, old: path ?? "no list", new: list.path,
        difference: .init(
          from: before?.configuration ?? .empty, to: after.configuration, urls: urls, systems: asked),
        remark: before == nil ? "New in this app: compared with a list without NSAppTransportSecurity." : "")
    }
  }

  private static func file(at path: String, _ build: BuildSettings) throws -> InfoPlistFile {
    try InfoPlistFile(try AppSettings.bytes(path, isNamed: false), path: path, settings: build)
  }

  /// One system of each era, and the first that knows a key which either plist has and none of these knows.
  private static func usual(_ old: InfoPlistFile, _ new: InfoPlistFile) -> [OSVersion] {
    let usual = OSVersion.eras(of: new)
    let newer = old.configuration.writtenKeys.union(new.configuration.writtenKeys).filter { key in
      !usual.contains(where: key.isKnown)
    }
    return usual + Set(newer.compactMap { $0.firstRelease(of: new.platform) }).sorted()
  }
}
