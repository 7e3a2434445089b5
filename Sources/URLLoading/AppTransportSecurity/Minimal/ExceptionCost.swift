import Trust

extension AppTransportSecurity {
  /// What an exception costs; the smallest one costs least. Earlier members weigh more than all later ones together.
  struct ExceptionCost: Sendable, Comparable {
    /// Loads that nobody asked for and that lose App Transport Security too.
    var beyond = 0
    /// Loads that pass only if something is so that no source settles.
    var uncertain = 0
    /// Demands that are weakened for the hosts that were asked for.
    var weakenings = 0
    /// Old versions of TLS that are let in.
    var oldVersions = 0
    /// Keys that App Review asks about.
    var reviewed = 0
    /// Keys that have to be written.
    var keys = 0

    static func < (left: Self, right: Self) -> Bool { left.inOrder.lexicographicallyPrecedes(right.inOrder) }

    private var inOrder: [Int] { [beyond, uncertain, weakenings, oldVersions, reviewed, keys] }
  }
}

extension AppTransportSecurity.ExceptionCandidate {
  func cost(on systems: [OSVersion], uncertain: Int) -> AppTransportSecurity.ExceptionCost {
    AppTransportSecurity.ExceptionCost(
      beyond: beyond(on: systems), uncertain: uncertain,
      weakenings: entries.reduce(0) { $0 + $1.exception.weakenings },
      oldVersions: entries.reduce(0) { $0 + $1.exception.oldVersions }, reviewed: reviewed.count, keys: size)
  }

  /// The keys of the dictionary that App Review asks about, each once.
  var reviewed: [String] {
    let keys = Set(AppTransportSecurity.Key.catalogue.filter { $0.review == .whenYes }.map(\.name))
    var found = globals.filter(keys.contains)
    let insecure = AppTransportSecurity.ExceptionEntry.insecureLoadsKey
    let lowered = AppTransportSecurity.ExceptionEntry.minimumVersionKey
    if entries.contains(where: \.exception.allowsInsecureHTTPLoads) { found.append(insecure) }
    if entries.contains(where: { $0.exception.oldVersions > 0 }) { found.append(lowered) }
    return found
  }

  /// How many of the loads that stand for all others go without App Transport Security: of a host that no entry names,
  /// by the app itself, by a web view and by a media player. The engine is asked, system by system.
  private func beyond(on systems: [OSVersion]) -> Int {
    guard !globals.isEmpty, let url = try? LoadURL("http://elsewhere.invalid/") else { return 0 }
    let configuration = configuration
    let loaders: [Loader] = [.urlSession, .wkWebView, .avFoundation]
    return systems.reduce(0) { sum, os in
      sum
        + loaders.filter { loader in
          guard
            case .lifted = AppTransportSecurity.decide(.init(url, os: os, loader: loader), by: configuration).standing
          else { return false }
          return true
        }.count
    }
  }
}
