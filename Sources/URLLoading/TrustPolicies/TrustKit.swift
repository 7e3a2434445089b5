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

  /// TSKSupportedAlgorithm: the kind of key whose header stands before the bytes that are hashed. Raw values are the words
  /// of scenarios.
  public enum KeyAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// TSKAlgorithmRsa2048.
    case rsa2048 = "rsa-2048"
    /// TSKAlgorithmRsa4096.
    case rsa4096 = "rsa-4096"
    /// TSKAlgorithmEcDsaSecp256r1.
    case secp256r1 = "ec-p256"
    /// TSKAlgorithmEcDsaSecp384r1.
    case secp384r1 = "ec-p384"

    /// Whether a hash that is made for it is that of `key`.
    func suits(_ key: PublicKey) -> Bool {
      switch self {
      case .rsa2048: key.algorithmName == "RSA" && key.bits == 2048
      case .rsa4096: key.algorithmName == "RSA" && key.bits == 4096
      case .secp256r1: key.algorithmName.hasPrefix("EC") && key.bits == 256
      case .secp384r1: key.algorithmName.hasPrefix("EC") && key.bits == 384
      }
    }
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
    /// TSKPublicKeyAlgorithms, which releases before 1.6.0 make hashes with.
    public var algorithms: [KeyAlgorithm] = []
    /// TSKReportUris.
    public var reportURIs: [String] = []
    /// TSKDisableDefaultReportUri.
    public var disablesDefaultReport = false

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

  /// Why TSKTrustDecisionDomainNotPinned is the decision.
  public enum NotPinned: Sendable, Hashable, CustomStringConvertible {
    /// No entry of these covers the host.
    case noEntry(String, entries: [String])
    /// The entry excludes its domain from the pins of its parent.
    case excluded(String)
    /// The pins of the entry expired at this time.
    case expired(String, Instant)

    /// The phrase in findings.
    public var description: String {
      switch self {
      case .noEntry(let host, let entries):
        let isWild = entries.contains { $0.contains("*") }
        return "no entry covers \(host)" + (entries.isEmpty ? "" : ": there is \(entries.joined(separator: ", "))")
          + (isWild ? "; TrustKit knows no wildcards, but TSKIncludeSubdomains" : "")
      case .excluded(let entry): return "\(entry) is excluded from its parent's pins"
      case .expired(let entry, let expiration): return "the entry of \(entry) has expired: \(expiration)"
      }
    }
  }

  /// The result of a path without a pinned key.
  public enum Mismatch: Sendable, Hashable {
    /// The root is a user's own, on macOS; ignoresUserAnchors decides.
    case underUserAnchor
    /// TSKEnforcePinning is NO.
    case reportOnly
    /// TSKEnforcePinning is YES.
    case enforced
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
    let name = covering(host).max { ($0.utf8.count, $1) < ($1.utf8.count, $0) }
    return name.flatMap { name in domains[name].map { (name, $0) } }
  }

  /// Whether nobody knows which entry applies: of several that cover `host` the first came before 1.6.2, in the order of a
  /// dictionary.
  func isUnsettled(for host: String) -> Bool {
    !version.isAtLeast(1, 6, 2) && domains[host] == nil && covering(host).count > 1
  }

  private func covering(_ host: String) -> [String] {
    domains.keys.filter { domains[$0]?.includesSubdomains == true && covers($0, host) }
  }

  private func covers(_ name: String, _ host: String) -> Bool {
    if version.isAtLeast(1, 5, 3) { return host.hasSuffix(".\(name)") }
    // Until 1.5.2 the dot was not asked for.
    if version.isAtLeast(1, 5, 1) { return host.hasSuffix(name) }
    // Until 1.5.0 of the public suffixes only the lengths were compared, so that api.domain.net was below domain.com.
    let (suffix, own) = (PublicSuffix.length(of: host), PublicSuffix.length(of: name))
    guard suffix == own, suffix > 0, host.utf8.count > suffix, name.utf8.count > own else { return false }
    return host.dropLast(suffix + 1).hasSuffix(name.dropLast(own + 1))
  }
}

/// What is known of the public suffix list, of which TrustKit brings its own: as much as tells names of machines and of
/// networks at home from names that can be registered. The names that RFC 2606 reserves for examples count as such.
package enum PublicSuffix {
  static func isKnown(_ name: String) -> Bool {
    let labels = name.split(separator: ".")
    guard labels.count > 1, let last = labels.last?.lowercased(), RequestedAddress.isNone(name) else { return false }
    return !homeless.contains(last) && !isSuffix(name)
  }

  /// The bytes of the public suffix that `name` ends in; 0 where none is known.
  static func length(of name: String) -> Int {
    let labels = name.lowercased().split(separator: ".").map(String.init)
    guard let last = labels.last, !homeless.contains(last), RequestedAddress.isNone(name) else { return 0 }
    let two = labels.suffix(2).joined(separator: ".")
    return labels.count > 1 && isSuffix(two) ? two.utf8.count : last.utf8.count
  }

  package static func isSuffix(_ name: String) -> Bool {
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
