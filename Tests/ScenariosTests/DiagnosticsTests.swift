import Advice
import Explanation
import Scenarios
import Testing
import Trust
import URLLoading

@Suite("The tests of nscurl --ats-diagnostics")
struct DiagnosticsTests {
  /// A server, its results on macOS 15.4, and the results that depend on unpublished facts.
  struct Prediction: Sendable, CustomTestStringConvertible {
    let server: String
    let passing: Set<Int>
    var unknown: Set<Int> = []
    var testDescription: String { server }
  }

  private static let untrusted = "authorities: { Root A: { trust: none }, Issuing: { issuer: Root A } }"
  private static let rsa = "server: { cipherSuites: [TLS_RSA_WITH_AES_128_GCM_SHA256] }"
  private static let old = "server: { versions: [TLSv1.0], cipherSuites: [TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA] }"

  private static func certificate(_ fields: String) -> String {
    "certificates: { api: { issuer: Issuing, \(fields) } }"
  }

  /// The matrix of the reference: its certain results, and the row that depends on the session's own suites.
  static let matrix = [
    Prediction(server: "server: { versions: [TLSv1.3, TLSv1.2] }", passing: Set(1...16)),
    Prediction(server: "server: { versions: [TLSv1.3] }", passing: Set(1...16)),
    Prediction(server: "server: { versions: [TLSv1.2] }", passing: Set(1...16).subtracting([3, 9, 13])),
    Prediction(server: rsa, passing: [2, 7, 8, 10, 11, 12, 14, 15, 16], unknown: [2, 8, 14, 15, 16]),
    Prediction(server: old, passing: [2, 6, 12, 16]),
    Prediction(
      server: "server: { content: { GET /: { redirect: http://api.example/a } } }", passing: Set([2, 8, 14, 15, 16])),
    Prediction(
      server: "server: { versions: [TLSv1.3, TLSv1.2], content: { GET /: { redirect: http://api.example/a } } }",
      passing: Set([2, 8, 13, 14, 15, 16])),
    Prediction(
      server: """
        servers:
          api.example: { content: { GET /: { redirect: http://other.example/ } } }
          other.example: {}
        """, passing: [2]),
    Prediction(server: untrusted, passing: []),
    Prediction(server: certificate("names: [other.example]"), passing: []),
    Prediction(
      server: certificate("names: [api.example], notBefore: 2015-01-01, notAfter: 2016-01-01"), passing: []),
  ]

  private func diagnostics(
    _ text: String, url: String = "https://api.example/", os: OSVersion = OSVersion(.macOS, 15, 4)
  ) throws -> AppTransportSecurity.Diagnostics {
    let scenario = try #require(try Lab.read("title: A server\n\(text)\nexpect: {}").cases.first)
    return AppTransportSecurity.Diagnostics(try LoadURL(url), on: os, site: try Lab.player.site(of: scenario))
  }

  @Test("a server passes exactly the tests that its kind is known to pass", arguments: matrix)
  func prediction(_ prediction: Prediction) throws {
    let diagnostics = try diagnostics(prediction.server)
    #expect(Set(diagnostics.rows.filter(\.passes).map(\.test.number)) == prediction.passing)
    #expect(Set(diagnostics.rows.filter(\.load.isUncertain).map(\.test.number)) == prediction.unknown)
    #expect(diagnostics.passes == prediction.passing.contains(1))
  }

  private static func logged(_ timestamps: String, trust: String = "system", logs: String = "") -> String {
    """
    clock: 2022-11-01
    authorities: { Root A: { trust: \(trust) }, Issuing: { issuer: Root A } }
    certificates:
      api: { issuer: Issuing, names: [api.example], notBefore: 2022-09-01, days: 90, timestamps: \(timestamps) }
    \(logs)
    """
  }

  // HT205280, 103214: certificates under roots of the system need SCTs since iOS 12.1.1 and macOS 10.14.2.
  @Test(
    "too few SCTs fail every test, with the same rule as a played load",
    arguments: [
      (logged("1"), ["chain.certificate-transparency"]), (logged("2"), []),
      (logged("{ embedded: [Alfa], tlsExtension: [Bravo] }"), []), (logged("1", trust: "user"), []),
    ] as [(String, [String])])
  func transparency(_ server: String, _ because: [String]) throws {
    let rows = try diagnostics(server).rows
    #expect(rows.allSatisfy { $0.load.because.map(\.id) == because || $0.test.title.contains("TLSv1.3") })
    #expect(rows.first?.passes == because.isEmpty)
    let scenario = try #require(try Lab.read("title: A server\n\(server)\nexpect: {}").cases.first)
    let url = try LoadURL("https://api.example/")
    let answer = AppTransportSecurity.ExceptionSearch(
      urls: [url], systems: [OSVersion(.macOS, 14)], site: try Lab.player.site(of: scenario)
    ).answer()
    #expect(answer.outcome == (because.isEmpty ? .notNeeded : .impossible))
  }

  // Security, tag 59306: macOS 10.15 and iOS 13 are the first systems that read the interval of a log.
  @Test("the interval of a log counts since macOS 10.15")
  func logInterval() throws {
    let text = Self.logged("[Alfa, Bravo]", logs: "logs: { Alfa: {}, Bravo: { until: 2021-01-01 } }")
    for (os, passes) in [(OSVersion(.macOS, 10, 14), true), (OSVersion(.macOS, 10, 15), false)] {
      #expect(try diagnostics(text, os: os).passes == passes, "\(os)")
    }
  }

  @Test("there are 13 tests until macOS 10.13, and 16 since 10.14, which adds TLS 1.3")
  func counts() {
    let before = AppTransportSecurity.DiagnosticTest.all(for: "a.example", on: OSVersion(.macOS, 10, 13))
    let after = AppTransportSecurity.DiagnosticTest.all(for: "a.example", on: OSVersion(.macOS, 10, 14))
    #expect(before.map(\.number) == Array(1...13))
    #expect(after.map(\.number) == Array(1...16))
    #expect(after.filter { !$0.title.contains("TLSv1.3") }.map(\.title) == before.map(\.title))
    #expect(Set(after.map(\.section)).count == 7)
  }

  @Test(
    "a test is refused for its own reason",
    arguments: [
      (rsa, 1, ["ats.no-forward-secrecy"]), (rsa, 9, ["ats.tls-version"]), (old, 1, ["ats.tls-version"]),
      (old, 8, ["ats.tls-version"]), (untrusted, 2, ["chain.no-anchor"]), (untrusted, 1, ["chain.no-anchor"]),
      ("server: { cipherSuites: [TLS_DHE_RSA_WITH_AES_128_GCM_SHA256] }", 2, ["handshake.no-common-suite"]),
      (
        "server: { clientAuthentication: required, clientAuthorities: [Root A] }", 2,
        ["client-auth.certificate-required"]
      ),
    ])
  func reasons(server: String, number: Int, because: [String]) throws {
    let row = try #require(try diagnostics(server).rows.first { $0.test.number == number })
    #expect(row.load.because.map(\.id) == because)
    #expect(!row.load.errors.isEmpty)
  }

  @Test(
    "the pattern of results shows the cause",
    arguments: [
      ("", [AppTransportSecurity.Interpretation.nothingIsNeeded]), (rsa, [.noForwardSecrecy]),
      (old, [.newestVersion(.tls10)]), (untrusted, [.notTheCause]),
      (
        "server: { versions: [TLSv1.0], cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }",
        [.noForwardSecrecy, .newestVersion(.tls10)]
      ),
    ])
  func interpretation(server: String, expected: [AppTransportSecurity.Interpretation]) throws {
    #expect(try diagnostics(server).interpretations == expected)
  }

  private static let shortKey = certificate("names: [api.example], key: rsa-1024")
  private static let onTen12 = OSVersion(.macOS, 10, 12)
  private static let onTen13 = OSVersion(.macOS, 10, 13)

  @Test("a short key is not reported as missing forward secrecy, despite equal results")
  func shortKey() throws {
    let short = try diagnostics(Self.shortKey, os: Self.onTen12)
    #expect(Set(short.rows.filter(\.passes).map(\.test.number)) == [2, 6, 7, 8, 9, 10, 11, 12, 13])
    #expect(short.interpretations == [.weakKey])
    #expect(try diagnostics(Self.rsa, os: Self.onTen12).interpretations == [.noForwardSecrecy])
    // A year later the system itself refuses it under a root of its own: SecPolicyCheckSystemTrustedWeakKey.
    #expect(try diagnostics(Self.shortKey, os: Self.onTen13).interpretations == [.notTheCause])
  }

  @Test("a key for one domain is recommended first, even if sources disagree about it")
  func conflict() throws {
    let entry: PropertyList = [
      "NSExceptionDomains": ["api.example": ["NSExceptionRequiresForwardSecrecy": false]]
    ]
    for os in [Self.onTen12, OSVersion(.iOS, 10)] {
      let short = try smallest(Self.shortKey, [os])
      #expect(PropertyList.dictionary(short.dictionary) == entry)
      #expect(short.loads.allSatisfy { $0.after.passes && $0.after.isUncertain })
      #expect(short.surer.map { PropertyList.dictionary($0) } == ["NSAllowsArbitraryLoads": true])
      let secret = try smallest(Self.rsa, [os])
      #expect(PropertyList.dictionary(secret.dictionary) == entry)
      #expect(secret.surer == nil)
    }
  }

  @Test("a result that depends on unpublished suites does not clear App Transport Security")
  func open() throws {
    // The browser's hello ends with 3DES; Apple does not document the hello of an app.
    let old = try diagnostics("server: { cipherSuites: [TLS_RSA_WITH_3DES_EDE_CBC_SHA] }")
    #expect(old.rows.contains(where: \.passes) && old.rows.filter(\.passes).allSatisfy(\.load.isUncertain))
    for suite in ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "TLS_DHE_RSA_WITH_AES_128_CBC_SHA"] {
      let server = "server: { cipherSuites: [\(suite)] }"
      #expect(try diagnostics(server).interpretations == [.perhapsNotTheCause])
      #expect(try smallest(server, [OSVersion(.macOS, 15, 4)]).isOpen)
    }
    #expect(try diagnostics(Self.untrusted).interpretations == [.notTheCause])
    #expect(try !smallest(Self.untrusted, [OSVersion(.macOS, 15, 4)]).isOpen)
  }

  @Test("no key of the dictionary allows a hash that is too weak")
  func weakHash() throws {
    let certificate = Self.certificate("names: [api.example], signature: sha1")
    let users = "authorities: { Root A: { trust: user }, Issuing: { issuer: Root A } }\n"
    let weak = try diagnostics(users + certificate, os: Self.onTen13)
    #expect(weak.rows.filter(\.passes).map(\.test.number) == [2])
    #expect(weak.interpretations == [.noEntryLifts([.atsLeafHash])])
    // Under its own roots the system refuses it, even if App Transport Security allows it.
    #expect(try diagnostics(certificate, os: Self.onTen13).interpretations == [.notTheCause])
  }

  @Test("plain HTTP passes if HTTP is allowed; the error of the other tests is -1022")
  func plainHTTP() throws {
    let diagnostics = try diagnostics("", url: "http://api.example/")
    #expect(diagnostics.rows.filter(\.passes).map(\.test.number) == [2, 8, 13, 14, 15, 16])
    #expect(diagnostics.rows.first?.load.errors.map(\.code) == [-1022])
    #expect(diagnostics.interpretations == [.plainHTTP])
  }

  private func smallest(_ server: String, _ systems: [OSVersion]) throws -> AppTransportSecurity.ExceptionAnswer {
    let scenario = try #require(try Lab.read("title: A server\n\(server)\nexpect: {}").cases.first)
    return AppTransportSecurity.ExceptionSearch(
      urls: [try LoadURL("https://api.example/")], systems: systems, site: try Lab.player.site(of: scenario)
    ).answer()
  }

  private static let lacking: [(server: String, entry: PropertyList)] = [
    (rsa, ["NSExceptionRequiresForwardSecrecy": false]), (old, ["NSExceptionMinimumTLSVersion": "TLSv1.0"]),
    (
      "server: { versions: [TLSv1.1], cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }",
      ["NSExceptionMinimumTLSVersion": "TLSv1.1", "NSExceptionRequiresForwardSecrecy": false]
    ),
  ]

  @Test("the smallest exception covers the server's shortcomings and nothing else", arguments: lacking)
  func minimal(server: String, entry: PropertyList) throws {
    let answer = try smallest(server, [OSVersion(.iOS, 9), OSVersion(.iOS, 18, 4)])
    #expect(answer.outcome == .exception)
    #expect(PropertyList.dictionary(answer.dictionary) == ["NSExceptionDomains": ["api.example": entry]])
    #expect(answer.loads.allSatisfy { !$0.before.passes && $0.after.passes })
    #expect(answer.appReview == answer.reasons.map(\.key.name).filter { $0 == "NSExceptionMinimumTLSVersion" })
  }

  @Test("a good server needs no exception, and none helps an untrusted one")
  func noException() throws {
    #expect(try smallest("", [OSVersion(.iOS, 9)]).outcome == .notNeeded)
    let answer = try smallest(Self.untrusted, [OSVersion(.iOS, 9), OSVersion(.iOS, 18, 4)])
    #expect(answer.outcome == .impossible)
    #expect(answer.hopeless.map { $0.after.because.map(\.id) } == [["chain.no-anchor"], ["chain.no-anchor"]])
  }

  @Test("a redirect is judged at its own host, and the exception names that host")
  func redirect() throws {
    let server = """
      servers:
        api.example: { content: { GET /: { redirect: http://other.example/ } } }
        other.example: {}
      """
    let first = try #require(try diagnostics(server).rows.first)
    #expect(first.load.hops.map(\.passes) == [true, false])
    #expect(first.load.failingURL?.description == "http://other.example/")
    #expect(first.load.errors.map(\.code) == [-1022])
    #expect(try diagnostics(server).interpretations == [.beyondTheHost("other.example")])
    #expect(
      PropertyList.dictionary(try smallest(server, [OSVersion(.iOS, 18, 4)]).dictionary)
        == ["NSExceptionDomains": ["other.example": ["NSExceptionAllowsInsecureHTTPLoads": true]]])
    let loop = "server: { content: { GET /: { redirect: /a }, GET /a: { redirect: / } } }"
    #expect(try diagnostics(loop).rows.first?.load.errors.map(\.code) == [-1007])
  }

  private static let played = [
    "", rsa, untrusted, certificate("names: [api.example], key: rsa-1024"),
    certificate("names: [api.example], signature: sha1"), certificate("names: [other.example]"),
    """
    certificates: { api: { issuer: Issuing, names: [api.example], key: ec-p256 } }
    server: { cipherSuites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256] }
    """,
    "server: { cipherSuites: [TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256, TLS_RSA_WITH_AES_128_CBC_SHA] }",
    "server: { groups: [secp521r1] }",
  ]

  @Test("if TLS 1.2 can be played, the run agrees with every test of the table", arguments: played)
  func agreement(server: String) throws {
    let scenario = try #require(try Lab.read("title: A server\n\(server)\nexpect: {}").cases.first)
    let site = try Lab.player.site(of: scenario)
    for os in ["macOS 10.13", "macOS 15.4"] {
      let version = try #require(OSVersion(os))
      for row in AppTransportSecurity.Diagnostics(try LoadURL("https://api.example/"), on: version, site: site).rows {
        let text = """
          title: A test
          \(server)
          client: { os: \(os), infoPlist: \(row.test.dictionary.yaml) }
          expect: {}
          """
        let connection = try #require(try Lab.play(text).connections.first)
        let place: Comment = "\(os), test \(row.test.number) of \(server)"
        #expect((connection.verdict.word == .accepted) == row.passes, place)
        #expect(Set(connection.verdict.because.map(\.id)) == Set(row.load.because.map(\.id)), place)
      }
    }
  }
}

extension PropertyList.Dictionary {
  /// The dictionary as a scenario writes it.
  fileprivate var yaml: String {
    let members = entries.map { entry -> String in
      switch entry.value {
      case .dictionary(let nested): return "\(entry.key): \(nested.yaml)"
      case .boolean(let flag): return "\(entry.key): \(flag)"
      default: return "\(entry.key): \(entry.value.string ?? "")"
      }
    }
    return "{ \(members.joined(separator: ", ")) }"
  }
}
