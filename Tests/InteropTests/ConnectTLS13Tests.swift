import Foundation
import Oracles
import Rendering
import Testing

@Suite("The report of connect about TLS 1.3", .needs(.openssl))
struct ConnectTLS13Tests {
  /// The run of a connection to `openssl s_server` with these options, whose certificate the client trusts.
  private func run(_ options: String, _ more: String...) throws -> JSONValue {
    let identity = try #require(SelfSigned.folder)
    let server = try PeerServer(
      openssl: ["-cert", "cert.pem", "-key", "key.pem", "-tls1_3"] + options.split(separator: " ").map(String.init),
      in: identity)
    defer { withExtendedLifetime(server) {} }
    let words = [
      "connect", "127.0.0.1:\(server.port)", "--server-name", "wrong.example", "--user-roots",
      identity.appendingPathComponent("cert.pem").path,
    ]
    return try JSONValue(reading: Array(try Program.run(words + more + ["--format", "json"]).output.utf8))
  }

  private func titles(_ run: JSONValue) -> [String] { (run["steps"]?.items ?? []).map { $0.text("title") } }

  /// The meanings of the fields of this name in the steps with this title, in order.
  private func meanings(_ field: String, in title: String, _ run: JSONValue) -> [String] {
    func found(_ fields: JSONValue?) -> [String] {
      (fields?.items ?? []).flatMap { ($0.text("name") == field ? [$0.text("meaning")] : []) + found($0["children"]) }
    }
    return (run["steps"]?.items ?? []).filter { $0.text("title") == title }
      .flatMap { found($0["fields"]) + found($0["plaintextFields"]) }
  }

  @Test(
    "the server's suite and group",
    arguments: ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"],
    ["X25519", "P-256", "P-384", "P-521"])
  func choices(_ suite: String, _ group: String) throws {
    let run = try run("-ciphersuites \(suite) -groups \(group)")
    #expect(run.text("verdict") == "accepted" && run.text("cipherSuite") == suite, "\(run["because"] ?? .null)")
    let names = ["X25519": "x25519", "P-256": "secp256r1", "P-384": "secp384r1", "P-521": "secp521r1"]
    let name = try #require(names[group])
    #expect(meanings("group", in: "ServerHello", run).map { String($0.prefix { $0 != " " }) } == [name])
    // Only the share of x25519 is in the first ClientHello of iOS 18.
    #expect(titles(run).contains("HelloRetryRequest") == (group != "X25519"))
    #expect(titles(run).count { $0 == "ClientHello" } == (group == "X25519" ? 1 : 2))
    let retry = meanings("selected_group", in: "HelloRetryRequest", run)
    #expect(retry.map { String($0.prefix { $0 != " " }) } == (group == "X25519" ? [] : [name]))
    #expect("\(run["steps"] ?? .null)".contains("shared_secret = ECDH(\(name))"))
    var schema = try Schema("run")
    try schema.check(run)
    #expect(schema.violations == [])
  }

  /// The run of a connection to a server of a scenario with TLS 1.3 and these settings.
  private func run(serving settings: String, os: String) throws -> JSONValue {
    let text = "server: { versions: [TLSv1.3], \(settings) }\nexpect: { verdict: accepted }\n"
    let file = try Program.folder(["tls13.yaml": Data(text.utf8)]).appendingPathComponent("tls13.yaml")
    let server = try ServingProgram(file.path)
    let port = try #require(server.ports["api.example"])
    let result = try Program.run(
      "connect", "127.0.0.1:\(port)", "--server-name", "api.example", "--roots", server.path("roots.pem"), "--os", os,
      "--format", "json")
    #expect(try server.stop().status == 0)
    return try JSONValue(reading: Array(result.output.utf8))
  }

  @Test("a cookie in HelloRetryRequest is returned")
  func cookie() throws {
    let run = try run(serving: "cookie: true", os: "iOS 18")
    #expect(run.text("verdict") == "accepted" && run.text("content") == "hello", "\(run["because"] ?? .null)")
    let hellos = ["HelloRetryRequest", "ClientHello"].map { meanings("extension", in: $0, run).contains("cookie") }
    #expect(hellos == [true, true])
  }

  @Test("tickets, and their keys", arguments: [0, 1, 4])
  func tickets(_ count: Int) throws {
    let run = try run("-num_tickets \(count)")
    #expect(titles(run).count { $0 == "NewSessionTicket" } == count && run.text("verdict") == "accepted")
    let values = (run["values"]?.items ?? []).map { $0.text("name") }
    #expect(values.filter { $0.hasPrefix("psk.") } == (0..<count).map { "psk.\($0 + 1)" }, "\(values)")
  }

  @Test("the application protocol and a request for a certificate are in encrypted messages")
  func encrypted() throws {
    let run = try run("-alpn http/1.1 -verify 1")
    #expect(run.text("verdict") == "accepted" && titles(run).contains("CertificateRequest"), "\(titles(run))")
    #expect(meanings("extension", in: "EncryptedExtensions", run) == ["application_layer_protocol_negotiation"])
    #expect(titles(run).count { $0 == "Certificate" } == 2, "the client's is empty")
  }

  @Test("a ticket that permits early data says how much", .needs(.python))
  func earlyData() throws {
    let identity = try #require(SelfSigned.folder)
    let server = try PeerServer("early", identity.path)
    let result = try Program.run(
      "connect", "127.0.0.1:\(server.port)", "--server-name", "wrong.example", "--user-roots",
      identity.appendingPathComponent("cert.pem").path, "--format", "json")
    withExtendedLifetime(server) {}
    let run = try JSONValue(reading: Array(result.output.utf8))
    #expect(run.text("content") == "hi", "\(run["because"] ?? .null)")
    #expect(Set(meanings("max_early_data_size", in: "NewSessionTicket", run)) == ["1000"])
  }

  // RFC 8446 sections 4.1.1 and 4.4.2.2: handshake_failure does not say which parameter is missing.
  @Test("a server without a common group, suite or scheme may lack any of them", arguments: ["-groups X448"])
  func parameters(_ options: String) throws {
    let run = try run(options)
    #expect(run.text("verdict") == "refused")
    let rule = (run["rules"]?.items ?? []).first { $0.text("id") == "handshake.no-common-suite" }
    #expect(rule?.text("clause") == "RFC 8446 section 4.1.1", "\(run["because"] ?? .null)")
  }

  @Test("a hybrid key exchange with a server of a scenario")
  func hybrid() throws {
    let settings = "groups: [X25519MLKEM768]"
    let run = try run(serving: settings, os: "iOS 26")
    #expect(run.text("verdict") == "accepted" && run.text("content") == "hello", "\(run["because"] ?? .null)")
    #expect(meanings("group", in: "ServerHello", run).map { String($0.prefix { $0 != " " }) } == ["X25519MLKEM768"])
    #expect(!titles(run).contains("HelloRetryRequest"), "the share is in the first ClientHello of iOS 26")
    // The ClientHello of iOS 18 has no such group.
    let refused = try self.run(serving: settings, os: "iOS 18")
    #expect(refused.text("verdict") == "refused" && refused.text("layer") == "handshake", "\(refused)")
  }
}
