import Explanation
import Simulator
import URLLoading

/// A table of the attackers that each library setting accepts. Its rows are settings, and its columns are attackers.
///
/// Each cell is the result of a run in which the attacker responds in place of the server. App Transport Security is
/// disabled, so that only the library decides.
public struct PinMatrix: Sendable {
  /// An attacker that responds in place of the server.
  public struct Attacker: Sendable, Hashable {
    /// The name of the attacker in the table.
    public let name: String
    /// A description of the attacker's capability.
    public let meaning: String
    /// The names of the certificates that the attacker presents.
    let presents: [String]
  }

  /// The result of one run, in a cell of the table.
  public struct Cell: Sendable {
    /// The attacker that responded.
    public let attacker: Attacker
    /// The client's verdict.
    public let verdict: Verdict
    /// The violated rules that did not refuse the attacker, in order of appearance.
    public let ignored: [Rule]

    /// Whether the server itself connects, or an attacker is refused.
    public var isRight: Bool { (verdict.word == .accepted) == (attacker == PinMatrix.attackers.first) }
  }

  /// A row of the table: one setting of one release.
  public struct Row: Sendable {
    /// The library with its release: `AFNetworking 2.5.1`.
    public let library: String
    /// The setting in words: `public key, invalid`.
    public let setting: String
    /// The setting in scenario notation: `pinning: public-key, pins: [api]`.
    public let words: String
    /// The results of the setting, one for each attacker.
    public let cells: [Cell]
  }

  /// The rows of the table.
  public let rows: [Row]

  /// The columns of the table: the server itself, followed by six attackers.
  public static let attackers = [
    Attacker(name: "server", meaning: "the server itself", presents: ["api", "Issuing"]),
    Attacker(name: "stolen", meaning: "the server's own certificate and its stolen key", presents: ["api", "Issuing"]),
    Attacker(
      name: "mis-issued", meaning: "a certificate for the host from another CA that the system trusts",
      presents: ["mis-issued"]),
    Attacker(
      name: "user's", meaning: "a certificate for the host under a root that the user installed and trusts",
      presents: ["proxy"]),
    Attacker(name: "self-signed", meaning: "a self-signed certificate for the host", presents: ["self"]),
    Attacker(name: "other", meaning: "a valid certificate for another host, from another CA", presents: ["evil"]),
    Attacker(
      name: "own", meaning: "a valid certificate for the attacker's own name, from the server's CA",
      presents: ["own", "Issuing"]),
  ]

  /// The default releases, which are those that changed a verdict.
  public static let releases = [
    "AFNetworking 1.3", "AFNetworking 2.5.1", "AFNetworking 2.5.2", "AFNetworking 2.5.3", "AFNetworking 3.0",
    "AFNetworking 3.2", "Alamofire 4.9", "Alamofire 5.9", "TrustKit 3.0",
  ].compactMap { LibraryVersion($0) }

  /// Runs every setting of `releases` against every attacker.
  ///
  /// - Throws: `Diagnostics` if a run cannot be played.
  public init(
    of releases: [LibraryVersion], by player: ScenarioPlayer, _ reader: ScenarioReader
  ) throws(Diagnostics) {
    var rows: [Row] = []
    for release in releases {
      for (setting, words) in Self.settings(of: release) {
        var cells: [Cell] = []
        let file = try reader.read(Array(Self.world(release, words).utf8), path: "matrix pins")
        for (attacker, scenario) in zip(Self.attackers, file.cases) {
          cells.append(Cell(attacker, try player.play(scenario).outcome))
        }
        rows.append(Row(library: release.description, setting: setting, words: words, cells: cells))
      }
    }
    self.rows = rows
  }

  /// Returns the settings of a release in scenario notation.
  static func settings(of release: LibraryVersion) -> [(String, String)] {
    switch release.library {
    case .afNetworking:
      let hasAll = AFNetworking.has("validatesCertificateChain", release)
      let base = release.isAtLeast(3, 2) ? ", baseURL: \"https://api.example/\"" : ""
      let leaf = (hasAll ? ", validatesCertificateChain: false" : "") + base
      let names = AFNetworking.has("validatesDomainName", release) ? ", validatesDomainName: false" : ""
      return [
        ("none", "pinning: none"),
        ("none, all allowed", "pinning: none, allowInvalidCertificates: true\(names)"),
        ("public key", "pinning: public-key, pins: [api]\(leaf)"),
        ("public key, invalid", "pinning: public-key, pins: [api], allowInvalidCertificates: true\(leaf)"),
        ("certificate", "pinning: certificate, pins: [api]\(leaf)"),
        (
          "CA, invalid, no names",
          "pinning: certificate, pins: [Issuing], allowInvalidCertificates: true\(names)\(leaf)"
        ),
      ] + (names.isEmpty ? [] : [("CA, no names", "pinning: certificate, pins: [Issuing]\(names)\(leaf)")])
        + (hasAll ? [("certificate, whole chain", "pinning: certificate, pins: [api]")] : [])
    case .alamofire where release.isAtLeast(5, 0):
      let entry = { (words: String) in "evaluators: { api.example: { \(words) } }" }
      return [
        ("default", entry("kind: default")), ("default, no names", entry("kind: default, validateHost: false")),
        ("public keys", entry("kind: public-keys, pins: [api]")),
        (
          "public keys, pin only",
          entry("kind: public-keys, pins: [api], performDefaultValidation: false, validateHost: false")
        ),
        ("certificates", entry("kind: pinned-certificates, pins: [api]")),
        ("CA, no names", entry("kind: public-keys, pins: [Issuing], validateHost: false")),
        ("disabled", entry("kind: disabled")), ("host not listed", "evaluators: { other.example: { kind: default } }"),
      ]
    case .alamofire:
      let entry = { (words: String) in "policies: { api.example: { \(words) } }" }
      let chain = "validateCertificateChain: true, validateHost: true"
      return [
        ("default", entry("kind: default, validateHost: true")),
        ("public keys", entry("kind: pin-public-keys, pins: [api], \(chain)")),
        (
          "public keys, no chain",
          entry("kind: pin-public-keys, pins: [api], validateCertificateChain: false, validateHost: true")
        ),
        ("certificates", entry("kind: pin-certificates, pins: [api], \(chain)")),
        (
          "CA, no names",
          entry("kind: pin-public-keys, pins: [Issuing], validateCertificateChain: true, validateHost: false")
        ), ("disabled", entry("kind: disabled")),
      ]
    case .trustKit:
      let use = release.isAtLeast(1, 4) ? "" : "use: swizzle, "
      let kinds = release.isAtLeast(1, 6) ? "" : ", publicKeyAlgorithms: [rsa-2048]"
      let entry = { (words: String) in
        "\(use)pinnedDomains: { api.example: { publicKeyHashes: [api, backup.key]\(kinds)\(words) } }"
      }
      return [("enforced", entry("")), ("report only", entry(", enforcePinning: false"))]
    }
  }

  /// Returns the world of every run, with one case for each attacker.
  private static func world(_ release: LibraryVersion, _ words: String) -> String {
    // The first attacker's case is the file itself; the last case only presents the certificate of the backup pin.
    let others = attackers.dropFirst().map { ($0.name, $0.presents) } + [("backup", ["backup", "Issuing"])]
    let usual = attackers.first?.presents
    let cases = others.map { name, presents in
      // An attacker with the server's own certificate and key needs no change.
      let change = presents == usual ? "" : ", with: { server.presents: [\(presents.joined(separator: ", "))] }"
      return "  - { name: \"\(name)\"\(change) }"
    }
    return """
      authorities:
        Root A:    { trust: system }
        Issuing:   { issuer: Root A, pathLength: 0 }
        Root B:  { trust: system }
        Company: { trust: user }
      certificates:
        api:        { issuer: Issuing, names: [api.example] }
        backup:      { issuer: Issuing, names: [backup.example] }
        mis-issued: { issuer: Root B, names: [api.example] }
        proxy:  { issuer: Company, names: [api.example] }
        self:       { names: [api.example] }
        evil:   { issuer: Root B, names: [attacker.example] }
        own:    { issuer: Issuing, names: [attacker.example] }
      server: { presents: [api, Issuing] }
      client:
        infoPlist: { NSAllowsArbitraryLoads: true }
        serverTrust: { library: \(release), \(words) }
      cases:
      \(cases.joined(separator: "\n"))
      """
  }
}

extension PinMatrix.Cell {
  fileprivate init(_ attacker: PinMatrix.Attacker, _ outcome: Outcome) {
    self.attacker = attacker
    verdict = outcome.verdict
    ignored = outcome.findings.reduce(into: []) { rules, finding in
      let isIgnored = finding.outcome == .violated && finding.weight != .decides
      if isIgnored, !rules.contains(finding.rule) { rules.append(finding.rule) }
    }
  }
}
