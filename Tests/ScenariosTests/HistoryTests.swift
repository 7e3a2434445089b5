import Explanation
import Oracles
import Scenarios
import Simulator
import TLS
import Testing

@Suite("Old protocol versions and suites, played completely")
struct HistoryTests {
  /// A load by iOS 8, which offers every version here, from a server with one suite; one secret leaks afterwards.
  private func play(
    _ suite: String, _ version: String, leaking secret: String? = nil, server: String = "", expect: String = "accepted"
  ) throws -> CaseResult {
    try Lab.play(
      """
      server: { versions: [\(version)], cipherSuites: [\(suite)]\(server) }
      client: { os: iOS 8 }
      network: [eavesdrop\(secret.map { ", { leak: \($0), after: 1 day }" } ?? "")]
      expect: { verdict: \(expect) }
      """)
  }

  @Test(
    "with the one leaked secret, every step to the content can be carried out",
    arguments: [
      ("TLS_RSA_WITH_AES_128_CBC_SHA", "TLSv1.0", "api.key"), ("TLS_RSA_WITH_3DES_EDE_CBC_SHA", "TLSv1.0", "api.key"),
      ("TLS_RSA_WITH_3DES_EDE_CBC_SHA", "TLSv1.2", "api.key"), ("TLS_RSA_WITH_RC4_128_SHA", "TLSv1.0", "api.key"),
      ("TLS_RSA_WITH_RC4_128_MD5", "TLSv1.2", "api.key"), ("TLS_RSA_WITH_AES_256_CBC_SHA", "TLSv1.1", "api.key"),
      ("TLS_DHE_RSA_WITH_AES_128_CBC_SHA", "TLSv1.0", "server_dh_private"),
      ("TLS_DHE_RSA_WITH_AES_256_CBC_SHA256", "TLSv1.2", "client_dh_private"),
      ("TLS_DHE_RSA_WITH_3DES_EDE_CBC_SHA", "TLSv1.1", "server_dh_private"),
    ])
  func proofs(_ suite: String, _ version: String, _ secret: String) throws {
    let run = try play(suite, version, leaking: secret).simulation
    let names = run.trace.values.keys.filter { $0.kind == .applicationData && $0.scope == "" }
    #expect(names.count >= 2)
    for name in names {
      let proof = try #require(Execution(of: name, as: .eavesdropper, in: run))
      #expect(proof.holds && proof.isComplete, "\(suite) in \(version), \(name): \(String(describing: proof.obstacle))")
      #expect(proof.playback?.isEqual == true)
    }
    let closed = try play(suite, version).simulation
    #expect(Execution(of: "application_data.client.1", as: .eavesdropper, in: closed) == nil)
  }

  @Test(
    "the server's key opens a recording under RSA key exchange, and not under DHE",
    arguments: ["TLSv1.0", "TLSv1.1", "TLSv1.2"])
  func forwardSecrecy(_ version: String) throws {
    let rsa = try play("TLS_RSA_WITH_AES_128_CBC_SHA", version, leaking: "api.key")
    #expect(rsa.judgement.result == .passed && rsa.outcome.goals[.eavesdropping] == .later)
    let dhe = try play("TLS_DHE_RSA_WITH_AES_128_CBC_SHA", version, leaking: "api.key")
    #expect(dhe.judgement.result == .passed && dhe.outcome.goals[.eavesdropping] == .prevented)
  }

  @Test("a client of TLS 1.0 sends one byte of its request in a separate record")
  func splitting() throws {
    let run = try play("TLS_RSA_WITH_AES_128_CBC_SHA", "TLSv1.0").simulation
    #expect(run.trace.values["application_data.client.1"]?.bytes == Array("G".utf8))
    #expect(run.trace.values["application_data.client.2"]?.bytes.starts(with: Array("ET /".utf8)) == true)
  }

  @Test("Logjam: Apple's code refuses a group of 512 bits, and accepts 1024")
  func logjam() throws {
    let suite = "TLS_DHE_RSA_WITH_AES_128_CBC_SHA"
    let refused = try Lab.play(
      """
      server: { cipherSuites: [\(suite)], dhGroup: export-512 }
      client: { os: iOS 8 }
      expect:
        verdict: refused
        because: [handshake.short-dh-group]
        errors: [kCFStreamErrorDomainSSL -9850]
      """)
    #expect(refused.judgement.mismatches == [])
    let accepted = try play(suite, "TLSv1.2", server: ", dhGroup: oakley-1024")
    #expect(accepted.judgement.mismatches == [])
    #expect(accepted.simulation.trace.values["dh_p"]?.bytes.count == 128)
  }

  @Test("a certificate for signatures only works with ECDHE, and not with RSA key exchange")
  func keyUsage() throws {
    for (suite, expected) in [
      ("TLS_RSA_WITH_AES_128_CBC_SHA", "verdict: refused, because: [handshake.key-purpose]"),
      ("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "verdict: accepted"),
    ] {
      let result = try Lab.play(
        """
        certificates: { api: { issuer: Issuing, names: [api.example], keyUsage: [digitalSignature] } }
        server: { cipherSuites: [\(suite)] }
        client: { os: iOS 8 }
        expect: { \(expected) }
        """)
      #expect(result.judgement.mismatches == [], "\(suite)")
    }
  }
}
