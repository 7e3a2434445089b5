import Explanation
import Trust

extension AppTransportSecurity {
  /// One entry of `NSPinnedDomains` (iOS 14 and macOS 11).
  public struct PinnedDomain: Sendable, Hashable {
    /// The key of the entry, which is a domain.
    public let name: String
    /// `NSIncludesSubdomains`, which is true only for `<true/>`, not for a number.
    public let includesSubdomains: Bool
    /// The identities of this entry only.
    public let identities: PinnedIdentities

    /// The path of the entry, such as `NSPinnedDomains.example.org`.
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

    /// Returns whether the entry applies to `host`, which must be in lower case and without a trailing dot.
    ///
    /// The entry applies to its own name. If subdomains are included, it also applies to names with exactly one more
    /// label.
    package func matches(_ host: String) -> Bool {
      let name = name.lowercased()
      if host == name { return true }
      guard includesSubdomains, let dot = host.firstIndex(of: ".") else { return false }
      return host[host.index(after: dot)...] == name
    }

    /// Returns the usable hashes, without values that are not a list or not an identity. The result is nil only if the
    /// key is absent.
    private static func hashes(_ value: PropertyList?) -> [[UInt8]]? {
      guard let value else { return nil }
      return (value.array ?? []).compactMap { item in
        let text = item.dictionary?[.pinnedHash]?.string
        return text.flatMap { Base64Text.bytes($0.utf8) }.flatMap { $0.count == 32 ? $0 : nil }
      }
    }

    /// Returns the identities that are not the Base64 encoding of 32 bytes. The system skips them.
    private static func unusable(_ value: PropertyList?) -> [String] {
      (value?.array ?? []).compactMap { $0.dictionary?[.pinnedHash]?.string }.filter { text in
        Base64Text.bytes(text.utf8)?.count != 32 && !BuildSettings.isUnexpanded(text)
      }
    }

    /// Returns the build settings that appear in place of identities.
    private static func unexpanded(_ value: PropertyList?) -> [String] {
      (value?.array ?? []).compactMap { $0.dictionary?[.pinnedHash]?.string }.filter(BuildSettings.isUnexpanded)
    }
  }

  /// The public keys of which a host's chain must contain one, as SHA-256 hashes of their SubjectPublicKeyInfo.
  ///
  /// The hashes have 32 bytes (RFC 7469 section 2.4). A list that is nil requires nothing. No chain satisfies an empty
  /// list, which is the result for values of the wrong type.
  public struct PinnedIdentities: Sendable, Hashable {
    /// `NSPinnedLeafIdentities`: the server's own key must be one of these keys.
    public let leaf: [[UInt8]]?
    /// `NSPinnedCAIdentities`: one certificate above the server's own must have one of these keys.
    public let authorities: [[UInt8]]?
    /// The paths of the entries that contain the identities, such as `NSPinnedDomains.example.org`.
    public let keyPaths: [String]
    /// The unexpanded build settings that appear in place of identities. The pins are then unknown.
    package var unexpanded: [String] = []
    /// The values of `NSPinnedLeafIdentities` that are not a hash.
    public internal(set) var unusableLeaf: [String] = []
    /// The values of `NSPinnedCAIdentities` that are not a hash.
    public internal(set) var unusableCAs: [String] = []

    /// Whether nothing is required.
    public var areEmpty: Bool { leaf == nil && authorities == nil }

    /// Whether no chain can satisfy the pins, because a list has no usable identity.
    public var areMetByNone: Bool { unexpanded.isEmpty && (leaf == [] || authorities == []) }

    /// Returns the confidence that `loader` checks the pins.
    public static func confidence(in loader: Loader) -> Finding.Confidence {
      loader.isWebView ? .likely("in 2021, web views were observed to ignore NSPinnedDomains") : .certain
    }

    /// Combines the identities of two entries.
    ///
    /// For each kind of pin, a chain must then match the union of the two entries' lists.
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
  /// Returns the identities that the chain of `host` must contain on a system; nil if the app pins none.
  ///
  /// The identities of all matching entries are combined. The comparison of names ignores case and a trailing dot of
  /// `host`. Systems before iOS 14 and macOS 11 do not support `NSPinnedDomains`.
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

  /// Returns whether the Info.plist requires pins for every host (`SecTrustPinningRequired`), but has none for this
  /// host.
  ///
  /// An entry with two empty lists turns the requirement off for its host. An entry with neither list is ignored.
  public func lacksRequiredPins(for host: String, os: OSVersion = .documentation) -> Bool {
    guard requiresPinning, AppTransportSecurity.Key.pinnedDomains.isKnown(to: os) else { return false }
    return pinnedIdentities(for: host, os: os) == nil
  }

  /// Reads the entries of `NSPinnedDomains` that are dictionaries, in order.
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
