import Foundation
import Oracles
import Rendering
import Testing

@Suite("Handshakes with real servers")
struct ConnectTests {
  /// A server with the good chain of `FaultyChains`, and the options with which it is accepted.
  func good(_ more: String...) throws -> (server: PeerServer, words: [String]) {
    let folder = try #require(FaultyChains.folder)
    let server = try PeerServer(
      openssl: ["-cert", "good.pem", "-cert_chain", "issuing.pem", "-key", "leaf.key"] + more, in: folder)
    let words = [
      "connect", "127.0.0.1:\(server.port)", "--server-name", "api.example", "--now", FaultyChains.date,
      "--roots", folder.appendingPathComponent("root.pem").path,
    ]
    return (server, words)
  }

  func json(_ words: [String]) throws -> JSONValue {
    let result = try Program.run(words + ["--format", "json"])
    return try JSONValue(reading: Array(result.output.utf8))
  }

  func because(_ run: JSONValue) -> [String] {
    guard case .array(let rules)? = run["because"] else { return [] }
    return rules.map { if case .string(let text) = $0 { text } else { "" } }.sorted()
  }

  func outcome(of rule: String, in run: JSONValue) -> String {
    run.findings(of: rule).first?.text("outcome") ?? ""
  }

  @Test("a good server is accepted, with path, suite and response", .needs(.openssl))
  func accepted() throws {
    let (server, words) = try good()
    let result = try Program.run(words)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    for line in ["HTTP/1.0 200 ok", "api.example ← issuing ← root", "✓ accepted", "in force (default)"] {
      #expect(result.output.contains(line), "\(line)")
    }
    let run = try json(words)
    #expect(run.text("verdict") == "accepted" && run.text("seed") == "recorded")
    #expect(run.text("cipherSuite").hasPrefix("TLS_AES_"))
    var schema = try Schema("run")
    try schema.check(run)
    #expect(schema.violations == [])
    withExtendedLifetime(server) {}
  }

  @Test("three faults of one certificate are all named", .needs(.openssl))
  func faults() throws {
    let folder = try #require(SelfSigned.folder)
    let server = try PeerServer(openssl: ["-cert", "cert.pem", "-key", "key.pem"], in: folder)
    let place = ["connect", "127.0.0.1:\(server.port)", "--roots", folder.appendingPathComponent("cert.pem").path]
    let words = place + ["--server-name", "api.example", "--now", "2045-01-01"]
    // With its own certificate among the roots, only its expiry and its name remain wrong.
    #expect(because(try json(words)) == ["chain.expired", "name.mismatch"])
    let other = try #require(FaultyChains.folder).appendingPathComponent("root.pem").path
    let strict = try Program.run(words + ["--roots", other])
    #expect(strict.status == 1)
    let run = try json(Array(words.filter { !$0.hasSuffix("cert.pem") && $0 != "--roots" }) + ["--roots", other])
    #expect(because(run) == ["chain.expired", "chain.self-signed", "name.mismatch"])
    #expect(run.text("verdict") == "refused" && run.text("layer") == "chain")
    withExtendedLifetime(server) {}
  }

  @Test("one probe shows that suites removed by App Transport Security are the reason", .needs(.openssl))
  func blame() throws {
    let (server, words) = try good("-tls1_1", "-cipher", "DEFAULT:@SECLEVEL=0")
    #expect(because(try json(words)) == ["ats.tls-version"])
    let plist = try Program.folder([
      "Info.plist": Data(
        """
        <plist version="1.0"><dict><key>NSAppTransportSecurity</key><dict><key>NSExceptionDomains</key><dict>
        <key>api.example</key><dict><key>NSExceptionMinimumTLSVersion</key><string>TLSv1.1</string></dict></dict></dict>
        </dict></plist>
        """.utf8)
    ]).appendingPathComponent("Info.plist").path
    #expect(try json(words + ["--plist", plist]).text("verdict") == "accepted")
    withExtendedLifetime(server) {}
  }

  @Test("further faults seen by a probe are reported next to App Transport Security's reason", .needs(.openssl))
  func furtherFaults() throws {
    let (server, words) = try good("-tls1_1", "-cipher", "DEFAULT:@SECLEVEL=0")
    let late = words + ["--now", "2099-01-01"]
    let shown = try json(late)
    #expect(because(shown) == ["ats.tls-version"])
    #expect(outcome(of: "chain.expired", in: shown) == "violated", "\(shown)")
    let text = try Program.run(late).output
    #expect(text.contains("chain.expired"), "\(text)")
    // Before its expiry the same chain has no fault.
    #expect(!(try Program.run(words)).output.contains("chain.expired"))
    withExtendedLifetime(server) {}
  }

  @Test("if the further probe finds no server, the earlier results are still shown", .needs(.python))
  func lostProbe() throws {
    // It responds once, with the fatal alert handshake_failure, and exits.
    let server = try PeerServer(
      python: """
        import socket
        listener = socket.create_server(('127.0.0.1', 0))
        print('ACCEPT 127.0.0.1:%d' % listener.getsockname()[1], flush=True)
        peer, _ = listener.accept()
        listener.close()
        peer.recv(4096)
        peer.sendall(bytes.fromhex('15030300020228'))
        peer.close()
        """)
    let result = try Program.run("connect", "127.0.0.1:\(server.port)", "--timeout", "5")
    #expect(result.status == 1, "\(result.errors)")
    #expect(result.output.contains("handshake.no-common-suite"), "\(result.output)")
  }

  @Test("a server that accepts a connection and sends nothing is reported as such", .needs(.python))
  func silentSite() throws {
    let server = try PeerServer(
      python: """
        import socket, time
        listener = socket.create_server(('127.0.0.1', 0))
        print('ACCEPT 127.0.0.1:%d' % listener.getsockname()[1])
        peers = [listener.accept() for _ in range(3)]; time.sleep(60)
        """)
    let place = "127.0.0.1:\(server.port)"
    for words in [
      ["ats", "diagnostics", "https://\(place)/"], ["ats", "minimal", "--live", "--url", "https://\(place)/"],
      ["verify", "--connect", place],
    ] {
      let result = try Program.run(words + ["--timeout", "1"])
      #expect(result.status == 2 && result.output.isEmpty, "\(words)")
      #expect(result.errors.shows("ClientHello … 1 s"), "\(result.errors)")
    }
  }

  @Test("if a server sends no complete response, it is unknown whether the request arrived", .needs(.openssl, .python))
  func reached() throws {
    let folder = try #require(FaultyChains.folder)
    let server = try PeerServer(
      presenting: ["good.pem", "issuing.pem"].map(folder.appendingPathComponent),
      key: folder.appendingPathComponent("leaf.key"), answering: ["HTTP/1.1 200 OK", "Content-Length: 10"])
    let words = [
      "connect", "127.0.0.1:\(server.port)", "--now", FaultyChains.date, "--timeout", "2", "--roots",
      folder.appendingPathComponent("root.pem").path, "--server-name",
    ]
    let cut = try Program.run(words + ["api.example"])
    #expect(cut.status == 1 && cut.output.contains("– unknown"), "\(cut.output)")
    // A handshake that fails comes before any request.
    let refused = try Program.run(words + ["other.example"])
    #expect(refused.status == 1 && !refused.output.contains("– not known"), "\(refused.output)")
  }

  @Test("a server with TLS 1.3 alone is accepted, with its certificates", .needs(.openssl))
  func newest() throws {
    let (server, words) = try good("-tls1_3")
    let result = try Program.run(words)
    #expect(result.status == 0, "\(result.output)")
    // OpenSSL uses the first common suite of the client, unless -serverpref is set.
    #expect(result.output.contains("TLS_AES_128_GCM_SHA256"), "\(result.output)")
    for step in ["EncryptedExtensions", "CertificateVerify", "NewSessionTicket"] {
      #expect(result.output.contains(step), "\(result.output)")
    }
    let shown = try json(words)
    #expect(because(shown) == [] && shown.text("verdict") == "accepted")
    #expect(outcome(of: "ats.tls-version", in: shown) == "satisfied")
    // The substitute server's keys are no result.
    #expect(shown["errors"] == [], "\(shown)")
    #expect(!result.output.contains("api.key") && !result.output.contains("Root A.key"))
    // iOS 10 does not support TLS 1.3, nor does a client that offers TLS 1.2 alone: RFC 8446 section 4.2.1.
    for more in [["--os", "iOS 10"], ["--versions", "TLSv1.2"]] {
      #expect(because(try json(words + more)) == ["handshake.no-common-version"], "\(more)")
    }
    withExtendedLifetime(server) {}
  }

  @Test("versions and suites of TLS 1.3 can be named", .needs(.openssl))
  func namedTLS13() throws {
    let (server, words) = try good()
    for more in [["--versions", "TLSv1.3"], ["--suites", "TLS_CHACHA20_POLY1305_SHA256"]] {
      let shown = try Program.run(words + more)
      #expect(shown.status == 0 && shown.output.contains("EncryptedExtensions"), "\(shown.output)")
    }
    let older = try Program.run(words + ["--suites", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"])
    #expect(older.status == 0 && older.output.contains("ServerKeyExchange"), "\(older.output)")
    withExtendedLifetime(server) {}
  }

  @Test("tshark opens a connection of TLS 1.3 with the written key log", .needs(.openssl, .tshark))
  func captureOfTLS13() throws {
    let (server, words) = try good("-tls1_3")
    let folder = try Program.folder([:])
    let (keys, packets) = (folder.appendingPathComponent("keys"), folder.appendingPathComponent("pcap"))
    let result = try Program.run(words + ["--keylog", keys.path, "--pcap", packets.path])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    let log = try String(contentsOf: keys, encoding: .utf8)
    #expect(!log.contains("CLIENT_RANDOM ") && log.contains("SERVER_TRAFFIC_SECRET_0"))
    let answer = try Tshark.read(
      Array(try Data(contentsOf: packets)), keyLog: log,
      ["-Y", "http.request", "-T", "fields", "-e", "http.request.uri"])
    #expect(answer.output.split { $0.isWhitespace } == ["/"], "\(answer)")
    withExtendedLifetime(server) {}
  }

  @Test("options set the versions, suites and system of the offer", .needs(.openssl))
  func offers() throws {
    let (server, words) = try good("-cipher", "DEFAULT:@SECLEVEL=0")
    let old = ["--os", "iOS 8", "--versions", "TLSv1.0", "--suites", "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA"]
    #expect(try json(words + old).text("cipherSuite") == "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA")
    let output = try Program.run(words + old).output
    #expect(output.contains("TLSv1.0") && output.contains("iOS 8"))
    let both = try Program.run(words + ["--versions", "TLSv1.0,TLSv1.2"])
    #expect(both.status == 0 && both.errors.contains("TLSv1.2"))
    #expect(both.output.contains("TLSv1.2"), "\(both.output)")
    withExtendedLifetime(server) {}
  }

  @Test(
    "named versions or suites that App Transport Security forbids are refused without a connection",
    arguments: [
      (["--versions", "TLSv1.0,TLSv1.1"], "ats.tls-version"),
      (["--suites", "TLS_RSA_WITH_AES_128_GCM_SHA256"], "ats.no-forward-secrecy"),
      // In the offer until iOS 15.4.
      (["--suites", "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384"], "ats.cipher-suite"),
    ])
  func nothingLeft(named: [String], rule: String) throws {
    // No server listens on port 1, so a connection would fail.
    let words = ["connect", "127.0.0.1:1", "--server-name", "api.example"]
    let refused = try json(words + named)
    #expect(because(refused) == [rule] && refused.text("layer") == "ats", "\(refused)")
    let shown = try Program.run(words + named)
    #expect(shown.status == 1 && !shown.output.contains("ClientHello client_random"), "\(shown.output)")
    #expect(try Program.run(words + named + ["--os", "iOS 8"]).errors.contains("127.0.0.1:1"))
  }

  @Test("every format shows the connection, and the key log decrypts its capture", .needs(.openssl, .tshark))
  func formats() throws {
    let (server, words) = try good()
    for (format, start) in [
      ("markdown", "#"), ("html", "<!doctype html>"), ("mermaid", "sequenceDiagram"), ("svg", "<svg"), ("json", "{"),
    ] {
      let result = try Program.run(words + ["--format", format])
      #expect(result.status == 0 && result.output.hasPrefix(start), "\(format): \(result.output.prefix(60))")
    }
    let folder = try Program.folder([:])
    let (keys, packets) = (folder.appendingPathComponent("keys").path, folder.appendingPathComponent("pcap").path)
    #expect(try Program.run(words + ["--keylog", keys, "--pcap", packets]).status == 0)
    let answer = try Tshark.read(
      Array(Data(contentsOf: URL(fileURLWithPath: packets))), keyLog: String(contentsOfFile: keys, encoding: .utf8),
      ["-Y", "http.request", "-T", "fields", "-e", "http.request.uri"])
    #expect(answer.output.split { $0.isWhitespace } == ["/"], "\(answer)")
    // Either side ends its half of the connection: RFC 9293 section 3.6.
    let ends = try Tshark.read(
      Array(Data(contentsOf: URL(fileURLWithPath: packets))), keyLog: "",
      ["-Y", "tcp.flags.fin == 1", "-T", "fields", "-e", "tcp.srcport"])
    #expect(Set(ends.output.split { $0.isWhitespace }).count == 2, "\(ends)")
    withExtendedLifetime(server) {}
  }

  @Test("a client certificate is sent if the server requests it", .needs(.openssl))
  func identity() throws {
    let folder = try #require(FaultyChains.folder)
    let (server, words) = try good("-Verify", "3", "-verify_return_error", "-CAfile", "root.pem", "-naccept", "9")
    let file = try Program.folder([:]).appendingPathComponent("me.p12").path
    #expect(
      OtherPrograms.openssl(
        ["pkcs12", "-export", "-in", "good.pem", "-inkey", "leaf.key", "-certfile", "issuing.pem"]
          + ["-passout", "pass:test", "-out", file], in: folder))
    let without = try json(words)
    #expect(because(without) == ["client-auth.certificate-required"] && "\(without)".contains("-1206"), "\(without)")
    let with = try Program.run(words + ["--identity", file, "--passphrase", "test"])
    #expect(with.output.contains("CertificateVerify"), "\(with.output)\(with.errors)")
    let locked = try Program.run(words + ["--identity", file])
    #expect(locked.errors.shows("note: … me.p12 … --passphrase"))
    #expect(locked.output.contains("me.p12"), "\(locked.output)")
    let pem = folder.appendingPathComponent("good.pem").path
    let other = try Program.run(words + ["--identity", pem])
    #expect(other.status == 2 && other.errors.contains("good.pem"), "\(other.errors)")
    withExtendedLifetime(server) {}
  }

  @Test("a missing issuer is fetched from the certificate's URL", .needs(.openssl, .python))
  func fetching() throws {
    let folder = try #require(FaultyChains.folder)
    let issuing = folder.appendingPathComponent("issuing.pem").path
    let publisher = try PeerServer(
      python: """
        import http.server, ssl
        class Publisher(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = ssl.PEM_cert_to_DER_cert(open('\(issuing)').read())
                self.send_response(200); self.send_header('Content-Length', str(len(body))); self.end_headers()
                self.wfile.write(body)
        server = http.server.HTTPServer(('127.0.0.1', 0), Publisher)
        print('ACCEPT 127.0.0.1:%d' % server.server_port)
        server.serve_forever()
        """)
    let own = try Program.folder([
      "extensions": Data(
        """
        subjectAltName = DNS:api.example
        extendedKeyUsage = serverAuth
        authorityInfoAccess = caIssuers;URI:http://127.0.0.1:\(publisher.port)/issuing.der
        """.utf8)
    ])
    #expect(
      OtherPrograms.openssl(
        ["req", "-new", "-key", "\(folder.path)/leaf.key", "-subj", "/CN=api.example", "-out", "request.pem"], in: own)
        && OtherPrograms.openssl(
          ["x509", "-req", "-in", "request.pem", "-CA", issuing, "-CAkey", "\(folder.path)/issuing.key"]
            + ["-set_serial", "7", "-days", "20", "-extfile", "extensions", "-out", "cert.pem"], in: own)
    )
    let server = try PeerServer(openssl: ["-cert", "cert.pem", "-key", "\(folder.path)/leaf.key"], in: own)
    let words = ["--roots", folder.appendingPathComponent("root.pem").path]
    let result = try Program.run(["connect", "127.0.0.1:\(server.port)", "--server-name", "api.example"] + words)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("← issuing ← root"))
    let diagnostics = try Program.run(
      ["ats", "diagnostics", "https://api.example/", "--connect-to", "127.0.0.1:\(server.port)", "--user-roots"]
        + words.dropFirst())
    #expect(diagnostics.status == 0, "\(diagnostics.output)\(diagnostics.errors)")
    withExtendedLifetime((server, publisher)) {}
  }

  @Test("SMTP and IMAP servers send a greeting before TLS", .needs(.openssl, .python), arguments: ["smtp", "imap"])
  func mail(carrier: String) throws {
    let folder = try #require(FaultyChains.folder)
    let server = try PeerServer(python: Self.mailServer(carrier, folder.path))
    let result = try Program.run(
      "connect", "127.0.0.1:\(server.port)", "--server-name", "api.example", "--starttls", carrier, "--now",
      FaultyChains.date, "--roots", folder.appendingPathComponent("root.pem").path)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("api.example ← issuing ← root"))
    #expect(!result.output.contains("HTTP request"))
  }

  private static func mailServer(_ carrier: String, _ folder: String) -> String {
    let lines =
      carrier == "smtp"
      ? """
      peer.sendall(b'220-mail\\r\\n220 ESMTP\\r\\n'); assert file.readline().startswith(b'EHLO ')
      peer.sendall(b'250-mail\\r\\n250-STARTTLS\\r\\n250 SIZE 1\\r\\n'); assert file.readline() == b'STARTTLS\\r\\n'
      peer.sendall(b'220 go\\r\\n')
      """
      : """
      peer.sendall(b'* OK IMAP4rev2\\r\\n'); assert file.readline() == b'a1 STARTTLS\\r\\n'
      peer.sendall(b'* note\\r\\na1 OK begin\\r\\n')
      """
    return """
      import socket, ssl
      open('chain.pem', 'w').write(open('\(folder)/good.pem').read() + open('\(folder)/issuing.pem').read())
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain('chain.pem', '\(folder)/leaf.key')
      listener = socket.create_server(('127.0.0.1', 0))
      print('ACCEPT 127.0.0.1:%d' % listener.getsockname()[1])
      peer, _ = listener.accept()
      file = peer.makefile('rb', buffering=0)
      \(lines)
      with context.wrap_socket(peer, server_side=True) as tls: tls.recv(100)
      """
  }

  /// The first bytes of each stranger, and the message about them.
  static let strangers: [(String, Int32, String)] = [
    ("b'SSH-2.0-x\\r\\n'", 2, "'SSH-2.0-x'"),
    ("b'HTTP/1.1 400 Bad Request\\r\\n\\r\\n'", 2, "'HTTP/1.1 400 Bad Request'"),
    ("b'HTTP/1.1 400 Bad Request\\r\\n\\r\\n'", 2, "HTTPS"),
    ("b'220 a\\r\\n'", 2, "--starttls smtp"),
    ("bytes.fromhex('4a0000000a382e302e333600')", 2, "MySQL"),
    ("b''", 1, "record.truncated"), ("bytes.fromhex('15030100020246')", 1, "handshake.fatal-alert"),
    ("bytes.fromhex('15030100020100')", 1, "record.closed-early"),
    ("bytes.fromhex('1603010004ffffffff')", 1, "✗ refused"), ("bytes.fromhex('160301ffff')", 1, "✗ refused"),
    (
      "bytes.fromhex('160303002a020000260303' + '00' * 33 + 'c02f00' + '160303000d0b000009000006000003ffffff')", 1,
      "byte "
    ),
  ]

  @Test("a server without TLS is reported by its first bytes", .needs(.python), arguments: strangers)
  func stranger(first: String, status: Int32, words: String) throws {
    let server = try PeerServer(
      python: """
        import socket
        listener = socket.create_server(('127.0.0.1', 0))
        print('ACCEPT 127.0.0.1:%d' % listener.getsockname()[1])
        while True:
            peer, _ = listener.accept()
            peer.recv(4096)
            peer.sendall(\(first))
            peer.close()
        """)
    let result = try Program.run("connect", "127.0.0.1:\(server.port)", "--timeout", "5")
    #expect(result.status == status, "\(result.output)\(result.errors)")
    #expect((result.output + result.errors).contains(words), "\(result.output)\(result.errors)")
  }

  @Test("a server that resets the connection at once is reported as present, every time", .needs(.python))
  func reset() throws {
    let server = try PeerServer(
      python: """
        import socket, struct
        listener = socket.create_server(('127.0.0.1', 0))
        print('ACCEPT 127.0.0.1:%d' % listener.getsockname()[1])
        while True:
            peer, _ = listener.accept()
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
            peer.close()
        """)
    for _ in 0..<6 {
      let result = try Program.run("connect", "127.0.0.1:\(server.port)", "--timeout", "5")
      #expect(result.status == 1 && result.output.contains("✗ refused  record.truncated"), "\(result)")
    }
  }

  @Test("a switch to an unrequested protocol is no response: RFC 9110 section 7.8", .needs(.python))
  func switching() throws {
    let folder = try #require(FaultyChains.folder).path
    let server = try PeerServer(
      python: """
        import socket, ssl
        open('chain.pem', 'w').write(open('\(folder)/good.pem').read() + open('\(folder)/issuing.pem').read())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain('chain.pem', '\(folder)/leaf.key')
        listener = socket.create_server(('127.0.0.1', 0))
        print('ACCEPT 127.0.0.1:%d' % listener.getsockname()[1])
        peer, _ = listener.accept()
        with context.wrap_socket(peer, server_side=True) as tls:
            tls.recv(4096)
            tls.sendall(b'HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: x\\r\\n\\r\\n')
            tls.unwrap()
        """)
    let result = try Program.run(
      "connect", "127.0.0.1:\(server.port)", "--server-name", "api.example", "--now", FaultyChains.date, "--roots",
      "\(folder)/root.pem")
    #expect(result.status == 1 && !result.output.contains("✓ accepted"), "\(result)")
  }

  @Test("a silent server is awaited for the given time, which is reported", .needs(.python))
  func silence() throws {
    let server = try PeerServer(
      python: """
        import socket, time
        listener = socket.create_server(('127.0.0.1', 0))
        print('ACCEPT 127.0.0.1:%d' % listener.getsockname()[1])
        peers = [listener.accept() for _ in range(2)]; time.sleep(60)
        """)
    let words = ["connect", "127.0.0.1:\(server.port)", "--timeout", "1"]
    let result = try Program.run(words)
    #expect(result.status == 1 && result.output.contains("hangs"), "\(result.output)\(result.errors)")
    #expect(result.output.contains("1 s"), "\(result.output)")
    // A mail server speaks first: before its greeting no handshake can hang.
    let mail = try Program.run(words + ["--starttls", "smtp"])
    #expect(mail.status == 2 && mail.errors.contains("1 s"), "\(mail)")
  }

  @Test("an invalid target is an error with a hint, and exit status 2")
  func errors() throws {
    let closed = try PeerServer(
      python: "import socket\nprint('ACCEPT 127.0.0.1:%d' % socket.create_server(('127.0.0.1', 0)).getsockname()[1])"
    ).port
    for (words, error) in [
      (["127.0.0.1:\(closed)"], "127.0.0.1:\(closed)"),
      (["no-such-host.invalid:443"], "'no-such-host.invalid'"),
      (["a b:443"], "'a b:443'"), (["api.example:99999"], "'api.example:99999'"),
      (["http://api.example/"], "http://api.example/"),
      (["127.0.0.1:\(closed)", "--versions", "TLSv1.4"], "'TLSv1.4'"),
      (["127.0.0.1:\(closed)", "--suites", "TLS_RSA"], "'TLS_RSA'"),
      (
        ["127.0.0.1:\(closed)", "--versions", "TLSv1.2", "--suites", "TLS_AES_128_GCM_SHA256"], "TLSv1.2"
      ),
      (
        ["127.0.0.1:\(closed)", "--suites", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"],
        "127.0.0.1:\(closed)"
      ),
      (
        ["--roots", "/nowhere.pem", "localhost:\(closed)"],
        "hint: … --roots … 'localhost:\(closed)'"
      ),
      (["--roots", "/nowhere.pem", "--", "localhost:\(closed)"], "'/nowhere.pem'"),
      (["--os", "iOS 9"], "'<host:port>' … trustlab connect"),
      (["127.0.0.1:\(closed)", "--now", "yesterday"], "'yesterday'"),
      (["127.0.0.1:\(closed)", "--timeout", "0"], "--timeout … 3600"),
      (["127.0.0.1:\(closed)", "--timeout", "-1"], "--timeout … 3600"),
      (["127.0.0.1:\(closed)", "--roots", "/nowhere.pem"], "'/nowhere.pem'"),
    ] {
      let result = try Program.run(["connect"] + words)
      #expect(result.status == 2, "\(words)")
      #expect(result.errors.shows(error), "\(result.errors)")
    }
  }
}
