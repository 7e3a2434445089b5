import URLLoading

extension AppTransportSecurity.Configuration {
  /// Returns whether the system uses all settings: current keys in the correct places, with values of the correct
  /// types.
  ///
  /// This check is for streams of many settings, because it is faster than the whole lint.
  public static func isPlain(_ settings: PropertyList.Dictionary) -> Bool {
    settings.entries.allSatisfy { entry in
      if entry.is(.exceptionDomains) { return entry.value.dictionary?.entries.allSatisfy(isPlainDomain) == true }
      guard let key = AppTransportSecurity.Key.named(entry.key, at: .global), key.standing == .current,
        case .global(let property) = key.reading
      else { return false }
      return property.reads(entry.value)
    }
  }

  private static func isPlainDomain(_ entry: PropertyList.Dictionary.Entry) -> Bool {
    let isName = entry.key.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 || $0 == 46 }
    let labels = entry.key.utf8.split(separator: 46, omittingEmptySubsequences: false)
    guard isName, labels.allSatisfy({ (1...63).contains($0.count) }), let keys = entry.value.dictionary else {
      return false
    }
    return keys.entries.allSatisfy { entry in
      let key = AppTransportSecurity.Key.named(entry.key, at: .exceptionDomain)
      return key?.standing == .current && key?.entryProperty?.reads(entry.value) == true
    }
  }
}
