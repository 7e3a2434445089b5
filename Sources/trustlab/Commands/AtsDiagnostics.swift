import Advice
import ArgumentParser
import Rendering
import Scenarios
import Trust
import URLLoading

/// `trustlab ats diagnostics`
struct AtsDiagnostics: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diagnostics",
    abstract: "Run the tests of nscurl --ats-diagnostics against a real server, or a scenario's.",
    discussion: """
      Loads a URL under one App Transport Security dictionary after the other, in the order and layout of the tool of \
      macOS: 13 tests with --os "macOS 10.13" and before, 16 later. Below stand what the pattern says, why tests fail \
      and the smallest exception that works; --strict-layout leaves all that out.

      Examples:
        trustlab ats diagnostics https://api.example/
        trustlab ats diagnostics https://api.example/ --scenario L1-15
        trustlab ats diagnostics https://api.example/ --scenario L1-15 \\
          --verbose --strict-layout
        trustlab ats diagnostics https://api.example/ --scenario L1-15 \\
          --os "macOS 10.13"
        trustlab ats diagnostics https://api.example/ --scenario my.yaml --format json

      Without --scenario the real server is asked, twice or three times in place of sixteen: what it chooses of \
      everything that a system offers, whether it does ECDHE, and by a hello with a key share whether it speaks TLS 1.3, \
      which is not modelled. The tests are decided by that; --roots stand for the system's, else this machine's are taken. \
      Under TLS 1.3 certificates come encrypted: of a server that speaks nothing else the results are UNKNOWN.

      Certificates under roots of the system need SCTs (Certificate Transparency), which are not verified for a real \
      server: with --roots the results are not certain. Name roots that the user installs with --user-roots.

      The app and the network of a scenario do not take part: only its servers, its date and its trust store.

      The exit status is 0 when the default test passes, 1 when it does not, or when that is not known.
      """)

  @Argument(help: ArgumentHelp("What is loaded: https://api.example/", valueName: "url"))
  var url: String

  @Flag(name: [.customShort("v"), .long], help: "Show the dictionaries, and the errors of tests that fail.")
  var verbose = false

  @OptionGroup var servers: ServerOptions

  @Option(parsing: .upToNextOption, help: "Roots that the system trusts, besides the scenario's, PEM or DER.")
  var roots: [String] = []

  @Option(parsing: .upToNextOption, help: "Of a real server: roots that the user installed and trusts; no SCTs needed.")
  var userRoots: [String] = []

  @Option(help: ArgumentHelp("Where the server of the URL is found, if not by its name.", valueName: "host:port"))
  var connectTo: String?

  @OptionGroup var waiting: TimeoutOptions
  @OptionGroup var validation: ValidatorOptions

  @Option(help: "The system that loads: \"macOS 15.4\" unless said otherwise.")
  var os: String?

  @Flag(help: "Print what the tool prints and nothing else.")
  var strictLayout = false

  @Option(help: "text or json.")
  var format = OutputFormat.text

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    if strictLayout, format == .json {
      throw Diagnostics("--strict-layout is about text", hint: "leave it out: JSON has a layout of its own")
    }
    let url = try LoadURL.written(url)
    guard ["http", "https"].contains(url.scheme) else {
      throw Diagnostics("'\(url.scheme)' is not loaded here", hint: "write an https:// URL")
    }
    let system = try os.map(OSVersion.named) ?? OSVersion(.macOS, 15, 4)
    guard system.isAtLeast(iOS: (9, 0), macOS: (10, 11)) else {
      throw Diagnostics(
        "\(system) has no App Transport Security and no tool that would test it",
        hint: "it came with iOS 9 and OS X 10.11")
    }
    if connectTo != nil, servers.scenario != nil {
      throw Diagnostics("--connect-to is for a real server, --scenario for another", hint: "leave one of them out")
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
