import Explanation
import Scenarios
import Simulator
import TLS
import Testing

@Suite("Keys, signatures, suites and protocols that a scenario can name")
struct BreadthTests {
  /// An accepted connection in which the CAs and the server have keys of one kind.
  private func play(_ suite: String, key: String) throws -> CaseResult {
    try Lab.play(
      """
      authorities:
        Root A: { key: \(key), trust: system }
        Issuing: { issuer: Root A, key: \(key) }
      certificates: { api: { issuer: Issuing, names: [api.example], key: \(key) } }
      server: { cipherSuites: [\(suite)] }
      client:
        os: iOS 13
        infoPlist: { NSExceptionDomains: { api.example: { NSExceptionRequiresForwardSecrecy: false } } }
      network: [eavesdrop, { leak: api.key, after: 1 day }]
      expect: { verdict: accepted, cipherSuite: \(suite) }
      """)
  }

  @Test(
    "every supported suite can be played; a leaked key reveals only RSA key exchange",
    arguments: CipherSuite.defaults)
  func suites(suite: CipherSuite) throws {
    let keys = suite.keyKind == .ecdsa ? ["ec-p256", "ec-p384", "ec-p521"] : ["rsa-2048"]
    for key in keys {
      let result = try play(suite.name, key: key)
      #expect(result.judgement.result == .passed, "\(key): \(result.judgement.mismatches)")
      let goals = result.outcome.goals
      #expect(goals[.eavesdropping] == (suite.hasForwardSecrecy ? .prevented : .later), "\(key)")
      #expect(goals[.tampering] == .prevented)
    }
  }

  @Test(
    "the client verifies certificates signed in every way that a scenario can name",
    arguments: [
      ("rsa-2048", "sha512", "sha512WithRSAEncryption"), ("rsa-2048", "pss-sha256", "id-RSASSA-PSS"),
      ("rsa-2048", "pss-sha384", "id-RSASSA-PSS"), ("rsa-2048", "pss-sha512", "id-RSASSA-PSS"),
      ("ec-p256", "sha256", "ecdsa-with-SHA256"), ("ec-p384", "sha384", "ecdsa-with-SHA384"),
      ("ec-p521", "sha512", "ecdsa-with-SHA512"), ("ec-p521", "sha256", "ecdsa-with-SHA256"),
    ])
  func signatures(key: String, signature: String, algorithm: String) throws {
    func play(_ fault: String) throws -> CaseResult {
      try Lab.play(
        """
        authorities:
          Root A: { key: \(key), trust: system, signature: \(signature) }
          Issuing: { issuer: Root A, key: \(key), signature: \(signature) }
        certificates: { api: { issuer: Issuing, names: [api.example], signature: \(signature)\(fault) } }
        expect: { verdict: accepted }
        """)
    }
    let result = try play("")
    #expect(result.judgement.mismatches == [])
    let path = try #require(result.simulation.accounts.first?.client.evaluation?.path)
    #expect(path.map(\.signatureAlgorithm.description) == [algorithm, algorithm, algorithm])
    #expect(try play(", break: signature").outcome.verdict.because.map(\.id) == ["chain.signature-invalid"])
  }

  @Test("PSS with an elliptic-curve key is an error with its place")
  func impossibleSignature() throws {
    let text =
      "authorities: { Root A: { trust: system, key: ec-p256, signature: pss-sha256 }, Issuing: { issuer: Root A } }"
    let diagnostics = try Lab.playing(text)
    #expect(diagnostics.first?.message.contains("'Root A'") == true)
    #expect(try Lab.playing(text.replacing("pss-sha256", with: "sha256")) == [])
  }

  @Test("client and server need a signature algorithm and an application protocol in common")
  func negotiation() throws {
    func because(_ client: String, _ server: String) throws -> [String] {
      try Lab.play("client: { \(client) }\nserver: { \(server) }").outcome.verdict.because.map(\.id)
    }
    let (pss, pkcs1) = ("signatureAlgorithms: [rsa_pss_rsae_sha256]", "signatureAlgorithms: [rsa_pkcs1_sha256]")
    #expect(try because("os: iOS 13, \(pss)", pss) == [])
    #expect(try because("os: iOS 13, \(pss)", pkcs1) == ["handshake.no-common-signature-scheme"])
    let (old, new) = ("alpn: [http/1.1]", "alpn: [h2]")
    #expect(try because(old, old) == [])
    #expect(try because(old, new) == ["handshake.no-application-protocol"])
    #expect(try because("alpn: []", new) == [])
    // A system offers the protocols that its recorded hello names; iOS 8 offers none.
    #expect(try because("os: iOS 8", new) == [])
    #expect(try because("os: iOS 10", old) == [])
    #expect(try Lab.playing("client: { os: iOS 10 }\nserver: { \(new) }").first?.message.contains("'h2'") == true)
    let both = try Lab.playing("client: { alpn: [h2, http/1.1] }\nserver: { alpn: [h2, http/1.1] }")
    #expect(both.first?.hint.contains("http/1.1 first") == true)
  }
}
