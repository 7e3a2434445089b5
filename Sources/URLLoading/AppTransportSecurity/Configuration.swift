import Trust

extension AppTransportSecurity {
  /// An app's `NSAppTransportSecurity` dictionary, interpreted as in Apple's open-source engine.
  ///
  /// Reading never fails. As on the system, a value of the wrong type is treated as absent. `AppTransportSecurity.lint`
  /// reports such values.
  public struct Configuration: Sendable {
    /// The keys for all domains.
    public struct Globals: Sendable, Hashable {
      /// `NSAllowsArbitraryLoads`; nil when absent.
      public var arbitraryLoads: Bool?
      /// `NSAllowsArbitraryLoadsForMedia`; nil when absent.
      public var media: Bool?
      /// `NSAllowsArbitraryLoadsInMedia`, the name in early documentation of iOS 10; nil when absent.
      public var mediaByEarlyName: Bool?
      /// `NSAllowsArbitraryLoadsInWebContent`; nil when absent.
      public var webContent: Bool?
      /// `NSAllowsLocalNetworking`; nil when absent.
      public var localNetworking: Bool?
      /// `NSRequiresNIAPTLSPackageVersion`; nil if absent or not a level.
      public var niapPackage: NIAPPackage?

      /// The value of a switch; nil if the switch is absent, or if the key is not a switch.
      package subscript(key: Key) -> Bool? { key.globalFlag.flatMap { self[keyPath: $0] } }
    }

    /// The dictionary as written; empty if there is none.
    public let dictionary: PropertyList.Dictionary
    /// The keys for all domains.
    public private(set) var globals = Globals()
    /// The entries of `NSExceptionDomains` that are dictionaries, in order.
    public private(set) var domains: [ExceptionDomain] = []
    /// The entries of `NSPinnedDomains` that are dictionaries, in order.
    public let pinnedDomains: [PinnedDomain]
    /// The value of `SecTrustPinningRequired` in the Info.plist, which requires pins for every host.
    public let requiresPinning: Bool
    /// The SDK that the Info.plist states; nil if it does not state one.
    ///
    /// The SDK determines how addresses are handled (release notes of iOS 17, 101967030).
    public let linkedSDK: OSVersion?
    /// The names of entries of `NSExceptionDomains` whose values have other types. They are computed once for many
    /// loads.
    private(set) var oddEntries: [String] = []
    /// The domains that are unexpanded build settings.
    let unexpandedDomains: (exceptions: [String], pins: [String])
    /// The keys that occur more than once with different values, among the keys for all domains and in entries.
    private(set) var repeatedKeys: (globals: [String], domains: [String]) = ([], [])
    /// The additional dictionaries of an Info.plist in which `NSAppTransportSecurity` occurs more than once.
    private(set) var otherSettings: [PropertyList.Dictionary] = []
    private var byName: [String: Int] = [:]
    /// The dictionary of each entry in `domains`, as written.
    private var written: [PropertyList.Dictionary] = []

    /// A configuration without a dictionary, which means full App Transport Security.
    public static let empty = Configuration(dictionary: PropertyList.Dictionary())

    /// Creates a configuration from the `NSAppTransportSecurity` dictionary itself.
    ///
    /// - Parameters:
    ///   - dictionary: the dictionary as written.
    ///   - requiresPinning: the value of `SecTrustPinningRequired`, next to the dictionary.
    ///   - linkedSDK: the SDK in `DTSDKName`, also next to the dictionary.
    public init(
      dictionary: PropertyList.Dictionary, requiresPinning: Bool = false, linkedSDK: OSVersion? = nil
    ) {
      self.dictionary = dictionary
      self.requiresPinning = requiresPinning
      self.linkedSDK = linkedSDK
      for entry in dictionary.entries { Key.globalProperties[entry.key]?.read(entry.value, into: &globals) }
      pinnedDomains = Self.pinnedDomains(in: dictionary)
      let entries = dictionary[.exceptionDomains]?.dictionary
      unexpandedDomains = (
        (entries?.keys ?? []).filter(BuildSettings.isUnexpanded),
        pinnedDomains.map(\.name).filter(BuildSettings.isUnexpanded)
      )
      repeatedKeys = (dictionary.repeatedKeys, entries?.repeatedKeys ?? [])
      if let entries { read(entries) }
    }

    /// Reads an app's whole Info.plist, or a property list that is only the `NSAppTransportSecurity` dictionary.
    ///
    /// If `NSAppTransportSecurity` is absent or not a dictionary, full App Transport Security is in force.
    /// `SecTrustPinningRequired` is effective only at the level of `NSAppTransportSecurity`, and only as `<true/>`, not
    /// as a number.
    public init(infoPlist: PropertyList) {
      let root = infoPlist.dictionary ?? .init()
      let origin = Origin(in: infoPlist)
      let settings: PropertyList.Dictionary =
        switch origin {
        case .infoPlist: root[.appTransportSecurity]?.dictionary ?? .init()
        case .dictionaryItself: root
        case .absent, .notADictionary: .init()
        }
      let requiresPinning = origin != .dictionaryItself && root.genuineFlag(.pinningRequired)
      self.init(dictionary: settings, requiresPinning: requiresPinning, linkedSDK: root.linkedSDK)
      let written = root.entries.filter { $0.is(.appTransportSecurity) }
      otherSettings = written.dropLast().map { $0.value.dictionary ?? .init() }
    }

    /// Reads the bytes of an Info.plist in XML or binary format.
    public init(readingInfoPlist bytes: [UInt8]) throws(PropertyListError) {
      self.init(infoPlist: try PropertyList(reading: bytes))
    }

    /// Whether `NSAppTransportSecurity` occurs more than once.
    var settingsAreRepeated: Bool { !otherSettings.isEmpty }
    /// The configuration without the additional dictionaries.
    var withoutRepetition: Configuration { having(dictionary) }

    /// Returns the configuration with another `NSAppTransportSecurity` dictionary.
    package func having(_ dictionary: PropertyList.Dictionary) -> Configuration {
      Configuration(dictionary: dictionary, requiresPinning: requiresPinning, linkedSDK: linkedSDK)
    }

    /// The keys that are present for all domains and in entries, regardless of their values.
    package var writtenKeys: Set<Key> {
      let globals = dictionary.keys.compactMap { Key.named($0, at: .global) }
      let ofEntries = Set(written.flatMap(\.keys)).compactMap { Key.named($0, at: .exceptionDomain) }
      return Set(globals + ofEntries)
    }

    /// Returns the entry whose name is exactly `name`.
    public func domain(named name: String) -> ExceptionDomain? { byName[name].map { domains[$0] } }

    /// Returns the dictionary of the entry `name`, as written.
    package func keys(of name: String) -> PropertyList.Dictionary? { byName[name].map { written[$0] } }

    private mutating func read(_ entries: PropertyList.Dictionary) {
      for entry in entries.entries {
        if Self.isOdd(entry.value) { oddEntries.append(entry.key) }
        guard let dictionary = entry.value.dictionary else { continue }
        let domain = ExceptionDomain(name: entry.key, dictionary)
        if let index = byName[entry.key] {
          domains[index] = domain
          written[index] = dictionary
        } else {
          byName[entry.key] = domains.count
          domains.append(domain)
          written.append(dictionary)
        }
      }
    }
  }
}

extension AppTransportSecurity.Configuration {
  /// The part of a property list that is used as the `NSAppTransportSecurity` dictionary.
  public enum Origin: String, Sendable, Hashable, CaseIterable {
    /// The value of `NSAppTransportSecurity`, as in an Info.plist.
    case infoPlist
    /// The property list itself, because it contains only keys that belong in that dictionary.
    case dictionaryItself
    /// None, because the property list has no App Transport Security settings.
    case absent
    /// None, because the value of `NSAppTransportSecurity` is not a dictionary.
    case notADictionary

    /// Determines where the settings are in `infoPlist`.
    public init(in infoPlist: PropertyList) {
      let root = infoPlist.dictionary
      switch root?[.appTransportSecurity] {
      case .dictionary: self = .infoPlist
      case nil where root.map(Self.isSettings) == true:
        self = .dictionaryItself
      case nil where root != nil: self = .absent
      default: self = .notADictionary
      }
    }

    /// Returns whether a dictionary contains only keys of `NSAppTransportSecurity`, and no keys of an Info.plist.
    private static func isSettings(_ root: PropertyList.Dictionary) -> Bool {
      root.keys.contains { AppTransportSecurity.Key.globalNames.contains($0) }
        && !root.keys.contains { $0.hasPrefix("CFBundle") }
    }
  }
}

extension PropertyList {
  /// The value as a switch: true for `<true/>` and the number 1, and false for `<false/>` and other numbers.
  ///
  /// It is nil for other values. Apple's open-source engine interprets switches in this way.
  package var flag: Bool? {
    switch self {
    case .boolean(let flag): flag
    case .integer(let number): number == 1
    case .real(let number): number == 1
    default: nil
    }
  }
}

extension PropertyList.Dictionary {
  package subscript(key: AppTransportSecurity.Key) -> PropertyList? { self[key.name] }

  /// Returns the last entry with a key, which is the effective one.
  package func last(_ key: AppTransportSecurity.Key) -> Entry? { entries.last { $0.key == key.name } }

  /// Returns true only for `<true/>`, as is required for pins.
  func genuineFlag(_ key: AppTransportSecurity.Key) -> Bool { self[key] == .boolean(true) }
}

extension PropertyList.Dictionary.Entry {
  /// Returns whether the entry has this key, at any level.
  package func `is`(_ key: AppTransportSecurity.Key) -> Bool { self.key == key.name }
}
