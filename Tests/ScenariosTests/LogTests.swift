import Oracles
import PKIX
import Scenarios
import Simulator
import TLS
import Testing

@Suite("Certificate Transparency logs in scenarios")
struct LogTests {
  private static func play(_ changes: String) throws -> CaseResult {
    try Lab.play(
      """
      clock: 2020-06-01T00:00:00Z
      certificates: { api: { issuer: Issuing, names: [api.example], notBefore: 2020-05-01, timestamps: [Alfa, Bravo] } }
      server: { presents: [api, Issuing] }
      client: { os: iOS 14 }
      expect: { verdict: accepted }
      cases: [{ name: changed, with: { \(changes) } }]
      """, "changed")
  }

  private static func delivered(_ changes: String) throws -> String {
    try #require(play(changes).simulation.accounts[0].client.evaluation?.transparency).delivered.description
  }

  @Test("an embedded SCT covers the certificate without it, and travels inside it")
  func embedded() throws {
    let simulation = try Self.play("seed: 2").simulation
    let leaf = try #require(simulation.accounts[0].client.evaluation?.path.first)
    #expect(leaf.embeddedSCTs?.items.count == 2)
    // 2020-05-01, in milliseconds.
    #expect(leaf.embeddedSCTs?.timestamps.map(\.timestamp) == [1_588_291_200_000, 1_588_291_200_000])
    #expect(try Self.delivered("seed: 2") == "embedded of Alfa, embedded of Bravo")
    #expect(try Self.delivered("logs: { Bravo: { forged: true } }") == "embedded of Alfa, embedded of Bravo (invalid)")
    #expect(
      try Self.delivered("logs: { Bravo: { state: unknown } }")
        .shows("Alfa … (unknown-log)"))
  }

  @Test("a separate SCT covers the certificate itself, and is sent if the client requests it")
  func beside() throws {
    let tls = "certificates.api.timestamps: { embedded: [Alfa], tlsExtension: [Bravo] }"
    #expect(try Self.delivered(tls) == "embedded of Alfa, tls of Bravo")
    let hello = try #require(try Self.play(tls).simulation.trace.steps.first { $0.message == .handshake(.serverHello) })
    let list = "12 00 79 00 77 00"  // signed_certificate_timestamp, of 121 bytes: one SCT of 119 bytes, of version 1
    let bytes = hello.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    #expect(bytes.contains("00 12 00 ") && list.hasPrefix("12 00"), "\(bytes)")
    let stapled = "certificates.api.timestamps: { embedded: [Alfa], ocsp: [Bravo] }, server.staple: current"
    #expect(try Self.delivered(stapled) == "embedded of Alfa, ocsp of Bravo")
    // Without a stapled response, no OCSP extension can carry the SCT.
    #expect(
      try Self.delivered("certificates.api.timestamps: { embedded: [Alfa], ocsp: [Bravo] }") == "embedded of Alfa")
    // iOS 8 offers no signed_certificate_timestamp.
    #expect(try Self.delivered("\(tls), client.os: iOS 8") == "embedded of Alfa")
  }

  @Test("a number means that many approved logs; null leaves Certificate Transparency unknown")
  func numbers() throws {
    #expect(
      try Self.delivered("certificates.api.timestamps: { embedded: 2, tlsExtension: 1 }")
        == "embedded of Log 1, embedded of Log 2, tls of Log 3")
    #expect(try Self.delivered("certificates.api.timestamps: 0") == "none")
    let unknown = try Self.play("certificates.api.timestamps: null").outcome
    #expect(unknown.verdict.word == .accepted)
    #expect(
      unknown.findings.first { $0.rule.id == "chain.certificate-transparency" }?.outcome == .notEvaluated)
  }

  static let texts = [
    BadText(
      "a log without an SCT", "logs: { Alfa: {} }", 1, 9, ""),
    BadText(
      "an unknown state", "logs: { Alfa: { state: frozen } }", 1, 24, "'frozen'"),
  ]

  @Test("an error in the words of logs and SCTs has its place", arguments: texts)
  func told(_ text: BadText) throws { try text.isTold() }
}

@Suite("Certificates that were logged before they were issued")
struct PrecertificateTests {
  @Test("no client accepts the precertificate, and the issued certificate matches it")
  func poison() throws {
    let simulation = try Lab.play(
      "certificates: { api: { issuer: Issuing, names: [api.example], timestamps: 1 } }\nserver: { presents: [api, Issuing] }"
    ).simulation
    let path = try #require(simulation.accounts[0].client.evaluation?.path)
    #expect(path[0].isPrecertificate == false && path[0].embeddedSCTs != nil)
    let entry = try #require(LogEntry(embeddedIn: path[0], issuer: path[1]))
    guard case .precertificate(_, let tbs) = entry else {
      Issue.record("the entry is of no precertificate")
      return
    }
    #expect(tbs == path[0].tbsCertificate(removing: .sctList))
  }
}
