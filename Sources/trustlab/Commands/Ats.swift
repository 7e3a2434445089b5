import Advice
import ArgumentParser
import Scenarios
import Trust
import URLLoading

/// `trustlab ats`
struct Ats: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ats",
    abstract: "Ask what App Transport Security makes of an app's property list.",
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

/// Which servers answer.
struct ServerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The scenario whose servers answer: a file, or an id of the curriculum.", valueName: "file"))
  var scenario: String?

  @Option(name: .customLong("case"), help: "The case of the scenario; the file alone is 'main'.")
  var caseName: String?

  /// The servers of the scenario; nil without one. Whoever asks them has the bug `mutant`.
  ///
  /// - Throws: `Diagnostics` when a URL's host is none of them.
  func site(for urls: [LoadURL], mutant: Mutant? = nil) throws -> AppTransportSecurity.Site? {
    guard let scenario else {
      if caseName != nil { throw Diagnostics("a case of which scenario?", hint: "name it: --scenario FILE") }
      return nil
    }
    let workbench = Workbench(mutant: mutant)
    let file = try workbench.file(for: scenario)
    let chosen = try workbench.scenario(caseName, in: file)
    guard chosen.calculation == nil else {
      throw Diagnostics("\(file.id) is a calculation and has no servers", hint: "name another scenario")
    }
    if chosen.network.contains(where: \.isInterception) {
      Console.complain("warning: whoever stands in between is left out; the servers themselves answer")
    }
    do throws(Diagnostics) {
      return try checked(try workbench.player.site(of: chosen), urls, id: file.id)
    } catch {
      throw file.showing(error)
    }
  }

  /// The servers of the scenario; without one, what the real servers show, asked by a client of `os` that trusts `roots`.
  func asked(
    for urls: [LoadURL], as os: OSVersion, roots: [String], userRoots: [String], at place: String?, timeout: Int64,
    mutant: Mutant? = nil
  ) throws -> AppTransportSecurity.Site {
    if scenario != nil, !userRoots.isEmpty {
      throw Diagnostics(
        "--user-roots is for a real server", hint: "in the scenario write 'authorities: { NAME: { trust: user } }'")
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
        "no server of \(id) answers for '\(url.host)'",
        hint: Spelling.nearest(to: url.host, among: hosts).map { "did you mean '\($0)'?" }
          ?? "its servers are \(hosts.joined(separator: ", "))")
    }
    return site
  }
}

extension NetworkVerb {
  /// Whether somebody stands in between or in the server's place.
  fileprivate var isInterception: Bool {
    switch self {
    case .intercept, .reroute: true
    default: false
    }
  }
}
