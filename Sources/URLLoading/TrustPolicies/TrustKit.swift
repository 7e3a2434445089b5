import Cryptography
import Explanation
import PKIX
import Trust

/// TrustKit: which hosts are pinned to which keys, and what its validator decides.
public struct TrustKit: Sendable {
  /// How an app uses it.
  public enum Use: Sendable, Hashable {
    /// `handleChallenge:completionHandler:` of the validator, since 1.4.0.
    case handleChallenge
    /// TSKSwizzleNetworkDelegates: only a refusal is answered, all else goes to the app's own delegate.
    case swizzle
    /// `evaluateTrust:forHostname:`, where the app takes all but a refusal for a yes.
    case evaluateOnly
  }

  /// One entry of TSKPinnedDomains.
  public struct Domain: Sendable {
    /// TSKPublicKeyHashes.
    public var pins: [PublicKeyPins.Pin]
    /// TSKIncludeSubdomains.
    public var includesSubdomains = false
    /// TSKEnforcePinning.
    public var enforcesPinning = true
    /// TSKExpirationDate.
    public var expiration: Instant?
    /// TSKExcludeSubdomainFromParentPolicy.
    public var isExcluded = false

    /// Pins of one domain.
    public init(_ pins: [PublicKeyPins.Pin] = []) { self.pins = pins }
  }

  /// The number of TSKTrustEvaluationResult.
  public enum Result: Int, Sendable, Hashable, CaseIterable {
    /// TSKTrustEvaluationSuccess.
    case success = 0
    /// TSKTrustEvaluationFailedNoMatchingPin.
    case noMatchingPin
    /// TSKTrustEvaluationFailedInvalidCertificateChain.
    case invalidCertificateChain
    /// TSKTrustEvaluationErrorInvalidParameters.
    case invalidParameters
    /// TSKTrustEvaluationFailedUserDefinedTrustAnchor.
    case userDefinedTrustAnchor
    /// TSKTrustEvaluationErrorCouldNotGenerateSpkiHash.
    case noHash

    /// Its constant.
    public var constant: String {
      switch self {
      case .success: "TSKTrustEvaluationSuccess"
      case .noMatchingPin: "TSKTrustEvaluationFailedNoMatchingPin"
      case .invalidCertificateChain: "TSKTrustEvaluationFailedInvalidCertificateChain"
      case .invalidParameters: "TSKTrustEvaluationErrorInvalidParameters"
      case .userDefinedTrustAnchor: "TSKTrustEvaluationFailedUserDefinedTrustAnchor"
      case .noHash: "TSKTrustEvaluationErrorCouldNotGenerateSpkiHash"
      }
    }
  }

  /// TSKTrustDecision.
  public enum Decision: String, Sendable, Hashable, CaseIterable {
    /// The pins match, or need not.
    case allow = "TSKTrustDecisionShouldAllowConnection"
    /// The connection is to be refused.
    case block = "TSKTrustDecisionShouldBlockConnection"
    /// The host is none of the library's.
    case notPinned = "TSKTrustDecisionDomainNotPinned"
  }

  /// What the validator decided: the decision, and the result that its callback gets; none where nothing was evaluated.
  public struct Evaluation: Sendable {
    /// What it decided.
    public let decision: Decision
    /// What its callback is told; nil where it is not called.
    public let result: Result?
    /// What it came to in the house's terms.
    public let verdict: LibraryVerdict
  }

  /// The release.
  public let version: LibraryVersion
  /// How it is used.
  public var use = Use.handleChallenge
  /// TSKPinnedDomains.
  public var domains: [String: Domain]
  /// TSKIgnorePinningForUserDefinedTrustAnchors, which macOS alone looks at.
  public var ignoresUserAnchors = true

  /// A release with these domains.
  public init(_ version: LibraryVersion, domains: [String: Domain]) {
    self.version = version
    self.domains = domains
  }
}

// Which entry applies.
extension TrustKit {
  /// The entry for `host`: its own, else the longest of those that include it; nil for none.
  ///
  /// An expired or an excluding entry hides a stricter one above it.
  public func entry(for host: String) -> (name: String, domain: Domain)? {
    if let own = domains[host] { return (host, own) }
    let covering = domains.keys.filter { domains[$0]?.includesSubdomains == true && covers($0, host) }
    // Which of several came first before 1.6.2 followed from the order of a dictionary, which nobody knows.
    let name = covering.max { ($0.utf8.count, $1) < ($1.utf8.count, $0) }
    return name.flatMap { name in domains[name].map { (name, $0) } }
  }

  private func covers(_ name: String, _ host: String) -> Bool {
    if version.isAtLeast(1, 5, 3) { return host.hasSuffix(".\(name)") }
    // Until 1.5.2 the dot was not asked for, and until 1.5.0 only the length of the suffix was.
    if version.isAtLeast(1, 5, 1) { return host.hasSuffix(name) }
    return host.utf8.count > name.utf8.count
      && host.split(separator: ".").dropLast().last == name.split(separator: ".").dropLast().last
  }

  /// What `initializeWithConfiguration:` throws at; nil where it takes the configuration.
  public var exception: String? {
    if domains.isEmpty { return "TSKPinnedDomains is empty" }
    for (name, domain) in domains.sorted(by: { $0.key < $1.key }) {
      if let exception = exception(at: name, domain) { return "\(name): \(exception)" }
    }
    return nil
  }

  private func exception(at name: String, _ domain: Domain) -> String? {
    guard PublicSuffix.isKnown(name) else { return "no known public suffix" }
    if domain.isExcluded {
      let hasParent = domains.contains { $0.key != name && $0.value.includesSubdomains && name.hasSuffix(".\($0.key)") }
      if !domain.pins.isEmpty { return "an entry that excludes a subdomain has no other key" }
      return hasParent ? nil : "an entry that excludes a subdomain has a parent that includes it"
    }
    if domain.pins.contains(where: { $0.fingerprint.count != 32 }) { return "a pin is the SHA-256 of a key: 32 bytes" }
    let needed = domain.enforcesPinning || !version.isAtLeast(1, 4, 1) ? 2 : 1
    let distinct = Set(domain.pins.map(\.fingerprint)).count
    if distinct < needed {
      return "\(needed) distinct pins are wanted, and there \(distinct == 1 ? "is 1" : "are \(distinct)")"
    }
    if domain.includesSubdomains, PublicSuffix.isSuffix(name) { return "subdomains of a public suffix" }
    return nil
  }
}

/// What is known of the public suffix list, of which TrustKit brings its own: as much as tells names of machines and of
/// networks at home from names that can be registered. The names that RFC 2606 reserves for examples count as such.
enum PublicSuffix {
  static func isKnown(_ name: String) -> Bool {
    let labels = name.split(separator: ".")
    guard labels.count > 1, let last = labels.last?.lowercased(), RequestedAddress.isNone(name) else { return false }
    return !homeless.contains(last) && !isSuffix(name)
  }

  static func isSuffix(_ name: String) -> Bool {
    let labels = name.lowercased().split(separator: ".").map(String.init)
    guard labels.count == 2 else { return labels.count < 2 }
    return labels[1].count == 2 && secondLevel.contains(labels[0]) || hosted.contains(name.lowercased())
  }

  private static let homeless: Set<String> = [
    "local", "localhost", "localdomain", "lan", "home", "internal", "intranet", "corp", "private", "invalid",
  ]
  private static let secondLevel: Set<String> = ["co", "com", "net", "org", "gov", "edu", "ac", "or", "ne", "go"]
  private static let hosted: Set<String> = ["github.io", "herokuapp.com", "appspot.com", "blogspot.com"]
}

/// Whether a name is the text of an address.
private enum RequestedAddress {
  static func isNone(_ name: String) -> Bool { (try? LoadURL("https://\(name)/"))?.address == nil }
}
