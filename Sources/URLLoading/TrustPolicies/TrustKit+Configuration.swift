// The checks of `initializeWithConfiguration:`.
extension TrustKit {
  /// The reason why TrustKit throws an exception because of its configuration.
  public enum ConfigurationError: Error, Hashable, CustomStringConvertible {
    /// TSKPinnedDomains is empty.
    case noDomains
    /// The entry with this name is invalid.
    case entry(String, EntryError)

    /// A description that is used in findings and errors.
    public var description: String {
      switch self {
      case .noDomains: "TSKPinnedDomains is empty"
      case .entry(let name, let error): "\(name): \(error)"
      }
    }
  }

  /// A defect in an entry of TSKPinnedDomains.
  public enum EntryError: Error, Hashable, CustomStringConvertible {
    /// The name does not end in a public suffix.
    case noPublicSuffix
    /// An entry that excludes its domain has other keys.
    case excludedWithPins
    /// An entry that excludes its domain has no parent entry that includes it.
    case excludedWithoutParent
    /// A pin is not a SHA-256 hash.
    case pinLength
    /// The entry has too few pins.
    case tooFewPins(needed: Int, found: Int)
    /// The entry includes the subdomains of a public suffix.
    case publicSuffix
    /// TSKPublicKeyAlgorithms is missing.
    case noAlgorithms

    /// A description that is used in findings and errors.
    public var description: String {
      switch self {
      case .noPublicSuffix: "the domain has no known public suffix"
      case .excludedWithPins: "an entry that excludes a subdomain must have no other key"
      case .excludedWithoutParent: "an entry that excludes a subdomain needs a parent that includes it"
      case .pinLength: "a pin must be the SHA-256 hash of a key, 32 bytes"
      case .tooFewPins(let needed, let found):
        "\(needed) distinct pins are required, but there \(found == 1 ? "is 1" : "are \(found)")"
      case .publicSuffix: "an entry must not include the subdomains of a public suffix"
      case .noAlgorithms: "TSKPublicKeyAlgorithms is missing: up to TrustKit 1.5.3, every entry needs it"
      }
    }
  }

  /// The exception that TrustKit throws; nil if it accepts the configuration.
  public var exception: ConfigurationError? {
    if domains.isEmpty { return .noDomains }
    for (name, domain) in domains.sorted(by: { $0.key < $1.key }) {
      if let error = error(at: name, domain) { return .entry(name, error) }
    }
    return nil
  }

  private func error(at name: String, _ domain: Domain) -> EntryError? {
    guard PublicSuffix.isKnown(name) else { return .noPublicSuffix }
    if domain.isExcluded {
      let hasParent = domains.contains { $0.key != name && $0.value.includesSubdomains && name.hasSuffix(".\($0.key)") }
      if !domain.pins.isEmpty { return .excludedWithPins }
      return hasParent ? nil : .excludedWithoutParent
    }
    if domain.pins.contains(where: { $0.fingerprint.count != 32 }) { return .pinLength }
    let needed = domain.enforcesPinning || !version.isAtLeast(1, 4, 1) ? 2 : 1
    let distinct = Set(domain.pins.map(\.fingerprint)).count
    if distinct < needed { return .tooFewPins(needed: needed, found: distinct) }
    if domain.includesSubdomains, PublicSuffix.isSuffix(name) { return .publicSuffix }
    if !version.isAtLeast(1, 6), domain.algorithms.isEmpty { return .noAlgorithms }
    return nil
  }
}
