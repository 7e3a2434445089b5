import Foundation
import Oracles
import Rendering
import Testing

@Suite("HTTP/2 with real servers", .needs(.openssl, .python))
struct HTTP2Tests {
  /// Connects to the server of `wrong.example`, whose certificate the client trusts, and returns the run and the exit
  /// status.
  private func connect(
    _ server: PeerServer, _ path: String = "/", os: String = "iOS 12", _ more: [String] = []
  ) throws -> (run: JSONValue, status: Int32) {
    let result = try Program.run(try Self.words(server, path, os) + more + ["--format", "json"])
    withExtendedLifetime(server) {}
    return (try JSONValue(reading: Array(result.output.utf8)), result.status)
  }

  private static func words(_ server: PeerServer, _ path: String, _ os: String) throws -> [String] {
    let roots = try #require(SelfSigned.folder).appendingPathComponent("cert.pem").path
    return [
      "connect", "https://127.0.0.1:\(server.port)\(path)", "--server-name", "wrong.example", "--user-roots", roots,
      "--os", os,
    ]
  }

  @Test("nghttpd's response is reported like one over HTTP/1.1", .needs(.nghttpd), arguments: ["iOS 12", "iOS 26"])
  func response(_ os: String) throws {
    let server = try PeerServer(nghttpd: ["index.html": "hello over h2"])
    let (run, status) = try connect(server, os: os)
    #expect(status == 0 && run.text("verdict") == "accepted" && run.text("content") == "hello over h2", "\(run)")
    let response = try #require(run["response"])
    #expect(response.text("protocol") == "HTTP/2" && response["status"] == .integer(200))
    #expect(response["fields"]?.items?.contains("content-length: 13") == true, "\(response)")
    #expect(run["executed"] == ["GET /"] && run["goals"]?.text("eavesdropping") == "prevented")
    var schema = try Schema("run")
    try schema.check(run)
    #expect(schema.violations == [])
    let text = try Program.run(try Self.words(server, "/", os)).output
    for words in [
      "HTTP/2 200", "frames: SETTINGS (RFC 9113 section 6)", "WINDOW_UPDATE, HEADERS", "✓ carried out GET /",
    ] {
      #expect(text.replacing(#/\n +/#, with: " ").contains(words), "\(words): \(text)")
    }
    withExtendedLifetime(server) {}
  }

  @Test("a large response arrives whole, and one of 404 is reported as an error", .needs(.nghttpd))
  func sizes() throws {
    let whole = String(repeating: "0123456789abcdef", count: 20_000)
    let server = try PeerServer(nghttpd: ["big": whole])
    #expect(try connect(server, "/big").run.text("content") == whole)
    let (run, status) = try connect(server, "/missing")
    #expect(status == 0 && run.text("verdict") == "accepted" && run["response"]?["status"] == .integer(404), "\(run)")
    let text = try Program.run(try Self.words(server, "/missing", "iOS 12")).output
    #expect(text.contains("✓ accepted, but the response is an error: 404\n"), "\(text)")
    #expect(text.contains("! responded to GET /missing with 404\n") && text.contains("the app receives 404\n"))
    withExtendedLifetime(server) {}
  }

  @Test("ats diagnostics follows a redirect over HTTP/2")
  func redirect() throws {
    let server = try PeerServer(
      frames: "settings + frame(1, 5, 1, literal(':status', '301') + literal('location', '/x'))")
    let result = try Program.run(
      "ats", "diagnostics", "https://wrong.example/", "--connect-to", "127.0.0.1:\(server.port)", "--roots",
      try #require(SelfSigned.folder).appendingPathComponent("cert.pem").path)
    // The target redirects to itself.
    #expect(result.status == 1 && result.output.contains("-1007 at"), "\(result.output)")
    withExtendedLifetime(server) {}
  }

  /// Interim responses, padding, unknown types, a header in several frames, content in small parts, and trailers.
  private static let unusualFrames = [
    "settings", "frame(6, 0, 0, bytes(8))", "frame(0xfa, 0, 0, b'x')", "frame(8, 0, 0, b'\\0\\0\\1\\0')",
    "frame(1, 4, 1, literal(':status', '103'))", "frame(1, 0, 1, b'\\x88')", "frame(9, 4, 1, literal('a', 'b'))",
    "frame(0, 8, 1, b'\\3hel' + bytes(3))", "frame(0, 0, 1, b'lo')", "frame(7, 0, 0, b'\\0\\0\\0\\1' + bytes(4))",
    "frame(1, 5, 1, literal('t', 'u'))",
  ]

  @Test("unusual frames are accepted", arguments: ["iOS 12", "iOS 26"])
  func unusual(_ os: String) throws {
    let (run, status) = try connect(try PeerServer(frames: Self.unusualFrames.joined(separator: " + ")), os: os)
    #expect(status == 0 && run.text("content") == "hello" && run["response"]?["fields"] == ["a: b"], "\(run)")
  }

  /// Each with the violated rule, and words in its finding.
  private static let violations: [(frames: String, rule: String, found: String)] = [
    ("b'HTTP/1.1 400 Bad Request\\r\\n\\r\\n'", "malformed-message", "unable to parse frame"),
    ("frame(1, 5, 1, b'\\x88')", "malformed-message", ""),
    ("settings + frame(1, 5, 1, literal('a', 'b'))", "malformed-message", "invalid pseudo headers"),
    ("settings + frame(1, 5, 1, b'\\xff\\xff\\xff\\xff\\xff\\xff')", "malformed-message", ""),
    ("settings + frame(0, 1, 1, b'hello')", "malformed-message", ""),
    (
      "settings + frame(1, 4, 1, b'\\x88' + literal('a', 'b\\r\\nc'))", "malformed-message",
      "invalid header field value"
    ),
    ("settings + frame(1, 4, 1, literal(':status', '2x0')) + frame(0, 1, 1, b'')", "malformed-message", ""),
    (
      "settings + frame(1, 4, 1, b'\\x88' + literal('content-length', '9')) + frame(0, 1, 1, b'x')",
      "malformed-message", ""
    ),
    ("settings + frame(5, 4, 1, b'\\0\\0\\0\\2\\x82')", "malformed-message", ""),
    ("settings + frame(7, 0, 0, bytes(7) + b'\\x0b')", "incomplete-message", "GOAWAY with ENHANCE_YOUR_CALM"),
    ("settings + frame(7, 0, 0, bytes(8))", "incomplete-message", "GOAWAY with NO_ERROR"),
    ("settings + frame(3, 0, 1, b'\\0\\0\\0\\7')", "incomplete-message", "RST_STREAM with REFUSED_STREAM"),
    ("settings + frame(3, 0, 1, b'\\0\\0\\1\\0')", "incomplete-message", "RST_STREAM with the code 256"),
    ("settings + frame(1, 4, 1, b'\\x88') + frame(0, 0, 1, b'part')", "incomplete-message", "the end of a response"),
    (
      "settings + frame(1, 0, 1, b'\\x88') + 200 * frame(9, 0, 1, bytes(16384))", "malformed-message",
      "excessively large header block"
    ),
    (
      "settings + frame(1, 4, 1, b'\\x88\\x40\\1a\\x7f\\xa1\\x1e' + 4000 * b'a' + 12000 * b'\\xbe')",
      "malformed-message", "unable to parse frame"
    ),
    ("settings + 1000 * frame(4, 0, 0, b'')", "malformed-message", ""),
  ]

  @Test("a server that breaks HTTP/2 is refused in the layer of the application", arguments: violations.indices)
  func faults(_ index: Int) throws {
    let (frames, rule, words) = Self.violations[index]
    let (run, status) = try connect(try PeerServer(frames: frames))
    #expect(run["because"] == [.string("application.\(rule)")] && status == 1, "\(frames): \(run["because"] ?? .null)")
    let finding = try #require(run.findings(of: "application.\(rule)").first { $0.text("outcome") == "violated" })
    #expect(finding.text("found").hasPrefix(words) && !finding.text("found").isEmpty, "\(frames): \(finding)")
    #expect(run.text("layer") == "application" && run.text("trustResult") == "kSecTrustResultProceed")
  }

  @Test("a server that sends no response hangs, and ends the wait when it closes the connection")
  func silence() throws {
    let silent = try PeerServer(frames: "settings", then: "time.sleep(20)")
    let (run, status) = try connect(silent, "/", ["--timeout", "1"])
    #expect(run.text("verdict") == "hangs" && run["awaited"] == ["HTTP response"] && status == 1, "\(run)")
    // A sender of PING is never silent, so the limit of the whole connection applies.
    let busy = try PeerServer(
      frames: "settings", then: "[(time.sleep(0.2), tls.sendall(frame(6, 0, 0, bytes(8)))) for _ in range(100)]")
    #expect(try connect(busy, "/", ["--timeout", "1"]).run.text("verdict") == "hangs")
    let cut = try PeerServer(frames: "settings", then: "tls.shutdown(socket.SHUT_RDWR)")
    #expect(try connect(cut).run["because"] == ["record.truncated", "application.incomplete-message"])
  }
}

extension PeerServer {
  /// nghttpd with the certificate of `wrong.example`, which serves these files over HTTP/2.
  fileprivate convenience init(nghttpd files: [String: String]) throws {
    let folder = try Program.folder(files.mapValues { Data($0.utf8) })
    try self.init("nghttpd", try #require(SelfSigned.folder).path, folder.path)
  }

  /// A server that selects h2 and sends `frames`, a Python expression, whatever the client sends. It then runs the
  /// statement `then`, and closes the connection with close_notify.
  ///
  /// `settings` is a statement about the `context`. The certificate and key are in `folder`; by default, they are for
  /// `wrong.example`.
  convenience init(frames: String, then: String = "pass", settings: String = "", of folder: URL? = nil) throws {
    try self.init("frames", try #require(folder ?? SelfSigned.folder).path, frames, then, settings)
  }
}
