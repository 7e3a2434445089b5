import Trust

extension AppTransportSecurity {
  /// An app's `NSAppTransportSecurity` dictionary, read by the value rules of Apple's open engine.
  ///
  /// What is wrong with it never fails: like the system, a value of the wrong type counts as absent, and
  /// `AppTransportSecurity.lint` says so.
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
      /// `NSRequiresNIAPTLSPackageVersion`; nil when absent, and for a level that is none.
      public var niapPackage: NIAPPackage?

      /// The value of a switch; nil when absent, and for a key that is none.
      package subscript(key: Key) -> Bool? { key.globalFlag.flatMap { self[keyPath: $0] } }
    }

    /// The dictionary as it was written; empty when there is none.
    public let dictionary: PropertyList.Dictionary
    /// The keys for all domains.
    public private(set) var globals = Globals()
    /// The entries of `NSExceptionDomains` in order, those that are not dictionaries left out.
    public private(set) var domains: [ExceptionDomain] = []
    /// The entries of `NSPinnedDomains` in order, those that are not dictionaries left out.
    public let pinnedDomains: [PinnedDomain]
    /// `SecTrustPinningRequired` of the Info.plist itself: every host must be pinned.
    public let requiresPinning: Bool
    /// The SDK that the app says it was linked with, which stands beside the dictionary too; nil where it says nothing.
    ///
    /// It decides about addresses: release notes of iOS 17, 101967030.
    public let linkedSDK: OSVersion?
    /// The entries of `NSExceptionDomains` with values of other types, by name: worked out once, for many loads.
    private(set) var oddEntries: [String] = []
    /// The domains that are build settings still to be replaced.
    let unexpandedDomains: (exceptions: [String], pins: [String])
    /// The keys that stand beside themselves with another value: for all domains, and of entries.
    private(set) var repeatedKeys: (globals: [String], domains: [String]) = ([], [])
    /// The dictionaries of an Info.plist that has `NSAppTransportSecurity` more than once, but for the one that is read.
    private(set) var otherSettings: [PropertyList.Dictionary] = []
    private var byName: [String: Int] = [:]
    /// What was written of each of `domains`.
    private var written: [PropertyList.Dictionary] = []

    /// No dictionary at all: full App Transport Security.
    public static let empty = Configuration(dictionary: PropertyList.Dictionary())

    /// Reads the `NSAppTransportSecurity` dictionary itself.
    ///
    /// - Parameters:
    ///   - dictionary: what is written.
    ///   - requiresPinning: what `SecTrustPinningRequired` says, which stands beside the dictionary.
    ///   - linkedSDK: what `DTSDKName` says, which stands beside it as well.
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

    /// Reads an app's whole Info.plist, or a file with nothing but the `NSAppTransportSecurity` dictionary in it.
    ///
    /// Without `NSAppTransportSecurity`, full App Transport Security is in force; also when it is no dictionary. A
    /// demand for pins counts beside that dictionary alone: only `<true/>` does, a number does not.
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

    /// Whether `NSAppTransportSecurity` is there more than once.
    var settingsAreRepeated: Bool { !otherSettings.isEmpty }
    /// The same app with the dictionary that is read alone.
    var withoutRepetition: Configuration { having(dictionary) }

    /// The same app with another `NSAppTransportSecurity` dictionary.
    package func having(_ dictionary: PropertyList.Dictionary) -> Configuration {
      Configuration(dictionary: dictionary, requiresPinning: requiresPinning, linkedSDK: linkedSDK)
    }

    /// The keys that are written, for all domains and in entries, whatever their values.
    package var writtenKeys: Set<Key> {
      let globals = dictionary.keys.compactMap { Key.named($0, at: .global) }
      let ofEntries = Set(written.flatMap(\.keys)).compactMap { Key.named($0, at: .exceptionDomain) }
      return Set(globals + ofEntries)
    }

    /// The entry whose key is exactly `name`.
    public func domain(named name: String) -> ExceptionDomain? { byName[name].map { domains[$0] } }

    /// What was written of that entry.
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
      switch root?[.appTransportSecurity] {
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

extension PropertyList {
  /// True for `<true/>` and the number 1, false for `<false/>` and any other number, nil for anything else.
  ///
  /// Apple's open engine reads a switch in this way.
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
  /// The value of a key.
  package subscript(key: AppTransportSecurity.Key) -> PropertyList? { self[key.name] }

  /// The entry that counts of those with a key.
  package func last(_ key: AppTransportSecurity.Key) -> Entry? { entries.last { $0.key == key.name } }

  /// True for `<true/>` only, as where pins are read.
  func genuineFlag(_ key: AppTransportSecurity.Key) -> Bool { self[key] == .boolean(true) }
}

extension PropertyList.Dictionary.Entry {
  /// Whether the entry has this key, whatever its level.
  package func `is`(_ key: AppTransportSecurity.Key) -> Bool { self.key == key.name }
}
