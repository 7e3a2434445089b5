import URLLoading

/// The history of AFNetworking in words.
struct LibraryHistory {
  private let version: LibraryVersion

  init(_ version: LibraryVersion) { self.version = version }

  /// The order in which the release makes its checks.
  var order: String {
    switch AFNetworking(version).procedure {
    case .unclaimed: "There are no pins: the system handles ServerTrust, unless a macro accepts everything."
    case .leafOnly: "The server's own certificate must equal a bundled certificate byte for byte."
    case .leafFirst: "A bundled leaf passes in every mode. In PublicKey mode, a leaf with a matching key also passes."
    case .pinOnly:
      "Pinning modes skip the system's evaluation. One match on the path is enough: dates, host and anchor are not "
        + "checked."
    case .systemFirst:
      "The system evaluates the chain first, whatever the value of allowInvalidCertificates. Then every certificate "
        + "must match."
    case .commonName:
      "The system evaluates the chain unless allowInvalidCertificates is YES. Then every certificate must match, and "
        + "then the common name."
    case .anchored:
      "The library sets a policy with or without the host and evaluates the trust. Then pins become the only anchors, "
        + "or it counts equal keys."
    case .readsBeforeAnchors:
      "Pins are required if invalid certificates may pass and names are checked. The path is read before the pins "
        + "become anchors."
    case .readsAfterAnchors:
      "Pins are required if invalid certificates may pass and names are checked. The path is read after the pins "
        + "become anchors."
    }
  }

  /// The known defects of the release.
  var defects: [String] {
    func isWithin(_ first: [Int], _ last: [Int]) -> Bool {
      !version.numbers.lexicographicallyPrecedes(first) && !last.lexicographicallyPrecedes(version.numbers)
    }
    let known: [(Bool, String)] = [
      (
        isWithin([1, 2, 1], [2, 0, 3]),
        "pinning modes check only the pin: if a CA is pinned, any host passes"
      ),
      (isWithin([2, 1, 0], [2, 1, 0]), "a private CA cannot be pinned, and validatesDomainName does nothing"),
      (isWithin([2, 2, 0], [2, 2, 0]), "the host is compared only with the common name, and * matches any label"),
      (isWithin([2, 2, 1], [2, 5, 2]), "CVE-2015-3996: the default policy compares no name; fixed in 2.5.3"),
      (isWithin([2, 5, 1], [2, 5, 1]), "without pins, every certificate is accepted; fixed in 2.5.2"),
      (
        isWithin([2, 6, 0], [2, 7, 0]), "a private root that the server does not send does not match its own pin"
      ),
      (
        isWithin([3, 0, 0], [3, 0, 4]),
        "a refusal only rejects the protection space: a chain that the system trusts still connects"
      ),
      (isWithin([3, 2, 0], [4, 0, 1]), "a pinning policy throws on a manager without an https base URL"),
      (
        isWithin([4, 0, 0], [4, 0, 0]),
        "every challenge is treated as a ServerTrust challenge, and other challenges crash the app"
      ),
    ]
    return known.filter(\.0).map(\.1)
  }

  /// The default settings of the release.
  var defaults: [String] {
    func words(_ holds: Bool) -> String { holds ? "YES" : "NO" }
    var defaults = ["allowInvalidCertificates NO"]
    if AFNetworking.has("validatesDomainName", version) {
      let standard = AFNetworking(version, isDefault: true).validatesDomainName
      let pinning = AFNetworking(version, .publicKey).validatesDomainName
      defaults.append("validatesDomainName \(words(standard)) in defaultPolicy, \(words(pinning)) in pinning modes")
    }
    if AFNetworking.has("validatesCertificateChain", version) { defaults.append("validatesCertificateChain YES") }
    return defaults
  }
}
