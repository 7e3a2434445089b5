import Explanation
import Scenarios
import Simulator
import Testing
import URLLoading

@Suite("Pinning libraries in scenarios") struct TrustLibraryTests {
  /// Wrong words for a library, with the error and the hint.
  static let faults: [(words: String, message: String, hint: String)] = [
    ("library: AFNetwork 3.1", "'AFNetwork 3.1'", "'AFNetworking'"),
    ("library: AFNetworking", "AFNetworking … release", "AFNetworking 4.0.1"),
    ("library: AFNetworking 2.5.5", "AFNetworking … 2.5.5", "2.5.4"),
    ("library: AFNetworking 9", "AFNetworking … 9", "4.0.1"),
    ("library: AFNetworking 2.8", "AFNetworking … 2.8", "'2.7.0'"),
    ("library: Alamofire 5.99", "Alamofire … 5.99", "'5.12.0'"),
    ("library: AFNetworking x.y", "AFNetworking … x.y", "3.1"),
    // Entries after a typo are still read.
    ("library: AFNetworking 2.5.9, pining: none", "'pining'", "'pinning'"),
    ("library: AFNetwork 3.1, pining: none", "'pining'", "'pinning'"),
    (
      "library: TrustKit 9, pinnedDomains: { api.example: { publicKeyHash: [api] } }", "'publicKeyHash'",
      "publicKeyHashes"
    ),
    // A configuration at which the library throws is an error before anything is played.
    (
      "library: TrustKit 3.0.7, pinnedDomains: { api.example: { publicKeyHashes: [api] } }",
      "2 … 1", "spare.key"
    ),
    (
      "library: TrustKit 3.0.7, pinnedDomains: { api.example: { publicKeyHashes: [api, api.key] } }",
      "2 … 1", "expect because: [pin.invalid-configuration]"
    ),
    ("library: TrustKit 3.0.7, pinnedDomains: {}", "TSKPinnedDomains is empty", "expect because"),
    (
      "library: TrustKit 3.0.7, pinnedDomains: { localhost: { publicKeyHashes: [api, Issuing] } }",
      "localhost", ""
    ),
    (
      "library: TrustKit 1.5.3, pinnedDomains: { api.example: { publicKeyHashes: [api, Issuing] } }",
      "TSKPublicKeyAlgorithms is missing", "publicKeyAlgorithms: [rsa-2048]"
    ),
    (
      "library: TrustKit 1.6.0, pinnedDomains: { api.example: { publicKeyHashes: [api, Issuing], publicKeyAlgorithms: [rsa-2048] } }",
      "TrustKit 1.6.0 … publicKeyAlgorithms", "1.6.0"
    ),
    (
      "library: TrustKit 3.0.7, pinnedDomains: { api.example: { publicKeyHashes: [api, Issuing], reportUris: [nowhere] } }",
      "'nowhere'", "https://"
    ),
    ("library: AFNetworking 3.2.1, pinning: public-key, pins: [api]", "Invalid Security Policy", "baseURL"),
    ("library: AFNetworking 3.1, pining: none", "'pining'", "'pinning'"),
    (
      "library: AFNetworking 3.1, validatesCertificateChain: true",
      "AFNetworking 3.1.0 … validatesCertificateChain",
      "2.5.4"
    ),
    (
      "library: AFNetworking 2.0, validatesDomainName: true", "AFNetworking 2.0.3 has no validatesDomainName",
      "allowInvalidCertificates"
    ),
    ("library: AFNetworking 3.1, transport: connection", "connection", "session"),
    ("library: AFNetworking 3.1, pinning: public-key, pins: []", "", "[api]"),
    ("library: AFNetworking 3.1, pinning: public-key, pins: [apy]", "'apy'", "'api'"),
    ("library: Alamofire 4.9, evaluators: { api.example: { kind: default } }", "evaluators", "policies"),
    (
      "library: Alamofire 4.9, policies: { api.example: { kind: pin-public-keys, pins: [api] } }",
      "validateCertificateChain … validateHost", "validateCertificateChain: true"
    ),
    (
      "library: Alamofire 5.9, evaluators: { api.example: { kind: pin-public-keys, pins: [api] } }",
      "'pin-public-keys'", "public-keys"
    ),
    (
      "library: TrustKit 3.0, pinnedDomains: { api.example: { publicKeyHashes: [sha256/AAAA] } }", "3 bytes",
      "32 bytes"
    ),
    ("library: TrustKit 3.0, pinnedDomains: { api.example: { publicKeyHashes: [] } }", "pins nothing", "[api"),
    ("library: TrustKit 3.0", "", "publicKeyHashes"),
    (
      "library: TrustKit 1.4.0, pinnedDomains: { api.example: { publicKeyHashes: [api, Issuing], expirationDate: 2017-01-01 } }",
      "TrustKit 1.4.0 … expirationDate", "1.4.1"
    ),
  ]

  @Test("an unknown option or release of a library is an error that names alternatives", arguments: faults)
  func fault(words: String, message: String, hint: String) throws {
    let all = try Lab.diagnostics("client: { serverTrust: { \(words) } }")
    #expect(
      all.contains { $0.shows(message, hint) },
      "\(all.map { "\($0.message) | \($0.hint)" })")
  }

  @Test("the same words without the typo can be read")
  func sound() throws {
    for words in [
      "library: AFNetworking 3.1, pinning: public-key, pins: [api]",
      "library: AFNetworking 2.5.4, pinning: certificate, pins: [api, Issuing, Root A], validatesCertificateChain: true",
      "library: Alamofire 5.9, evaluators: { api.example: { kind: composite, evaluators: [{ kind: default }, { kind: public-keys, pins: [api] }] } }",
      "library: Alamofire 4.9, policies: { api.example: { kind: pin-public-keys, pins: [api], validateCertificateChain: true, validateHost: true } }",
      "library: TrustKit 3.0, pinnedDomains: { api.example: { publicKeyHashes: [api, Issuing.key] } }",
      "library: TrustKit 1.5.3, pinnedDomains: { api.example: { publicKeyHashes: [api, Issuing.key], publicKeyAlgorithms: [rsa-2048] } }",
      "library: AFNetworking 1.3, pinning: public-key, pins: [api]",
    ] {
      let result = try Lab.play("client: { serverTrust: { \(words) } }")
      #expect(result.outcome.verdict.word == .accepted, "\(words): \(result.outcome.verdict.because.map(\.id))")
    }
  }

  @Test(
    "a configuration at which TrustKit throws ends the app, and others do not",
    arguments: [
      ("api.example: { publicKeyHashes: [api] }", false), ("api.example: { publicKeyHashes: [api, api.key] }", false),
      ("api.example: { publicKeyHashes: [api], enforcePinning: false }", true),
      ("localhost: { publicKeyHashes: [api, Issuing] }", false),
      ("10.0.0.1: { publicKeyHashes: [api, Issuing] }", false),
      ("api.example: { publicKeyHashes: [api, Issuing] }", true),
      ("api.example: { excludeSubdomainFromParentPolicy: true }", false),
    ])
  func configuration(domains: String, isTaken: Bool) throws {
    let outcome = try Lab.play(
      "client: { serverTrust: { library: TrustKit 3.0.7, pinnedDomains: { \(domains) } } }\n"
        + (isTaken ? "" : "expect: { verdict: refused, because: [pin.invalid-configuration] }")
    ).outcome
    #expect(outcome.verdict.because.map(\.id) == (isTaken ? [] : ["pin.invalid-configuration"]))
  }

  @Test(
    "an abbreviated release gets a warning if earlier releases decide otherwise",
    arguments: [
      ("AFNetworking 2.5", "2.5.4", "2.5.3"), ("AFNetworking 3", "3.2.1", "3.2.0"), ("TrustKit 3.0", "3.0.7", "3.0.5"),
      ("AFNetworking 3.0", "", ""), ("AFNetworking 2.5.1", "", ""), ("Alamofire 5.9", "", ""),
    ])
  func abbreviated(library: String, read: String, change: String) throws {
    let file = try Lab.read(
      "client: { serverTrust: { library: \(library)\(library.hasPrefix("T") ? ", pinnedDomains: { api.example: { publicKeyHashes: [api, Issuing] } }" : "") } }"
    )
    let words = file.warnings.map(\.message).filter { $0.contains("release") }
    #expect(words.count == (read.isEmpty ? 0 : 1))
    #expect(words.allSatisfy { $0.contains(read) && $0.contains(change) }, "\(words)")
  }

  @Test("until 1.5.3 hashes use the configured kinds of keys, and are wrong for others")
  func algorithms() throws {
    func because(_ kinds: String) throws -> [String] {
      try Lab.play(
        "client: { serverTrust: { library: TrustKit 1.5.3, pinnedDomains: { api.example: { publicKeyHashes: [api, Issuing], publicKeyAlgorithms: [\(kinds)] } } } }"
      ).outcome.verdict.because.map(\.id)
    }
    #expect(try because("rsa-2048") == [])
    #expect(try because("rsa-4096, ec-p256") == ["pin.mismatch"])
    #expect(try because("rsa-4096, rsa-2048") == [])
  }

  /// The reports by TrustKit's source: none on success, and none if no entry covers the host.
  @Test(
    "a report has the expected and found keys, and does not depend on enforcement",
    arguments: [
      ("publicKeyHashes: [other, backup]", 1, false),
      ("publicKeyHashes: [other, backup], enforcePinning: false", 1, true),
      ("publicKeyHashes: [api, other, backup]", nil, true),
      ("publicKeyHashes: [other, backup], expirationDate: 2016-01-01", nil, true),
    ])
  func reports(entry: String, result: Int?, isAccepted: Bool) throws {
    let run = try Lab.play(
      """
      certificates:
        api: { issuer: Issuing, names: [api.example] }
        other: { issuer: Issuing, names: [o.example] }
        backup: { issuer: Issuing, names: [b.example] }
      client: { serverTrust: { library: TrustKit 3.0.7, pinnedDomains: { api.example: { \(entry), reportUris: ["https://reports.example/"] } } } }
      """)
    #expect((run.outcome.verdict.word == .accepted) == isAccepted)
    let report = run.outcome.challenges.last?.report?.library?.report
    #expect(report?.result.rawValue == result)
    guard let report else { return }
    #expect(report.destinations == ["https://reports.example/", PinFailureReport.defaultDestination])
    #expect(report.hostname == "api.example" && report.notedHostname == "api.example")
    #expect(report.chainNames == ["api", "Issuing", "Root A"] && report.pins.count == 2)
    #expect(report.enforcesPinning != isAccepted && report.date.description.hasPrefix("2016-11-01"))
    let finding = run.outcome.findings.first { $0.rule == .pinReported }
    #expect(finding?.outcome == .satisfied)
  }

  @Test("AFNetworking 1.1 to 1.2.1 with pins responds only to ServerTrust; 1.3 continues")
  func unanswered() throws {
    for (library, word) in [
      ("AFNetworking 1.1.0", Verdict.Word.hangs), ("AFNetworking 1.2.1", .hangs), ("AFNetworking 1.3.4", .refused),
    ] {
      let outcome = try Lab.play(
        """
        server: { authentication: { schemes: [Basic], realm: home, users: { alice: secret } } }
        client: { loader: NSURLConnection, serverTrust: { library: \(library), pinning: public-key, pins: [api] } }
        """
      ).outcome
      #expect(outcome.verdict.word == word, "\(library): \(outcome.verdict.because.map(\.id))")
    }
  }

  @Test("a release that loads with NSURLConnection is called through that API")
  func transport() throws {
    let mismatch =
      "certificates: { api: { issuer: Issuing, names: [api.example] }, other: { issuer: Issuing, names: [o.example] } }\n"
    for (library, code) in [
      ("AFNetworking 1.3", -1012), ("AFNetworking 2.0", -999),
      ("AFNetworking 4.0, baseURL: \"https://api.example/\"", -1202),
    ] {
      let outcome = try Lab.play(
        mismatch + "client: { serverTrust: { library: \(library), pinning: public-key, pins: [other] } }"
      ).outcome
      #expect(outcome.verdict.because.map(\.id) == ["pin.mismatch"])
      #expect(outcome.errors.first?.code == code, "\(library)")
    }
  }

  /// The accepted parties by the libraries' sources: the server, and attackers with different certificates.
  ///
  /// The attackers' columns are, in this order: the server's stolen key, a mis-issued certificate, a root that the user
  /// installed, a self-signed certificate. The last two are another host's certificate, and one with the attacker's own
  /// name from the server's CA.
  static let attackers: [(library: String, setting: String, cells: String)] = [
    ("AFNetworking 2.5.1", "none", "●●●●●●●"), ("AFNetworking 2.5.2", "none", "●●●●–●●"),
    ("AFNetworking 2.5.3", "none", "●●●●–––"), ("AFNetworking 3.2", "none", "●●●●–––"),
    ("AFNetworking 2.5.2", "public key", "●●–––––"), ("AFNetworking 3.2", "public key", "●●–––––"),
    ("AFNetworking 3.2", "public key, invalid", "●●–––––"), ("AFNetworking 3.2", "certificate", "●●–––––"),
    ("AFNetworking 3.2", "none, all allowed", "●●●●●●●"),
    ("AFNetworking 2.5.3", "certificate, whole chain", "–––––––"),
    ("AFNetworking 3.0", "public key", "●●●●–––"), ("AFNetworking 3.0", "certificate", "●●–––––"),
    ("Alamofire 5.9", "default", "●●●●–––"), ("Alamofire 5.9", "public keys", "●●–––––"),
    ("Alamofire 5.9", "disabled", "●●●●●●●"), ("Alamofire 5.9", "host not listed", "–––––––"),
    ("Alamofire 5.9", "default, no names", "●●●●–●●"), ("Alamofire 4.9", "certificates", "●●–––––"),
    ("AFNetworking 3.2", "CA, no names", "●●––––●"), ("Alamofire 4.9", "CA, no names", "●●––––●"),
    ("Alamofire 5.9", "CA, no names", "●●––––●"),
    ("TrustKit 3.0", "enforced", "●●–––––"), ("TrustKit 3.0", "report only", "●●●●–––"),
  ]

  @Test("the matrix shows the attackers that each release accepts", arguments: Set(attackers.map(\.library)).sorted())
  func matrix(library: String) throws {
    let release = try #require(LibraryVersion(library))
    let matrix = try PinMatrix(of: [release], by: Lab.player, try Lab.library().reader)
    for row in Self.attackers where row.library == library {
      let found = try #require(matrix.rows.first { $0.setting == row.setting })
      #expect(found.cells.map { $0.verdict.word == .accepted ? "●" : "–" }.joined() == row.cells, "\(row)")
    }
  }

  @Test("a pin mismatch is not blamed on an evaluation that the library ignores")
  func ignoredEvaluation() throws {
    let world =
      "certificates: { api: { issuer: Issuing, names: [api.example] }, self: { names: [api.example] } }\nserver: { presents: [self] }\n"
    func because(_ words: String) throws -> [String] {
      try Lab.play(
        world
          + "client: { os: iOS 8, serverTrust: { library: AFNetworking 3.1, pinning: public-key, pins: [api]\(words) } }"
      )
      .outcome.verdict.because.map(\.id)
    }
    #expect(try because(", allowInvalidCertificates: true") == ["pin.mismatch"])
    #expect(try because("") == ["chain.self-signed", "pin.untrusted-path"])
  }

  @Test("a timeline shows each client on each date, as a table and as a picture")
  func timeline() throws {
    let result = try Lab.player.play(try Lab.scenario(named: "L12-20"))
    #expect(result.connections.count == 16)
    #expect(result.connections.filter { $0.verdict.word == .accepted }.count == 4 + 3 + 2 + 1)
  }
}
