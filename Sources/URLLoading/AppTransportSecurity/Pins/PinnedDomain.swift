extension AppTransportSecurity {
  /// One entry of `NSPinnedDomains`, since iOS 14 and macOS 11.
  public struct PinnedDomain: Sendable, Hashable {
    /// The key of the entry: a domain.
    public let name: String
    /// `NSIncludesSubdomains`: only `<true/>` counts, a number does not.
    public let includesSubdomains: Bool
    /// The identities of this entry alone.
    public let identities: PinnedIdentities

    /// The path of the entry: `NSPinnedDomains.example.org`.
    public var keyPath: String { "\(Key.pinnedDomains).\(name)" }

    init(name: String, _ dictionary: PropertyList.Dictionary) {
      self.name = name
      includesSubdomains = dictionary.genuineFlag(Key.includesSubdomains)
      identities = PinnedIdentities(
        leaf: Self.hashes(dictionary[Key.pinnedLeafIdentities]),
        authorities: Self.hashes(dictionary[Key.pinnedCAIdentities]), keyPaths: ["\(Key.pinnedDomains).\(name)"])
    }

    /// Whether the entry is for `host`, which is in lower case and without a trailing dot: the same name, or a name of
    /// exactly one label more when subdomains are included.
    func matches(_ host: String) -> Bool {
      let name = name.lowercased()
      if host == name { return true }
      guard includesSubdomains, let dot = host.firstIndex(of: ".") else { return false }
      return host[host.index(after: dot)...] == name
    }

    /// What is no list, and items that are no identities, are passed over; nil only when the key is absent.
    private static func hashes(_ value: PropertyList?) -> [[UInt8]]? {
      guard let value else { return nil }
      return (value.array ?? []).compactMap { item in
        let text = item.dictionary?[Key.pinnedHash]?.string
        return text.flatMap { Base64Text.bytes($0.utf8) }.flatMap { $0.count == 32 ? $0 : nil }
      }
    }
  }
}
