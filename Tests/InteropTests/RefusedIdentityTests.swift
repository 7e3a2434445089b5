import Foundation
import Oracles
import Rendering
import Testing

/// Alerts of servers that refuse a client's certificate. Their meaning was worked out from RFC 5246 section 7.2.2 and
/// from OpenSSL (X509_verify_cert's errors in statem_lib.c).
@Suite("Servers that refuse a client's certificate")
struct RefusedIdentityTests {
  /// A certificate of `FaultyChains`, the other certificates sent with it, and the result.
  private struct Shown {
    let name: String
    var beside: String?
    var verdict = "refused"
    var because: [String] = []
    var codes: [String] = []
    var says = "✗ refused"
  }

  private static let shown: [Shown] = [
    Shown(name: "client", beside: "issuing", verdict: "accepted", says: "✓ accepted"),
    Shown(name: "client-expired", beside: "issuing", because: ["client-auth.expired"], codes: ["-1205", "-9828"]),
    Shown(name: "client-revoked", beside: "issuing", because: ["client-auth.revoked"], codes: ["-1205", "-9827"]),
    // The played counterparts that send their root, or nothing, are refused in the same way: L13-05, L1-11.
    Shown(name: "client-stray", beside: "other", because: ["client-auth.no-anchor"], codes: ["-1205", "-9831"]),
    Shown(name: "client-stray", because: ["client-auth.no-issuer"], codes: ["-1205", "-9831"]),
    Shown(name: "other", because: ["client-auth.self-signed"], codes: ["-1205", "-9831"]),
    // unsupported_certificate has several meanings; for a server-only certificate (RFC 5280 section 4.2.1.12) it likely
    // means that.
    Shown(
      name: "good", beside: "issuing", because: ["client-auth.extended-key-usage"], codes: ["-1205", "-9826"]),
  ]

  /// 2026-06-01, as `FaultyChains.date`.
  private static let moment = "1780272000"

  /// The PKCS #12 file of a certificate in `folder`.
  private func identity(_ shown: Shown, in folder: URL) throws -> String {
    let file = try Program.folder([:]).appendingPathComponent("me.p12").path
    let key = shown.name == "other" ? "other.key" : "leaf.key"
    let beside = shown.beside.map { ["-certfile", "\($0).pem"] } ?? []
    try #require(
      OtherPrograms.openssl(
        ["pkcs12", "-export", "-in", "\(shown.name).pem", "-inkey", key] + beside
          + ["-passout", "pass:test", "-out", file], in: folder))
    return file
  }

  private func words(_ port: Int, _ roots: String, _ identity: String, _ passphrase: String) -> [String] {
    [
      "connect", "127.0.0.1:\(port)", "--server-name", "api.example", "--roots", roots, "--identity", identity,
      "--passphrase", passphrase,
    ]
  }

  /// The output for a connection: verdict, rules, and the codes of the errors.
  private func told(_ words: [String]) throws -> (verdict: String, because: [String], codes: [String], run: JSONValue) {
    let run = try JSONValue(reading: Array(Program.run(words + ["--format", "json"]).output.utf8))
    let because = (run["because"]?.items ?? []).map { if case .string(let rule) = $0 { rule } else { "" } }
    let codes = (run["errors"]?.items ?? []).map { if case .integer(let code)? = $0["code"] { "\(code)" } else { "" } }
    return (run.text("verdict"), because, codes, run)
  }

  @Test("an unambiguous alert names the rule, and the error equals the played run's", .needs(.openssl))
  func alerts() throws {
    let folder = try #require(FaultyChains.folder)
    let server = try PeerServer(
      openssl: [
        "-cert", "good.pem", "-cert_chain", "issuing.pem", "-key", "leaf.key", "-Verify", "3", "-verify_return_error",
        "-CAfile", "trusted.pem", "-CRL", "issuing.crl", "-crl_check", "-attime", Self.moment, "-tls1_2",
      ], in: try withAuthorities(folder))
    for shown in Self.shown {
      let file = try identity(shown, in: folder)
      let words =
        words(server.port, folder.appendingPathComponent("root.pem").path, file, "test")
        + ["--now", FaultyChains.date]
      let told = try told(words)
      #expect(told.verdict == shown.verdict && told.because == shown.because, "\(shown.name): \(told.run)")
      #expect(told.codes == shown.codes, "\(shown.name): \(told.codes)")
      let said = try Program.run(words).output
      #expect(said.contains(shown.says), "\(shown.name): \(said)")
      if shown.because.contains(where: { $0.hasPrefix("client-auth.") }) {
        #expect("\(told.run)".contains("likely: "), "\(shown.name)")
      }
    }
    withExtendedLifetime(server) {}
  }

  /// The folder, with the server's trusted CAs in one file, so clients need not send intermediates.
  private func withAuthorities(_ folder: URL) throws -> URL {
    let trusted = try ["root.pem", "issuing.pem"].map {
      try Data(contentsOf: folder.appendingPathComponent($0))
    }
    try Data(trusted.joined()).write(to: folder.appendingPathComponent("trusted.pem"))
    return folder
  }

  @Test(
    "a scenario's server on a real socket is reported as in its run",
    arguments: [("L13-05", ""), ("L13-05", "renewed"), ("L13-05", "not valid before tomorrow"), ("L1-11", "")])
  func twins(id: String, name: String) throws {
    let choice = name.isEmpty ? [] : ["--case", name]
    let server = try ServingProgram(id, options: choice)
    let folder = try Program.folder([:]).path
    #expect(try Program.run(["pki", "export", id, "--output", folder, "--now"] + choice).status == 0)
    let port = try #require(server.ports["api.example"])
    let live = try told(words(port, "\(folder)/roots.pem", "\(folder)/alice.p12", "trustlab"))
    let played = try told(["run", id] + choice)
    #expect(live.verdict == played.verdict && live.because == played.because, "\(live.run)")
    #expect(live.codes == played.codes && (live.verdict == "accepted" || live.codes.first == "-1205"), "\(live.codes)")
  }
}
