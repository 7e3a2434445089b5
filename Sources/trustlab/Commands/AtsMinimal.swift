import Advice
import ArgumentParser
import Rendering
import Scenarios
import Trust
import URLLoading

/// `trustlab ats minimal`
struct AtsMinimal: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "minimal",
    abstract: "Find the smallest plist exception that lets loads through on all named systems.",
    discussion: """
      Searches the exceptions there are and lets the engine judge each: what weakens least for loads that nobody asked \
      about, then what weakens fewest demands, then what App Review does not ask about, then what has fewest keys.

      Examples:
        trustlab ats minimal --url http://old.example/ --os "iOS 9" "iOS 18.4"
        trustlab ats minimal --url http://192.168.1.4:9777/ --os "iOS 9" "iOS 10"
        trustlab ats minimal --url https://api.example/ --os "iOS 10" --scenario L1-15
        trustlab ats minimal --url https://api.example/ --os "iOS 17" --live
        trustlab ats minimal --plist Info.plist --url https://api.example/ \\
          --os "iOS 17"
        trustlab ats minimal --url http://news.example/ --os "iOS 9" "iOS 10" \\
          --loader WKWebView --any-host

      Without --scenario only what is decided before a connection is known; with it, what the servers need as well, \
      and where they redirect to; --live asks the real servers; of one that takes nothing else than TLS 1.3 version and \
      suite are judged, and its certificates are not, which a note says. With --plist the question is another one: which \
      keys of the app's plist can be dropped, all of them together, without a difference to these loads and without another \
      load that newly passes; what is kept for others' sake is said, with such a load, and what only demands more of a host \
      that no --url names. --any-host is for browsers, whose hosts nobody knows beforehand.

      The exit status is 0 when no exception is needed or one helps, 1 when none can, or when nobody knows whether one is \
      needed: --live does not see certificates that come under TLS 1.3. With --plist it is 1 when a load fails with the \
      plist as it is, and 0 otherwise: the loads come first, with the change that lets those through that fail.

      Without servers tvOS, watchOS and visionOS can be named as well: they are taken to decide like the iOS of the same \
      year.
      """)

  @Option(parsing: .upToNextOption, help: "What the app loads; all of it must pass.")
  var url: [String] = []

  @Option(
    name: .customLong("os"), parsing: .upToNextOption, help: "Systems, such as \"iOS 9\" and \"iOS 18.4\".")
  var systems: [String] = []

  @Option(
    help: ArgumentHelp(
      "The app's Info.plist, of which to say what can be dropped; - is standard input.", valueName: "file"))
  var plist: String?

  @OptionGroup var servers: ServerOptions

  @Flag(help: "Ask the real servers what they need.")
  var live = false

  @Option(parsing: .upToNextOption, help: "With --live: files of roots that the systems trust; else this machine's.")
  var roots: [String] = []

  @Option(
    parsing: .upToNextOption, help: "With --live: roots that the user installed and trusts; no SCTs needed.")
  var userRoots: [String] = []

  @Option(help: ArgumentHelp("With --live: where the server of the first URL is found.", valueName: "host:port"))
  var connectTo: String?

  @OptionGroup var waiting: TimeoutOptions

  @Option(help: "What the app loads with: \(Loader.allCases.map(\.rawValue).joined(separator: ", ")).")
  var loader = Loader.urlSession.rawValue

  @Flag(help: "The hosts are not known beforehand, so that no entry can name them.")
  var anyHost = false

  @Option(help: "text or json.")
  var format = OutputFormat.text

  @OptionGroup var build: BuildSettingOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  private func site(for urls: [LoadURL], _ systems: [OSVersion]) throws -> AppTransportSecurity.Site? {
    guard live else {
      if connectTo != nil || !roots.isEmpty || !userRoots.isEmpty {
        throw Diagnostics("--connect-to, --roots and --user-roots are for real servers", hint: "ask them: --live")
      }
      return try servers.site(for: urls)
    }
    guard servers.scenario == nil else {
      throw Diagnostics("--live asks real servers, --scenario others", hint: "leave one of them out")
    }
    return try servers.asked(
      for: urls, as: systems.max() ?? OSVersion(.iOS, 18, 4), roots: roots, userRoots: userRoots, at: connectTo,
      timeout: waiting.timeout)
  }

  func run() throws {
    guard !url.isEmpty else {
      throw Diagnostics("which load?", hint: "name it: --url http://old.example/")
    }
    let urls = try url.map(LoadURL.written)
    // How tvOS, watchOS and visionOS connect no source says; what they decide before is that of the iOS of their year.
    let asksServers = live || servers.scenario != nil
    let systems =
      try systems.isEmpty
      ? OSVersion.eras : systems.map { try asksServers ? OSVersion.named($0) : OSVersion.deciding($0) }
    let loader = try Loader.named(loader)
    let site = try site(for: urls, systems)
    if let plist {
      if anyHost { throw Diagnostics("--any-host and --plist ask different questions", hint: "leave one of them out") }
      let settings = try AppSettings(plist, settings: try build.settings())
      for remark in settings.file.remarks { Console.complain(remark.description) }
      for finding in settings.file.findings() where finding.rule == .plistUnexpandedSetting {
        Console.complain("warning: \(finding.message): \(finding.effect). --define and --xcconfig say what it is")
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
    // Without servers it is about what may be loaded, and what no source settles is said.
    let isOpen = site != nil && result.outcome == .notNeeded && !result.loads.allSatisfy(\.before.isKnown)
    if isOpen || [.impossible, .unknown].contains(result.outcome) { throw NotAsExpected() }
  }
}
