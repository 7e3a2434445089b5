import Foundation
import Oracles
import Rendering
import Testing

@Suite("App Transport Security and chains of real servers")
struct LiveDiagnosticsTests {
  /// The chain of `api.example`, valid in the year of the test run: made with openssl, RSA.
  private static let folder: URL? = {
    let extensions = "subjectAltName=DNS:api.example,DNS:localhost\nextendedKeyUsage=serverAuth\n"
    guard let folder = try? Program.folder(["extensions": Data(extensions.utf8)]) else { return nil }
    let made = [
      "req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.pem -days 30 -subj /CN=Root "
        + "-addext keyUsage=critical,keyCertSign",
      "req -new -newkey rsa:2048 -nodes -keyout key.pem -out request.pem -subj /CN=api.example",
      "x509 -req -in request.pem -CA root.pem -CAkey root.key -CAcreateserial -days 20 -extfile extensions "
        + "-out cert.pem",
    ].allSatisfy { OtherPrograms.openssl($0.split(separator: " ").map(String.init), in: folder) }
    return made ? folder : nil
  }()

  /// The results of the sixteen tests against `openssl s_server` with these options, P or F each, and the whole output.
  private func results(
    _ options: String..., as os: String = "macOS 15.4"
  ) throws -> (letters: String, said: String, status: Int32) {
    let folder = try #require(Self.folder)
    let server = try PeerServer(openssl: ["-cert", "cert.pem", "-key", "key.pem"] + options, in: folder)
    return try results(of: server, as: os)
  }

  private func results(
    of server: PeerServer, as os: String = "macOS 15.4"
  ) throws -> (letters: String, said: String, status: Int32) {
    let roots = try #require(Self.folder).appendingPathComponent("root.pem").path
    let result = try Program.run(
      "ats", "diagnostics", "https://api.example/", "--connect-to", "127.0.0.1:\(server.port)", "--os", os,
      "--user-roots", roots)
    withExtendedLifetime(server) {}
    return (Self.letters(in: result.output), result.output + result.errors, result.status)
  }

  // The sixteen tests in nscurl's order: the default; all loads; TLS 1.3 to 1.0; without forward secrecy; that with
  // plain HTTP; and TLS 1.3 to 1.0 twice more. The expected results were worked out from the dictionaries.

  @Test("ECDHE on TLS 1.2: only the rows that require TLS 1.3 fail", .needs(.openssl))
  func good() throws {
    let (letters, said, status) = try results("-tls1_2")
    #expect(letters == "PPFPPPPPFPPPFPPP", "\(said)")
    #expect(status == 0)
  }

  // Apple 103214: certificates under roots of the system need SCTs, and those under roots of the user do not.
  @Test("under roots of the system it is unknown whether a real server has enough SCTs", .needs(.openssl))
  func transparency() throws {
    let folder = try #require(Self.folder)
    let server = try PeerServer(openssl: ["-cert", "cert.pem", "-key", "key.pem", "-tls1_2"], in: folder)
    let place = ["https://api.example/", "--connect-to", "127.0.0.1:\(server.port)"]
    let root = folder.appendingPathComponent("root.pem").path
    for (option, isKnown) in [("--roots", false), ("--user-roots", true)] {
      let result = try Program.run(["ats", "diagnostics"] + place + [option, root])
      #expect((result.status == 0) == isKnown, "\(result.output)")
      #expect(result.output.contains("103214") == !isKnown, "\(result.output)")
      let minimal = ["ats", "minimal", "--live", "--os", "iOS 17", "--url"] + place + [option, root]
      #expect((try Program.run(minimal).status == 0) == isKnown)
    }
    withExtendedLifetime(server) {}
  }

  @Test("RSA key exchange alone: only rows without forward secrecy pass", .needs(.openssl))
  func staticRSA() throws {
    let (letters, said, status) = try results("-tls1_2", "-cipher", "AES128-SHA,AES128-GCM-SHA256")
    #expect(letters == "FPFFFFPPFPPPFPPP", "\(said)")
    #expect(status == 1)
  }

  @Test("a server that prefers RSA but supports ECDHE needs no exception", .needs(.openssl))
  func preference() throws {
    let (letters, said, _) = try results(
      "-tls1_2", "-cipher", "AES128-SHA:ECDHE-RSA-AES128-GCM-SHA256", "-serverpref")
    #expect(letters == "PPFPPPPPFPPPFPPP", "\(said)")
  }

  @Test("TLS 1.0 alone: only rows that allow it pass", .needs(.openssl))
  func oldest() throws {
    let (letters, said, status) = try results("-tls1", "-cipher", "DEFAULT:@SECLEVEL=0")
    #expect(letters == "FPFFFPFFFFFPFFFP", "\(said)")
    #expect(status == 1 && said.contains("TLSv1.0"))
  }

  // Apple does not document whether an app also offers RSA key exchange and 3DES; it always offers ECDHE.
  @Test("uncertainty about other suites is no doubt about ECDHE", .needs(.openssl))
  func doubts() throws {
    let words = "3DES"
    let ephemeral = try results("-tls1", "-cipher", "ECDHE:@SECLEVEL=0", as: "iOS 18.4")
    #expect(ephemeral.letters == "FPFFFPFFFFFPFFFP" && !ephemeral.said.contains(words), "\(ephemeral.said)")
    let rsa = try results("-tls1", "-cipher", "AES128-SHA:@SECLEVEL=0", as: "iOS 18.4")
    #expect(rsa.said.contains(words), "\(rsa.said)")
  }

  // RFC 7301 section 3.2: a server that supports none of the protocols aborts. Systems offer h2 and http/1.1.
  @Test("a server of another protocol fails every test for that reason, and h2 alone passes", .needs(.openssl, .python))
  func protocols() throws {
    let mail = try results("-tls1_2", "-alpn", "imap")
    #expect(mail.letters == "FFFFFFFFFFFFFFFF", "\(mail.said)")
    #expect(mail.said.contains("no_application_protocol") && mail.said.contains("handshake.no-application-protocol"))
    // A refusal within one version applies to the other, too.
    let newer = try results("-alpn", "imap")
    #expect(newer.letters == mail.letters && newer.said.contains("handshake.no-application-protocol"), "\(newer.said)")
    #expect(try results("-tls1_2", "-alpn", "http/1.1").letters == "PPFPPPPPFPPPFPPP")
    let settings = "context.maximum_version = ssl.TLSVersion.TLSv1_2"
    for (frames, letters) in [
      ("settings + frame(1, 5, 1, b'\\x88')", "PPFPPPPPFPPPFPPP"), ("b'hello'", "FFFFFFFFFFFFFFFF"),
    ] {
      let server = try PeerServer(frames: frames, settings: settings, of: Self.folder)
      #expect(try results(of: server).letters == letters)
    }
  }

  // RFC 6066 section 3.
  @Test("a server without a host of the name fails every test for that reason", .needs(.openssl))
  func otherName() throws {
    let (letters, said, status) = try results(
      "-servername", "other.example", "-servername_fatal", "-cert2", "cert.pem", "-key2", "key.pem")
    #expect(letters == "FFFFFFFFFFFFFFFF" && status == 1 && said.contains("handshake.unrecognized-name"), "\(said)")
    let folder = try #require(Self.folder)
    let server = try PeerServer(
      openssl: [
        "-cert", "cert.pem", "-key", "key.pem", "-servername", "other.example", "-servername_fatal", "-cert2",
        "cert.pem", "-key2", "key.pem",
      ], in: folder)
    let verified = try Program.run("verify", "--connect", "127.0.0.1:\(server.port)", "--host", "api.example")
    withExtendedLifetime(server) {}
    #expect(verified.errors.contains("'trustlab connect 127.0.0.1:\(server.port) --server-name api.example'"))
  }

  // Without TLS 1.3 in the hello it sends protocol_version, else handshake_failure: RFC 8446 section 4.1.1.
  @Test("a server of TLS 1.3 with a suite that no system offers fails for it", .needs(.openssl))
  func otherSuite() throws {
    let (letters, said, status) = try results("-tls1_3", "-ciphersuites", "TLS_AES_128_CCM_SHA256")
    #expect(letters == "FFFFFFFFFFFFFFFF" && status == 1, "\(said)")
    #expect(said.contains("handshake.no-common-suite") && !said.contains("handshake.no-common-version"), "\(said)")
  }

  @Test("a server that sends protocol_version has no common version, even with an RSA key", .needs(.openssl))
  func versions() throws {
    let folder = try #require(Self.folder)
    func because(_ options: [String], _ more: String...) throws -> JSONValue? {
      let server = try PeerServer(openssl: ["-cert", "cert.pem", "-key", "key.pem"] + options, in: folder)
      let roots = folder.appendingPathComponent("root.pem").path
      let result = try Program.run(
        ["connect", "127.0.0.1:\(server.port)", "--server-name", "api.example", "--roots", roots, "--format", "json"]
          + more)
      withExtendedLifetime(server) {}
      return try JSONValue(reading: Array(result.output.utf8))["because"]
    }
    // RFC 5246 section 7.2.2: the alert means a version that is recognized but not supported.
    #expect(
      try because(["-tls1", "-cipher", "DEFAULT:@SECLEVEL=0"], "--versions", "TLSv1.2") == [
        "handshake.no-common-version"
      ])
    // iOS 9 and 10 support neither TLS 1.3 nor PSS, without which a server with an RSA key rejects the probe.
    for os in ["iOS 9", "iOS 10", "macOS 10.12"] {
      #expect(try because(["-tls1_3"], "--os", os) == ["handshake.no-common-version"], "\(os)")
    }
  }

  @Test("TLS 1.3 alone passes every row of a system that supports it", .needs(.openssl))
  func newest() throws {
    let (letters, said, status) = try results("-tls1_3")
    #expect(letters == "PPPPPPPPPPPPPPPP" && status == 0, "\(said)")
    // macOS 10.13 does not support TLS 1.3, and no key changes that.
    let old = try results("-tls1_3", as: "macOS 10.13")
    #expect(old.letters == "FFFFFFFFFFFFF" && old.status == 1, "\(old.said)")
    #expect(old.said.contains("handshake.no-common-version"), "\(old.said)")
  }

  @Test("TLS 1.2 and 1.3: every row passes", .needs(.openssl))
  func both() throws {
    let (letters, said, _) = try results()
    #expect(letters == "PPPPPPPPPPPPPPPP", "\(said)")
  }

  @Test("redirects are followed, and the new host is tested, too", .needs(.python))
  func redirects() throws {
    let folder = try #require(Self.folder)
    let server = try PeerServer(
      presenting: [folder.appendingPathComponent("cert.pem")], key: folder.appendingPathComponent("key.pem"),
      answering: ["HTTP/1.1 302 Found", "Location: http://nowhere.invalid/", "Content-Length: 0"])
    let result = try Program.run(
      "ats", "diagnostics", "https://api.example/", "--connect-to", "127.0.0.1:\(server.port)", "--roots",
      folder.appendingPathComponent("root.pem").path)
    #expect(result.output.contains("ats.insecure-http at http://nowhere.invalid/"), "\(result.output)\(result.errors)")
  }

  /// A Python server that redirects its clients to `location`.
  private func redirecting(to location: String) throws -> PeerServer {
    let folder = try #require(Self.folder)
    return try PeerServer(
      presenting: [folder.appendingPathComponent("cert.pem")], key: folder.appendingPathComponent("key.pem"),
      answering: ["HTTP/1.1 302 Found", "Location: \(location)", "Content-Length: 0"])
  }

  /// The results of a load of the server's `/` by the name `localhost`, and the whole output.
  private func redirected(by server: PeerServer) throws -> (letters: String, said: String, status: Int32) {
    let folder = try #require(Self.folder)
    let result = try Program.run(
      "ats", "diagnostics", "https://localhost:\(server.port)/", "--user-roots",
      folder.appendingPathComponent("root.pem").path)
    withExtendedLifetime(server) {}
    return (Self.letters(in: result.output), result.output + result.errors, result.status)
  }

  private static func letters(in output: String) -> String {
    String(
      output.split(separator: "\n").filter { $0.hasPrefix("Result : ") }
        .compactMap { $0.dropFirst("Result : ".count).first })
  }

  private static let allFail = String(repeating: "F", count: 16)

  /// RFC 5246 sections 7.4.3 and 7.4.9: a signature by another key, or a wrong Finished, ends the handshake.
  @Test("a server that does not hold its certificate's key fails every test", .needs(.openssl, .python))
  func stolenCertificate() throws {
    let folder = try #require(Self.folder)
    let good = try PeerServer(openssl: ["-cert", "cert.pem", "-key", "key.pem", "-tls1_2"], in: folder)
    let proxy = try PeerServer(
      python: """
        import socket, struct, threading
        listener = socket.create_server(('127.0.0.1', 0))
        print('ACCEPT 127.0.0.1:%d' % listener.getsockname()[1])
        def forward(source, target):
            try:
                while data := source.recv(4096): target.sendall(data)
            except OSError: pass
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(('127.0.0.1', \(good.port)))
            threading.Thread(target=forward, args=(client, server), daemon=True).start()
            records = server.makefile('rb')
            try:
                while len(head := records.read(5)) == 5:
                    body = bytearray(records.read(struct.unpack('>H', head[3:])[0]))
                    if head[0] == 22 and body[0] == 12: body[-1] ^= 1
                    client.sendall(head + body)
            except OSError: pass
            client.close()
        """)
    let place = ["--connect-to", "127.0.0.1:\(proxy.port)", "--roots", folder.appendingPathComponent("root.pem").path]
    let result = try Program.run(["ats", "diagnostics", "https://api.example/"] + place)
    withExtendedLifetime((good, proxy)) {}
    #expect(Self.letters(in: result.output) == Self.allFail && result.status == 1, "\(result.output)")
    #expect(result.output.contains("1–16: handshake.bad-signature"), "\(result.output)")
  }

  @Test("a redirect to itself never ends, and no exception helps", .needs(.python))
  func circle() throws {
    // "GET /" is requested twice: NSURLErrorHTTPTooManyRedirects, as for a played server.
    let (letters, said, status) = try redirected(by: redirecting(to: "/"))
    #expect(letters == Self.allFail && status == 1, "\(said)")
    #expect(said.contains("NSURLErrorHTTPTooManyRedirects -1007"), "\(said)")
  }

  @Test("an endless chain of redirects is followed as far as systems follow it", .needs(.python))
  func endless() throws {
    // Each is one level below the last: RFC 3986 section 5.2.
    let (letters, said, status) = try redirected(by: redirecting(to: "a/"))
    #expect(letters == Self.allFail && status == 1, "\(said)")
    #expect(said.contains("NSURLErrorHTTPTooManyRedirects -1007"), "\(said)")
  }

  @Test("a redirect to a scheme other than HTTP has an unknown result", .needs(.python))
  func otherSchemes() throws {
    for location in ["ftp://files.example/a", "mailto:a@b.example", "itms-apps://app"] {
      let server = try redirecting(to: location)
      let minimal = try Program.run(
        "ats", "minimal", "--live", "--os", "iOS 18.4", "--url", "https://localhost:\(server.port)/", "--format",
        "json",
        "--user-roots", try #require(Self.folder).appendingPathComponent("root.pem").path)
      #expect(
        minimal.status == 1 && minimal.output.shows("\"confidence\": \"unknown: … \(location.prefix { $0 != ":" })"),
        "\(minimal.output)")
    }
  }

  @Test(
    "a server that is silent after its ServerHello is not called silent", .needs(.python))
  func silentAfterHello() throws {
    let server = try PeerServer(
      python: """
        import socket
        listener = socket.create_server(('127.0.0.1', 0))
        print('ACCEPT 127.0.0.1:%d' % listener.getsockname()[1])
        hello = bytes.fromhex('020000260303' + '07' * 32 + '00c02f00')
        peers = []
        while True:
            peer, _ = listener.accept()
            peer.recv(4096)
            peer.sendall(bytes.fromhex('160303002a') + hello)
            peers.append(peer)
        """)
    let result = try Program.run("ats", "diagnostics", "https://127.0.0.1:\(server.port)/", "--timeout", "1")
    #expect(Self.letters(in: result.output) == Self.allFail && result.status == 1, "\(result.output)")
    #expect(
      result.errors.shows("TLSv1.2 … ServerHello"), "\(result.errors)")
    #expect(!result.errors.contains("handshake.no-common"), "\(result.errors)")
  }

  @Test("a server with DHE alone works with systems that offer DHE, and no others", .needs(.openssl))
  func finiteField() throws {
    let folder = try #require(Self.folder)
    let suites = "DHE-RSA-AES128-SHA256:DHE-RSA-AES128-SHA:DHE-RSA-AES256-SHA"
    let server = try PeerServer(
      openssl: ["-cert", "cert.pem", "-key", "key.pem", "-tls1_2", "-cipher", suites], in: folder)
    for (os, status) in [("iOS 8", 0 as Int32), ("iOS 9", 1)] {
      let result = try Program.run(
        "ats", "minimal", "--live", "--os", os, "--url", "https://api.example/", "--connect-to",
        "127.0.0.1:\(server.port)", "--user-roots", folder.appendingPathComponent("root.pem").path)
      #expect(result.status == status, "\(os): \(result.output)\(result.errors)")
      #expect(result.output.contains("handshake.no-common-suite") == (status == 1), "\(result.output)")
    }
    let verified = try Program.run(
      "verify", "--connect", "127.0.0.1:\(server.port)", "--host", "api.example", "--user-roots",
      folder.appendingPathComponent("root.pem").path)
    #expect(verified.status == 0, "\(verified.errors)")
    withExtendedLifetime(server) {}
  }

  @Test("an IP address needs no lookup, and a closed port means no connection", .needs(.python))
  func closedPort() throws {
    for location in ["https://127.0.0.1:1/", "http://127.0.0.1:1/"] {
      let (letters, said, status) = try redirected(by: redirecting(to: location))
      #expect(letters == Self.allFail && status == 1, "\(said)")
      #expect(said.contains("NSURLErrorCannotConnectToHost -1004"), "\(said)")
      #expect(!said.contains("-1003"), "\(said)")
    }
    let unnamed = try redirected(by: redirecting(to: "https://nowhere.invalid/"))
    #expect(unnamed.said.contains("NSURLErrorCannotFindHost -1003"), "\(unnamed.said)")
  }

  /// A server without TLS that runs this code with every `peer` that connects.
  private func plain(_ action: String) throws -> PeerServer {
    try PeerServer(
      python: """
        import socket
        listener = socket.create_server(('127.0.0.1', 0))
        print('ACCEPT 127.0.0.1:%d' % listener.getsockname()[1])
        while True:
            peer, _ = listener.accept()
            try:
                peer.recv(4096)
                \(action)
                peer.close()
            except OSError: pass
        """)
  }

  @Test("a failing hop over plain HTTP fails even the rows that allow it", .needs(.python))
  func unansweredHop() throws {
    // "localhost" is a name without a dot, which needs no exception (tests 1 and 2) until an entry names it. Then only
    // the rows that allow plain HTTP reach the second hop: 8 and 14 to 16. Row 13 requires TLS 1.3 of the first.
    for action in ["pass", "peer.sendall(bytes([21, 3, 3, 0, 2, 2, 70]))"] {
      let server = try plain(action)
      let (letters, said, status) = try redirected(by: redirecting(to: "http://localhost:\(server.port)/"))
      withExtendedLifetime(server) {}
      #expect(letters == Self.allFail && status == 1, "\(said)")
      #expect(said.contains("NSURLErrorNetworkConnectionLost -1005"), "\(action): \(said)")
    }
    let good = try plain("peer.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok')")
    let (letters, said, status) = try redirected(by: redirecting(to: "http://localhost:\(good.port)/"))
    withExtendedLifetime(good) {}
    #expect(letters == "PPFFFFFPFFFFFPPP" && status == 0, "\(said)")
  }

  @Test("if the systems' handling of a response is unknown, neither command reports success", .needs(.python))
  func openAnswer() throws {
    // "localhost" needs no exception for plain HTTP, so only the response is uncertain.
    for (answer, isKnown) in [
      ("HTTP/1.1 abc\\r\\n\\r\\n", false), ("HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok", true),
    ] {
      let server = try plain("peer.sendall(b'\(answer)')")
      let url = "http://localhost:\(server.port)/"
      for words in [["diagnostics", url], ["minimal", "--live", "--url", url, "--os", "macOS 15.4"]] {
        let result = try Program.run(["ats"] + words)
        #expect((result.status == 0) == isKnown, "\(words): \(result.output)\(result.errors)")
        let said = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(said.contains("cannot fully read") == !isKnown, "\(words): \(said)")
      }
      withExtendedLifetime(server) {}
    }
  }

  @Test("plain HTTP is not sent to the port on which the URL's server uses TLS", .needs(.python))
  func otherPort() throws {
    let folder = try #require(Self.folder)
    let server = try redirecting(to: "http://api.example/")
    let result = try Program.run(
      "ats", "diagnostics", "https://api.example/", "--connect-to", "127.0.0.1:\(server.port)", "--roots",
      folder.appendingPathComponent("root.pem").path)
    withExtendedLifetime(server) {}
    // RFC 6761 section 6.5: no name below "example" can be looked up.
    let said = result.output + result.errors
    #expect(Self.letters(in: result.output) == Self.allFail && result.status == 1, "\(said)")
    #expect(said.contains("NSURLErrorCannotFindHost -1003 at http://api.example/"), "\(said)")
  }

  @Test("the smallest exception for a real server", .needs(.openssl))
  func minimal() throws {
    let folder = try #require(Self.folder)
    let server = try PeerServer(
      openssl: ["-cert", "cert.pem", "-key", "key.pem", "-tls1_2", "-cipher", "AES128-GCM-SHA256"], in: folder)
    let result = try Program.run(
      "ats", "minimal", "--url", "https://api.example/", "--os", "iOS 10", "--live", "--connect-to",
      "127.0.0.1:\(server.port)", "--roots", folder.appendingPathComponent("root.pem").path)
    #expect(result.status == 0 && result.output.contains("NSExceptionRequiresForwardSecrecy"), "\(result.errors)")
    withExtendedLifetime(server) {}
  }

  @Test("two servers of one host are distinguished by their ports", .needs(.openssl))
  func ports() throws {
    let folder = try #require(Self.folder)
    let options = ["-cert", "cert.pem", "-key", "key.pem", "-tls1_2"]
    let servers = [
      try PeerServer(openssl: options, in: folder),
      try PeerServer(openssl: options + ["-cipher", "AES128-GCM-SHA256"], in: folder),
    ]
    let urls = servers.map { "https://localhost:\($0.port)/" }
    let root = folder.appendingPathComponent("root.pem").path
    let words = ["ats", "minimal", "--os", "iOS 9", "--live", "--roots", root]
    for order in [urls, urls.reversed()] {
      let result = try Program.run(words + ["--url"] + order)
      let rows = result.output.split(separator: "\n").filter { $0.contains("  iOS 9") }
      #expect(rows.count == 2, "\(result.output)\(result.errors)")
      for row in rows {
        #expect(row.contains("✗ ats.no-forward-secrecy") == row.contains(urls[1]), "\(result.output)")
      }
    }
    withExtendedLifetime(servers) {}
  }

  @Test("the chain of a real server is verified like a file's", .needs(.openssl))
  func chain() throws {
    let folder = try #require(Self.folder)
    let server = try PeerServer(openssl: ["-cert", "cert.pem", "-key", "key.pem"], in: folder)
    let words = ["verify", "--connect", "127.0.0.1:\(server.port)", "--host", "api.example", "--roots"]
    let result = try Program.run(words + [folder.appendingPathComponent("root.pem").path])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    let other = try Program.run(words + [folder.appendingPathComponent("cert.pem").path, "--host", "b.example"])
    #expect(other.status == 1 && other.output.contains("name.mismatch"), "\(other.output)\(other.errors)")
    withExtendedLifetime(server) {}
    let newest = try PeerServer(openssl: ["-cert", "cert.pem", "-key", "key.pem", "-tls1_3"], in: folder)
    let seen = try Program.run(
      "verify", "--connect", "127.0.0.1:\(newest.port)", "--host", "api.example", "--roots",
      folder.appendingPathComponent("root.pem").path)
    #expect(seen.status == 0, "\(seen.output)\(seen.errors)")
    withExtendedLifetime(newest) {}
  }

  @Test(
    "an additional certificate that cannot be read is ignored, and named", .needs(.openssl, .python))
  func extraneous() throws {
    let folder = try #require(Self.folder)
    let leaf = "ssl.PEM_cert_to_DER_cert(open('\(folder.path)/cert.pem').read())"
    let roots = ["--roots", folder.appendingPathComponent("root.pem").path]
    let server = try PeerServer(choosing: "0303", "c02f", presenting: [leaf, "b'hello'"])
    let place = "127.0.0.1:\(server.port)"
    let verdict = try Program.run(["verify", "--connect", place, "--host", "api.example"] + roots)
    #expect(verdict.status == 0, "\(verdict.output)\(verdict.errors)")
    #expect(
      verdict.errors.shows("certificate 2 … \(place)"), "\(verdict.errors)")
    let asked = ["ats", "diagnostics", "https://api.example/", "--os", "macOS 15.4", "--connect-to"]
    let result = try Program.run(asked + [place, "--user-roots", folder.appendingPathComponent("root.pem").path])
    let letters = result.output.split(separator: "\n").filter { $0.hasPrefix("Result : ") }
      .compactMap { $0.dropFirst("Result : ".count).first }
    // As with the leaf alone on TLS 1.2.
    #expect(String(letters) == "PPFPPPPPFPPPFPPP" && result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.errors.shows("certificate 2 … api.example"), "\(result.errors)")
    withExtendedLifetime(server) {}
  }

  @Test("a server whose own certificate cannot be read is named with the place", .needs(.python))
  func unreadable() throws {
    let server = try PeerServer(choosing: "0303", "c02f", presenting: ["b'hello'"])
    let place = "127.0.0.1:\(server.port)"
    let verdict = try Program.run("verify", "--connect", place, "--host", "api.example")
    #expect(verdict.status == 2 && verdict.errors.contains("\(place)"))
    let result = try Program.run("ats", "diagnostics", "https://api.example/", "--connect-to", place)
    #expect(result.status == 2 && result.errors.contains("api.example"), "\(result.errors)")
    #expect(result.errors.contains("'trustlab connect \(place) --server-name api.example'"))
    withExtendedLifetime(server) {}
  }

  @Test("options that contradict each other are errors")
  func errors() throws {
    for (words, error) in [
      (
        ["ats", "diagnostics", "https://a.b/", "--connect-to", "a:1", "--scenario", "L1-15"],
        "--connect-to"
      ),
      (
        ["ats", "minimal", "--url", "https://a.b/", "--connect-to", "a:1"],
        "--connect-to … --roots … --user-roots"
      ),
      (["ats", "minimal", "--url", "https://a.b/", "--live", "--scenario", "L1-15"], "--live"),
      (["verify", "chain.pem", "--connect", "a:1"], "--connect"),
      (["ats", "diagnostics", "https://no-such-host.invalid/"], "'no-such-host.invalid'"),
    ] {
      let result = try Program.run(words)
      #expect(result.status == 2 && result.errors.shows(error), "\(words): \(result.errors)")
    }
  }
}
