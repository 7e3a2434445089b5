import Explanation
import TLS
import URLLoading

extension AppTransportSecurity {
  /// A conclusion about a server from the test results (Apple, "Identifying the Source of Blocked Connections").
  public enum Interpretation: Sendable, Hashable {
    /// The default passes.
    case nothingIsNeeded
    /// The default test passes, but the result is uncertain.
    ///
    /// It depends on a question that no source settles, or on unknown facts about the server.
    case perhapsNothingIsNeeded
    /// Even the test Allow All Loads fails.
    case notTheCause
    /// Even the test Allow All Loads fails, but the result depends on a question that no source settles.
    case perhapsNotTheCause
    /// Only tests without forward secrecy pass, and others fail because of it.
    case noForwardSecrecy
    /// Only tests without forward secrecy pass, and others fail because the server's key is too small.
    case weakKey
    /// Only tests without any requirement for the host pass, and others fail because of the certificate's hash.
    case weakHash
    /// Only exceptions with this minimum version or a lower one pass.
    case newestVersion(ProtocolVersion)
    /// Only tests that allow plain HTTP pass, and others fail because it is blocked.
    case plainHTTP
    /// Of all exceptions, only Allow All Loads passes, because a redirect leads to this host, which has no entry.
    case beyondTheHost(String)
    /// Of all exceptions, only Allow All Loads passes, because no key of an entry lifts these rules.
    case noEntryLifts([Rule])

    /// An identifier for programs, such as `not-the-cause`.
    public var word: String {
      switch self {
      case .nothingIsNeeded: "nothing-is-needed"
      case .perhapsNothingIsNeeded: "perhaps-nothing-is-needed"
      case .notTheCause: "not-the-cause"
      case .perhapsNotTheCause: "perhaps-not-the-cause"
      case .noForwardSecrecy: "no-forward-secrecy"
      case .weakKey: "weak-key"
      case .weakHash: "weak-hash"
      case .newestVersion: "newest-version"
      case .plainHTTP: "plain-http"
      case .beyondTheHost: "beyond-the-host"
      case .noEntryLifts: "no-entry-lifts"
      }
    }
  }
}

extension AppTransportSecurity.Diagnostics {
  private typealias Interpretation = AppTransportSecurity.Interpretation

  /// The conclusions from the tests that pass, and from the rules that the other tests violate.
  public var interpretations: [AppTransportSecurity.Interpretation] {
    if passes { return [rows.first?.load.isUncertain == true ? .perhapsNothingIsNeeded : .nothingIsNeeded] }
    guard let all = rows.first(where: \.allowsAllLoads), all.load.passes else {
      let isOpen = rows.first(where: \.allowsAllLoads)?.load.isUncertain == true
      return [isOpen ? .perhapsNotTheCause : .notTheCause]
    }
    let passing = rows.filter { $0.passes && !$0.allowsAllLoads }
    guard !passing.isEmpty else { return [onlyAllLoads] }
    if passing.allSatisfy(\.allowsInsecureHTTP), fails(for: [.atsInsecureHTTP]) { return [.plainHTTP] }
    var found: [Interpretation] = []
    if passing.allSatisfy(\.allowsInsecureHTTP), fails(for: [.atsLeafHash]) { found.append(.weakHash) }
    if passing.allSatisfy({ $0.entry.requiresForwardSecrecy == false }) {
      if fails(for: [.atsNoForwardSecrecy, .atsCipherSuite]) { found.append(.noForwardSecrecy) }
      if fails(for: [.atsKeySize]) { found.append(.weakKey) }
    }
    if fails(for: [.atsTLSVersion]), let version = newestVersion(passing) { found.append(.newestVersion(version)) }
    return found
  }

  /// Returns whether a test fails because of one of these rules.
  private func fails(for rules: [Rule]) -> Bool { rows.contains { $0.load.because.contains(where: rules.contains) } }

  /// The reason why no entry helps: another host fails, or no key lifts the violated rule.
  private var onlyAllLoads: Interpretation {
    let failing = rows.filter { !$0.passes }
    if let other = failing.compactMap({ $0.load.failingURL?.host }).first(where: { $0 != url.host }) {
      return .beyondTheHost(other)
    }
    var rules: [Rule] = []
    for rule in failing.flatMap(\.load.because) where !rules.contains(rule) { rules.append(rule) }
    return .noEntryLifts(rules)
  }

  /// Returns the highest minimum version with which a test passes; nil if it is not lower than the default.
  private func newestVersion(_ passing: [Row]) -> ProtocolVersion? {
    let highest = passing.map { $0.entry.minimumTLSVersion ?? .tls12 }.max()
    return highest.flatMap { $0 < .tls12 ? $0 : nil }
  }
}

extension AppTransportSecurity.Diagnostics.Row {
  fileprivate var allowsAllLoads: Bool { test.dictionary[.allowsArbitraryLoads] != nil }

  /// The exception for the host in the test.
  fileprivate var entry: AppTransportSecurity.ExceptionDomain.Values {
    .init(test.dictionary[.exceptionDomains]?.dictionary?.entries.first?.value.dictionary ?? .init())
  }

  fileprivate var allowsInsecureHTTP: Bool { entry.allowsInsecureHTTPLoads == true }
}
