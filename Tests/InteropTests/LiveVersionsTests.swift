import Foundation
import Oracles
import Rendering
import Testing

@Suite("Real servers with TLS 1.3 next to TLS 1.2")
struct LiveVersionsTests {
  /// A server of both versions whose only TLS 1.2 suite no Apple system offers.
  private func server() throws -> (server: PeerServer, roots: String) {
    let folder = try #require(FaultyChains.folder)
    let server = try PeerServer(
      openssl: [
        "-cert", "good.pem", "-cert_chain", "issuing.pem", "-key", "leaf.key", "-cipher", "ECDHE-ECDSA-AES128-CCM",
      ], in: folder)
    return (server, folder.appendingPathComponent("root.pem").path)
  }

  private func run(_ server: (server: PeerServer, roots: String), _ more: [String]) throws -> JSONValue {
    let words = [
      "connect", "127.0.0.1:\(server.server.port)", "--server-name", "api.example", "--now", FaultyChains.date,
      "--roots", server.roots, "--format", "json",
    ]
    return try JSONValue(reading: Array(try Program.run(words + more).output.utf8))
  }

  private func because(_ run: JSONValue) -> [String] {
    (run["because"]?.items ?? []).compactMap { if case .string(let text) = $0 { text } else { nil } }
  }

  @Test(
    "a system with TLS 1.3 is accepted; without it, the suites are to blame",
    .needs(.openssl))
  func chosen() throws {
    let server = try server()
    let newest = try run(server, ["--os", "iOS 18.4"])
    #expect(newest.text("verdict") == "accepted" && because(newest).isEmpty, "\(because(newest))")
    #expect(newest.text(pretty: true).contains("EncryptedExtensions"))
    // RFC 5246 section 7.4.1.3: handshake_failure is about suites, and protocol_version about versions.
    for more in [["--os", "iOS 11"], ["--os", "iOS 18.4", "--versions", "TLSv1.2"]] {
      let older = try run(server, more)
      #expect(because(older) == ["handshake.no-common-suite"], "\(more): \(because(older))")
    }
    withExtendedLifetime(server) {}
  }

  @Test(
    "a TLS 1.3 server without a common suite or group is refused for that",
    .needs(.openssl), arguments: [["-ciphersuites", "TLS_AES_128_CCM_SHA256"], ["-groups", "X448"]])
  func narrow(_ options: [String]) throws {
    let folder = try #require(FaultyChains.folder)
    let server = try PeerServer(
      openssl: ["-cert", "good.pem", "-cert_chain", "issuing.pem", "-key", "leaf.key", "-tls1_3"] + options, in: folder)
    let run = try run((server, folder.appendingPathComponent("root.pem").path), ["--os", "iOS 18.4"])
    #expect(because(run) == ["handshake.no-common-suite"], "\(because(run))")
    withExtendedLifetime(server) {}
  }

  @Test("the alert of a server of TLS 1.3 alone is the reason", .needs(.openssl))
  func alert() throws {
    let folder = try #require(FaultyChains.folder)
    let other = ["-servername", "foo.example", "-servername_fatal", "-cert2", "good.pem", "-key2", "leaf.key"]
    let server = try PeerServer(
      openssl: ["-cert", "good.pem", "-cert_chain", "issuing.pem", "-key", "leaf.key", "-tls1_3"] + other, in: folder)
    let run = try run((server, folder.appendingPathComponent("root.pem").path), ["--os", "iOS 18.4"])
    // RFC 6066 section 3; the version is in common, since the response was not protocol_version.
    #expect(because(run) == ["handshake.unrecognized-name"], "\(because(run))")
    withExtendedLifetime(server) {}
  }

  @Test("a server of TLS 1.0 with RSA key exchange is not reported as TLS 1.3", .needs(.openssl))
  func oldest() throws {
    let folder = try #require(SelfSigned.folder)
    let server = try PeerServer(
      openssl: ["-cert", "cert.pem", "-key", "key.pem", "-tls1", "-cipher", "kRSA:@SECLEVEL=0"], in: folder)
    let run = try JSONValue(
      reading: Array(
        try Program.run(
          "connect", "127.0.0.1:\(server.port)", "--server-name", "wrong.example", "--roots",
          folder.appendingPathComponent("cert.pem").path, "--os", "iOS 18.4", "--format", "json"
        ).output.utf8))
    // Without App Transport Security the system would have agreed, so its requirements are the reason.
    #expect(because(run) == ["ats.tls-version", "ats.no-forward-secrecy"], "\(because(run))")
    #expect(!run.text(pretty: true).contains("speaks only TLS 1.3"))
    withExtendedLifetime(server) {}
  }

  @Test(
    "named suites that such a server does not support are refused, whatever the system offers", .needs(.openssl))
  func named() throws {
    let server = try server()
    let one = try run(server, ["--suites", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"])
    #expect(one.text("verdict") == "refused" && because(one) == ["handshake.no-common-suite"], "\(because(one))")
    withExtendedLifetime(server) {}
  }
}
