extension AppTransportSecurity.Configuration {
  /// Whether nothing in the settings is passed over by the system, as far as that is told without a whole lint: keys
  /// that count, at their places, with values of their types. Streams of many settings are looked through by it.
  public static func isPlain(_ settings: PropertyList.Dictionary) -> Bool {
    settings.entries.allSatisfy { entry in
      guard isPlain(entry, .global) else { return false }
      switch entry.key {
      case AppTransportSecurity.Key.exceptionDomains:
        return (entry.value.dictionary?.entries ?? []).allSatisfy { isPlainDomain($0) }
      // Names of levels and lists of identities have more to them.
      case AppTransportSecurity.Key.pinnedDomains, AppTransportSecurity.Key.requiresNIAP: return false
      default: return true
      }
    }
  }

  private static func isPlainDomain(_ entry: PropertyList.Dictionary.Entry) -> Bool {
    let isName = entry.key.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 || $0 == 46 }
    let labels = entry.key.utf8.split(separator: 46, omittingEmptySubsequences: false)
    guard isName, labels.allSatisfy({ (1...63).contains($0.count) }), let keys = entry.value.dictionary else {
      return false
    }
    return keys.entries.allSatisfy { key in
      guard isPlain(key, .exceptionDomain) else { return false }
      guard case .string(let text) = key.value else { return true }
      return AppTransportSecurity.ExceptionDomain.Values.versions[text] != nil
    }
  }

  /// Whether it is a key of the level that counts today, with a value of its type.
  private static func isPlain(
    _ entry: PropertyList.Dictionary.Entry, _ level: AppTransportSecurity.Key.Level
  ) -> Bool {
    let key = AppTransportSecurity.Key.catalogue.first { $0.level == level && $0.name == entry.key }
    guard let key, key.standing == .current else { return false }
    switch (key.valueType, entry.value) {
    case ("Boolean", .boolean), ("String", .string), ("Dictionary", .dictionary): return true
    default: return false
    }
  }
}
