import URLLoading

extension AppTransportSecurity {
  /// The ranges of addresses among the entries of `NSExceptionDomains`. The range with the longest prefix applies to an
  /// address.
  struct ListedRanges {
    private var entries: [AddressRange: PropertyList.Dictionary.Entry] = [:]
    /// The prefix lengths, the longest first. There are at most 129, regardless of the number of entries.
    private let prefixLengths: [Int]

    /// - Parameter exceptions: the entries. If two ranges are equal, the later one applies. Values that are not
    ///   dictionaries are ignored.
    init(_ exceptions: PropertyList.Dictionary) {
      for entry in exceptions.entries where entry.value.dictionary != nil {
        guard let range = AddressRange(entry.key) else { continue }
        entries[range.masked] = entry
      }
      prefixLengths = Set(entries.keys.map(\.prefixLength)).sorted(by: >)
    }

    /// Returns the entry of the narrowest range that contains `address`.
    func narrowest(around address: IPAddress) -> PropertyList.Dictionary.Entry? {
      prefixLengths.lazy.compactMap { entries[AddressRange(around: address, prefixLength: $0)] }.first
    }
  }
}
