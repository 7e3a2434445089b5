import Foundation
import Oracles
import Rendering
import Testing

@Suite("Scenarios on real sockets")
struct ServeTests {
  @Test(
    "curl gets the content with the scenario's root, and sends an alert without it", .needs(.curl))
  func roots() throws {
    let server = try ServingProgram("L1-14")
    #expect(server.curl("api.example") == (0, "hello"))
    #expect(server.curl("api.example", rooted: false).status == 60)
    let (status, connections) = try server.stop()
    #expect(status == 0)
    #expect(connections.map { $0.text("ending") } == ["served", "refused-by-client"])
    #expect(connections.first?.text("version") == "TLSv1.2")
    #expect(connections.first?.text("cipherSuite") == "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
    #expect(connections.first?.text("serverName") == "api.example")
    #expect(connections.last?.reasonRules == ["handshake.fatal-alert"])
    var schema = try Schema("serve")
    for connection in connections { try schema.check(connection) }
    #expect(schema.violations == [])
  }

  /// curl's exit status with OpenSSL, and our reason for the same refusal: the scenario's file names the rule.
  @Test(
    "curl refuses and accepts the same servers as TrustLab, each for its own reason", .needs(.curl),
    arguments: [
      ("L3-01", "main", "", 0), ("L3-02", "main", "self", 60), ("L3-04", "main", "issuer certificate", 60),
      ("L3-05", "main", "", 60), ("L3-09", "nobody interferes", "", 0), ("L3-13", "main", "purpose", 60),
      ("L3-13", "for servers", "", 0), ("L4-01", "main", "no alternative certificate subject name", 60),
      ("L4-04", "main", "expired", 60), ("L4-05", "main", "not yet valid", 60),
    ])
  func asCurl(id: String, name: String, words: String, status: Int) throws {
    let server = try ServingProgram(id, options: name == "main" ? [] : ["--case", name])
    let host = try #require(server.ports.keys.filter { !$0.contains("/") }.sorted().first)
    let answer = server.curl(host)
    #expect(answer.status == status, "\(answer.output)")
    #expect(words.isEmpty || answer.output.contains(words), "\(answer.output)")
    // curl compares the name itself after the handshake, and then closes the connection.
    let ending = status == 0 ? "served" : id == "L4-01" ? "abandoned" : "refused-by-client"
    #expect(try server.stop().connections.map { $0.text("ending") } == [ending])
  }

  @Test("openssl requests and reads a stapled response, and gets none if there is none", .needs(.openssl))
  func staple() throws {
    for (name, words) in [
      ("main", "Cert Status: good"), ("revoked, said a month ago", "Cert Status: revoked"),
      ("an error of the responder's", "OCSP Response Status: trylater (0x3)"),
    ] {
      let server = try ServingProgram("L5-20", options: name == "main" ? [] : ["--case", name])
      let port = try #require(server.ports["api.example"])
      let answer = Command.output([
        "sh", "-c",
        "openssl s_client -status -tls1_2 -connect 127.0.0.1:\(port) -servername api.example </dev/null 2>&1",
      ])
      #expect(answer?.contains(words) == true, "\(answer ?? "")")
      #expect(answer?.contains("Next Update") == (name != "an error of the responder's"))
      _ = try server.stop()
    }
    let server = try ServingProgram("L1-14")
    let port = try #require(server.ports["api.example"])
    let answer = Command.output([
      "sh", "-c",
      "openssl s_client -status -tls1_2 -connect 127.0.0.1:\(port) -servername api.example </dev/null 2>&1",
    ])
    #expect(answer?.contains("OCSP response: no response sent") == true, "\(answer ?? "")")
    _ = try server.stop()
  }

  @Test(
    "one connection serves several requests, and HTTP/1.0 with bare line feeds works", .needs(.curl, .openssl))
  func requests() throws {
    let server = try ServingProgram("L1-14")
    #expect(server.curl("api.example", "/", "/nothing", "/") == (0, "hellonot foundhello"))
    let port = try #require(server.ports["api.example"])
    let answer = Command.output([
      "sh", "-c",
      "printf 'GET / HTTP/1.0\\n\\n' | openssl s_client -quiet -connect 127.0.0.1:\(port) -servername api.example 2>/dev/null",
    ])
    #expect(answer?.hasPrefix("HTTP/1.1 200 OK\r\n") == true)
    #expect(answer?.hasSuffix("\r\n\r\nhello") == true)
    let connections = try server.stop().connections
    #expect(connections.count == 2)
    guard case .array(let requests)? = connections.first?["requests"] else {
      Issue.record("no requests")
      return
    }
    #expect(
      requests.map { "\($0.text("request")) \($0.text("status"))" } == ["GET / 200", "GET /nothing 404", "GET / 200"])
  }

  @Test("plain HTTP works on the same port", .needs(.curl))
  func plain() throws {
    let server = try ServingProgram("L0-01")
    let port = try #require(server.ports["api.example"])
    #expect(server.curl("api.example", "http://127.0.0.1:\(port)/") == (0, "hello"))
    #expect(try server.stop().connections.first?["isSecure"] == .boolean(false))
  }

  @Test(
    "a request for another host gets 421, and one for localhost the content", .needs(.curl))
  func misdirected() throws {
    let server = try ServingProgram("L1-14")
    let asked = { (host: String) in
      server.curl("api.example", "--header", "Host: \(host)", "--write-out", "%{http_code}", "/")
    }
    #expect(asked("ren.example") == (0, "421"))
    #expect(asked("localhost:1") == (0, "hello200") && asked("127.0.0.1") == (0, "hello200"))
    #expect(try server.stop().connections.map { $0.text("ending") } == ["served", "served", "served"])
  }

  @Test("GnuTLS and Python's ssl agree with the server, too", .needs(.gnuTLS, .python))
  func others() throws {
    let server = try ServingProgram("L1-14")
    let port = try #require(server.ports["api.example"])
    let roots = server.path("roots.pem")
    let gnutls = Command.output([
      "sh", "-c",
      "printf 'GET / HTTP/1.1\\r\\nHost: api.example\\r\\nConnection: close\\r\\n\\r\\n' | gnutls-cli --x509cafile=\(roots) "
        + "--sni-hostname=api.example --verify-hostname=api.example -p \(port) 127.0.0.1",
    ])
    #expect(gnutls?.contains("HTTP/1.1 200 OK") == true, "\(gnutls ?? "")")
    let python = Command.output(
      [try #require(Python.interpreter()), "-"],
      input: """
        import socket, ssl
        context = ssl.create_default_context(cafile='\(roots)')
        raw = socket.create_connection(('127.0.0.1', \(port)))
        with context.wrap_socket(raw, server_hostname='api.example') as tls:
            tls.sendall(b'GET / HTTP/1.1\\r\\nHost: api.example\\r\\n\\r\\nGET /2 HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n')
            said = b''
            while True:
                more = tls.recv(4096)
                if not more: break
                said += more
        print(said.count(b'200 OK'), said.count(b'404 Not Found'))
        """)
    #expect(python == "1 1\n")
    #expect(try server.stop().connections.map { $0.text("ending") } == ["served", "served"])
  }

  @Test("a session is resumed on a second connection", .needs(.openssl))
  func resumption() throws {
    let server = try ServingProgram("L1-16")
    let port = try #require(server.ports["api.example"])
    let session = server.path("session.pem")
    for option in ["-sess_out", "-sess_in"] {
      _ = Command.output([
        "sh", "-c",
        "printf 'GET / HTTP/1.0\\r\\n\\r\\n' | openssl s_client -quiet -no_ticket -tls1_2 -connect 127.0.0.1:\(port) "
          + "-servername api.example \(option) \(session)",
      ])
    }
    #expect(try server.stop().connections.map { $0["isResumed"] } == [.boolean(false), .boolean(true)])
  }

  @Test("noise, half a record, and silence from one client do not affect others", .needs(.python, .curl))
  func noise() throws {
    let server = try ServingProgram("L1-14", options: ["--timeout", "2"])
    let port = try #require(server.ports["api.example"])
    let done = Command.output(
      [try #require(Python.interpreter()), "-"],
      input: """
        import random, socket
        random.seed(1)
        def connect(): return socket.create_connection(('127.0.0.1', \(port)), timeout=10)
        silent = [connect() for _ in range(200)]
        half = connect(); half.sendall(bytes.fromhex('16030100ff0100'))
        for number in range(50):
            with connect() as noisy:
                noisy.sendall(bytes(random.randrange(256) for _ in range(random.randrange(1, 600))))
                noisy.shutdown(socket.SHUT_WR)
                while noisy.recv(4096): pass
        print('done')
        with connect() as slow:
            for byte in b'GET / HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n': slow.sendall(bytes([byte]))
            print(slow.recv(4096)[:15].decode())
        """)
    #expect(done == "done\nHTTP/1.1 200 OK\n")
    #expect(server.curl("api.example") == (0, "hello"))
    let (status, connections) = try server.stop()
    #expect(status == 0)
    #expect(connections.filter { $0.text("ending") == "served" }.count == 2)
    // Noise is reported with a rule, or was too short to identify.
    let noisy = connections.filter { $0["received"] != .integer(0) && $0.text("ending") == "refused-by-server" }
    #expect(noisy.count > 0)
    #expect(noisy.allSatisfy { !$0.reasonRules.isEmpty })
  }

  @Test("a connection ends after a thousand requests, even if none is authorized", .needs(.python))
  func many() throws {
    let server = try ServingProgram("L11-05", "L1-14")
    let ports = try ["L11-05", "L1-14"].map { try #require(server.ports["\($0)/api.example"]) }
    let answers = Command.output(
      [try #require(Python.interpreter()), "-"],
      input: """
        import socket
        for port in \(ports):
            raw = socket.create_connection(('127.0.0.1', port), timeout=20)
            said = b''
            try:
                for number in range(1500):
                    raw.sendall(b'GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n')
                    more = raw.recv(65536)
                    if not more: break
                    said += more
            except OSError: pass
            print(said.count(b'HTTP/1.1 '))
        """)
    #expect(answers == "1001\n1001\n")
    #expect(try server.stop().status == 0)
  }

  @Test("a connection that the client cuts is reported with its negotiated parameters", .needs(.python))
  func cut() throws {
    let server = try ServingProgram("L1-14")
    let port = try #require(server.ports["api.example"])
    let done = Command.output(
      [try #require(Python.interpreter()), "-"],
      input: """
        import socket, ssl
        context = ssl.create_default_context(cafile='\(server.path("roots.pem"))')
        tls = context.wrap_socket(socket.create_connection(('127.0.0.1', \(port))), server_hostname='api.example')
        tls.sendall(b'GET / HTTP/1.1\\r\\nHost: api.example\\r\\n\\r\\n')
        print(tls.recv(15).decode())
        tls.close()
        """)
    #expect(done == "HTTP/1.1 200 OK\n")
    let connection = try #require(try server.stop().connections.first)
    #expect(connection.text("version") == "TLSv1.2" && connection.text("ending") == "served")
  }

  @Test("a server closes a connection after the configured idle time", .needs(.python))
  func timeout() throws {
    let server = try ServingProgram("L1-14", options: ["--timeout", "1"])
    let port = try #require(server.ports["api.example"])
    let python = try #require(Python.interpreter())
    let input = "import socket\nprint(socket.create_connection(('127.0.0.1', \(port)), timeout=20).recv(1))"
    #expect(Command.output([python, "-"], input: input) == "b''\n")
    #expect(try server.stop().connections.map { $0.text("ending") } == ["timed-out"])
  }

  // RFC 5246 section 7.4.1.2: the list of compression methods must have null (0) in it.
  @Test("a line names the illegal parameter, and an unwritable key log is reported once", .needs(.python))
  func lines() throws {
    let server = try ServingProgram("L1-14", options: ["--keylog", "/dev/full"], isJSON: false)
    let port = try #require(server.ports["api.example"])
    let peer = """
      import socket, ssl
      body = b'\\3\\3' + bytes(32) + b'\\0' + b'\\0\\2\\xc0\\x2f' + b'\\1\\1'
      hello = b'\\1' + len(body).to_bytes(3, 'big') + body
      for _ in range(2):
          with socket.create_connection(('127.0.0.1', \(port)), timeout=20) as peer:
              peer.sendall(b'\\x16\\3\\1' + len(hello).to_bytes(2, 'big') + hello)
              while peer.recv(100): pass
      context = ssl._create_unverified_context()
      for _ in range(2):
          with socket.create_connection(('127.0.0.1', \(port)), timeout=20) as peer:
              with context.wrap_socket(peer, server_hostname='api.example') as secure:
                  secure.sendall(b'GET / HTTP/1.0\\r\\nHost: api.example\\r\\n\\r\\n')
                  while secure.recv(100): pass
      print('done')
      """
    #expect(Command.output(["python3", "-"], input: peer) == "done\n")
    let told = try server.end()
    #expect(
      told.components(separatedBy: "handshake.illegal-parameter: ").count == 3, "\(told)")
    #expect(told.components(separatedBy: "GET / 200").count == 3, "\(told)")
    let errors = try server.errors
    if FileManager.default.fileExists(atPath: "/dev/full") {
      #expect(errors.split(separator: "\n").count { $0.contains("key log") } == 1, "\(errors)")
    }
  }

  @Test("tshark reads the written capture and key log", .needs(.curl, .tshark))
  func capture() throws {
    let folder = try Program.folder([:])
    let (keys, packets) = (folder.appendingPathComponent("keys").path, folder.appendingPathComponent("pcap").path)
    let server = try ServingProgram("L1-14", options: ["--keylog", keys, "--pcap", packets])
    #expect(server.curl("api.example", "/", "/nothing").status == 0)
    #expect(try server.stop().status == 0)
    let mode = try FileManager.default.attributesOfItem(atPath: keys)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
    let answer = try Tshark.read(
      Array(Data(contentsOf: URL(fileURLWithPath: packets))), keyLog: String(contentsOfFile: keys, encoding: .utf8),
      ["-Y", "http", "-T", "fields", "-e", "http.request.uri", "-e", "http.response.code"])
    #expect(answer.output.split { $0.isWhitespace } == ["/", "200", "/nothing", "404"], "\(answer)")
  }

  @Test("a connection's packets are in the file when it is reported", .needs(.curl))
  func captureWhileServing() throws {
    let packets = try Program.folder([:]).appendingPathComponent("pcap")
    let server = try ServingProgram("L1-14", options: ["--pcap", packets.path])
    var lengths = [try Data(contentsOf: packets).count]
    for number in 1...2 {
      #expect(server.curl("api.example").status == 0)
      var told = 0
      for _ in 0..<200 where told < number {
        usleep(50_000)
        told = try server.toldCount
      }
      #expect(told == number)
      lengths.append(try Data(contentsOf: packets).count)
    }
    #expect(lengths[0] == 24 && lengths[1] > 24 && lengths[2] > lengths[1], "\(lengths)")
    let before = try Data(contentsOf: packets)
    #expect(try server.stop().status == 0)
    #expect(try Data(contentsOf: packets) == before)
  }

  // OpenSSL takes the sentinel of a TLS 1.2 server for a downgrade, even below its own highest version: RFC 8446 4.1.3.
  @Test("openssl is not offered a version that the server's list leaves out", .needs(.openssl))
  func versionsLeftOut() throws {
    for (list, versions) in [
      ("TLSv1.0, TLSv1.1, TLSv1.2", ["TLSv1.1", "TLSv1.1"]), ("TLSv1.0, TLSv1.2", ["", ""]),
    ] {
      let text = "server: { versions: [\(list)] }\nexpect: { verdict: accepted }\n"
      let file = try Program.folder(["versions.yaml": Data(text.utf8)]).appendingPathComponent("versions.yaml")
      let server = try ServingProgram(file.path)
      let port = try #require(server.ports["api.example"])
      for options in ["-tls1_1", "-no_tls1_2 -no_tls1_3"] {
        let client = "openssl s_client -connect 127.0.0.1:\(port) -servername api.example -cipher ALL:@SECLEVEL=0"
        _ = Command.output(["sh", "-c", "\(client) \(options) </dev/null 2>&1"])
      }
      let connections = try server.stop().connections
      #expect(connections.map { $0.text("version") } == versions)
      // A client of TLS 1.1 alone is offered TLS 1.0, and sends protocol_version.
      #expect(connections.first?.reasonRules == (versions[0].isEmpty ? ["handshake.fatal-alert"] : []))
      #expect(connections.last?.text("cipherSuite").hasSuffix("_CBC_SHA") == !versions[1].isEmpty)
    }
  }

  @Test("two scenarios with one host listen on separate ports, and other hosts share one", .needs(.curl))
  func ports() throws {
    let server = try ServingProgram("L1-14", "L1-15", "L4-01")
    #expect(server.ports["L1-14/api.example"] != server.ports["L1-15/api.example"])
    #expect(server.ports["L1-14/api.example"] == server.ports["L4-01/mail.google.com"])
    #expect(server.curl("L1-14/api.example") == (0, "hello"))
    _ = try server.stop()
  }

  @Test(
    "the printed curl line has an address, for any listening name or wildcard", arguments: ["localhost", "0.0.0.0"])
  func address(_ listen: String) throws {
    let server = try ServingProgram("L1-14", options: ["--listen", listen])
    let port = try #require(server.ports["api.example"])
    let places = ["127.0.0.1", "::1"].map { "--resolve api.example:\(port):\($0) " }
    let said = try server.errors
    #expect(places.contains { said.contains($0) }, "\(said)")
    _ = try server.stop()
  }

  @Test("a scenario that cannot be served is an error with exit status 2", .needs(.python))
  func errors() throws {
    let taken = try ServingProgram("L1-14")
    let port = try #require(taken.ports["api.example"])
    for (arguments, error) in [
      (
        ["L1-14", "--port", "\(port)"],
        "127.0.0.1:\(port) … --port 0"
      ),
      (["L1-14", "--port", "70000"], "--port … 65535"),
      (["L1-14", "L1-15", "--port", "65535"], "65535"),
      (["L2-01"], "L2-01"),
      (["L1-1"], "'L1-1'"), (["L1-14", "L1-15", "--case", "main"], "--case"),
      (
        ["L1-14", "--listen", "192.0.2.1", "--port", "0"],
        "192.0.2.1:0 … --listen"
      ),
      (
        ["L1-14", "--listen", "example.invalid", "--port", "0"],
        "example.invalid:0 … 'example.invalid' … --listen"
      ),
      (["L1-14", "--listen", "2001:db8::1", "--port", "0"], "error: … [2001:db8::1]:0"),
      (["L1-14", "--roots", "/nowhere/roots.pem"], "'/nowhere/roots.pem'"),
    ] {
      let result = try Program.run(["serve"] + arguments)
      #expect(result.status == 2, "\(arguments)")
      #expect(result.errors.shows(error), "\(result.errors)")
    }
    _ = try taken.stop()
  }
}
