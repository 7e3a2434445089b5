import Trust

extension AppTransportSecurity.Configuration {
  /// The identities that the chain of `host` must have on a system, those of all matching entries together; nil when
  /// the app pins none.
  ///
  /// Names are compared without regard to case, and a trailing dot of `host` does not count. Systems before iOS 14 and
  /// macOS 11 do not know `NSPinnedDomains`.
  public func pinnedIdentities(
    for host: String, os: OSVersion = .documentation
  ) -> AppTransportSecurity.PinnedIdentities? {
    guard !pinnedDomains.isEmpty, os.isAtLeast(iOS: (14, 0), macOS: (11, 0)) else { return nil }
    let lowered = host.lowercased()
    let name = lowered.hasSuffix(".") ? String(lowered.dropLast()) : lowered
    var united: AppTransportSecurity.PinnedIdentities?
    for domain in pinnedDomains where !domain.identities.areEmpty && domain.matches(name) {
      united = united?.united(with: domain.identities) ?? domain.identities
    }
    return united
  }

  /// Reads `NSPinnedDomains`: its entries in order, those that are no dictionaries left out.
  static func pinnedDomains(in dictionary: PropertyList.Dictionary) -> [AppTransportSecurity.PinnedDomain] {
    let entries = dictionary[AppTransportSecurity.Key.pinnedDomains]?.dictionary?.entries ?? []
    var domains: [AppTransportSecurity.PinnedDomain] = []
    for entry in entries {
      guard let values = entry.value.dictionary else { continue }
      domains.removeAll { $0.name == entry.key }
      domains.append(AppTransportSecurity.PinnedDomain(name: entry.key, values))
    }
    return domains
  }
}
