import Explanation
import Scenarios
import Simulator
import Testing
import URLLoading

/// The checks of the libraries' own tests, and their results under App Transport Security, played as connections.
@Suite("Checks of pinning libraries, and their order") struct LibraryConductTests {
  /// CAs and certificates of every scenario below.
  static let world = """
    authorities:
      Root A:   { trust: system }
      Issuing:  { issuer: Root A, pathLength: 0 }
      Root B:   { trust: system }
      Company:  { trust: user }
      Private:  { }
    certificates:
      api:        { issuer: Issuing, names: [api.example] }
      backup:     { issuer: Issuing, names: [b.example] }
      wrong:      { issuer: Issuing, names: [other.example] }
      expired:    { issuer: Issuing, names: [api.example], notBefore: 2015-01-01, notAfter: 2015-12-31 }
      mis-issued: { issuer: Root B, names: [api.example] }
      proxy:      { issuer: Company, names: [api.example] }
      own:        { issuer: Private, names: [api.example] }

    """

  struct Answer {
    let because: [String]
    let reason: LibraryVerdict.Reason?
    let errors: [String]
    let result: Int?
    let isAccepted: Bool
  }

  /// The outcome if a server presents `chain` to a client with `library`.
  static func play(_ library: String, _ chain: String, _ client: String = "") throws -> Answer {
    // Certificates that this scenario does not need are still defined in it.
    let all = ["api", "backup", "wrong", "expired", "mis-issued", "proxy", "own"]
    let rest = all.filter { $0 != chain }.map { name in
      "  - { name: \(name) there, with: { server.presents: [\(name)] } }"
    }
    let outcome = try Lab.play(
      world
        + """
        server: { presents: [\(chain)] }
        client: { serverTrust: { \(library) }\(client.isEmpty ? "" : ", " + client) }
        cases:
        \(rest.joined(separator: "\n"))
        """
    ).outcome
    let report = outcome.challenges.last?.report?.library
    return Answer(
      because: outcome.verdict.because.map(\.id), reason: report?.reason, errors: outcome.errors.map(\.description),
      result: report?.report?.result.rawValue, isAccepted: outcome.verdict.word == .accepted)
  }

  // MARK: App Transport Security

  private static let accepting =
    "library: AFNetworking 3.1, pinning: public-key, pins: [own], allowInvalidCertificates: true"
  private static let refusing =
    "library: AFNetworking 3.1, pinning: public-key, pins: [backup], allowInvalidCertificates: true"
  private static let lifted = "infoPlist: { NSAllowsArbitraryLoads: true }"

  @Test("with ATS and a trusted chain, the library decides and sets the error")
  func inForceTrusted() throws {
    let yes = try Self.play("library: AFNetworking 3.1, pinning: public-key, pins: [api]", "api, Issuing")
    #expect(yes.isAccepted)
    for (library, code) in [
      ("library: AFNetworking 3.1, pinning: public-key, pins: [backup]", "-999"),
      ("library: AFNetworking 4.0.1, baseURL: \"https://api.example/\", pinning: public-key, pins: [backup]", "-1202"),
      ("library: AFNetworking 2.5.4, transport: connection, pinning: public-key, pins: [backup]", "-1012"),
      ("library: Alamofire 5.9, evaluators: { api.example: { kind: public-keys, pins: [backup] } }", "-999"),
      ("library: TrustKit 3.0.7, pinnedDomains: { api.example: { publicKeyHashes: [backup, wrong] } }", "-999"),
    ] {
      let no = try Self.play(library, "api, Issuing")
      #expect(!no.isAccepted && no.because == ["pin.mismatch"], "\(library): \(no.because)")
      #expect(no.errors.contains { $0.contains(code) }, "\(library): \(no.errors)")
    }
  }

  @Test("with ATS an untrusted chain is refused, even if the library accepts it")
  func inForceUntrusted() throws {
    let yes = try Self.play(Self.accepting, "own, Private")
    #expect(yes.because == ["ats.trust-loosening"] && yes.errors.first?.contains("-1200") == true)
    let no = try Self.play(Self.refusing, "own, Private")
    #expect(!no.isAccepted && !no.because.contains("ats.trust-loosening"))
    // Apple does not document whether ATS refuses before the delegate is called; either error was observed.
    #expect(no.errors.contains { $0.contains("-999") } && no.errors.contains { $0.contains("-1200") }, "\(no.errors)")
  }

  @Test("with an ATS exception, or without ATS, the library alone decides", arguments: ["lifted", "excepted", "iOS 8"])
  func outOfTheWay(how: String) throws {
    let client =
      switch how {
      case "lifted": Self.lifted
      case "excepted":
        "infoPlist: { NSExceptionDomains: { api.example: { NSExceptionAllowsInsecureHTTPLoads: true } } }"
      default: "os: iOS 8"
      }
    #expect(try Self.play(Self.accepting, "own, Private", client).isAccepted)
    let no = try Self.play(Self.refusing, "own, Private", client)
    #expect(no.because == ["pin.mismatch"] && no.errors.first?.contains("-999") == true)
    // Default handling gives the system's own error.
    let left = try Self.play("library: Alamofire 4.9", "own, Private", client)
    #expect(left.errors.first?.contains("-1202") == true && !left.because.contains { $0.hasPrefix("pin.") })
  }

  @Test("a root that the user installed satisfies App Transport Security, but no pin")
  func userRoot() throws {
    #expect(try Self.play("library: AFNetworking 3.1, pinning: none", "proxy").isAccepted)
    #expect(
      try Self.play("library: AFNetworking 3.1, pinning: public-key, pins: [api]", "proxy").because == ["pin.mismatch"])
  }

  // MARK: Alamofire

  private static func alamofire(_ entry: String, host: String = "api.example") -> String {
    "library: Alamofire 5.9, evaluators: { \(host): { \(entry) } }"
  }

  @Test(
    "Alamofire evaluates before it compares pins, and names the failure",
    arguments: [
      ("kind: public-keys, pins: [backup]", "api, Issuing", .publicKeyPinningFailed),
      ("kind: pinned-certificates, pins: [backup]", "api, Issuing", .certificatePinningFailed),
      // The evaluation comes first, although the pin would not match either.
      ("kind: public-keys, pins: [backup]", "expired, Issuing", .defaultEvaluationFailed),
      ("kind: pinned-certificates, pins: [wrong]", "wrong, Issuing", .hostValidationFailed),
      // Host validation includes the validation of the chain.
      (
        "kind: public-keys, pins: [expired], performDefaultValidation: false", "expired, Issuing",
        .hostValidationFailed
      ),
      ("kind: public-keys, pins: [wrong], validateHost: false", "wrong, Issuing", nil),
      ("kind: public-keys, pins: [expired], validateHost: false", "expired, Issuing", .defaultEvaluationFailed),
      // With both off, only membership in the path counts.
      (
        "kind: public-keys, pins: [expired], performDefaultValidation: false, validateHost: false", "expired, Issuing",
        nil
      ),
      (
        "kind: pinned-certificates, pins: [Issuing], performDefaultValidation: false, validateHost: false",
        "wrong, Issuing", nil
      ),
      // An empty list of pins fails before any evaluation.
      ("kind: public-keys, pins: []", "expired, Issuing", .noPublicKeysFound),
      ("kind: pinned-certificates, pins: []", "api, Issuing", .noCertificatesFound),
      ("kind: default", "api", .hostValidationFailed), ("kind: default", "api, Issuing", nil),
      ("kind: custom, returns: false", "api, Issuing", .customEvaluationFailed),
      // In a composite, the anchors of one evaluator stay in force for the next.
      (
        "kind: composite, evaluators: [{ kind: pinned-certificates, pins: [own, Private], acceptSelfSignedCertificates: true }, { kind: default }]",
        "own, Private", nil
      ),
      (
        "kind: composite, evaluators: [{ kind: default }, { kind: pinned-certificates, pins: [own, Private], acceptSelfSignedCertificates: true }]",
        "own, Private", .hostValidationFailed
      ),
    ] as [(String, String, Alamofire.FailureReason?)])
  func alamofire(entry: String, chain: String, reason: Alamofire.FailureReason?) throws {
    let answer = try Self.play(Self.alamofire(entry), chain, Self.lifted)
    #expect(answer.reason == reason.map(LibraryVerdict.Reason.alamofire), "\(entry): \(answer.because)")
    #expect(answer.isAccepted == (reason == nil), "\(answer.because)")
    // Since iOS 12 one reason covers failures of both chain and host.
    let later = try Self.play(Self.alamofire(entry), chain, Self.lifted + ", os: iOS 12")
    let isOfTrust = [.defaultEvaluationFailed, .hostValidationFailed].contains(reason)
    let expected = isOfTrust ? Alamofire.FailureReason.trustEvaluationFailed : reason
    #expect(later.reason == expected.map(LibraryVerdict.Reason.alamofire))
  }

  @Test("Alamofire compares host names exactly, and 5.0 refuses a host without an entry")
  func lookup() throws {
    for host in ["\"*.example\"", "example", "API.example", "\"api.example:443\""] {
      let answer = try Self.play(Self.alamofire("kind: default", host: host), "api, Issuing")
      #expect(answer.because == ["pin.no-evaluator"] && answer.reason == .alamofire(.noRequiredEvaluator), "\(host)")
    }
    #expect(
      try Self.play("library: Alamofire 5.9, allHostsMustBeEvaluated: false, evaluators: {}", "api, Issuing").isAccepted
    )
    #expect(
      try Self.play(
        "library: Alamofire 4.9, policies: { other.example: { kind: default, validateHost: true } }", "api, Issuing"
      ).isAccepted)
  }

  // MARK: TrustKit

  private static func trustKit(_ domains: String, _ release: String = "3.0.7") -> String {
    "library: TrustKit \(release), pinnedDomains: { \(domains) }"
  }

  @Test(
    "TrustKit has three outcomes and a result, and reports every failure",
    arguments: [
      ("api.example: { publicKeyHashes: [api, backup] }", "api, Issuing", [], nil),
      // The anchor counts although it was not sent; certificates that were sent but are not on the path do not.
      ("api.example: { publicKeyHashes: [Root A, backup] }", "api, Issuing", [], nil),
      ("api.example: { publicKeyHashes: [api, backup] }", "mis-issued, api, Issuing", ["pin.mismatch"], 1),
      // Host and chain are checked before the pins, and before the report-only setting applies.
      (
        "api.example: { publicKeyHashes: [wrong, backup], enforcePinning: false }", "wrong, Issuing",
        ["name.mismatch", "pin.untrusted-path"], 2
      ),
      (
        "api.example: { publicKeyHashes: [expired, backup] }", "expired, Issuing",
        ["chain.expired", "pin.untrusted-path"], 2
      ),
      // Pins that have expired, are excluded, or belong to another domain are ignored without a report.
      ("api.example: { publicKeyHashes: [wrong, backup], expirationDate: 2016-10-31 }", "api, Issuing", [], nil),
      (
        "example: { publicKeyHashes: [wrong, backup] }, api.example: { publicKeyHashes: [api, backup] }",
        "api, Issuing",
        ["pin.invalid-configuration"], nil
      ),
      ("other.example: { publicKeyHashes: [wrong, backup] }", "api, Issuing", [], nil),
    ] as [(String, String, [String], Int?)])
  func trustKit(domains: String, chain: String, because: [String], result: Int?) throws {
    let expects = because == ["pin.invalid-configuration"]
    if expects {
      let faults = try Lab.diagnostics("client: { serverTrust: { \(Self.trustKit(domains)) } }")
      #expect(faults.contains { $0.severity == .error && $0.hint.contains("pin.invalid-configuration") })
      return
    }
    let answer = try Self.play(Self.trustKit(domains), chain)
    #expect(Set(answer.because) == Set(because), "\(answer.because)")
    #expect(answer.result == result && answer.isAccepted == because.isEmpty)
  }

  @Test(
    "a host uses its own entry, else the longest that includes it; releases differ",
    arguments: [
      ("3.0.7", ["api.example"], "api.example", "api.example"), ("3.0.7", ["shop.com+"], "a.b.shop.com", "shop.com"),
      ("3.0.7", ["shop.com"], "a.shop.com", nil),
      ("3.0.7", ["shop.com+", "b.shop.com+"], "a.b.shop.com", "b.shop.com"),
      ("3.0.7", ["shop.com+"], "notshop.com", nil), ("1.5.2", ["shop.com+"], "notshop.com", "shop.com"),
      ("1.5.3", ["shop.com+"], "notshop.com", nil), ("1.5.1", ["shop.com+"], "api.shop.net", nil),
      ("1.5.0", ["shop.com+"], "api.shop.net", "shop.com"), ("1.5.0", ["shop.com+"], "api.shop.info", nil),
      ("1.5.0", ["shop.com+"], "api.shop.co.uk", nil), ("1.5.0", ["shop.co.uk+"], "api.shop.co.uk", "shop.co.uk"),
      ("1.5.0", ["shop.com+"], "myshop.com", "shop.com"), ("1.5.0", ["shop.com+"], "api.shop.localhost", nil),
      ("3.0.7", ["API.example"], "api.example", nil),
    ] as [(String, [String], String, String?)])
  func entries(release: String, entries: [String], host: String, expected: String?) throws {
    let domains = Dictionary(
      uniqueKeysWithValues: entries.map { text -> (String, TrustKit.Domain) in
        var domain = TrustKit.Domain()
        domain.includesSubdomains = text.hasSuffix("+")
        return (text.filter { $0 != "+" }, domain)
      })
    let library = TrustKit(try #require(LibraryVersion(.trustKit, release)), domains: domains)
    #expect(library.entry(for: host)?.name == expected)
  }
}
