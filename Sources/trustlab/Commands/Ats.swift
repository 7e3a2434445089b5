import Advice
import ArgumentParser
import Scenarios
import Trust
import URLLoading

/// The `trustlab ats` command.
struct Ats: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ats",
    abstract: "Check an app's property list against App Transport Security (ATS).",
    discussion: """
      Examples:
        trustlab ats decide --plist Info.plist --url http://api.example/
        trustlab ats lint Info.plist
        trustlab ats diff Old.plist New.plist
        trustlab ats diagnostics https://api.example/ --scenario L1-15
        trustlab ats minimal --url http://old.example/ --os "iOS 9" "iOS 18.4"
      """,
    subcommands: [AtsDecide.self, AtsLint.self, AtsDiff.self, AtsDiagnostics.self, AtsMinimal.self])
}

/// The options that select the servers of a scenario.
struct ServerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The scenario that provides the servers: a file, or the id of a curriculum scenario.", valueName: "file"))
  var scenario: String?

  @Option(
    name: .customLong("case"),
    help: "The case of the scenario; 'main' is the scenario itself, without the changes of a case.")
  var caseName: String?

  /// Returns the servers of the scenario; nil if there is no scenario. The client has the bug `mutant`.
  ///
  /// - Throws: `Diagnostics` if the scenario has no server for a URL's host.
  func site(for urls: [LoadURL], mutant: Mutant? = nil) throws -> AppTransportSecurity.Site? {
    guard let scenario else {
      if caseName != nil { throw Diagnostics("--case requires --scenario", hint: "add --scenario FILE") }
      return nil
    }
    let workbench = Workbench(mutant: mutant)
    let file = try workbench.file(for: scenario)
    let chosen = try workbench.scenario(caseName, in: file)
    guard chosen.calculation == nil else {
      throw Diagnostics("\(file.id) is a calculation without servers", hint: "choose another scenario")
    }
    if chosen.network.contains(where: \.isInterception) {
      Console.complain("warning: the scenario's interceptor is ignored; the client connects directly to the servers")
    }
    do throws(Diagnostics) {
      return try checked(try workbench.player.site(of: chosen), urls, id: file.id)
    } catch {
      throw file.showing(error)
    }
  }

  /// Returns the servers of the scenario, or else the observed real servers.
  ///
  /// The client runs on `os` and trusts `roots`.
  func asked(
    for urls: [LoadURL], as os: OSVersion, roots: [String], userRoots: [String], at place: String?, timeout: Int64,
    mutant: Mutant? = nil
  ) throws -> AppTransportSecurity.Site {
    if scenario != nil, !userRoots.isEmpty {
      throw Diagnostics(
        "--user-roots applies only to a real server",
        hint: "write 'authorities: { NAME: { trust: user } }' in the scenario")
    }
    if let site = try site(for: urls, mutant: mutant) {
      return site.trusting(try CertificateFiles.certificates(in: roots))
    }
    var live = LiveSite(try LiveRoots.store(roots, user: userRoots), os: os)
    live.timeout = timeout
    live.hasPublicRoots = roots.isEmpty && userRoots.isEmpty
    if let place, let first = urls.first {
      live.places[AppTransportSecurity.Site.place(of: first)] = try LivePlace(place).destination
    }
    return try live.site(for: urls)
  }

  private func checked(
    _ site: AppTransportSecurity.Site, _ urls: [LoadURL], id: String
  ) throws(Diagnostics) -> AppTransportSecurity.Site {
    let hosts = site.servers.keys.sorted()
    for url in urls where site.server(for: url) == nil {
      throw Diagnostics(
        "\(id) has no server for '\(url.host)'",
        hint: Spelling.nearest(to: url.host, among: hosts).map { "did you mean '\($0)'?" }
          ?? "use one of its servers: \(hosts.joined(separator: ", "))")
    }
    return site
  }
}

extension NetworkVerb {
  /// Whether the effect puts an interceptor between client and server, or in place of the server.
  fileprivate var isInterception: Bool {
    switch self {
    case .intercept, .reroute: true
    default: false
    }
  }
}
