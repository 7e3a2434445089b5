import Explanation
import Oracles
import PKIX
import Scenarios
import Testing
import Trust

@Suite("The certificates of scenarios as files")
struct ExportTests {
  private static let weak = """
    authorities:
      Root A: { key: rsa-1024, trust: system }
      Root/A: { issuer: Root A, pathLength: 0 }
    certificates:
      "../api key": { issuer: Root/A, names: [api.example], key: ec-p256 }
    server: { presents: ["../api key", Root/A] }
    """

  private func export(_ text: String, now: Instant? = nil) throws -> PKIExport {
    try Lab.player.export(of: try #require(try Lab.read(text).cases.first), now: now)
  }

  private func bytes(_ name: String, of export: PKIExport) throws -> [UInt8] {
    try #require(export.files.first { $0.name == name }, "\(name)").bytes
  }

  @Test("openssl reads every certificate, key and PKCS #12 file", arguments: ["L1-01", "L3-01", "L4-01"])
  func reading(id: String) throws {
    let library = try Lab.library()
    let path = try #require(library.path(ofID: id))
    let export = try Lab.player.export(of: try #require(try library.file(at: path).cases.first))
    try read(export)
    #expect(export.files.contains { $0.name.hasSuffix(".p12") })
  }

  @Test("openssl also reads certificates with elliptic-curve and short keys")
  func otherKeys() throws { try read(export(Self.weak)) }

  private func read(_ export: PKIExport) throws {
    let openssl = try OpenSSL()
    for file in export.files {
      try openssl.write(file.name, file.bytes)
      let command: [String]
      if file.name.hasSuffix(".key.pem") {
        command = ["pkey", "-check", "-noout", "-in", file.name]
      } else if file.name.hasSuffix(".p12") {
        command = ["pkcs12", "-noout", "-in", file.name, "-passin", "pass:\(PKIExport.passphrase)"]
      } else {
        command = ["x509", "-noout", "-inform", file.name.hasSuffix(".der") ? "DER" : "PEM", "-in", file.name]
      }
      let answer = try openssl.run(command)
      #expect(answer.status == 0, "\(file.name): \(answer.output)")
      #expect(file.isSecret == (file.name.hasSuffix(".key.pem") || file.name.hasSuffix(".p12")))
    }
  }

  @Test("a PKCS #12 file opens only with its passphrase, and holds the certificate's key")
  func archive() throws {
    let export = try export("title: the baseline")
    let openssl = try OpenSSL()
    try openssl.write("api.p12", try bytes("api.p12", of: export))
    let command = ["pkcs12", "-in", "api.p12", "-noenc", "-out", "all.pem", "-passin"]
    #expect(try openssl.run(command + ["pass:wrong"]).status != 0)
    #expect(try openssl.run(command + ["pass:\(PKIExport.passphrase)"]).status == 0)
    let key = try openssl.run("pkey", "-in", "all.pem", "-pubout").output
    #expect(try openssl.run("x509", "-in", "all.pem", "-pubkey", "-noout").output == key)
    let certificates = try Certificate.certificates(inPEMOrDER: openssl.read("all.pem"))
    #expect(certificates.map(\.displayName) == ["api.example", "Issuing"])
  }

  @Test("a client's PKCS #12 file holds the chain that the client sends")
  func identities() throws {
    func packed(_ name: String, of scenario: String) throws -> [String] {
      let file = try bytes("\(name).p12", of: Lab.player.export(of: Lab.scenario(named: scenario)))
      let contents = try PKCS12.Archive(file).open(.init(PKIExport.passphrase))
      return try contents.certificates.map { try Certificate(der: $0.der).displayName }
    }
    #expect(try packed("alice", of: "L1-11") == ["alice", "Desk"])
    #expect(try packed("api", of: "L1-11") == ["api.example", "Issuing"])
    #expect(try packed("alice", of: "L1-11/a certificate without those that vouch for it") == ["alice", "Members"])
    // No client presents these certificates here; they are packed for a client. The issuer of mallory is a root.
    #expect(try packed("mallory", of: "L1-11") == ["mallory"])
    #expect(try packed("alice", of: "L1-11/the server demands one, and the client has none") == ["alice", "Desk"])
    #expect(try packed("Members", of: "L1-11") == ["Members"])
  }

  @Test("names that are no valid file names are replaced, and all are different")
  func names() throws {
    let export = try export(Self.weak)
    let names = export.files.map(\.name)
    #expect(Set(names.map { $0.lowercased() }).count == names.count)
    #expect(names.contains("Root-A.pem") && names.contains("Root-A-2.pem") && names.contains("api-key.chain.pem"))
    #expect(names.allSatisfy { $0.allSatisfy { $0.isLetter || $0.isNumber || "._-".contains($0) } })
  }

  @Test("a short key is marked in the listing and in its file")
  func marks() throws {
    let export = try export(Self.weak)
    let key = try #require(export.files.first { $0.name == "Root-A.key.pem" })
    #expect(key.content == "private key, RSA 1024 (weak)")
    #expect(String(decoding: key.bytes, as: UTF8.self).hasPrefix("Root A: RSA 1024 (weak)\n-----BEGIN"))
    #expect(export.files.first { $0.name == "api-key.key.pem" }?.content == "private key, EC P-256")
  }

  @Test("the same scenario gives the same bytes")
  func determinism() throws {
    #expect(try export("title: a").files.map(\.bytes) == export("title: a").files.map(\.bytes))
  }

  @Test("every date moves with the clock")
  func shifted() throws {
    let text = "clock: 2016-11-01T00:00:00Z"
    let now = try #require(Instant("2026-11-21"))
    let (then, later) = (try export(text), try export(text, now: now))
    for name in ["api.der", "Issuing.der", "Root-A.der"] {
      let (first, second) = (
        try Certificate(der: bytes(name, of: then)), try Certificate(der: bytes(name, of: later))
      )
      let moved = now.secondsSince1970 - then.date.secondsSince1970
      #expect(second.notBefore == first.notBefore.adding(seconds: moved))
      #expect(second.notAfter == first.notAfter.adding(seconds: moved))
      #expect(second.publicKey == first.publicKey)
    }
    #expect(later.date == now && later.remarks.isEmpty)
  }

  @Test("deciding settings of the scenario that no certificate contains are named")
  func omissions() throws {
    func omissions(_ name: String) throws -> [String] {
      try Lab.player.export(of: Lab.scenario(named: name)).omissions
    }
    #expect(try omissions("L3-01").isEmpty)
    for name in ["L4-06/as of the day on which it came", "L5-08", "L3-04/the client fetches it", "L3-21"] {
      #expect(try omissions(name).count == 1, "\(name)")
    }
  }

  @Test(
    "exported files get the same verdict as the scenario",
    arguments: Lab.sample)
  func agreement(name: String) throws { try check(try Lab.player.play(try Lab.scenario(named: name))) }

  /// Checks that the exported files get the verdict of the run, if it depends on the chain alone.
  func check(_ played: CaseResult) throws {
    let scenario = played.scenario
    guard scenario.calculation == nil else { return }
    let outcome = played.outcome
    guard played.simulation.plans.allSatisfy({ $0.interceptor == nil }) else { return }
    let export = try Lab.player.export(of: scenario)
    guard export.omissions.isEmpty else { return }
    guard let result = outcome.trustResult, let server = export.servers.first, export.servers.count == 1,
      let connection = scenario.connections.first, connection.client.revocation == .none,
      connection.client.mutant == nil, connection.client.serverTrust.anchors == nil, connection.client.delegate == nil,
      connection.client.serverTrust.delegate == .none,
      outcome.verdict.layer != .pin,
      // SCTs and OCSP responses that a server sends next to its chain are in files of their own.
      Set(outcome.verdict.because).isDisjoint(with: [.certificateTransparency, .revoked, .badStaple])
    else { return }
    func anchors(_ store: CertificateDescription.Store) throws -> [Certificate] {
      guard let file = export.roots[store] else { return [] }
      return try Certificate.certificates(inPEMOrDER: bytes(file, of: export))
    }
    let evaluation = TrustEvaluator(
      TrustRequirements(
        os: connection.client.os, date: export.date,
        store: TrustStore(
          system: try anchors(.system), user: try anchors(.user), installedNotTrusted: try anchors(.installedNotTrusted)
        ))
    ).evaluate(try Certificate.certificates(inPEMOrDER: bytes(server.chain, of: export)), host: server.host)
    #expect(evaluation.result.description == result)
    #expect(evaluation.path.count == outcome.path.count)
    let isTrust: (Rule) -> Bool = { $0.layer == .chain || $0.layer == .name }
    #expect(Set(evaluation.deciding) == Set(outcome.verdict.because.filter(isTrust)))
  }
}
