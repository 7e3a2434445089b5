import Explanation
import TLS

extension AppTransportSecurity {
  /// The entry of `NSExceptionDomains` that applies to a load, as interpreted by a profile.
  struct Entry: Sendable {
    /// The entry as the app writes it.
    let domain: ExceptionDomain
    /// Whether the system, not the app, defines the entry.
    let isBuiltIn: Bool
    /// The number of labels by which the host is below the entry's domain.
    let labelsBelow: Int
    /// The values of the entry. The current spelling of a key takes precedence.
    let values: ExceptionDomain.Values
    /// Whether plain HTTP is allowed.
    let allowsInsecureHTTPLoads: Bool
    /// The key or the entry that decides whether plain HTTP is allowed.
    let insecureLoadsKey: Decision.Decider
    /// Whether the key exchange must be ECDHE.
    let requiresForwardSecrecy: Bool
    /// The lowest version of TLS that the entry allows.
    let minimumVersion: ProtocolVersion
    /// Whether a value comes from a key in an older spelling.
    let usesOldSpelling: Bool
    /// Whether the system ignores a value because of the spelling of its key.
    let passesOverOldSpelling: Bool
    /// Whether two spellings of a key have different values, and the system may use either value.
    let hasRivalSpellings: Bool

    fileprivate init(_ domain: ExceptionDomain, isBuiltIn: Bool, labelsBelow: Int, profile: Profile) {
      self.domain = domain
      self.isBuiltIn = isBuiltIn
      self.labelsBelow = labelsBelow
      var merged = domain.current
      var loadsSpelling = merged.allowsInsecureHTTPLoads.map { _ in ExceptionDomain.Spelling.plain }
      var usesOld = false
      var passesOver = false
      var areRivals = false
      for spelling in ExceptionDomain.Spelling.allCases.dropFirst() {
        guard let values = domain.values[spelling] else { continue }
        let filled = merged.filled(from: values)
        areRivals = areRivals || profile.honoursOldSpellings && filled != values.filled(from: merged)
        if filled == merged { continue }
        usesOld = usesOld || profile.honoursOldSpellings
        passesOver = passesOver || !profile.honoursOldSpellings
        guard profile.honoursOldSpellings else { continue }
        if filled.allowsInsecureHTTPLoads != nil { loadsSpelling = loadsSpelling ?? spelling }
        merged = filled
      }
      values = merged
      allowsInsecureHTTPLoads = merged.allowsInsecureHTTPLoads ?? false
      insecureLoadsKey = .entry(domain.name, loadsSpelling.flatMap { Key.named($0.name(of: .insecureLoads)).first })
      requiresForwardSecrecy = merged.requiresForwardSecrecy ?? true
      minimumVersion = merged.minimumTLSVersion.flatMap { $0 <= profile.newestVersion ? $0 : nil } ?? .tls12
      usesOldSpelling = usesOld
      passesOverOldSpelling = passesOver
      hasRivalSpellings = areRivals
    }
  }
}

extension AppTransportSecurity.Configuration {
  /// Returns the entry that applies to a host; nil if there is none.
  func entry(for url: LoadURL, _ profile: AppTransportSecurity.Profile) -> AppTransportSecurity.Entry? {
    guard let address = url.address else { return entry(forName: url.host, profile) }
    return profile.addresses == .listed ? entry(for: address, written: url.host, profile) : nil
  }

  /// Returns the entry with exactly this name, or else the nearest parent domain's entry that includes subdomains.
  func entry(
    forName host: String, _ profile: AppTransportSecurity.Profile
  ) -> AppTransportSecurity.Entry? {
    if let entry = exactly(host, below: 0, profile) { return entry }
    var name = Substring(host)
    var labelsBelow = 0
    while let dot = name.firstIndex(of: "."), labelsBelow < profile.subdomainDepth ?? .max {
      name = name[name.index(after: dot)...]
      labelsBelow += 1
      if let entry = exactly(String(name), below: labelsBelow, profile), entry.domain.includesSubdomains {
        return entry
      }
    }
    return nil
  }

  /// Returns the entry of the address as it is spelt, or else of the longest range that contains it.
  ///
  /// If two ranges are equal, the later one is used.
  private func entry(
    for address: IPAddress, written: String, _ profile: AppTransportSecurity.Profile
  ) -> AppTransportSecurity.Entry? {
    if let entry = exactly(written, below: 0, profile) { return entry }
    var best: AppTransportSecurity.ExceptionDomain?
    for domain in domains {
      guard let range = domain.range, range.contains(address), range.prefixLength >= best?.range?.prefixLength ?? 0
      else { continue }
      best = domain
    }
    return best.map { AppTransportSecurity.Entry($0, isBuiltIn: false, labelsBelow: 0, profile: profile) }
  }

  private func exactly(
    _ name: String, below labels: Int, _ profile: AppTransportSecurity.Profile
  ) -> AppTransportSecurity.Entry? {
    if let domain = domain(named: name) {
      return AppTransportSecurity.Entry(domain, isBuiltIn: false, labelsBelow: labels, profile: profile)
    }
    guard profile.hasBuiltInDomains, let domain = AppTransportSecurity.builtInDomains.first(where: { $0.name == name })
    else { return nil }
    return AppTransportSecurity.Entry(domain, isBuiltIn: true, labelsBelow: labels, profile: profile)
  }
}
