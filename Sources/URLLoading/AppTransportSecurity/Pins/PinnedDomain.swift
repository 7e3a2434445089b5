import Explanation
import Trust

extension AppTransportSecurity {
  /// One entry of `NSPinnedDomains` (iOS 14 and macOS 11).
  public struct PinnedDomain: Sendable, Hashable {
    /// The key of the entry: a domain.
    public let name: String
    /// `NSIncludesSubdomains`: only `<true/>` counts, a number does not.
    public let includesSubdomains: Bool
    /// The identities of this entry, without those of other entries.
    public let identities: PinnedIdentities

    /// The path of the entry: `NSPinnedDomains.example.org`.
    public var keyPath: String { "\(Key.pinnedDomains.name).\(name)" }

    init(name: String, _ dictionary: PropertyList.Dictionary) {
      self.name = name
      includesSubdomains = dictionary.genuineFlag(.pinsIncludeSubdomains)
      identities = PinnedIdentities(
        leaf: Self.hashes(dictionary[.pinnedLeafIdentities]),
        authorities: Self.hashes(dictionary[.pinnedCAIdentities]), keyPaths: ["\(Key.pinnedDomains.name).\(name)"],
        unexpanded: [Key.pinnedLeafIdentities, .pinnedCAIdentities].flatMap { Self.unexpanded(dictionary[$0]) },
        unusableLeaf: Self.unusable(dictionary[.pinnedLeafIdentities]),
        unusableCAs: Self.unusable(dictionary[.pinnedCAIdentities]))
    }

    /// Whether the entry applies to `host`, in lower case and without a trailing dot.
    ///
    /// It applies to the same name, and to a name with exactly one more label if subdomains are included.
    package func matches(_ host: String) -> Bool {
      let name = name.lowercased()
      if host == name { return true }
      guard includesSubdomains, let dot = host.firstIndex(of: ".") else { return false }
      return host[host.index(after: dot)...] == name
    }

    /// The usable hashes; ignores values that are no list or no identity. Nil only if the key is absent.
    private static func hashes(_ value: PropertyList?) -> [[UInt8]]? {
      guard let value else { return nil }
      return (value.array ?? []).compactMap { item in
        let text = item.dictionary?[.pinnedHash]?.string
        return text.flatMap { Base64Text.bytes($0.utf8) }.flatMap { $0.count == 32 ? $0 : nil }
      }
    }

    /// The identities that are no Base64 of 32 bytes, which the system skips.
    private static func unusable(_ value: PropertyList?) -> [String] {
      (value?.array ?? []).compactMap { $0.dictionary?[.pinnedHash]?.string }.filter { text in
        Base64Text.bytes(text.utf8)?.count != 32 && !BuildSettings.isUnexpanded(text)
      }
    }

    /// The build settings in place of identities.
    private static func unexpanded(_ value: PropertyList?) -> [String] {
      (value?.array ?? []).compactMap { $0.dictionary?[.pinnedHash]?.string }.filter(BuildSettings.isUnexpanded)
    }
  }

  /// The public keys of which a host's chain must have one, each as the SHA-256 of its SubjectPublicKeyInfo.
  ///
  /// The hashes have 32 bytes (RFC 7469 section 2.4). A nil list requires nothing. No chain meets an empty list, which
  /// is the result for values of the wrong type.
  public struct PinnedIdentities: Sendable, Hashable {
    /// `NSPinnedLeafIdentities`: the server's own key must be one of these.
    public let leaf: [[UInt8]]?
    /// `NSPinnedCAIdentities`: one certificate above the server's own must have one of these keys.
    public let authorities: [[UInt8]]?
    /// The paths of the entries that the identities come from: `NSPinnedDomains.example.org`.
    public let keyPaths: [String]
    /// Unexpanded build settings in place of identities: the pins are then not known.
    package var unexpanded: [String] = []
    /// The values of `NSPinnedLeafIdentities` that are no hash.
    public internal(set) var unusableLeaf: [String] = []
    /// The values of `NSPinnedCAIdentities` that are no hash.
    public internal(set) var unusableCAs: [String] = []

    /// Whether nothing is required.
    public var areEmpty: Bool { leaf == nil && authorities == nil }

    /// Whether no chain can meet the pins, because a list has no usable identity.
    public var areMetByNone: Bool { unexpanded.isEmpty && (leaf == [] || authorities == []) }

    /// The confidence that `loader` checks the pins.
    public static func confidence(in loader: Loader) -> Finding.Confidence {
      loader.isWebView ? .likely("in 2021, web views were observed to ignore NSPinnedDomains") : .certain
    }

    /// Combines the identities of two entries: a chain must then meet the union of each list.
    func united(with other: PinnedIdentities) -> PinnedIdentities {
      func union(_ mine: [[UInt8]]?, _ theirs: [[UInt8]]?) -> [[UInt8]]? {
        mine == nil && theirs == nil ? nil : (mine ?? []) + (theirs ?? [])
      }
      return PinnedIdentities(
        leaf: union(leaf, other.leaf), authorities: union(authorities, other.authorities),
        keyPaths: keyPaths + other.keyPaths, unexpanded: unexpanded + other.unexpanded,
        unusableLeaf: unusableLeaf + other.unusableLeaf,
        unusableCAs: unusableCAs + other.unusableCAs)
    }
  }
}

extension AppTransportSecurity.Configuration {
  /// The identities that the chain of `host` must have on a system; nil if the app pins none.
  ///
  /// They are those of all matching entries together. Names are compared without regard to case, and a trailing dot of
  /// `host` does not count. Systems before iOS 14 and macOS 11 do not know `NSPinnedDomains`.
  public func pinnedIdentities(
    for host: String, os: OSVersion = .documentation
  ) -> AppTransportSecurity.PinnedIdentities? {
    guard !pinnedDomains.isEmpty, AppTransportSecurity.Key.pinnedDomains.isKnown(to: os) else { return nil }
    let lowered = host.lowercased()
    let name = lowered.hasSuffix(".") ? String(lowered.dropLast()) : lowered
    var united: AppTransportSecurity.PinnedIdentities?
    for domain in pinnedDomains where !domain.identities.areEmpty && domain.matches(name) {
      united = united?.united(with: domain.identities) ?? domain.identities
    }
    return united
  }

  /// Whether the Info.plist requires pins for every host (`SecTrustPinningRequired`) and has none for this one.
  ///
  /// An entry with two empty lists turns the requirement off for its host. An entry with neither list does not count.
  public func lacksRequiredPins(for host: String, os: OSVersion = .documentation) -> Bool {
    guard requiresPinning, AppTransportSecurity.Key.pinnedDomains.isKnown(to: os) else { return false }
    return pinnedIdentities(for: host, os: os) == nil
  }

  /// Reads the entries of `NSPinnedDomains` in order, without those that are not dictionaries.
  static func pinnedDomains(in dictionary: PropertyList.Dictionary) -> [AppTransportSecurity.PinnedDomain] {
    pinnedDomains(below: dictionary[.pinnedDomains]?.dictionary ?? .init())
  }

  /// Reads the entries from the value of `NSPinnedDomains`.
  package static func pinnedDomains(below pins: PropertyList.Dictionary) -> [AppTransportSecurity.PinnedDomain] {
    let entries = pins.entries
    // If two entries have the same name, the last one applies, at its own place.
    var seen: Set<String> = []
    var domains: [AppTransportSecurity.PinnedDomain] = []
    for entry in entries.reversed() {
      guard let values = entry.value.dictionary, seen.insert(entry.key).inserted else { continue }
      domains.append(AppTransportSecurity.PinnedDomain(name: entry.key, values))
    }
    return domains.reversed()
  }
}
