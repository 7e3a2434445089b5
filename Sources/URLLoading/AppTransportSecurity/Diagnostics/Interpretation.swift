import TLS

extension AppTransportSecurity {
  /// What a pattern of results says about a server: Apple's rules, "Identifying the Source of Blocked Connections".
  public enum Interpretation: Sendable, Hashable {
    /// The default passes.
    case nothingIsNeeded
    /// Even Allow All Loads fails.
    case notTheCause
    /// Only tests without forward secrecy pass.
    case noForwardSecrecy
    /// Exceptions pass from this version down.
    case newestVersion(ProtocolVersion)
    /// Only tests that allow plain HTTP pass.
    case plainHTTP
    /// Of all exceptions only Allow All Loads passes: no entry for the host helps.
    case beyondTheHost

    /// A word for programs, such as `not-the-cause`.
    public var word: String {
      switch self {
      case .nothingIsNeeded: "nothing-is-needed"
      case .notTheCause: "not-the-cause"
      case .noForwardSecrecy: "no-forward-secrecy"
      case .newestVersion: "newest-version"
      case .plainHTTP: "plain-http"
      case .beyondTheHost: "beyond-the-host"
      }
    }
  }
}

extension AppTransportSecurity.Diagnostics {
  /// What the results say about the server, from the results alone.
  public var interpretations: [AppTransportSecurity.Interpretation] {
    if passes { return [.nothingIsNeeded] }
    guard rows.first(where: \.allowsAllLoads)?.passes == true else { return [.notTheCause] }
    let passing = rows.filter { $0.passes && !$0.allowsAllLoads }
    guard !passing.isEmpty else { return [.beyondTheHost] }
    var found: [AppTransportSecurity.Interpretation] = []
    if passing.allSatisfy(\.entry.allowsInsecureHTTPLoads) { return [.plainHTTP] }
    if passing.allSatisfy({ !$0.entry.requiresForwardSecrecy }) { found.append(.noForwardSecrecy) }
    if let version = newestVersion(passing) { found.append(.newestVersion(version)) }
    return found
  }

  /// The highest floor under which anything passes, where it is lower than the default.
  private func newestVersion(_ passing: [Row]) -> ProtocolVersion? {
    let highest = passing.map { $0.entry.minimumTLSVersion ?? .tls12 }.max()
    return highest.flatMap { $0 < .tls12 ? $0 : nil }
  }
}

extension AppTransportSecurity.Diagnostics.Row {
  fileprivate var allowsAllLoads: Bool { test.dictionary[AppTransportSecurity.Key.allowsArbitraryLoads] != nil }

  /// What the test excepts the host from.
  fileprivate var entry: AppTransportSecurity.ExceptionEntry {
    .init(test.dictionary[AppTransportSecurity.Key.exceptionDomains]?.dictionary?.entries.first?.value.dictionary)
  }
}
