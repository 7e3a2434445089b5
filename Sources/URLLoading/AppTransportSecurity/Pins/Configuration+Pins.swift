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

  /// Reads `NSPinnedDomains`: its entries in order, and what is wrong with them.
  static func pinnedDomains(
    in dictionary: PropertyList.Dictionary
  ) -> (domains: [AppTransportSecurity.PinnedDomain], problems: [AppTransportSecurity.Problem]) {
    typealias Key = AppTransportSecurity.Key
    guard let value = dictionary[Key.pinnedDomains] else { return ([], []) }
    guard let entries = value.dictionary else { return ([], [.init(Key.pinnedDomains, .pinsNotADictionary)]) }
    var domains: [AppTransportSecurity.PinnedDomain] = []
    var problems: [AppTransportSecurity.Problem] = []
    for entry in entries.entries {
      let path = "\(Key.pinnedDomains).\(entry.key)"
      guard let values = entry.value.dictionary else {
        problems.append(.init(path, .notADictionary))
        continue
      }
      var reader = AppTransportSecurity.ValueReader(dictionary: values, path: path)
      let domain = AppTransportSecurity.PinnedDomain(name: entry.key, reading: &reader)
      domains.removeAll { $0.name == domain.name }
      domains.append(domain)
      problems += reader.problems
    }
    return (domains, problems)
  }
}
