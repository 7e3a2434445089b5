import Explanation

extension AppTransportSecurity.Deciding {
  /// What is not known of how the host of a URL is rewritten before anything is decided about it.
  var spellingDoubts: [Finding.Confidence] {
    let url = load.url
    if url.looksLikeAnotherAddress {
      return [.unknown("whether '\(url.writtenHost)' is taken for a name or, rewritten, for an address")]
    }
    if url.address == nil, url.host.contains("%") {
      return [.unknown("whether the host's percent-encoding is undone first")]
    }
    guard url.address == nil, url.writtenHost != url.host, dependsOnCase else { return [] }
    return [.unknown("whether the host is put in lower case before the lookup")]
  }

  private var dependsOnCase: Bool {
    let written = load.url.writtenHost
    if configuration.entry(forName: written, profile)?.domain.name != entry?.domain.name { return true }
    // Names without a dot are local in any case.
    let isDotted = written.contains(".") && load.hasLocalName
    return entry == nil && isDotted && !written.hasSuffix(".local") && !written.hasSuffix(".local.")
      && profile.localNames != .ordinary
  }
}

extension LoadURL {
  /// Whether other readers of URLs, such as browsers (WHATWG URL section 3.5), take the host for an address of IPv4 in
  /// another spelling: `127.1`, `2130706433`, `0x7f.0.0.1`, `127.0.0.1.`
  fileprivate var looksLikeAnotherAddress: Bool {
    guard address == nil else { return false }
    let name = host.hasSuffix(".") ? host.dropLast() : host[...]
    let last = name.split(separator: ".", omittingEmptySubsequences: false).last ?? ""
    if last.hasPrefix("0x") { return last.dropFirst(2).allSatisfy { $0.isASCII && $0.isHexDigit } }
    return !last.isEmpty && last.utf8.allSatisfy { (48...57).contains($0) }
  }
}
