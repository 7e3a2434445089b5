import Cryptography
import Explanation
import PKIX
import Trust

/// Simulates TrustKit: its pinned hosts and keys, and the decision of its validator.
public struct TrustKit: Sendable {
  /// The way in which an app uses the library.
  public enum Use: Sendable, Hashable {
    /// The app calls `handleChallenge:completionHandler:` of the validator, which exists since 1.4.0.
    case handleChallenge
    /// The app sets TSKSwizzleNetworkDelegates. The library only refuses, and leaves all other decisions to the app's
    /// own delegate.
    case swizzle
    /// The app calls `evaluateTrust:forHostname:`, and accepts every result except a refusal.
    case evaluateOnly
  }

  /// The kind of key whose header precedes the hashed bytes: TSKSupportedAlgorithm.
  ///
  /// The raw values are the keywords in scenario files.
  public enum KeyAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// TSKAlgorithmRsa2048.
    case rsa2048 = "rsa-2048"
    /// TSKAlgorithmRsa4096.
    case rsa4096 = "rsa-4096"
    /// TSKAlgorithmEcDsaSecp256r1.
    case secp256r1 = "ec-p256"
    /// TSKAlgorithmEcDsaSecp384r1.
    case secp384r1 = "ec-p384"

    /// Returns whether the header of this algorithm is correct for `key`.
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
    /// The value of TSKPublicKeyAlgorithms, with which releases before 1.6.0 compute hashes.
    public var algorithms: [KeyAlgorithm] = []
    /// TSKReportUris.
    public var reportURIs: [String] = []
    /// TSKDisableDefaultReportUri.
    public var disablesDefaultReport = false

    /// Creates an entry with pins.
    public init(_ pins: [PublicKeyPins.Pin] = []) { self.pins = pins }
  }

  /// The evaluation result, with the numbers of TSKTrustEvaluationResult.
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

    /// The result's constant.
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
    /// The pins match, or do not have to match.
    case allow = "TSKTrustDecisionShouldAllowConnection"
    /// The app must refuse the connection.
    case block = "TSKTrustDecisionShouldBlockConnection"
    /// The host is not pinned.
    case notPinned = "TSKTrustDecisionDomainNotPinned"
  }

  /// The decision of the validator, and the result for its callback.
  public struct Evaluation: Sendable {
    /// The decision.
    public let decision: Decision
    /// The result that the callback receives; nil if it is not called.
    public let result: Result?
    /// The steps and the verdict.
    public let verdict: LibraryVerdict
  }

  /// The reason for TSKTrustDecisionDomainNotPinned.
  public enum NotPinned: Sendable, Hashable, CustomStringConvertible {
    /// None of these entries covers the host.
    case noEntry(String, entries: [String])
    /// The entry excludes its domain from the pins of its parent.
    case excluded(String)
    /// The pins of the entry have expired at this time.
    case expired(String, Instant)

    /// A description that is used in findings.
    public var description: String {
      switch self {
      case .noEntry(let host, let entries):
        let isWild = entries.contains { $0.contains("*") }
        return "no entry covers \(host)" + (entries.isEmpty ? "" : "; entries: \(entries.joined(separator: ", "))")
          + (isWild ? "; TrustKit has no wildcards; use TSKIncludeSubdomains" : "")
      case .excluded(let entry): return "\(entry) is excluded from its parent's pins"
      case .expired(let entry, let expiration): return "the entry of \(entry) expired on \(expiration)"
      }
    }
  }

  /// The result of a path without a pinned key.
  public enum Mismatch: Sendable, Hashable {
    /// On macOS, the root is one that the user installed. The setting ignoresUserAnchors decides.
    case underUserAnchor
    /// TSKEnforcePinning is NO.
    case reportOnly
    /// TSKEnforcePinning is YES.
    case enforced
  }

  /// The release.
  public let version: LibraryVersion
  /// The way in which the app uses the library.
  public var use = Use.handleChallenge
  /// TSKPinnedDomains.
  public var domains: [String: Domain]
  /// The value of TSKIgnorePinningForUserDefinedTrustAnchors, which has an effect only on macOS.
  public var ignoresUserAnchors = true

  /// Creates a release's configuration with the given domains.
  public init(_ version: LibraryVersion, domains: [String: Domain]) {
    self.version = version
    self.domains = domains
  }
}

// The entry that applies.
extension TrustKit {
  /// Returns the entry for `host`, or else the longest entry that includes it; nil if there is none.
  ///
  /// An entry that is expired or excludes its domain hides a stricter entry of a parent domain.
  public func entry(for host: String) -> (name: String, domain: Domain)? {
    if let own = domains[host] { return (host, own) }
    let name = covering(host).max { ($0.utf8.count, $1) < ($1.utf8.count, $0) }
    return name.flatMap { name in domains[name].map { (name, $0) } }
  }

  /// Returns whether it is unpredictable which entry applies.
  ///
  /// Before 1.6.2, the first entry that covers `host` applied, and the order of a dictionary is not defined.
  func isUnsettled(for host: String) -> Bool {
    !version.isAtLeast(1, 6, 2) && domains[host] == nil && covering(host).count > 1
  }

  private func covering(_ host: String) -> [String] {
    domains.keys.filter { domains[$0]?.includesSubdomains == true && covers($0, host) }
  }

  private func covers(_ name: String, _ host: String) -> Bool {
    if version.isAtLeast(1, 5, 3) { return host.hasSuffix(".\(name)") }
    // Until 1.5.2 the dot was not required.
    if version.isAtLeast(1, 5, 1) { return host.hasSuffix(name) }
    // Until 1.5.0, only the lengths of the public suffixes were compared, so api.domain.net was treated as below
    // domain.com.
    let (suffix, own) = (PublicSuffix.length(of: host), PublicSuffix.length(of: name))
    guard suffix == own, suffix > 0, host.utf8.count > suffix, name.utf8.count > own else { return false }
    return host.dropLast(suffix + 1).hasSuffix(name.dropLast(own + 1))
  }
}

/// A small part of the public suffix list, of which TrustKit contains a copy.
///
/// This part is sufficient to separate the names of machines and home networks from names that can be registered. The
/// names that RFC 2606 reserves for examples are treated as names that can be registered.
package enum PublicSuffix {
  static func isKnown(_ name: String) -> Bool {
    let labels = name.split(separator: ".")
    guard labels.count > 1, let last = labels.last?.lowercased(), RequestedAddress.isNone(name) else { return false }
    return !homeless.contains(last) && !isSuffix(name)
  }

  /// Returns the length of the public suffix of `name` in bytes; 0 if no suffix is known.
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

private enum RequestedAddress {
  static func isNone(_ name: String) -> Bool { (try? LoadURL("https://\(name)/"))?.address == nil }
}
