import Advice
import ArgumentParser
import Explanation
import Rendering
import Scenarios
import Trust
import URLLoading

/// The `trustlab ats lint` command.
struct AtsLint: ParsableCommand {
  /// The format of findings.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
    case sarif
    case xcode
    case junit
    case codeQuality = "code-quality"
  }

  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Find misspelt, misplaced, ignored and surprising ATS settings in an app's property list.",
    discussion: """
      Examples:
        trustlab ats lint App/Info.plist
        trustlab ats lint App/Info.plist Widget/Info.plist --os "iOS 15" "iOS 18.4"
        trustlab ats lint App --format sarif > ats.sarif
        trustlab ats lint App --deny plist.app-review --baseline ats-baseline.json
        trustlab ats lint Build/My.app My.ipa
        trustlab ats lint App/Info.plist --xcconfig Release.xcconfig \\
          --define API_HOST=api.example
        trustlab ats lint App --xcconfig Release.xcconfig --format xcode \\
          --fail-on warning
        trustlab ats lint App --format code-quality \\
          --output gl-code-quality-report.json
        plutil -convert xml1 -o - Info.plist | trustlab ats lint -

      Input can be an XML or binary property list, a folder, an .app, .appex, .xpc or .framework bundle, an .ipa \
      (opened with libarchive), or - for standard input. In a bundle, TrustLab checks the property lists of the bundle \
      itself, its extensions and its XPC services. Without --os, it checks the releases that the app supports \
      (MinimumOSVersion, LSMinimumSystemVersion). If the property list does not name them, it checks all releases \
      since iOS 10. For details about a rule, use 'trustlab explain plist.unknown-key'.

      An error means that the system does not read the setting as written. A warning means that the setting is \
      probably not intended. A note only gives information. The exit status is 0 if there are no errors, 1 if there is \
      an error, and 2 if a file cannot be read.

      In a folder, TrustLab skips a property list without App Transport Security settings unless it is the Info.plist \
      of an app or extension. With --fail-on warning or --fail-on note, findings of lower severity also make the \
      command fail. With --deny, a rule's findings of any severity make it fail; with --allow, TrustLab ignores them. \
      The option --write-baseline FILE records the current findings, and --baseline FILE ignores recorded findings. \
      TrustLab reports each baseline entry of a checked file that no longer occurs. Paths in a baseline are relative \
      to the root of the repository. The option --suppressions FILE names a list of findings to ignore, each with a \
      reason:
        - { rule: plist.app-review, file: Info.plist, reason: a browser }

      For CI, use the format sarif for code scanning, code-quality for GitLab merge requests, or junit for test \
      reports. JUnit output has a suite for each plist and a test for each finding. A test fails if its finding makes \
      the command fail.
      """)

  @Argument(help: "The Info.plist files, bundles, archives or folders to check; - is standard input.")
  var files: [String]

  @Option(
    name: .customLong("os"), parsing: .upToNextOption,
    help: "The operating systems, such as \"iOS 18.4\" or \"macOS 15\"; 'doc' follows Apple's documentation.")
  var systems: [String] = []

  @Option(
    help:
      "The output format: text, json, sarif (2.1.0), xcode (one line per finding), junit or code-quality (for GitLab).")
  var format = Format.text

  @OptionGroup var gate: GateOptions
  @OptionGroup var build: BuildSettingOptions

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    let systems = try systems.map(OSVersion.deciding)
    let settings = try build.settings()
    let places = RepositoryPaths()
    var gate = try gate.gate(of: "ats lint", rules: Rule.propertyLists)
    let files = try files.flatMap { name in
      let paths = try PropertyListPaths.paths(for: name)
      for place in [name] + paths { gate.looks(at: places.known(place)) }
      let isFolder = paths != [name]
      return paths.map { read($0, systems, settings, below: isFolder ? name : nil) }.filter {
        !isFolder || !$0.isSilentByNature
      }
    }
    // Uses a dictionary, because a file may have thousands of findings.
    let names = Dictionary(files.map { ($0.path, places.known($0.path)) }) { first, _ in first }
    func item(_ finding: AppTransportSecurity.LintFinding, _ file: LintView.File) -> Gate.Item {
      .init(file: names[file.path] ?? file.path, rule: finding.rule.id, key: finding.spot.keyPath)
    }
    let view = LintView(
      files.map { file in
        file.showing { finding in gate.shows(item(finding, file), finding.severity) }
      }, systems: systems)
    let report = view.report { file, finding in gate.fails(item(finding, file), finding.severity) }
    let named = report.naming(places.named)
    switch format {
    case .xcode: try output.write(Console.escaped(report.xcode))
    case .junit: try output.write(named.junit)
    case .codeQuality: try output.write(named.codeQuality().text(pretty: true))
    case .json: try output.write(view.json().text(pretty: true))
    case .sarif: try output.write(named.sarif().text(pretty: true))
    case .text:
      let document = view.document(width: styling.style.width, isFailing: report.isFailing)
      try output.write(document.text(output.style(styling)))
    }
    if view.unreadable > 0 { throw UnreadableInput() }
    try gate.close()
  }

  /// Checks one file, which may be in a folder. If a file cannot be read, the other files are still checked.
  private func read(
    _ path: String, _ systems: [OSVersion], _ settings: BuildSettings, below folder: String?
  ) -> LintView.File {
    let name = path == "-" ? "<stdin>" : path
    do {
      if let folder, !folder.lowercased().hasSuffix(".ipa"), !AppBundle.isInsideBundle(path, folder) {
        throw AppBundle.refusal(ofLink: path, outOf: folder)
      }
      let bytes = try AppSettings.bytes(path, isNamed: folder == nil)
      return .init(try InfoPlistFile(bytes, path: name, settings: settings), systems: systems)
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
