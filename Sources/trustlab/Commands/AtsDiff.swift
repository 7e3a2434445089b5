import Advice
import ArgumentParser
import Rendering
import Scenarios
import Trust
import URLLoading

/// The `trustlab ats diff` command.
struct AtsDiff: ParsableCommand {
  /// The differences that make a build fail.
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

  /// The format of the differences.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case markdown
    case json
  }

  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare two property lists, and show the loads that newly pass or fail and the keys that decide.",
    discussion: """
      Examples:
        trustlab ats diff Old.plist New.plist
        trustlab ats diff Old.plist New.plist --url http://cdn.example/ --os "iOS 17"
        git show main:App/Info.plist |
          trustlab ats diff - App/Info.plist --format markdown
        trustlab ats diff Old.plist New.plist --xcconfig Release.xcconfig \\
          --define API_HOST=api.example

      TrustLab compares http and https loads from each host in the two plists, another host, a local name and an IP \
      address. For subdomains and address ranges, it uses a host that no more specific entry covers. The option --url \
      adds further loads. Without --os, TrustLab compares one release of each generation of App Transport Security, \
      from the first that the new plist supports. If a plist has an NIAP key, it also compares release 26.4. If an \
      https load passes with both plists, TrustLab compares the requirements for the server. The SDK of each plist \
      comes from its DTSDKName, as in 'ats decide'.

      For two apps (.app or .ipa), TrustLab also compares the property lists of their extensions, watch apps and XPC \
      services.

      The options --define and --xcconfig set the value of $(NAME) in either plist. If the host of an entry remains \
      unknown, TrustLab treats the entry as a separate host, prints it as written, and marks it as unknown.

      The exit status is 1 if a load is newly allowed or a requirement is weaker (--fail-on newly-allowed, the \
      default). With --fail-on newly-blocked, it is 1 for the opposite changes. With any, it is 1 for both kinds of \
      changes; with never, for neither. The exit status is 2 if a plist cannot be read.
      """)

  @Argument(help: "The old property list; - is standard input.")
  var old: String

  @Argument(help: "The new property list; - is standard input.")
  var new: String

  @Option(parsing: .upToNextOption, help: "Additional URLs that the app loads.")
  var url: [String] = []

  @Option(
    name: .customLong("os"), parsing: .upToNextOption,
    help: "The operating systems, such as \"iOS 18.4\" or \"macOS 15\"; 'doc' follows Apple's documentation.")
  var systems: [String] = []

  @Option(
    name: .customLong("fail-on"),
    help: "The changes that make the command fail: newly-allowed, newly-blocked, any or never.")
  var failOn = Gate.newlyAllowed

  @Option(help: "The output format: text, markdown (for a pull request) or json.")
  var format = Format.text

  @OptionGroup var build: BuildSettingOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    if old == "-", new == "-" {
      throw Diagnostics("only one plist can be standard input", hint: "pass a file for the other plist")
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

  /// The difference between the property lists of a bundle in two versions of an app.
  private struct BundleDifference {
    let place: String
    let old: String
    let new: String
    let difference: AppTransportSecurity.SettingsDifference
    let remark: String
  }

  /// Returns the differences of the new app's extensions, watch apps and XPC services. A bundle that the old app lacks
  /// is compared with an empty property list.
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
        remark: before == nil
          ? "This list is new in the app, so it is compared with a list without NSAppTransportSecurity." : "")
    }
  }

  private static func file(at path: String, _ build: BuildSettings) throws -> InfoPlistFile {
    try InfoPlistFile(try AppSettings.bytes(path, isNamed: false), path: path, settings: build)
  }

  /// Returns one release of each era, and the first release that knows a key that these releases do not know.
  private static func usual(_ old: InfoPlistFile, _ new: InfoPlistFile) -> [OSVersion] {
    let usual = OSVersion.eras(of: new)
    let newer = old.configuration.writtenKeys.union(new.configuration.writtenKeys).filter { key in
      !usual.contains(where: key.isKnown)
    }
    return usual + Set(newer.compactMap { $0.firstRelease(of: new.platform) }).sorted()
  }
}
