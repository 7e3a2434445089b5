import Foundation
import Oracles
import Rendering
import Testing

/// Servers whose deciding property the played client cannot observe, or that agree to nothing.
@Suite("Properties that real servers do not show")
struct UnseenServerTests {
  /// `openssl s_server` with an untrusted self-signed certificate.
  private func untrusted(_ more: String...) throws -> PeerServer {
    let folder = try #require(SelfSigned.folder)
    return try PeerServer(openssl: ["-cert", "cert.pem", "-key", "key.pem"] + more, in: folder)
  }

  private func json(_ words: [String]) throws -> (answer: JSONValue, status: Int32) {
    let result = try Program.run(words + ["--format", "json"])
    return (try JSONValue(reading: Array(result.output.utf8)), result.status)
  }

  /// An Info.plist with one key for `api.example`.
  private func plist(_ key: String, _ value: String) throws -> String {
    let text = """
      <plist version="1.0"><dict><key>NSAppTransportSecurity</key><dict><key>NSExceptionDomains</key><dict>
      <key>api.example</key><dict><key>\(key)</key>\(value)</dict></dict></dict></dict></plist>
      """
    return try Program.folder(["Info.plist": Data(text.utf8)]).appendingPathComponent("Info.plist").path
  }

  /// A server that runs `act` with every `peer` after its hello.
  private func server(_ act: String) throws -> PeerServer {
    try PeerServer(
      python: """
        import socket, time
        listener = socket.create_server(('127.0.0.1', 0))
        print('ACCEPT 127.0.0.1:%d' % listener.getsockname()[1])
        held = []
        while True:
            peer, _ = listener.accept(); held.append(peer)
            peer.recv(4096)
            \(act)
        """)
  }

  @Test("a plist that requires TLS 1.3 leaves an offer of TLS 1.3 alone", .needs(.openssl))
  func onlyNewest() throws {
    let minimum = ["--plist", try plist("NSExceptionMinimumTLSVersion", "<string>TLSv1.3</string>")]
    for options in [[], ["-tls1_3"]] {
      let folder = try #require(SelfSigned.folder)
      let server = try PeerServer(openssl: ["-cert", "cert.pem", "-key", "key.pem"] + options, in: folder)
      let words = ["connect", "127.0.0.1:\(server.port)", "--server-name", "api.example", "--os", "iOS 17"] + minimum
      let (run, status) = try json(words)
      #expect(run.text("verdict") == "refused" && run.text("layer") == "chain" && status == 1, "\(run)")
      let shown = try Program.run(words)
      #expect(shown.output.contains("EncryptedExtensions"), "\(shown.output)")
      withExtendedLifetime(server) {}
    }
    // A server without TLS 1.3 is refused for that, as on the device.
    let old = try untrusted("-tls1_2")
    let words = ["connect", "127.0.0.1:\(old.port)", "--server-name", "api.example", "--os", "iOS 17"]
    let (refused, _) = try json(words + minimum)
    #expect(refused.text("verdict") == "refused" && refused["because"] == ["ats.tls-version"], "\(refused)")
    // Without the plist's key TLS 1.2 is used, and the certificate fails.
    #expect(try json(words).answer.text("layer") == "chain")
    withExtendedLifetime(old) {}
  }

  @Test(
    "the certificates of TLS 1.3 are judged like those of TLS 1.2", .needs(.openssl), arguments: ["-tls1_2", "-tls1_3"])
  func seen(_ version: String) throws {
    let server = try untrusted(version)
    let place = ["--connect-to", "127.0.0.1:\(server.port)"]
    let words = ["ats", "diagnostics", "https://api.example/"] + place
    let strict = try Program.run(words + ["--strict-layout"])
    #expect(strict.status == 1 && !strict.output.contains("PASS\n") && strict.output.contains("Result : FAIL"))
    let (answer, status) = try json(words)
    #expect(answer["passes"] == false && status == 1, "\(answer)")
    var schema = try Schema("ats-diagnostics")
    try schema.check(answer)
    #expect(schema.violations == [])
    let minimal = ["ats", "minimal", "--live", "--url", "https://api.example/", "--os", "iOS 17"] + place
    let (least, _) = try json(minimal)
    #expect(least.text("outcome") == "impossible", "\(least)")
    var other = try Schema("ats-minimal")
    try other.check(least)
    #expect(other.violations == [])
    let verified = try Program.run("verify", "--connect", "127.0.0.1:\(server.port)", "--host", "api.example")
    #expect(verified.status == 1, "\(verified.errors)")
    withExtendedLifetime(server) {}
  }

  @Test(
    "a server that agrees to nothing fails every test, and the cause is named", .needs(.python),
    arguments: [
      ("peer.sendall(b'\\x15\\x03\\x01\\0\\x02\\x02\\x28')", "handshake_failure", "handshake.no-common-suite"),
      ("peer.sendall(b'\\x15\\x03\\x01\\0\\x02\\x02\\x50')", "internal_error", "handshake.fatal-alert"),
      ("peer.close()", "127.0.0.1", "record.truncated"),
      ("peer.sendall(b'\\x15\\x03\\x01\\0\\x02\\x01\\0')", "close_notify", "record.closed-early"),
    ])
  func refusing(act: String, said: String, rule: String) throws {
    let server = try server(act)
    let words = ["ats", "diagnostics", "https://api.example/", "--connect-to", "127.0.0.1:\(server.port)"]
    let result = try Program.run(words)
    #expect(result.status == 1, "\(result.output)\(result.errors)")
    #expect(result.output.split(separator: "\n").count { $0 == "Result : FAIL" } == 16, "\(result.output)")
    #expect(result.errors.contains(said) && result.output.contains(rule), "\(result.output)\(result.errors)")
    withExtendedLifetime(server) {}
  }

  @Test("a server without a readable certificate is reported without keys or CAs of the substitute", .needs(.python))
  func nobody() throws {
    for (shown, rule) in [(["bytes.fromhex('3003616263')"], "chain.malformed"), ([], "handshake.illegal-parameter")] {
      let server = try PeerServer(choosing: "0303", "c02f", presenting: shown)
      let words = ["connect", "127.0.0.1:\(server.port)", "--server-name", "api.example"]
      let (run, status) = try json(words)
      #expect(run["because"] == [.string(rule)] && status == 1, "\(run)")
      #expect(run["knownToNobody"] == [], "\(run)")
      #expect(run["knowledge"]?["server"] == ["client_random", "client_ecdh_public", "server_random"], "\(run)")
      for format in ["text", "html", "markdown"] {
        let told = try Program.run(words + ["--format", format]).output
        #expect(!["Root A", "Issuing", "api.key"].contains(where: told.contains), "\(told)")
        #expect(told.contains("server_random"), "\(told)")
      }
      withExtendedLifetime(server) {}
    }
  }

  @Test("an invalid certificate is reported with the byte at which reading ends", .needs(.python))
  func unreadable() throws {
    let server = try PeerServer(choosing: "0303", "c02f", presenting: ["bytes.fromhex('3003616263')"])
    let (run, _) = try json(["connect", "127.0.0.1:\(server.port)", "--server-name", "api.example"])
    let finding = try #require(run.findings(of: "chain.malformed").first)
    let rule = try #require(run["rules"]?.items?.first { $0.text("id") == "chain.malformed" })
    #expect(rule.text("clause") == "RFC 5280 section 4.1" && finding.text("required") == "tbsCertificate in DER")
    #expect(finding.text("found") == "byte 2: tbsCertificate: tag 0x61 instead of SEQUENCE")
    #expect(!rule.text("fix").contains("extension"), "\(rule)")
    withExtendedLifetime(server) {}
  }

  @Test("a server without ECDHE and RSA key exchange agrees to nothing that systems offer", .needs(.openssl))
  func finiteFields() throws {
    let server = try untrusted("-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256")
    let result = try Program.run(
      "ats", "diagnostics", "https://api.example/", "--connect-to", "127.0.0.1:\(server.port)", "--strict-layout")
    #expect(result.status == 1 && result.output.contains("Result : FAIL") && !result.output.contains("PASS\n"))
    withExtendedLifetime(server) {}
    // A server that cannot be reached is not reported as failing.
    let absent = try Program.run("ats", "diagnostics", "https://api.example/", "--connect-to", "127.0.0.1:1")
    #expect(absent.status == 2, "\(absent.output)")
  }

  @Test(
    "if the server selects h2, the verdict about trust is the same", .needs(.openssl),
    arguments: ["-tls1_2", "-tls1_3"])
  func protocols(_ version: String) throws {
    let server = try untrusted(version, "-alpn", "h2")
    let words = ["connect", "127.0.0.1:\(server.port)", "--server-name", "api.example"]
    let (run, status) = try json(words)
    #expect(run.text("verdict") == "refused" && run.text("layer") == "chain" && status == 1, "\(run)")
    // With HTTP/1.1 the evaluation is the same.
    let other = try untrusted(version, "-alpn", "http/1.1")
    let refused = try json(["connect", "127.0.0.1:\(other.port)", "--server-name", "api.example"]).answer
    #expect(refused["because"] == run["because"] && refused["errors"] == run["errors"], "\(run["errors"] ?? .null)")
    withExtendedLifetime(other) {}
    withExtendedLifetime(server) {}
  }

  @Test("a server that supports none of the system's protocols is refused for that", .needs(.openssl))
  func noProtocol() throws {
    let server = try untrusted("-tls1_2", "-alpn", "imap")
    let run = try json(["connect", "127.0.0.1:\(server.port)", "--server-name", "api.example"]).answer
    #expect(run["because"] == ["handshake.no-application-protocol"], "\(run)")
    withExtendedLifetime(server) {}
  }

  @Test("a server without a host of the name is refused for the name", .needs(.openssl))
  func names() throws {
    let server = try untrusted(
      "-tls1_2", "-servername", "other.example", "-servername_fatal", "-cert2", "cert.pem", "-key2", "key.pem")
    let words = ["connect", "127.0.0.1:\(server.port)", "--server-name"]
    let run = try json(words + ["api.example"]).answer
    #expect(run["because"] == ["handshake.unrecognized-name"] && "\(run)".contains("unrecognized_name"), "\(run)")
    #expect(try json(words + ["other.example"]).answer.text("layer") == "chain")
    withExtendedLifetime(server) {}
    // As a warning the alert ends nothing: RFC 6066 section 3.
    let lenient = try untrusted("-tls1_2", "-servername", "other.example", "-cert2", "cert.pem", "-key2", "key.pem")
    let warned = try json(["connect", "127.0.0.1:\(lenient.port)", "--server-name", "api.example"]).answer
    #expect(warned.text("layer") == "chain" && "\(warned)".contains("unrecognized_name"), "\(warned)")
    withExtendedLifetime(lenient) {}
  }

  @Test("a connection that just ends has no code of an alert", .needs(.python))
  func closed() throws {
    let server = try server("peer.close()")
    let (run, _) = try json(["connect", "127.0.0.1:\(server.port)"])
    #expect(run["because"] == ["record.truncated"])
    let text = "\(run["errors"] ?? .null)"
    #expect(text.contains("-9816") && !text.contains("-9802"), "\(text)")
    withExtendedLifetime(server) {}
  }

  @Test("a close_notify in the handshake is no fatal alert, in every command", .needs(.python))
  func closing() throws {
    let server = try server("peer.sendall(b'\\x15\\x03\\x01\\0\\x02\\x01\\0')")
    let (run, _) = try json(["connect", "127.0.0.1:\(server.port)"])
    #expect(run["because"] == ["record.closed-early"], "\(run)")
    let text = "\(run["errors"] ?? .null)"
    #expect(text.contains("-9805") && !text.contains("-9802"), "\(text)")
    let minimal = ["ats", "minimal", "--live", "--url", "https://api.example/", "--os", "iOS 17"]
    let least = try Program.run(minimal + ["--connect-to", "127.0.0.1:\(server.port)"])
    #expect((least.output + least.errors).contains("record.closed-early"), "\(least.output)\(least.errors)")
    withExtendedLifetime(server) {}
  }

  @Test(
    "a redirect to plain HTTP is reported, and that no delegate gets the client challenge", .needs(.python))
  func redirect() throws {
    let folder = try #require(FaultyChains.folder)
    let server = try PeerServer(
      presenting: ["good.pem", "issuing.pem"].map(folder.appendingPathComponent),
      key: folder.appendingPathComponent("leaf.key"),
      settings: [
        "context.verify_mode = ssl.CERT_OPTIONAL", "context.load_verify_locations('\(folder.path)/root.pem')",
      ], answering: ["HTTP/1.1 301 Moved", "Location: http://api.example/", "Content-Length: 0"])
    let words = [
      "connect", "127.0.0.1:\(server.port)", "--server-name", "api.example", "--now", FaultyChains.date,
      "--roots", folder.appendingPathComponent("root.pem").path,
    ]
    let plain = try Program.run(words)
    // This connection is accepted; its redirect is blocked for the app.
    #expect(plain.status == 0 && plain.output.contains("✓ accepted"), "\(plain.output)\(plain.errors)")
    #expect(plain.output.contains("ats.insecure-http (advises only)") && plain.output.contains("-1022"))
    let excepted = try plist("NSExceptionAllowsInsecureHTTPLoads", "<true/>")
    let open = try Program.run(words + ["--plist", excepted])
    #expect(open.status == 0 && !open.output.contains("ats.insecure-http (advises only)"), "\(open.output)")
    withExtendedLifetime(server) {}
  }
}
