import URLLoading

extension AppTransportSecurity {
  /// The ranges of addresses among the entries of `NSExceptionDomains`, looked up by an address: of those that hold it
  /// the longest prefix counts.
  struct ListedRanges {
    private var entries: [AddressRange: PropertyList.Dictionary.Entry] = [:]
    /// The lengths of the prefixes, the longest first: there are at most 129 of them, however many entries there are.
    private let prefixLengths: [Int]

    /// - Parameter exceptions: the entries; of equal ranges the later one counts, and what is no dictionary does not.
    init(_ exceptions: PropertyList.Dictionary) {
      for entry in exceptions.entries where entry.value.dictionary != nil {
        guard let range = AddressRange(entry.key) else { continue }
        entries[range.masked] = entry
      }
      prefixLengths = Set(entries.keys.map(\.prefixLength)).sorted(by: >)
    }

    /// The entry that `address` falls under where it has none of its own.
    func narrowest(around address: IPAddress) -> PropertyList.Dictionary.Entry? {
      prefixLengths.lazy.compactMap { entries[AddressRange(around: address, prefixLength: $0)] }.first
    }
  }
}
