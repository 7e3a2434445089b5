import Explanation
import Scenarios
import Simulator
import Testing
import URLLoading

@Suite("Libraries that pin, as scenarios write them") struct TrustLibraryTests {
  /// What a library's words are told, and the hint.
  static let faults: [(words: String, message: String, hint: String)] = [
    ("library: AFNetwork 3.1", "unknown library 'AFNetwork 3.1'", "did you mean 'AFNetworking'?"),
    ("library: AFNetworking", "does not say which release", "write AFNetworking 4.0.1"),
    ("library: AFNetworking 2.5.5", "AFNetworking has no release 2.5.5", "did you mean"),
    ("library: AFNetworking 9", "AFNetworking has no release 9", "4.0.1"),
    ("library: AFNetworking 3.1, pining: none", "unknown key 'pining'", "did you mean 'pinning'?"),
    (
      "library: AFNetworking 3.1, validatesCertificateChain: true",
      "AFNetworking 3.1.0 has no validatesCertificateChain",
      "2.6.0 removed it"
    ),
    (
      "library: AFNetworking 2.0, validatesDomainName: true", "AFNetworking 2.0.3 has no validatesDomainName",
      "allowInvalidCertificates is what there is"
    ),
    ("library: AFNetworking 3.1, transport: connection", "does not load with a connection", "write session"),
    ("library: AFNetworking 3.1, pinning: public-key, pins: []", "names nothing", "write [api]"),
    ("library: AFNetworking 3.1, pinning: public-key, pins: [apy]", "unknown certificate 'apy'", "did you mean 'api'?"),
    ("library: Alamofire 4.9, evaluators: { api.example: { kind: default } }", "has no evaluators", "write policies"),
    (
      "library: Alamofire 4.9, policies: { api.example: { kind: pin-public-keys, pins: [api] } }",
      "validateCertificateChain and validateHost, which has no default", "write validateCertificateChain: true"
    ),
    (
      "library: Alamofire 5.9, evaluators: { api.example: { kind: pin-public-keys, pins: [api] } }",
      "has no 'pin-public-keys'", "public-keys"
    ),
    (
      "library: TrustKit 3.0, pinnedDomains: { api.example: { publicKeyHashes: [sha256/AAAA] } }", "is no pin: 3 bytes",
      "32 bytes"
    ),
    ("library: TrustKit 3.0, pinnedDomains: { api.example: { publicKeyHashes: [] } }", "pins nothing", "write [api"),
    ("library: TrustKit 3.0", "pins no domain", "publicKeyHashes"),
    (
      "library: TrustKit 1.4.0, pinnedDomains: { api.example: { publicKeyHashes: [api, Issuing], expirationDate: 2017-01-01 } }",
      "has no expirationDate", "1.4.1 brought it"
    ),
  ]

  @Test("what a library or a release does not have is an error that names what there is", arguments: faults)
  func fault(words: String, message: String, hint: String) throws {
    let all = try Lab.diagnostics("client: { serverTrust: { \(words) } }")
    #expect(
      all.contains { $0.message.contains(message) && $0.hint.contains(hint) },
      "\(all.map { "\($0.message) | \($0.hint)" })")
  }

  @Test("the same words without the slip are read")
  func sound() throws {
    for words in [
      "library: AFNetworking 3.1, pinning: public-key, pins: [api]",
      "library: AFNetworking 2.5.4, pinning: certificate, pins: [api, Issuing, Root A], validatesCertificateChain: true",
      "library: Alamofire 5.9, evaluators: { api.example: { kind: composite, evaluators: [{ kind: default }, { kind: public-keys, pins: [api] }] } }",
      "library: Alamofire 4.9, policies: { api.example: { kind: pin-public-keys, pins: [api], validateCertificateChain: true, validateHost: true } }",
      "library: TrustKit 3.0, pinnedDomains: { api.example: { publicKeyHashes: [api, Issuing.key] } }",
      "library: AFNetworking 1.3, pinning: public-key, pins: [api]",
    ] {
      let result = try Lab.play("client: { serverTrust: { \(words) } }")
      #expect(result.outcome.verdict.word == .accepted, "\(words): \(result.outcome.verdict.because.map(\.id))")
    }
  }

  @Test(
    "what TrustKit throws at ends the app, and what it takes does not",
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
      "client: { serverTrust: { library: TrustKit 3.0, pinnedDomains: { \(domains) } } }"
    ).outcome
    #expect(outcome.verdict.because.map(\.id) == (isTaken ? [] : ["pin.invalid-configuration"]))
  }

  @Test("a release that loads with NSURLConnection is asked and answered by that API")
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

  /// Who gets in, as the libraries' sources say: the server, a stolen key, a mis-issued certificate, a root of the user's,
  /// a self-signed certificate, one for another host.
  static let attackers: [(library: String, setting: String, cells: String)] = [
    ("AFNetworking 2.5.1", "none", "●●●●●●"), ("AFNetworking 2.5.2", "none", "●●●●–●"),
    ("AFNetworking 2.5.3", "none", "●●●●––"), ("AFNetworking 3.2", "none", "●●●●––"),
    ("AFNetworking 2.5.2", "public key", "●●––––"), ("AFNetworking 3.2", "public key", "●●––––"),
    ("AFNetworking 3.2", "public key, invalid", "●●––––"), ("AFNetworking 3.2", "certificate", "●●––––"),
    ("AFNetworking 3.2", "none, all allowed", "●●●●●●"),
    ("AFNetworking 2.5.3", "certificate, whole chain", "––––––"),
    ("AFNetworking 3.0", "public key", "●●●●––"), ("AFNetworking 3.0", "certificate", "●●––––"),
    ("Alamofire 5.9", "default", "●●●●––"), ("Alamofire 5.9", "public keys", "●●––––"),
    ("Alamofire 5.9", "disabled", "●●●●●●"), ("Alamofire 5.9", "host not listed", "––––––"),
    ("Alamofire 5.9", "default, no names", "●●●●–●"), ("Alamofire 4.9", "certificates", "●●––––"),
    ("TrustKit 3.0", "enforced", "●●––––"), ("TrustKit 3.0", "report only", "●●●●––"),
  ]

  @Test("who gets in past a release and its setting", arguments: Set(attackers.map(\.library)).sorted())
  func matrix(library: String) throws {
    let release = try #require(LibraryVersion(library))
    let matrix = try PinMatrix(of: [release], by: Lab.player, try Lab.library().reader)
    for row in Self.attackers where row.library == library {
      let found = try #require(matrix.rows.first { $0.setting == row.setting })
      #expect(found.cells.map { $0.verdict.word == .accepted ? "●" : "–" }.joined() == row.cells, "\(row)")
    }
  }

  @Test("a refusal that is the pin's alone is not laid to an evaluation that the library ignores")
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
