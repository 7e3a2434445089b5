import Trust
import URLLoading

extension AppTransportSecurity {
  /// A range of addresses, given by its first and last address as numbers.
  struct AddressInterval: Hashable {
    let isVersion6: Bool
    let first: UInt128
    let last: UInt128

    init(_ range: AddressRange) {
      let all = Self.last(isVersion6: range.network.isVersion6)
      let below = all >> range.prefixLength
      let number = Self.number(range.network)
      isVersion6 = range.network.isVersion6
      (first, last) = (number & (all ^ below), number | below)
    }

    init(_ address: IPAddress) {
      let number = Self.number(address)
      isVersion6 = address.isVersion6
      (first, last) = (number, number)
    }

    /// Creates the range of all addresses of a family.
    init(allOfVersion6 isVersion6: Bool) {
      self.isVersion6 = isVersion6
      (first, last) = (0, Self.last(isVersion6: isVersion6))
    }

    func contains(_ other: Self) -> Bool {
      isVersion6 == other.isVersion6 && first <= other.first && other.last <= last
    }

    /// Returns the first address that is in none of `others`; nil if they cover the range.
    ///
    /// The ranges in `others` must be sorted, disjoint parts of this range.
    func gap(between others: [Self]) -> IPAddress? {
      var start = first
      for other in others where other.first <= start {
        guard other.last < last else { return nil }
        start = other.last + 1
      }
      return address(start)
    }

    private func address(_ number: UInt128) -> IPAddress {
      IPAddress(bytes: (0..<(isVersion6 ? 16 : 4)).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }

    private static func number(_ address: IPAddress) -> UInt128 {
      address.bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    private static func last(isVersion6: Bool) -> UInt128 { isVersion6 ? .max : UInt128(UInt32.max) }
  }

  /// The ranges and addresses in two property lists, any two of which are nested or disjoint.
  ///
  /// A cell is the part of a range that no narrower range covers. In each list, one entry applies to all addresses of a
  /// cell, so one address is sufficient for a comparison.
  struct AddressCells {
    private struct Node {
      let interval: AddressInterval
      /// Whether the entry for the range differs between the lists. Without its own entry, a range uses the entry of
      /// the narrowest range around it.
      let isChanged: Bool
      /// The nodes that are directly inside this one, in order.
      var inner: [Int] = []
    }

    /// The location of an entry. An exact address takes precedence over any range.
    private struct Place: Hashable {
      let interval: AddressInterval
      let isRange: Bool
    }

    private var nodes: [Node] = []
    /// The nodes that are not inside any other node.
    private var outermost: [Int] = []

    /// - Parameters:
    ///   - old: the old list.
    ///   - new: the new list.
    ///   - areAllChanged: whether the effect of unchanged entries may also change.
    init(_ old: Configuration, _ new: Configuration, areAllChanged: Bool) {
      let (before, after) = (Self.entries(of: old), Self.entries(of: new))
      var changes: [AddressInterval: Bool] = [:]
      for place in Set(before.keys).union(after.keys) {
        let isChanged = areAllChanged || before[place] != after[place]
        changes[place.interval] = isChanged || changes[place.interval] == true
      }
      let marks = Self.direct.filter { changes[$0] == nil }
      let order = (Array(changes.keys) + marks).sorted {
        ($0.isVersion6 ? 1 : 0, $0.first, $1.last) < ($1.isVersion6 ? 1 : 0, $1.first, $0.last)
      }
      var around: [Int] = []
      for interval in order {
        while let last = around.last, !nodes[last].interval.contains(interval) { around.removeLast() }
        let index = nodes.count
        let outer = around.last
        nodes.append(
          Node(interval: interval, isChanged: changes[interval] ?? outer.map { nodes[$0].isChanged } ?? false))
        if let outer { nodes[outer].inner.append(index) } else { outermost.append(index) }
        around.append(index)
      }
    }

    /// One address of each cell whose decision may differ.
    var changed: [IPAddress] {
      nodes.compactMap { node in
        node.isChanged ? node.interval.gap(between: node.inner.map { nodes[$0].interval }) : nil
      }
    }

    /// An address for which neither list has an entry; nil if they have entries for all addresses.
    var unlisted: IPAddress? {
      let listed = outermost.map { nodes[$0].interval }
      let usual = Self.documented.first { address in
        let interval = AddressInterval(address)
        return !listed.contains { $0.contains(interval) }
      }
      let gaps = [false, true].lazy.compactMap { isVersion6 in
        AddressInterval(allOfVersion6: isVersion6).gap(between: listed.filter { $0.isVersion6 == isVersion6 })
      }
      return usual ?? gaps.first
    }

    /// One address of each block that is reserved for documentation (RFC 5737 section 3, RFC 3849).
    private static let documented = ["203.0.113.1", "198.51.100.1", "192.0.2.1", "2001:db8::1"].compactMap {
      IPAddress($0)
    }

    /// The ranges of addresses that do not need an entry, as in `IPAddress.isDirect`.
    private static let direct = ["127.0.0.0/8", "169.254.0.0/16", "::1/128", "fe80::/10"].compactMap {
      AddressRange($0).map { AddressInterval($0) }
    }

    /// Returns the entries of a list for addresses. If an address or range has more than one entry, the last one is
    /// used.
    private static func entries(of list: Configuration) -> [Place: ExceptionDomain] {
      var entries: [Place: ExceptionDomain] = [:]
      for domain in list.domains {
        if let range = domain.range {
          entries[Place(interval: AddressInterval(range), isRange: true)] = domain
        } else if let address = IPAddress(domain.name), address.description == domain.name {
          entries[Place(interval: AddressInterval(address), isRange: false)] = domain
        }
      }
      return entries
    }
  }
}
