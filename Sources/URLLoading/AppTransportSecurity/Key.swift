import TLS
import Trust

extension AppTransportSecurity {
  /// A current or former key of the `NSAppTransportSecurity` dictionary, which is a row in the table of keys.
  ///
  /// The row has the key's type, its default, its first releases, and the property for its value. It also has the loads
  /// that the key exempts, and the requirement that it changes. For the requirement, it has the JSON member and the
  /// text in a difference.
  public final class Key: Sendable, Identifiable {
    /// The dictionary to which a key belongs.
    public enum Level: String, Sendable, Hashable, CaseIterable {
      /// The Info.plist itself.
      case root
      /// In `NSAppTransportSecurity`.
      case global
      /// An entry of `NSExceptionDomains`.
      case exceptionDomain = "exception-domain"
      /// An entry of `NSPinnedDomains`.
      case pinnedDomain = "pinned-domain"
      /// An item in a list of pinned identities.
      case pinnedIdentity = "pinned-identity"
    }

    /// The type of a key's value, with the name in `PropertyList.typeName`.
    public enum ValueType: String, Sendable, Hashable, CaseIterable {
      case boolean = "Boolean"
      case string = "String"
      case dictionary = "Dictionary"
      case array = "Array"
    }

    /// The values that App Review asks about.
    public enum Review: String, Sendable, Hashable, CaseIterable {
      case never
      /// App Review requires a justification for a value of YES.
      case whenYes = "when-yes"
      /// App Review requires a justification for a version lower than TLSv1.2.
      case whenLowered = "when-lowered"
    }

    /// Whether the key is still in use.
    public enum Standing: Sendable, Hashable {
      case current
      /// An old name that older systems support, or that was documented. `use` is the current name.
      case historical(use: String)
      /// A key that was documented, but that no current system supports.
      case obsolete
      /// A name that was never a key, but is found in shipped apps. `use` is the intended key, if there is one.
      case misspelling(use: String?)
    }

    /// The first releases that support a key.
    public enum Since: Sendable, Hashable, CustomStringConvertible {
      case releases(iOS: OSVersion, macOS: OSVersion)
      /// No release is known to support the key. The value is the source that lists it.
      case source(String)

      /// `iOS 9, macOS 10.11`.
      public var description: String {
        switch self {
        case .releases(let iOS, let macOS): "\(iOS), \(macOS)"
        case .source(let source): source
        }
      }
    }

    /// The property that stores a key's value.
    package enum Property<Target>: Sendable {
      case flag(WritableKeyPath<Target, Bool?> & Sendable, default: Bool = false)
      case version(WritableKeyPath<Target, ProtocolVersion?> & Sendable)
      case niapPackage(WritableKeyPath<Target, NIAPPackage?> & Sendable)
    }

    /// The dictionary that contains a key's value, and the property that stores it.
    package enum Reading: Sendable {
      case global(Property<Configuration.Globals>)
      /// A key of an entry of `NSExceptionDomains`, in the current spelling or an old one.
      case exception(Property<ExceptionDomain.Values>, ExceptionDomain.Spelling = .plain)
      /// A dictionary with keys of the next level, or with an entry for each domain.
      case dictionary(Level)
      /// A switch that only a boolean value can turn on.
      case genuineFlag(Level)
      /// A list of pinned identities.
      case identities
      /// The hash of an identity.
      case hash
      /// Nothing reads it.
      case nothing(Level)
    }

    /// The loads for which a key for all domains lifts App Transport Security if its value is YES.
    package enum Lift: Sendable, Hashable {
      case allLoads, webContent, media, localNames

      /// Returns whether the exemption is for loads of `loader`, and not for most other loaders.
      func isFor(_ loader: Loader) -> Bool {
        switch self {
        case .allLoads, .localNames: false
        case .webContent: loader.isWebView
        case .media: loader == .avFoundation
        }
      }

      /// A loader that the exemption is for; nil if it is for all loaders.
      package var loader: Loader? { Loader.allCases.first(where: isFor) }
    }

    /// The effect on the requirements for a server if the value is not the default.
    package enum Effect: Sendable {
      /// No effect. The key selects the hosts of other keys, or contains other keys.
      case none
      /// The key adds to this requirement.
      case demands(Demand)
      /// The key weakens this requirement.
      case weakens(Demand)
    }

    /// The key.
    public let name: String
    /// The dictionary that contains the key's value, and the property that stores it.
    package let reading: Reading
    /// The first releases that support the key.
    public let since: Since
    /// The values that App Review asks about.
    public let review: Review
    /// Whether the key is still in use.
    public let standing: Standing
    /// The effect of the key on the requirements for a server.
    package let effect: Effect
    /// The loads for which the key lifts App Transport Security; nil if there are none.
    package let lift: Lift?
    /// Whether the presence of the key, with any value, turns `NSAllowsArbitraryLoads` off since iOS 10.
    package let turnsArbitraryLoadsOff: Bool
    /// The meaning of the key as a sentence.
    public let meaning: String
    /// The effects of other keys, values and systems on this key, as sentences.
    ///
    /// The sources are Apple's documentation and, since iOS 18.4, the engine's open source code.
    public let interplay: [String]

    package init(
      _ name: String, _ reading: Reading, since: Since, review: Review = .never, standing: Standing = .current,
      effect: Effect = .none, lift: Lift? = nil, turnsArbitraryLoadsOff: Bool = false, meaning: String,
      interplay: [String] = []
    ) {
      self.name = name
      self.reading = reading
      self.since = since
      self.review = review
      self.standing = standing
      self.effect = effect
      self.lift = lift
      self.turnsArbitraryLoadsOff = turnsArbitraryLoadsOff
      self.meaning = meaning
      self.interplay = interplay
    }

    /// The dictionary to which the key belongs.
    public var level: Level {
      switch reading {
      case .global: .global
      case .exception: .exceptionDomain
      case .identities: .pinnedDomain
      case .hash: .pinnedIdentity
      case .dictionary(let level), .genuineFlag(let level), .nothing(let level): level
      }
    }

    /// The type of the key's value.
    public var valueType: ValueType {
      switch reading {
      case .global(let property): property.type
      case .exception(let property, _): property.type
      case .identities: .array
      case .hash: .string
      case .dictionary: .dictionary
      case .genuineFlag, .nothing: .boolean
      }
    }

    /// The documented value of an absent key, such as `NO`, `TLSv1.2` or `none`.
    public var defaultValue: String {
      switch reading {
      case .global(let property): property.defaultValue
      case .exception(let property, _): property.defaultValue
      case .genuineFlag: "NO"
      case .nothing: isKey ? "NO" : "none"
      case .dictionary, .identities, .hash: "none"
      }
    }

    /// The level and the name of the key. A few names occur at more than one level.
    public var id: String { "\(level.rawValue).\(name)" }

    /// Whether the name is a key that a system supports, or supported before.
    public var isKey: Bool { if case .misspelling = standing { false } else { true } }

    /// Whether some release is known to support the key.
    public var wasEverRead: Bool { if case .releases = since { true } else { false } }

    /// Returns the first release of a platform that supports the key. It is nil if no release is known to support the
    /// key.
    package func firstRelease(of family: OSVersion.Family) -> OSVersion? {
      guard case .releases(let iOS, let macOS) = since else { return nil }
      // Since 2025, tvOS, watchOS and visionOS have the same version numbers as iOS.
      let first = family == .macOS ? macOS : iOS
      return OSVersion(family, first.major, first.minor)
    }

    /// Returns whether `os` is new enough for the key; true for a key that no release is known to support.
    package func isKnown(to os: OSVersion) -> Bool {
      guard case .releases(let iOS, let macOS) = since else { return true }
      return os.isAtLeast(iOS: (iOS.major, iOS.minor), macOS: (macOS.major, macOS.minor))
    }

    /// Whether the key only adds to the requirements for servers.
    package var onlyDemands: Bool { if case .demands = effect { true } else { false } }
  }
}

extension AppTransportSecurity.Key {
  /// The names of the keys of the `NSAppTransportSecurity` dictionary itself.
  static let globalNames = Set(catalogue.filter { $0.level == .global }.map(\.name))

  private static let byName = Dictionary(grouping: catalogue, by: \.name)

  /// Returns the keys with the given name, at any level.
  public static func named(_ name: String) -> [AppTransportSecurity.Key] { byName[name] ?? [] }

  /// Returns the key with the given name at one level.
  package static func named(_ name: String, at level: Level) -> AppTransportSecurity.Key? {
    byName[name]?.first { $0.level == level }
  }

  /// The properties of the keys for all domains, by name.
  static let globalProperties: [String: Property<AppTransportSecurity.Configuration.Globals>] = catalogue.reduce(
    into: [:]
  ) { properties, key in
    if case .global(let property) = key.reading { properties[key.name] = property }
  }

  /// The properties of the keys of an entry, by name, with the spelling of the name.
  static let entryProperties: [String: EntryProperty] = catalogue.reduce(into: [:]) { properties, key in
    if case .exception(let property, let spelling) = key.reading { properties[key.name] = (property, spelling) }
  }

  typealias EntryProperty = (
    property: Property<AppTransportSecurity.ExceptionDomain.Values>,
    spelling: AppTransportSecurity.ExceptionDomain.Spelling
  )

  /// The property of a key of an entry; nil for keys at other levels.
  package var entryProperty: Property<AppTransportSecurity.ExceptionDomain.Values>? {
    if case .exception(let property, _) = reading { property } else { nil }
  }

  /// The property of a switch for all domains; nil for other keys.
  package var globalFlag: (KeyPath<AppTransportSecurity.Configuration.Globals, Bool?> & Sendable)? {
    if case .global(.flag(let path, _)) = reading { path } else { nil }
  }

  /// The switches for all domains that lift App Transport Security for some loaders.
  package static let lifting = globals.filter { $0.lift?.loader != nil }

  /// The keys whose presence, with any value, turns `NSAllowsArbitraryLoads` off since iOS 10.
  package static let turningArbitraryLoadsOff = globals.filter(\.turnsArbitraryLoadsOff)

  /// Returns a loader that none of `keys` is for, and one loader for each key that is for some loaders.
  package static func loaders(of keys: [AppTransportSecurity.Key]) -> [Loader] {
    Loader.allCases.filter { loader in loader == .urlSession || keys.contains { $0.lift?.loader == loader } }
  }

  /// Returns whether App Review asks about the key if an entry has these values.
  package func isReviewed(in values: AppTransportSecurity.ExceptionDomain.Values) -> Bool {
    review != .never && entryProperty?.isLowered(values) == true
  }
}

extension AppTransportSecurity.Key: Hashable {
  /// Returns whether two rows describe the same key at the same level.
  public static func == (left: AppTransportSecurity.Key, right: AppTransportSecurity.Key) -> Bool {
    left === right || left.name == right.name && left.level == right.level
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension AppTransportSecurity.Key.Property {
  fileprivate var type: AppTransportSecurity.Key.ValueType {
    switch self {
    case .flag: .boolean
    case .version, .niapPackage: .string
    }
  }

  fileprivate var defaultValue: String {
    switch self {
    case .flag(_, let isOn): isOn ? "YES" : "NO"
    case .version: ProtocolVersion.tls12.description
    case .niapPackage: "none"
    }
  }

  /// Stores `value` in the key's property of `target`, as Apple's open-source engine does.
  ///
  /// A value of another type is treated as absent.
  func read(_ value: PropertyList, into target: inout Target) {
    switch self {
    case .flag(let path, _): target[keyPath: path] = value.flag
    case .version(let path): target[keyPath: path] = value.string.flatMap { AppTransportSecurity.versions[$0] }
    case .niapPackage(let path): target[keyPath: path] = value.string.flatMap(AppTransportSecurity.NIAPPackage.init)
    }
  }

  /// Returns whether a value has the required type.
  package func reads(_ value: PropertyList) -> Bool {
    switch (self, value) {
    case (.flag, .boolean): true
    case (.version, .string(let text)): AppTransportSecurity.versions[text] != nil
    case (.niapPackage, .string(let text)): AppTransportSecurity.NIAPPackage(rawValue: text) != nil
    default: false
    }
  }

  /// Copies the value from `other` if `target` has none.
  func fill(_ target: inout Target, from other: Target) {
    switch self {
    case .flag(let path, _): target[keyPath: path] = target[keyPath: path] ?? other[keyPath: path]
    case .version(let path): target[keyPath: path] = target[keyPath: path] ?? other[keyPath: path]
    case .niapPackage(let path): target[keyPath: path] = target[keyPath: path] ?? other[keyPath: path]
    }
  }

  /// Removes the value.
  package func remove(from target: inout Target) {
    switch self {
    case .flag(let path, _): target[keyPath: path] = nil
    case .version(let path): target[keyPath: path] = nil
    case .niapPackage(let path): target[keyPath: path] = nil
    }
  }

  /// Returns the value as written in a property list; nil if it is absent or the default.
  package func written(_ target: Target) -> PropertyList? {
    switch self {
    case .flag(let path, let usual): target[keyPath: path].flatMap { $0 == usual ? nil : .boolean($0) }
    case .version(let path): target[keyPath: path].map { .string($0.description) }
    case .niapPackage(let path): target[keyPath: path].map { .string($0.rawValue) }
    }
  }

  /// Returns whether the value requires more than an absent key.
  ///
  /// This is the case for a version later than `TLSv1.2`, and for any value of a key that only adds requirements.
  package func isRaised(_ target: Target, onlyDemands: Bool) -> Bool {
    if case .version(let path) = self { return target[keyPath: path].map { $0 > .tls12 } ?? false }
    return onlyDemands && written(target) != nil
  }

  /// Returns whether the value is lower than `TLSv1.2`, or differs from the default.
  package func isLowered(_ target: Target) -> Bool {
    if case .version(let path) = self { return target[keyPath: path].map { $0 < .tls12 } ?? false }
    return written(target) != nil
  }
}
