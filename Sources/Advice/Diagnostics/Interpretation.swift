import Explanation
import TLS
import URLLoading

extension AppTransportSecurity {
  /// What a pattern of results says about a server: Apple's rules, "Identifying the Source of Blocked Connections".
  public enum Interpretation: Sendable, Hashable {
    /// The default passes.
    case nothingIsNeeded
    /// The default passes as far as is known, but that rests on something that no source settles, or nobody has seen.
    case perhapsNothingIsNeeded
    /// The default passes but for certificates that nobody has seen.
    case certificatesUnseen
    /// Even Allow All Loads fails.
    case notTheCause
    /// Even Allow All Loads fails as far as is known, but that rests on something that no source settles.
    case perhapsNotTheCause
    /// Only tests without forward secrecy pass, and the others fail for want of it.
    case noForwardSecrecy
    /// Only tests without forward secrecy pass, and the others fail for the size of the server's key.
    case weakKey
    /// Only tests that lift everything from the host pass, and the others fail for the hash of the server's certificate.
    case weakHash
    /// Exceptions pass from this version down.
    case newestVersion(ProtocolVersion)
    /// Only tests that allow plain HTTP pass, and the others fail for it.
    case plainHTTP
    /// Of all exceptions only Allow All Loads passes: a redirect leads to this host, of which no entry says anything.
    case beyondTheHost(String)
    /// Of all exceptions only Allow All Loads passes: no key of an entry lifts what the server fails at.
    case noEntryLifts([Rule])

    /// A word for programs, such as `not-the-cause`.
    public var word: String {
      switch self {
      case .nothingIsNeeded: "nothing-is-needed"
      case .perhapsNothingIsNeeded: "perhaps-nothing-is-needed"
      case .certificatesUnseen: "certificates-unseen"
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

  /// What the results say about the server: which tests pass, and what the others fail for.
  public var interpretations: [AppTransportSecurity.Interpretation] {
    if passes { return [rows.first?.load.isUncertain == true ? .perhapsNothingIsNeeded : .nothingIsNeeded] }
    if rows.first?.load.isUnseen == true { return [.certificatesUnseen] }
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

  /// Whether a test fails for one of these rules.
  private func fails(for rules: [Rule]) -> Bool { rows.contains { $0.load.because.contains(where: rules.contains) } }

  /// Why no entry helps: it names another host than the one that fails, or has no key for what fails.
  private var onlyAllLoads: Interpretation {
    let failing = rows.filter { !$0.passes }
    if let other = failing.compactMap({ $0.load.failingURL?.host }).first(where: { $0 != url.host }) {
      return .beyondTheHost(other)
    }
    var rules: [Rule] = []
    for rule in failing.flatMap(\.load.because) where !rules.contains(rule) { rules.append(rule) }
    return .noEntryLifts(rules)
  }

  /// The highest floor under which anything passes, where it is lower than the default.
  private func newestVersion(_ passing: [Row]) -> ProtocolVersion? {
    let highest = passing.map { $0.entry.minimumTLSVersion ?? .tls12 }.max()
    return highest.flatMap { $0 < .tls12 ? $0 : nil }
  }
}

extension AppTransportSecurity.Diagnostics.Row {
  fileprivate var allowsAllLoads: Bool { test.dictionary[.allowsArbitraryLoads] != nil }

  /// What the test excepts the host from.
  fileprivate var entry: AppTransportSecurity.ExceptionDomain.Values {
    .init(test.dictionary[.exceptionDomains]?.dictionary?.entries.first?.value.dictionary ?? .init())
  }

  fileprivate var allowsInsecureHTTP: Bool { entry.allowsInsecureHTTPLoads == true }
}
