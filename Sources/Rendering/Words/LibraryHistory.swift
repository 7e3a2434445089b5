import URLLoading

/// The history of AFNetworking, in words.
struct LibraryHistory {
  private let version: LibraryVersion

  init(_ version: LibraryVersion) { self.version = version }

  /// The order of the checks.
  var order: String {
    switch AFNetworking(version).procedure {
    case .unclaimed: "No pins: ServerTrust is left to the system, unless a macro accepts everything."
    case .leafOnly: "The server's own certificate is byte for byte a bundled one, or it is refused."
    case .leafFirst: "A bundled leaf passes in every mode; else its key, in PublicKey mode."
    case .pinOnly:
      "None asks the system. In both pinning modes one match on the path is enough: no dates, no host, no anchor."
    case .systemFirst:
      "The system's word first, whatever allowInvalidCertificates says; then every certificate is to match."
    case .commonName:
      "The system's word unless allowInvalidCertificates; every certificate matches; the common name at last."
    case .anchored:
      "A policy is set: with the host, or without. Then the trust, then pins as the only anchors, or the count of equal keys."
    case .readsBeforeAnchors:
      "Pins are required where invalid certificates may pass and names count. The path is read before the pins are anchors."
    case .readsAfterAnchors:
      "Pins are required where invalid certificates may pass and names count. The path is read after the pins are anchors."
    }
  }

  /// The known defects.
  var defects: [String] {
    func isWithin(_ first: [Int], _ last: [Int]) -> Bool {
      !version.numbers.lexicographicallyPrecedes(first) && !last.lexicographicallyPrecedes(version.numbers)
    }
    let known: [(Bool, String)] = [
      (
        isWithin([1, 2, 1], [2, 0, 3]),
        "pinning modes check nothing but the pin: with an authority pinned, any host passes"
      ),
      (isWithin([2, 1, 0], [2, 1, 0]), "a private authority cannot be pinned, and validatesDomainName does nothing"),
      (isWithin([2, 2, 0], [2, 2, 0]), "the host is compared with the common name, with * in any label"),
      (isWithin([2, 2, 1], [2, 5, 2]), "CVE-2015-3996: the default policy compares no name; fixed in 2.5.3"),
      (isWithin([2, 5, 1], [2, 5, 1]), "without pins every certificate is accepted; fixed in 2.5.2"),
      (
        isWithin([2, 6, 0], [2, 7, 0]), "the root of a private authority that nobody sends does not match its own pin"
      ),
      (isWithin([3, 0, 0], [3, 0, 4]), "a refusal only rejects the protection space: what the system trusts gets in"),
      (isWithin([3, 2, 0], [4, 0, 1]), "a policy that pins throws on a manager without a base URL of https"),
      (isWithin([4, 0, 0], [4, 0, 0]), "every challenge is taken for one about a server, and others end the app"),
    ]
    return known.filter(\.0).map(\.1)
  }

  /// The defaults.
  var defaults: [String] {
    func words(_ holds: Bool) -> String { holds ? "YES" : "NO" }
    var defaults = ["allowInvalidCertificates NO"]
    if AFNetworking.has("validatesDomainName", version) {
      let standard = AFNetworking(version, isDefault: true).validatesDomainName
      let pinning = AFNetworking(version, .publicKey).validatesDomainName
      defaults.append("validatesDomainName \(words(standard)) in defaultPolicy, \(words(pinning)) where a mode pins")
    }
    if AFNetworking.has("validatesCertificateChain", version) { defaults.append("validatesCertificateChain YES") }
    return defaults
  }
}
