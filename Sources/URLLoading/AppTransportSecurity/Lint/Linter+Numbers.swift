import Explanation

extension AppTransportSecurity.Linter {
  /// A name whose last label is a number, such as `1.2.3`, is no address in the usual form and may be taken for one by
  /// what reads URLs (WHATWG URL section 3.5): whether it is, a decision does not know either.
  mutating func checkNumericName(_ name: String, at spot: Spot) {
    guard IPAddress(name) == nil, !name.contains("/"), !name.contains(":"), !name.contains("*"),
      LoadURL.looksLikeAnotherAddress(name.lowercased())
    else { return }
    add(
      .plistAddressSpelling, .warning, at: spot, "'\(name)' may be taken for a name or for an address", found: name,
      caution: "An address of IPv4 has four numbers up to 255", effect: "which hosts it matches is not known",
      confidence: .unknown("whether systems rewrite such a host into an address before the lookup is not public"))
  }
}
