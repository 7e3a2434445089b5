import URLLoading

extension AppTransportSecurity {
  /// The ranges of addresses among the entries of `NSExceptionDomains`. For an address, the range with the longest
  /// prefix applies.
  struct ListedRanges {
    private var entries: [AddressRange: PropertyList.Dictionary.Entry] = [:]
    /// The prefix lengths, the longest first: at most 129, however many entries there are.
    private let prefixLengths: [Int]

    /// - Parameter exceptions: the entries. Of equal ranges the later one applies; values that are not dictionaries are
    ///   ignored.
    init(_ exceptions: PropertyList.Dictionary) {
      for entry in exceptions.entries where entry.value.dictionary != nil {
        guard let range = AddressRange(entry.key) else { continue }
        entries[range.masked] = entry
      }
      prefixLengths = Set(entries.keys.map(\.prefixLength)).sorted(by: >)
    }

    /// The entry for `address` if it has none of its own.
    func narrowest(around address: IPAddress) -> PropertyList.Dictionary.Entry? {
      prefixLengths.lazy.compactMap { entries[AddressRange(around: address, prefixLength: $0)] }.first
    }
  }
}
