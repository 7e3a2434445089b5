import Endpoint
import Explanation
import Scenarios
import Simulator
import TLS
import Testing
import Trust
import URLLoading

@Suite("Clients that retry with a lower version")
struct FallbackTests {
  private func play(_ client: String, network: String = "", server: String = "") throws -> CaseResult {
    try Lab.play(
      """
      server: { versions: [TLSv1.0, TLSv1.1, TLSv1.2]\(server) }
      client: { \(client) }
      network: [eavesdrop\(network)]
      """)
  }

  private static let drop = ", { drop: ClientHello, above: TLSv1.0 }"

  private func version(_ result: CaseResult) -> ProtocolVersion? {
    result.simulation.accounts.last?.client.parameters?.version
  }

  @Test("App Transport Security is blamed for suites, not for a protocol or an unknown name")
  func blame() throws {
    func results(_ server: String, _ client: String = "", _ rest: String = "") throws -> [LoadEvent.Counterfactual] {
      let text = "server: { \(server) }\nclient: { os: iOS 10\(client) }\n\(rest)"
      return try Lab.play(text).simulation.trace.steps.compactMap { step in
        if case .decided(.load(.withoutTransportSecurity(let result)), by: _) = step.event { result } else { nil }
      }
    }
    #expect(try results("alpn: [h2]", ", alpn: [http/1.1]") == [.refused(.certain)])
    #expect(
      try results(
        "unrecognizedName: fatal", "",
        "request: https://other.example/\nnetwork: [eavesdrop, { reroute: api.example }]") == [.refused(.certain)])
    let suite = try #require(CipherSuite(name: "TLS_RSA_WITH_AES_128_CBC_SHA"))
    #expect(
      try results("cipherSuites: [\(suite.name)]") == [.agreed(.tls12, suite, meetsRequirements: false)])
    // The server agrees to this offer. The fault of the client is another.
    #expect(try results("", ", misbehaves: compression") == [])
  }

  @Test("before it chooses a version, a server alerts in the client's: RFC 7507 section 3")
  func alertVersion() throws {
    let result = try play("os: iOS 8", network: Self.drop)
    let alert = try #require(result.simulation.trace.steps.first { $0.message == .tls(.alert) })
    #expect(Array(alert.bytes.prefix(3)) == [21, 3, 1])
  }

  @Test(
    "dropping the newer hellos forces a lower version, unless the client sends the SCSV",
    arguments: [
      ("os: iOS 7", "", nil), ("os: iOS 8", "", "handshake.inappropriate-fallback"),
      ("os: iOS 8", ", fallbackSCSV: false", nil), ("os: iOS 8, fallback: silent", "", nil),
      ("os: iOS 8, fallback: signalled", "", "handshake.inappropriate-fallback"),
      ("os: iOS 9, infoPlist: { NSAllowsArbitraryLoads: true }", "", "handshake.inappropriate-fallback"),
      ("os: iOS 13, infoPlist: { NSAllowsArbitraryLoads: true }, fallback: silent", "", nil),
    ] as [(String, String, String?)])
  func dropped(client: String, server: String, reason: String?) throws {
    let result = try play(client, network: Self.drop, server: server)
    #expect(result.outcome.verdict.because.map(\.id) == [reason].compactMap(\.self))
    #expect(version(result) == (reason == nil ? .tls10 : nil))
    #expect((result.outcome.verdict.word == .accepted) == (reason == nil))
    let attempts = result.simulation.accounts.map(\.plan.name)
    #expect(attempts == [nil, "attempt2"])
    let hellos = result.simulation.accounts.compactMap(\.client.hello)
    #expect(hellos.map(\.clientVersion) == [.tls12, .tls10])
    #expect(hellos[0].cipherSuites.allSatisfy { $0 != .fallback })
    #expect(hellos[1].random != hellos[0].random && hellos[1].extensions?.signatureAlgorithms == nil)
    #expect(hellos[1].cipherSuites.allSatisfy { $0.isUsable(in: .tls10) || $0.isSignalling })
    // Without an attacker, the first attempt has the newest version.
    let good = try play(client, server: server)
    #expect(version(good) == .tls12 && good.simulation.accounts.count == 1)
  }

  @Test("a server supports the versions of its list, and none in between")
  func gap() throws {
    for (list, chosen) in [("TLSv1.0, TLSv1.1, TLSv1.2", ProtocolVersion.tls11), ("TLSv1.0, TLSv1.2", .tls10)] {
      let run = try Lab.play("server: { versions: [\(list)] }\nclient: { os: iOS 8 }").simulation
      let plan = try #require(run.accounts.first).plan
      let random = RandomStreams(seed: .number(1), party: "client")
      var client = TLS.Connection(
        ClientConfiguration(host: "api.example", versions: .tls10 ... .tls11, random: random))
      var server = TLS.Connection(plan.server.tls)
      var answer: ProtocolVersion?
      for case .send(let offer) in client.start() {
        for case .send(let message) in server.receive(offer.bytes) {
          guard case .handshake(let handshake) = message.content, case .serverHello(let hello) = handshake.body else {
            continue
          }
          answer = hello.serverVersion
        }
      }
      #expect(answer == chosen)
      #expect(run.accounts.first?.client.parameters?.version == .tls12)
    }
  }

  @Test("without a lower version or fallback, the client makes one attempt and waits")
  func none() throws {
    for client in [
      "os: iOS 10", "os: iOS 8, fallback: none", "os: iOS 18.4, infoPlist: { NSAllowsArbitraryLoads: true }",
    ] {
      let result = try play(client, network: Self.drop)
      #expect(result.outcome.verdict.word == .hangs && result.simulation.accounts.count == 1, "\(client)")
      #expect(try play(client).outcome.verdict.word == .accepted)
    }
  }

  @Test("Finished detects a changed version or SCSV of a hello, in every attempt")
  func altered() throws {
    let older = ", { alter: ClientHello, field: client_version, to: \"0301\" }"
    for client in ["os: iOS 7", "os: iOS 8"] {
      let result = try play(client, network: older)
      #expect(result.outcome.verdict.because.map(\.id) == ["handshake.finished-mismatch"], "\(client)")
      #expect(result.simulation.accounts.count == 1)
    }
    let unsigned = Self.drop + ", { alter: ClientHello, without: [TLS_FALLBACK_SCSV] }"
    let result = try play("os: iOS 8", network: unsigned)
    #expect(result.outcome.verdict.because.map(\.id) == ["handshake.finished-mismatch"])
    #expect(result.simulation.accounts.count == 2)
  }

  @Test(
    "an old server needs no retry; without a common suite, a retry is in vain"
  )
  func servers() throws {
    let old = try Lab.play("server: { versions: [TLSv1.0] }\nclient: { os: iOS 8 }")
    #expect(version(old) == .tls10 && old.simulation.accounts.count == 1)
    let vain = try Lab.play("server: { cipherSuites: [TLS_RSA_WITH_AES_128_GCM_SHA256] }\nclient: { os: iOS 8 }")
    #expect(vain.outcome.verdict.because.map(\.id) == ["handshake.no-common-suite"])
    #expect(vain.simulation.accounts.count == 3)
  }

  @Test("fallback reaches SSL 3.0, in which iOS 8.1 and later offer no CBC suites")
  func oldest() throws {
    let suites = "[TLS_RSA_WITH_AES_128_CBC_SHA, TLS_RSA_WITH_RC4_128_SHA]"
    for (os, suite) in [
      ("iOS 7", "TLS_RSA_WITH_AES_128_CBC_SHA"), ("iOS 8", "TLS_RSA_WITH_AES_128_CBC_SHA"),
      ("iOS 8.1", "TLS_RSA_WITH_RC4_128_SHA"), ("iOS 9, infoPlist: { NSAllowsArbitraryLoads: true }", nil),
    ] {
      let result = try Lab.play(
        """
        server: { versions: [SSLv3, TLSv1.0, TLSv1.2], cipherSuites: \(suites), fallbackSCSV: false }
        client: { os: \(os) }
        network: [{ drop: ClientHello, above: SSLv3 }]
        """)
      let parameters = result.simulation.accounts.last?.client.parameters
      #expect(parameters?.cipherSuite.name == suite && parameters?.version == (suite == nil ? nil : .sslv3))
      #expect(result.outcome.verdict.word == (suite == nil ? .hangs : .accepted))
      #expect(result.simulation.accounts.count == (suite == nil ? 2 : 3))
    }
  }

  @Test("a server's list of suites has no SCSVs, and the hint names their place")
  func signals() throws {
    for (suite, word) in [("TLS_FALLBACK_SCSV", "fallback: signalled"), ("TLS_EMPTY_RENEGOTIATION_INFO_SCSV", "leave")]
    {
      do {
        _ = try Lab.play("server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA, \(suite)] }")
        Issue.record("\(suite) was taken")
      } catch {
        #expect("\(error)".contains(suite) && "\(error)".contains(word))
      }
    }
  }

  @Test("a version or suite that no attempt reaches is reported when the file is checked")
  func unmet() throws {
    func words(_ server: String, _ os: String) throws -> [String] {
      try Lab.read("server: { \(server) }\nclient: { os: \(os) }\nexpect: { verdict: accepted }").warnings.map(
        \.message)
    }
    let old = "versions: [SSLv3, TLSv1.2]"
    #expect(try words(old, "iOS 10").contains { $0.contains("SSLv3") })
    #expect(try !words(old, "iOS 7").contains { $0.contains("SSLv3") })
    let export = "cipherSuites: [TLS_RSA_EXPORT_WITH_RC4_40_MD5, TLS_RSA_WITH_AES_128_CBC_SHA]"
    #expect(try words(export, "iOS 8").contains { $0.contains("TLS_RSA_EXPORT_WITH_RC4_40_MD5") })
    #expect(try words("cipherSuites: [TLS_RSA_WITH_RC4_128_SHA]", "iOS 8").isEmpty)
  }

  @Test("each attempt has its own steps and values, and the narration explains the retry")
  func steps() throws {
    let run = try play("os: iOS 7", network: Self.drop).simulation
    #expect(run.trace.values["attempt2.client_random"] != nil && run.trace.values["attempt2.master_secret"] != nil)
    let fallbacks = run.trace.steps.compactMap { step -> LoadEvent.Fallback? in
      if case .decided(.load(.fellBack(let fallback)), by: _) = step.event { fallback } else { nil }
    }
    #expect(fallbacks.map(\.version) == [.tls10] && fallbacks.map(\.isSignalled) == [false])
    #expect(fallbacks.first?.confidence != .certain)
    #expect(Set(run.trace.steps.map(\.connection)) == [nil, "attempt2"])
    let origins = run.trace.steps.compactMap { step -> HelloOrigin? in
      if case .sent(_, let message) = step.event { message.origin } else { nil }
    }
    #expect(origins.map(\.limitedTo) == [nil, .tls10])
  }

  @Test("which systems retry, and which of them send the SCSV")
  func systems() throws {
    for (os, versions, isSignalled) in [
      ("iOS 5.1", [ProtocolVersion.tls10, .sslv3], false), ("iOS 7", [.tls10, .sslv3], false),
      ("iOS 8", [.tls10, .sslv3], true), ("iOS 10", [.tls10], true), ("macOS 10.9", [.tls10, .sslv3], false),
    ] {
      let system = try #require(OSVersion(os))
      let fallback = try #require(Fallback.systemDefault(os: system))
      #expect(fallback.versions == versions && fallback.isSignalled == isSignalled && fallback.confidence != .certain)
    }
    for (os, avoids) in [("iOS 8", false), ("iOS 8.1", true), ("macOS 10.9", false), ("macOS 10.10", true)] {
      let system = try #require(OSVersion(os))
      let fallback = try #require(Fallback.systemDefault(os: system))
      #expect(fallback.avoidsBlockCiphers == avoids)
    }
    for os in ["iOS 4", "iOS 12.2", "iOS 18.4", "macOS 10.8", "doc"] {
      #expect(Fallback.systemDefault(os: try #require(OSVersion(os))) == nil)
    }
  }
}

@Suite("The version, suite and group that each release agrees on with a capable server")
struct ReleaseTests {
  /// Worked out from the recorded hellos: the server prefers its own order, strongest first. SSL Labs' client tests
  /// have `TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384` for iOS 8.4, and `TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384` for iOS 9.
  static let table: [(client: String, suite: String, group: NamedGroup)] = [
    ("os: iOS 5, loader: NSURLConnection", "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384", .secp256r1),
    ("os: iOS 8", "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384", .secp256r1),
    ("os: iOS 8.4", "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384", .secp256r1),
    ("os: iOS 9", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", .secp256r1),
    ("os: iOS 9, \(lifted)", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", .secp256r1),
    ("os: iOS 10", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", .secp256r1),
    ("os: iOS 12.2", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", .x25519),
    ("os: iOS 18.4", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", .x25519),
  ]
  private static let lifted = "infoPlist: { NSAllowsArbitraryLoads: true }"

  @Test("each release agrees on the result that its recorded hello implies", arguments: table)
  func agreement(client: String, suite: String, group: NamedGroup) throws {
    let suites = CipherSuite.implemented.filter { $0.keyExchange != .dhAnonymous && $0.registration?.cipher != .null }
    let result = try Lab.play(
      """
      server:
        versions: [TLSv1.0, TLSv1.1, TLSv1.2]
        cipherSuites: [\(suites.map(\.name).joined(separator: ", "))]
        groups: [x25519, secp256r1, secp384r1, secp521r1]
      client: { \(client) }
      """)
    let parameters = try #require(result.simulation.accounts.first?.client.parameters)
    #expect(parameters.version == .tls12 && parameters.cipherSuite.name == suite && parameters.group == group)
    #expect(result.outcome.verdict.word == .accepted)
    // With the client's order it is the same: the first of the hello that suits an RSA key.
    let hello = try #require(result.simulation.accounts.first?.client.hello)
    let first = hello.cipherSuites.first { $0.keyKind == .rsa && $0.isImplemented }
    #expect(first?.name == suite)
  }

  @Test("the app gets an error only for an attempt that is not followed by another")
  func silent() throws {
    let first = try Lab.scenario(named: "L7-07")
    let attempts = Outcome.connections(of: try Lab.player.play(first).simulation)
    #expect(attempts.count == 3 && attempts.allSatisfy { $0.errors.isEmpty })
    let signalled = try #require(
      Lab.cases.first { $0.id == "L7-07" && $0.caseName == "a client that says it asks again" })
    let refused = Outcome.connections(of: try Lab.player.play(signalled).simulation)
    #expect(refused.contains { !$0.errors.isEmpty })
  }
}
