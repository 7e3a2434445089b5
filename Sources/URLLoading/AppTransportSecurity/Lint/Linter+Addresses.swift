import Explanation
import Trust

extension AppTransportSecurity.Linter {
  private typealias Key = AppTransportSecurity.Key

  /// Checks an entry whose name can match a host, where that is an address or a range of addresses.
  ///
  /// - Parameter ranges: the spots of the ranges before it.
  mutating func checkAddress(
    _ entry: PropertyList.Dictionary.Entry, _ ranges: inout [AddressRange: Spot], at spot: Spot
  ) {
    if let address = IPAddress(entry.key) {
      checkAddressReleases(entry.key, at: spot)
      checkSpelling(of: address, entry.key, at: spot)
    } else if let range = AddressRange(entry.key) {
      checkEqual(range, entry.key, &ranges, at: spot)
    } else {
      return
    }
    guard let flag = entry.value.dictionary?.entries.last(where: { $0.key == Key.includesSubdomains }), flag.value.isOn
    else { return }
    add(
      .plistAddressSubdomains, .note, at: spot.below(flag), "'\(flag.key)' has nothing to include here",
      found: flag.value.shown, effect: "none: '\(entry.key)' has no subdomains")
  }

  private mutating func checkSpelling(of address: IPAddress, _ name: String, at spot: Spot) {
    guard name != address.description else { return }
    add(
      .plistAddressSpelling, .warning, at: spot, "the address '\(name)' is not in its short form", found: name,
      meant: address.description, effect: "matches only a URL that has it spelt in the same way",
      on: Self.sinceSeventeen,
      confidence: .unknown("whether systems bring the URL's address into the short form is not public"))
  }

  private mutating func checkEqual(
    _ range: AddressRange, _ name: String, _ ranges: inout [AddressRange: Spot], at spot: Spot
  ) {
    guard let earlier = ranges.updateValue(spot, forKey: range.masked), let other = earlier.path.last else { return }
    add(
      .plistEqualRanges, .warning, at: spot, "'\(name)' is the range '\(other)' once more", found: name,
      effect: "one of the two entries counts, and which one is not specified", on: Self.sinceSeventeen,
      confidence: .unknown("Apple's source takes the later one in an order that it does not define"),
      related: [earlier])
  }
}
