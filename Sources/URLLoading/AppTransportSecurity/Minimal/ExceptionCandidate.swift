import TLS
import Trust

extension AppTransportSecurity {
  /// A dictionary that might let loads through: keys for all domains, and entries for hosts.
  struct ExceptionCandidate: Sendable, Hashable {
    /// The keys for all domains that say YES, in alphabetical order.
    var globals: [String] = []
    /// Entries by host, in alphabetical order of the hosts.
    var entries: [Entry] = []

    /// A host and its entry.
    struct Entry: Sendable, Hashable {
      let host: String
      let exception: ExceptionEntry
    }

    /// The `NSAppTransportSecurity` dictionary.
    var dictionary: PropertyList.Dictionary {
      var written = globals.map { PropertyList.Dictionary.Entry(key: $0, value: true) }
      if !entries.isEmpty {
        let hosts = entries.map {
          PropertyList.Dictionary.Entry(key: $0.host, value: .dictionary($0.exception.dictionary))
        }
        written.append(.init(key: Key.exceptionDomains, value: .dictionary(.init(entries: hosts))))
      }
      return .init(entries: written)
    }

    var configuration: Configuration { Configuration(dictionary: dictionary) }

    /// How many keys it has, hosts included.
    var size: Int { globals.count + entries.reduce(0) { $0 + 1 + $1.exception.dictionary.entries.count } }

    func with(_ exception: ExceptionEntry?, for host: String) -> ExceptionCandidate {
      var candidate = self
      if let exception { candidate.entries.append(Entry(host: host, exception: exception)) }
      return candidate
    }
  }
}

extension AppTransportSecurity.ExceptionCandidate {
  /// Every choice of keys for all domains, all of them YES: their absence is the other value.
  static let globalChoices: [Self] = {
    typealias Key = AppTransportSecurity.Key
    let keys = [
      Key.allowsArbitraryLoads, Key.allowsArbitraryLoadsForMedia, Key.allowsArbitraryLoadsInWebContent,
      Key.allowsLocalNetworking,
    ]
    return keys.reduce([[]]) { choices, key in choices + choices.map { $0 + [key] } }.map { Self(globals: $0) }
  }()

  /// Every entry that a host can have, and none.
  static let entryChoices: [AppTransportSecurity.ExceptionEntry?] = {
    let versions: [ProtocolVersion?] = [nil, .tls11, .tls10]
    let entries = [false, true].flatMap { allowsHTTP in
      versions.flatMap { version in
        [true, false].map { secrecy in
          AppTransportSecurity.ExceptionEntry(
            allowsInsecureHTTPLoads: allowsHTTP, minimumTLSVersion: version, requiresForwardSecrecy: secrecy)
        }
      }
    }
    return [nil] + entries.map(Optional.some)
  }()
}

extension AppTransportSecurity.ExceptionEntry {
  /// How many demands it weakens.
  var weakenings: Int {
    (allowsInsecureHTTPLoads ? 1 : 0) + (minimumTLSVersion.map { $0 < .tls12 } == true ? 1 : 0)
      + (requiresForwardSecrecy ? 0 : 1)
  }

  /// How many releases of TLS older than the usual one it lets in.
  var oldVersions: Int {
    guard let minimumTLSVersion, minimumTLSVersion < .tls12 else { return 0 }
    return minimumTLSVersion < .tls11 ? 2 : 1
  }
}

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

    /// As many demands as one entry can weaken.
    static let allDemands = 3

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
