extension AppTransportSecurity {
  /// An app's `NSAppTransportSecurity` dictionary, read by the value rules of Apple's open engine.
  ///
  /// What is wrong with it never fails: like the system, a value of the wrong type counts as absent, and `problems`
  /// says so.
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
    public private(set) var requiresPinning = false
    /// What the system would complain about, in order.
    public private(set) var problems: [Problem] = []
    private var byName: [String: Int] = [:]

    /// No dictionary at all: full App Transport Security.
    public static let empty = Configuration(dictionary: PropertyList.Dictionary())

    /// Reads the `NSAppTransportSecurity` dictionary itself.
    public init(dictionary: PropertyList.Dictionary) {
      self.dictionary = dictionary
      var reader = ValueReader(dictionary: dictionary, path: "")
      globals.arbitraryLoads = reader.flag(Key.allowsArbitraryLoads)
      globals.media = reader.flag(Key.allowsArbitraryLoadsForMedia)
      globals.mediaByEarlyName = reader.flag(Key.allowsArbitraryLoadsInMedia)
      globals.webContent = reader.flag(Key.allowsArbitraryLoadsInWebContent)
      globals.localNetworking = reader.flag(Key.allowsLocalNetworking)
      globals.niapPackage = reader.niapPackage(Key.requiresNIAP)
      problems = reader.problems
      let pins = Self.pinnedDomains(in: dictionary)
      pinnedDomains = pins.domains
      switch dictionary[Key.exceptionDomains] {
      case .dictionary(let entries): read(entries)
      case nil: break
      case .some: problems.append(Problem(Key.exceptionDomains, .exceptionsNotADictionary))
      }
      problems += pins.problems + BuildSettings.problems(in: dictionary)
    }

    /// Reads an app's whole Info.plist, or a file with nothing but the `NSAppTransportSecurity` dictionary in it.
    ///
    /// Without `NSAppTransportSecurity`, full App Transport Security is in force; also when it is no dictionary.
    public init(infoPlist: PropertyList) {
      switch Origin(in: infoPlist) {
      case .infoPlist: self.init(dictionary: infoPlist.dictionary?[Key.appTransportSecurity]?.dictionary ?? .init())
      case .dictionaryItself: self.init(dictionary: infoPlist.dictionary ?? .init())
      case .absent: self.init(dictionary: .init())
      case .notADictionary:
        self.init(dictionary: .init())
        problems.append(Problem(Key.appTransportSecurity, .notADictionary))
      }
      requiresPinning = infoPlist.dictionary?[Key.pinningRequired] == .boolean(true)
    }

    /// Reads the bytes of an Info.plist, XML or binary.
    public init(readingInfoPlist bytes: [UInt8]) throws(PropertyListError) {
      self.init(infoPlist: try PropertyList(reading: bytes))
    }

    /// The entry whose key is exactly `name`.
    public func domain(named name: String) -> ExceptionDomain? { byName[name].map { domains[$0] } }

    private mutating func read(_ entries: PropertyList.Dictionary) {
      for entry in entries.entries {
        let path = "\(Key.exceptionDomains).\(entry.key)"
        guard let dictionary = entry.value.dictionary else {
          problems.append(Problem(path, .notADictionary))
          continue
        }
        var reader = ValueReader(dictionary: dictionary, path: path)
        let domain = ExceptionDomain(name: entry.key, reading: &reader)
        problems += reader.problems
        if let kind = ExceptionDomain.problem(inName: entry.key) { problems.append(Problem(path, kind)) }
        if let index = byName[entry.key] {
          domains[index] = domain
        } else {
          byName[entry.key] = domains.count
          domains.append(domain)
        }
      }
    }
  }
}
