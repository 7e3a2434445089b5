extension AppTransportSecurity {
  /// The public keys that a host's chain must have, by the SHA-256 of their SubjectPublicKeyInfo (RFC 7469 section 2.4),
  /// 32 bytes each.
  ///
  /// A list that is nil demands nothing. An empty one is met by no chain: that is what values of the wrong type become.
  public struct PinnedIdentities: Sendable, Hashable {
    /// `NSPinnedLeafIdentities`: the server's own key must be one of these.
    public let leaf: [[UInt8]]?
    /// `NSPinnedCAIdentities`: one certificate above the server's own must have one of these keys.
    public let authorities: [[UInt8]]?
    /// The entries that they come from: `NSPinnedDomains.example.org`.
    public let keyPaths: [String]

    /// Whether nothing is demanded.
    public var areEmpty: Bool { leaf == nil && authorities == nil }

    /// Whether no chain can meet them, for a list without a usable identity.
    public var areMetByNone: Bool { leaf == [] || authorities == [] }

    /// The identities of two entries: a chain must then meet the union of each list.
    func united(with other: PinnedIdentities) -> PinnedIdentities {
      func union(_ mine: [[UInt8]]?, _ theirs: [[UInt8]]?) -> [[UInt8]]? {
        mine == nil && theirs == nil ? nil : (mine ?? []) + (theirs ?? [])
      }
      return PinnedIdentities(
        leaf: union(leaf, other.leaf), authorities: union(authorities, other.authorities),
        keyPaths: keyPaths + other.keyPaths)
    }
  }
}
