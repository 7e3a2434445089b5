import Foundation
import Oracles
import Rendering
import Testing

@Suite("Serving TLS 1.3 to real clients")
struct ServeTLS13Tests {
  /// A program that serves a scenario with these additional lines of its server.
  private func serving(_ lines: String..., options: [String] = []) throws -> ServingProgram {
    let text =
      "client: { os: iOS 11 }\nserver:\n  versions: [TLSv1.3, TLSv1.2]\n"
      + "  cipherSuites: [TLS_AES_128_GCM_SHA256, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]\n"
      + lines.map { "  \($0)\n" }.joined() + "expect: { verdict: accepted }\n"
    let file = try Program.folder(["tls13.yaml": Data(text.utf8)]).appendingPathComponent("tls13.yaml")
    return try ServingProgram(file.path, options: options)
  }

  /// Runs `openssl s_client` with these options, which sends `request`, and returns its output.
  private func openssl(_ server: ServingProgram, _ options: String, request: String = "GET / HTTP/1.0") throws -> String
  {
    let port = try #require(server.ports["api.example"])
    return try #require(
      Command.output([
        "sh", "-c",
        "printf '\(request)\\r\\n\\r\\n' | timeout 20 openssl s_client -ign_eof -connect 127.0.0.1:\(port) "
          + "-servername api.example -CAfile \(server.path("roots.pem")) -verify_return_error \(options) 2>&1",
      ]))
  }

  /// Runs `gnutls-cli`, which sends a request and right after it close_notify, and returns its output.
  private func gnutls(_ server: ServingProgram) throws -> String {
    let port = try #require(server.ports["api.example"])
    let request = "GET / HTTP/1.1\\r\\nHost: api.example\\r\\nConnection: close\\r\\n\\r\\n"
    return try #require(
      Command.output([
        "sh", "-c",
        "printf '\(request)' | gnutls-cli --x509cafile=\(server.path("roots.pem")) --sni-hostname=api.example "
          + "--verify-hostname=api.example -p \(port) 127.0.0.1 2>&1",
      ]))
  }

  @Test("curl, GnuTLS and Python's ssl negotiate TLS 1.3", .needs(.curl, .gnuTLS, .python))
  func others() throws {
    let server = try serving()
    let (port, roots) = (try #require(server.ports["api.example"]), server.path("roots.pem"))
    #expect(server.curl("api.example") == (0, "hello"))
    #expect(try gnutls(server).contains("HTTP/1.1 200 OK"))
    let setUp =
      "import socket, ssl\ncontext = ssl.create_default_context(cafile='\(roots)')\n"
      + "raw = socket.create_connection(('127.0.0.1', \(port)))\n"
    let exchange = """
      with context.wrap_socket(raw, server_hostname='api.example') as tls:
          tls.sendall(b'GET / HTTP/1.0\\r\\n\\r\\n'); text = tls.recv(4096)[:15].decode()
          print(tls.version(), text)
      """
    let python = Command.output([try #require(Python.interpreter()), "-"], input: setUp + exchange)
    #expect(python == "TLSv1.3 HTTP/1.1 200 OK\n")
    let connections = try server.stop().connections
    #expect(connections.map { $0.text("ending") } == ["served", "served", "served"])
    #expect(connections.allSatisfy { $0.text("version") == "TLSv1.3" })
  }

  @Test("a ticket resumes a session, and carries early data once", .needs(.openssl))
  func earlyData() throws {
    let server = try serving("sessions: tickets", "earlyData: {}")
    let (session, early) = (server.path("session.pem"), server.path("early"))
    try Data("GET / HTTP/1.0\r\n\r\n".utf8).write(to: URL(fileURLWithPath: early))
    _ = try openssl(server, "-sess_out \(session)")
    let first = try openssl(server, "-sess_in \(session) -early_data \(early)", request: "")
    #expect(first.contains("Early data was accepted") && first.contains("hello"), "\(first)")
    let second = try openssl(server, "-sess_in \(session) -early_data \(early)")
    #expect(second.contains("Early data was rejected") && second.contains("hello"), "\(second)")
    let connections = try server.stop().connections
    #expect(connections.map { $0["isResumed"] } == [.boolean(false), .boolean(true), .boolean(true)])
    #expect(connections.allSatisfy { $0["requests"]?.items?.count == 1 }, "\(connections)")
  }

  @Test("sessions that the server stores are resumed with each of its tickets", .needs(.openssl))
  func storedSessions() throws {
    let server = try serving("sessions: resumable", "tickets: 2")
    let session = server.path("session.pem")
    _ = try openssl(server, "-sess_out \(session)")
    _ = try openssl(server, "-sess_in \(session) -sess_out \(session)")
    _ = try openssl(server, "-sess_in \(session)")
    let connections = try server.stop().connections
    #expect(connections.map { $0["isResumed"] } == [.boolean(false), .boolean(true), .boolean(true)])
  }

  @Test("HelloRetryRequest, a cookie, KeyUpdate and padding do not disturb curl", .needs(.curl))
  func features() throws {
    let server = try serving("groups: [secp384r1]", "cookie: true", "keyUpdate: both", "padding: 100")
    #expect(server.curl("api.example", "/", "/") == (0, "hellohello"))
    let connection = try #require(try server.stop().connections.first)
    #expect(connection.text("version") == "TLSv1.3" && connection.text("ending") == "served")
  }

  @Test("tshark opens the capture with the key log, and so early data", .needs(.openssl, .tshark))
  func capture() throws {
    let folder = try Program.folder([:])
    let (keys, packets) = (folder.appendingPathComponent("keys"), folder.appendingPathComponent("pcap"))
    let server = try serving(
      "sessions: tickets", "earlyData: {}", options: ["--keylog", keys.path, "--pcap", packets.path])
    let (session, early) = (server.path("session.pem"), server.path("early"))
    try Data("GET / HTTP/1.0\r\n\r\n".utf8).write(to: URL(fileURLWithPath: early))
    _ = try openssl(server, "-sess_out \(session)")
    _ = try openssl(server, "-sess_in \(session) -early_data \(early)", request: "")
    // The ticket is spent, so this early data is rejected.
    let rejected = try openssl(server, "-sess_in \(session) -early_data \(early)")
    #expect(rejected.contains("Early data was rejected"), "\(rejected)")
    #expect(try server.stop().status == 0)
    let log = try String(contentsOf: keys, encoding: .utf8)
    #expect(log.split(separator: "\n").count { $0.hasPrefix("CLIENT_EARLY_TRAFFIC_SECRET ") } == 2, "\(log)")
    for label in [
      "CLIENT_EARLY_TRAFFIC_SECRET", "CLIENT_HANDSHAKE_TRAFFIC_SECRET", "SERVER_HANDSHAKE_TRAFFIC_SECRET",
      "CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0", "EXPORTER_SECRET",
    ] { #expect(log.contains("\(label) "), "\(log)") }
    let answer = try Tshark.read(
      Array(try Data(contentsOf: packets)), keyLog: log,
      ["-Y", "http.request or http.response", "-T", "fields", "-e", "http.request.uri", "-e", "http.response.code"])
    // The third client sends its request as early data, and again after the handshake.
    let whole = ["/", "200", "/", "200", "/", "/", "200"]
    #expect(answer.output.split { $0.isWhitespace }.map(String.init) == whole, "\(answer)")
  }
}
