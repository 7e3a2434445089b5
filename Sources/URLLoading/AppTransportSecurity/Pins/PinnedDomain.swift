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

    init(name: String, reading reader: inout ValueReader) {
      self.name = name
      includesSubdomains = reader.genuineFlag(Key.includesSubdomains)
      identities = PinnedIdentities(
        leaf: Self.hashes(Key.pinnedLeafIdentities, reading: &reader),
        authorities: Self.hashes(Key.pinnedCAIdentities, reading: &reader), keyPaths: ["\(Key.pinnedDomains).\(name)"])
      if identities.areEmpty { reader.addToWhole(.noIdentities) }
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
    private static func hashes(_ key: String, reading reader: inout ValueReader) -> [[UInt8]]? {
      guard let value = reader.dictionary[key] else { return nil }
      guard let items = value.array else {
        reader.add(.notAnArray, key)
        return []
      }
      return items.compactMap { item in
        guard let text = item.dictionary?[Key.pinnedHash]?.string else {
          reader.add(.notAnIdentity, key)
          return nil
        }
        let hash = Base64Text.bytes(text.utf8)
        guard let hash, hash.count == 32 else {
          reader.add(.notASHA256, key)
          return nil
        }
        return hash
      }
    }
  }
}
