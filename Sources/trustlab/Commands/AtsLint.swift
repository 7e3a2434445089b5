import Advice
import ArgumentParser
import Explanation
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
    case xcode
    case junit
    case codeQuality = "code-quality"
  }

  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Find what is misspelt, misplaced, ignored or surprising in an app's plist.",
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

      Takes XML and binary property lists, folders of them, an .app, .appex, .xpc or .framework, an .ipa (by libarchive; \
      of a bundle its own list counts and those of its extensions and XPC services), and - for standard input. Without --os the releases that \
      the app names itself count (MinimumOSVersion, LSMinimumSystemVersion), else all since iOS 10. 'trustlab \
      explain plist.unknown-key' says more about a rule.

      Errors are what the system does not read as it is written; warnings what is probably not meant; notes what is \
      worth knowing. The exit status is 0 when there is no error, 1 when there is one, 2 when a file cannot be read.

      In a folder, property lists that are no Info.plist of an app or an extension are passed over where they say \
      nothing about App Transport Security. --fail-on warning (or note) fails on less than errors, --deny on a rule \
      whatever its severity; --allow passes a rule over. --write-baseline FILE notes what there is today, and \
      --baseline FILE lets that pass; what is in it of the files that are looked at and no longer found is named. \
      Files are noted by their paths from the repository's folder. --suppressions FILE has a list of \
      what is meant to be so, each with its reason: - { rule: plist.app-review, file: Info.plist, reason: a browser }

      For a CI: sarif is what code scanning takes, code-quality what GitLab shows beside a merge request, junit has a \
      suite for each plist and a test for each finding, which fails where the build does.
      """)

  @Argument(help: "Info.plist files, XML or binary, or folders; - is standard input.")
  var files: [String]

  @Option(
    name: .customLong("os"), parsing: .upToNextOption, help: "Systems, such as \"iOS 18.4\", \"macOS 15\" or doc.")
  var systems: [String] = []

  @Option(help: "text, json, sarif (2.1.0), xcode (a line a finding), junit or code-quality (GitLab's).")
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
    // A file may have thousands of findings.
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

  /// Lints one file, of a folder where there is one; one that cannot be read keeps nobody from the others.
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
