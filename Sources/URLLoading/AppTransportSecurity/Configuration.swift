import Trust

extension AppTransportSecurity {
  /// An app's `NSAppTransportSecurity` dictionary, read by the rules of Apple's open engine.
  ///
  /// Reading never fails: as on the system, a value of the wrong type counts as absent. `AppTransportSecurity.lint`
  /// reports it.
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

      /// The value of a switch; nil if it is absent, and for a key that is not a switch.
      package subscript(key: Key) -> Bool? { key.globalFlag.flatMap { self[keyPath: $0] } }
    }

    /// The dictionary as written; empty if there is none.
    public let dictionary: PropertyList.Dictionary
    /// The keys for all domains.
    public private(set) var globals = Globals()
    /// The entries of `NSExceptionDomains` in order, without those that are not dictionaries.
    public private(set) var domains: [ExceptionDomain] = []
    /// The entries of `NSPinnedDomains` in order, without those that are not dictionaries.
    public let pinnedDomains: [PinnedDomain]
    /// `SecTrustPinningRequired` of the Info.plist itself: every host must be pinned.
    public let requiresPinning: Bool
    /// The SDK that the Info.plist names next to the dictionary; nil if it names none.
    ///
    /// It decides about addresses: release notes of iOS 17, 101967030.
    public let linkedSDK: OSVersion?
    /// The names of entries of `NSExceptionDomains` that have values of other types, computed once for many loads.
    private(set) var oddEntries: [String] = []
    /// The domains that are unexpanded build settings.
    let unexpandedDomains: (exceptions: [String], pins: [String])
    /// The keys that occur more than once with different values: for all domains, and in entries.
    private(set) var repeatedKeys: (globals: [String], domains: [String]) = ([], [])
    /// The other dictionaries of an Info.plist that has `NSAppTransportSecurity` more than once.
    private(set) var otherSettings: [PropertyList.Dictionary] = []
    private var byName: [String: Int] = [:]
    /// The written dictionary of each of `domains`.
    private var written: [PropertyList.Dictionary] = []

    /// No dictionary at all: full App Transport Security.
    public static let empty = Configuration(dictionary: PropertyList.Dictionary())

    /// Reads the `NSAppTransportSecurity` dictionary itself.
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

    /// Reads an app's whole Info.plist, or a file that has only the `NSAppTransportSecurity` dictionary in it.
    ///
    /// If `NSAppTransportSecurity` is absent or no dictionary, full App Transport Security is in force.
    /// `SecTrustPinningRequired` counts only next to that dictionary, and only as `<true/>`: a number does not count.
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

    /// Reads the bytes of an Info.plist, XML or binary.
    public init(readingInfoPlist bytes: [UInt8]) throws(PropertyListError) {
      self.init(infoPlist: try PropertyList(reading: bytes))
    }

    /// Whether `NSAppTransportSecurity` occurs more than once.
    var settingsAreRepeated: Bool { !otherSettings.isEmpty }
    /// The same configuration without the other dictionaries.
    var withoutRepetition: Configuration { having(dictionary) }

    /// The same configuration with another `NSAppTransportSecurity` dictionary.
    package func having(_ dictionary: PropertyList.Dictionary) -> Configuration {
      Configuration(dictionary: dictionary, requiresPinning: requiresPinning, linkedSDK: linkedSDK)
    }

    /// The keys that are present, for all domains and in entries, whatever their values.
    package var writtenKeys: Set<Key> {
      let globals = dictionary.keys.compactMap { Key.named($0, at: .global) }
      let ofEntries = Set(written.flatMap(\.keys)).compactMap { Key.named($0, at: .exceptionDomain) }
      return Set(globals + ofEntries)
    }

    /// The entry whose key is exactly `name`.
    public func domain(named name: String) -> ExceptionDomain? { byName[name].map { domains[$0] } }

    /// The written dictionary of that entry.
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
  /// The part of a property list that is read as the `NSAppTransportSecurity` dictionary.
  public enum Origin: String, Sendable, Hashable, CaseIterable {
    /// The value of `NSAppTransportSecurity`, as in an Info.plist.
    case infoPlist
    /// The property list itself, because it has keys that only belong there.
    case dictionaryItself
    /// Nothing: the property list has no settings of App Transport Security.
    case absent
    /// Nothing, because the value of `NSAppTransportSecurity` is no dictionary.
    case notADictionary

    /// Finds the settings in `infoPlist`.
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

    /// Whether a dictionary has only keys of `NSAppTransportSecurity`, and none of an Info.plist.
    private static func isSettings(_ root: PropertyList.Dictionary) -> Bool {
      root.keys.contains { AppTransportSecurity.Key.globalNames.contains($0) }
        && !root.keys.contains { $0.hasPrefix("CFBundle") }
    }
  }
}

extension PropertyList {
  /// True for `<true/>` and the number 1, false for `<false/>` and other numbers, nil for other values.
  ///
  /// Apple's open engine reads switches so.
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

  /// The last entry with a key, which is the one that counts.
  package func last(_ key: AppTransportSecurity.Key) -> Entry? { entries.last { $0.key == key.name } }

  /// True for `<true/>` only, as for pins.
  func genuineFlag(_ key: AppTransportSecurity.Key) -> Bool { self[key] == .boolean(true) }
}

extension PropertyList.Dictionary.Entry {
  /// Whether the entry has this key, at any level.
  package func `is`(_ key: AppTransportSecurity.Key) -> Bool { self.key == key.name }
}
