import Advice
import ArgumentParser
import Rendering
import Scenarios
import Trust
import URLLoading

/// The `trustlab ats diagnostics` command.
struct AtsDiagnostics: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diagnostics",
    abstract: "Run the tests of nscurl --ats-diagnostics against a real server or a scenario's server.",
    discussion: """
      TrustLab loads a URL several times, each time with another App Transport Security dictionary. The tests have the \
      order and layout of the macOS tool: 13 tests up to --os "macOS 10.13", and 16 tests for later releases. After \
      the tests, TrustLab explains the result, the failures and the smallest exception that works. The option \
      --strict-layout omits this explanation.

      Examples:
        trustlab ats diagnostics https://api.example/
        trustlab ats diagnostics https://api.example/ --scenario L1-15
        trustlab ats diagnostics https://api.example/ --scenario L1-15 \\
          --verbose --strict-layout
        trustlab ats diagnostics https://api.example/ --scenario L1-15 \\
          --os "macOS 10.13"
        trustlab ats diagnostics https://api.example/ --scenario my.yaml --format json

      Without --scenario, TrustLab connects to the real server two or three times instead of sixteen. The connections \
      show the server's choice from the system's whole offer, its choice without TLS 1.3, and whether it supports \
      ECDHE. TrustLab computes the results of all tests from these facts. The option --roots replaces the system's \
      roots; without it, TrustLab uses this machine's roots.

      Certificates that chain to a system root require SCTs (Certificate Transparency). TrustLab does not verify the \
      SCTs of a real server, so results with --roots are not certain. Use --user-roots for roots that the user \
      installed.

      From a scenario, TrustLab uses only the servers, the date and the trust store, but not the app and the network.

      The exit status is 0 if the default test passes, and 1 if it fails or the result is unknown.
      """)

  @Argument(help: ArgumentHelp("The URL to load, such as https://api.example/.", valueName: "url"))
  var url: String

  @Flag(name: [.customShort("v"), .long], help: "Print the dictionary of each test, and the errors of failing tests.")
  var verbose = false

  @OptionGroup var servers: ServerOptions

  @Option(
    parsing: .upToNextOption,
    help: "The files of root certificates that the system trusts, in addition to the roots of a scenario.")
  var roots: [String] = []

  @Option(
    parsing: .upToNextOption,
    help:
      """
      For a real server: the files of root certificates that the user installed and trusts. Certificates under them \
      need no SCTs.
      """
  )
  var userRoots: [String] = []

  @Option(
    help: ArgumentHelp(
      "The server's address, if different from the URL (like curl's --connect-to).", valueName: "host:port"))
  var connectTo: String?

  @OptionGroup var waiting: TimeoutOptions
  @OptionGroup var validation: ValidatorOptions

  @Option(help: "The operating system of the client. Default: macOS 15.4.")
  var os: String?

  @Flag(help: "Print only the output that the macOS tool prints, without explanations.")
  var strictLayout = false

  @Option(help: "The output format: text or json.")
  var format = OutputFormat.text

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    if strictLayout, format == .json {
      throw Diagnostics("--strict-layout does not apply to JSON", hint: "remove --strict-layout or --format json")
    }
    let url = try LoadURL.written(url)
    guard ["http", "https"].contains(url.scheme) else {
      throw Diagnostics("cannot load a '\(url.scheme)' URL", hint: "write an http:// or https:// URL")
    }
    let system = try os.map(OSVersion.named) ?? OSVersion(.macOS, 15, 4)
    guard system.isAtLeast(iOS: (9, 0), macOS: (10, 11)) else {
      throw Diagnostics(
        "\(system) has neither App Transport Security nor a tool to test it",
        hint: "use iOS 9, OS X 10.11 or later")
    }
    if connectTo != nil, servers.scenario != nil {
      throw Diagnostics("--connect-to and --scenario cannot be used together", hint: "remove one of the two options")
    }
    let mutant = try validation.mutant(ofValidatorsIn: "ats diagnostics")
    let site = try servers.asked(
      for: [url], as: system, roots: roots, userRoots: userRoots, at: connectTo, timeout: waiting.timeout,
      mutant: mutant)
    let diagnostics = AppTransportSecurity.Diagnostics(url, on: system, site: site)
    try output.write(text(of: diagnostics))
    if !diagnostics.passes || !diagnostics.isKnown { throw NotAsExpected() }
  }

  private func text(of diagnostics: AppTransportSecurity.Diagnostics) -> String {
    let view = DiagnosticsView(diagnostics)
    if format == .json { return view.json().text(pretty: true) }
    let transcript = NSCurlTranscript(diagnostics, isVerbose: verbose).text
    return strictLayout ? transcript : transcript + "\n" + view.document().text(output.style(styling))
  }
}
