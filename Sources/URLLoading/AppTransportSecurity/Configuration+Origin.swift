extension AppTransportSecurity.Configuration {
  /// What of a property list is taken for the `NSAppTransportSecurity` dictionary.
  public enum Origin: String, Sendable, Hashable, CaseIterable {
    /// The value of `NSAppTransportSecurity`, as in an Info.plist.
    case infoPlist
    /// The property list itself, which has keys that only belong there.
    case dictionaryItself
    /// Nothing: the property list does not say anything about App Transport Security.
    case absent
    /// Nothing, because what stands there is no dictionary.
    case notADictionary

    /// What is taken of `infoPlist`.
    public init(in infoPlist: PropertyList) {
      let root = infoPlist.dictionary
      switch root?[AppTransportSecurity.Key.appTransportSecurity] {
      case .dictionary: self = .infoPlist
      case nil where root.map(Self.isSettings) == true:
        self = .dictionaryItself
      case nil where root != nil: self = .absent
      default: self = .notADictionary
      }
    }

    /// Whether a dictionary has keys that belong into `NSAppTransportSecurity` only, and none of an app's.
    private static func isSettings(_ root: PropertyList.Dictionary) -> Bool {
      root.keys.contains { AppTransportSecurity.Key.globalNames.contains($0) }
        && !root.keys.contains { $0.hasPrefix("CFBundle") }
    }
  }
}
