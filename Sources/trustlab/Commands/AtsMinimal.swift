import Advice
import ArgumentParser
import Rendering
import Scenarios
import Trust
import URLLoading

/// The `trustlab ats minimal` command.
struct AtsMinimal: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "minimal",
    abstract: "Find the smallest ATS exception that allows the given loads on all given systems.",
    discussion: """
      TrustLab tries each possible exception, and checks whether the loads pass with it. It prefers the exception that \
      weakens the security of other loads the least. Among equal exceptions, it prefers the fewest weakened \
      requirements, then keys that App Review does not ask about, then the fewest keys.

      Examples:
        trustlab ats minimal --url http://old.example/ --os "iOS 9" "iOS 18.4"
        trustlab ats minimal --url http://192.168.1.4:9777/ --os "iOS 9" "iOS 10"
        trustlab ats minimal --url https://api.example/ --os "iOS 10" --scenario L1-15
        trustlab ats minimal --url https://api.example/ --os "iOS 17" --live
        trustlab ats minimal --plist Info.plist --url https://api.example/ \\
          --os "iOS 17"
        trustlab ats minimal --url http://news.example/ --os "iOS 9" "iOS 10" \\
          --loader WKWebView --any-host

      Without --scenario or --live, TrustLab considers only the decisions that a system makes before it connects. With \
      --scenario, it also considers the TLS settings and redirects of the servers. With --live, it connects to the \
      real servers.

      With --plist, TrustLab instead finds the keys of the app's plist that you can remove together. Without these \
      keys, each of the loads has the same result, and no other load becomes allowed. If a key must stay because of \
      another load, TrustLab shows that load. It also lists keys that only add requirements for a host that no --url \
      names. The option --any-host is for browsers, which do not know their hosts in advance.

      The exit status is 0 if no exception is needed or an exception works. It is 1 if no exception works, or if the \
      result of a load is unknown. With --plist, it is 1 if a load fails with the current plist, otherwise 0. The \
      output then begins with the loads, and with the change that allows the failing loads.

      Without --scenario and --live, --os also accepts tvOS, watchOS and visionOS. TrustLab assumes the decisions of \
      the iOS release of the same year.
      """)

  @Option(parsing: .upToNextOption, help: "The URLs that the app loads. All of them must pass.")
  var url: [String] = []

  @Option(
    name: .customLong("os"), parsing: .upToNextOption,
    help: "The operating systems, such as \"iOS 9\" and \"iOS 18.4\".")
  var systems: [String] = []

  @Option(
    help: ArgumentHelp(
      "The app's Info.plist, to find the keys that you can remove; - is standard input.", valueName: "file"))
  var plist: String?

  @OptionGroup var servers: ServerOptions

  @Flag(help: "Connect to the real servers to learn their TLS settings.")
  var live = false

  @Option(
    parsing: .upToNextOption,
    help: "With --live: the files of root certificates that the systems trust. Default: this machine's roots.")
  var roots: [String] = []

  @Option(
    parsing: .upToNextOption,
    help:
      """
      With --live: the files of root certificates that the user installed and trusts. Certificates under them need no \
      SCTs.
      """
  )
  var userRoots: [String] = []

  @Option(help: ArgumentHelp("With --live: the address of the first URL's server.", valueName: "host:port"))
  var connectTo: String?

  @OptionGroup var waiting: TimeoutOptions

  @Option(help: "The API that the app uses to load URLs: \(Loader.allCases.map(\.rawValue).joined(separator: ", ")).")
  var loader = Loader.urlSession.rawValue

  @Flag(help: "Assume that the app does not know its hosts in advance, so that no exception can name a host.")
  var anyHost = false

  @Option(help: "The output format: text or json.")
  var format = OutputFormat.text

  @OptionGroup var build: BuildSettingOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  private func site(for urls: [LoadURL], _ systems: [OSVersion]) throws -> AppTransportSecurity.Site? {
    guard live else {
      if connectTo != nil || !roots.isEmpty || !userRoots.isEmpty {
        throw Diagnostics("--connect-to, --roots and --user-roots require --live", hint: "add --live")
      }
      return try servers.site(for: urls)
    }
    guard servers.scenario == nil else {
      throw Diagnostics("--live and --scenario cannot be used together", hint: "remove one of the two options")
    }
    return try servers.asked(
      for: urls, as: systems.max() ?? OSVersion(.iOS, 18, 4), roots: roots, userRoots: userRoots, at: connectTo,
      timeout: waiting.timeout)
  }

  func run() throws {
    guard !url.isEmpty else {
      throw Diagnostics("no URL given", hint: "add --url http://old.example/")
    }
    let urls = try url.map(LoadURL.written)
    // No source documents the connections of tvOS, watchOS and visionOS. Before a connection, they decide like iOS of
    // the same year.
    let asksServers = live || servers.scenario != nil
    let systems =
      try systems.isEmpty
      ? OSVersion.eras : systems.map { try asksServers ? OSVersion.named($0) : OSVersion.deciding($0) }
    let loader = try Loader.named(loader)
    let site = try site(for: urls, systems)
    if let plist {
      if anyHost {
        throw Diagnostics("--any-host and --plist cannot be used together", hint: "remove one of the two options")
      }
      let settings = try AppSettings(plist, settings: try build.settings())
      for remark in settings.file.remarks { Console.complain(remark.description) }
      for finding in settings.file.findings() where finding.rule == .plistUnexpandedSetting {
        Console.complain("warning: \(finding.message): \(finding.effect). Set it with --define or --xcconfig")
      }
      let pruning = AppTransportSecurity.ExceptionPruning(
        of: settings.file.configuration, urls: urls, systems: systems, loader: loader, site: site)
      let present = AppTransportSecurity.PresentLoads(
        of: settings.file.configuration, urls: urls, systems: systems, loader: loader, site: site)
      let isIgnored = settings.file.origin == .notADictionary
      let view = PruningView(
        pruning, present: present, of: settings.file.path, remark: isIgnored ? settings.caption : nil,
        asksServers: site != nil)
      try output.write(
        format == .json ? view.json().text(pretty: true) : view.document().text(output.style(styling)))
      if !present.failing.isEmpty { throw NotAsExpected() }
      return
    }
    func answer(namesHosts: Bool) -> AppTransportSecurity.ExceptionAnswer {
      AppTransportSecurity.ExceptionSearch(
        urls: urls, systems: systems, loader: loader, site: site, namesHosts: namesHosts
      ).answer()
    }
    let result = answer(namesHosts: !anyHost)
    let isBrowserLike = loader.isWebView && !anyHost && result.outcome == .exception
    let view = MinimalView(
      result, forAnyHost: isBrowserLike ? answer(namesHosts: false) : nil, asksServers: site != nil)
    switch format {
    case .json: try output.write(view.json().text(pretty: true))
    case .text: try output.write(view.document().text(output.style(styling)))
    }
    // Without servers, the result covers only the decision before a connection, and the report lists open questions.
    let isOpen = site != nil && result.outcome == .notNeeded && !result.loads.allSatisfy(\.before.isKnown)
    if isOpen || result.outcome == .impossible { throw NotAsExpected() }
  }
}
