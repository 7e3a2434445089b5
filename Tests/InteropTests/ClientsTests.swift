import Foundation
import Oracles
import Rendering
import Testing

@Suite("Results of real clients with scenario servers", .needs(.openssl, .curl, .gnuTLS, .python))
struct ClientsTests {
  /// The expected results by the standards. Every client refuses a name that does not match (RFC 9525 section 6), and a
  /// certificate for clients. A certificate without an extended key usage is valid for any use (RFC 5280 section
  /// 4.2.1.12), except under the web's rules, which require serverAuth (BR 7.1.2.7.6).
  private static let expected: [(name: String, refusedBy: Set<String>)] = [
    ("L4-01", ["rfc5280", "webpki", "iOS 10", "openssl", "curl", "gnutls-cli", "python3"]),
    ("L4-01/the certificate names both hosts", []),
    ("L3-13", ["rfc5280", "webpki", "iOS 10", "openssl", "curl", "gnutls-cli", "python3"]),
    ("L3-13/for servers", []),
    ("L3-13/it does not say what for, on iOS 12", ["webpki"]),
    ("L3-13/it does not say what for, on iOS 13", ["webpki", "iOS 13"]),
  ]

  /// Only the usual clients are on the path, because compiling the Java and Go clients takes longest.
  private func usual(_ words: String...) throws -> Program.Result {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let names = ["openssl", "curl", "gnutls-cli", "python3"]
    let folder = try Program.folder(
      Dictionary(uniqueKeysWithValues: names.map { ($0, Data("#!/bin/sh\nPATH='\(path)' exec \($0) \"$@\"\n".utf8)) }))
    for name in names {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: folder.appendingPathComponent(name).path)
    }
    return try Program.run(["clients"] + words, environment: ["PATH": folder.path])
  }

  @Test("clients refuse and accept as the standards say, each with a reason")
  func verdicts() throws {
    let result = try Program.run("clients", "L4-01", "L3-13", "--format", "json")
    #expect(result.status == 0, "\(result.errors)")
    let document = try JSONValue(reading: Array(result.output.utf8))
    var schema = try Schema("clients")
    try schema.check(document)
    // Whether a client cannot run depends on this machine.
    #expect(schema.violations == [] && schema.open == [])
    #expect(schema.unmet.allSatisfy { $0.contains("unusable") }, "\(schema.unmet)")
    let rows = document["cases"]?.items ?? []
    // Java and Go build paths themselves, and check the purpose of every certificate; they take part if they are
    // installed.
    let present = Set((document["clients"]?.items ?? []).map { $0.text("name") })
    let others = present.intersection(["java", "go"])
    for (name, refusers) in Self.expected {
      let row = try #require(rows.first { $0.text("case") == name }, "\(name)")
      let all = (row["verdicts"]?.items ?? []) + (row["clients"]?.items ?? [])
      let refused = all.filter { $0.text("verdict") == "refused" }
      let expected = refusers.contains("openssl") ? refusers.union(others) : refusers
      #expect(Set(refused.map { $0.text("profile") + $0.text("name") }) == expected, "\(name)")
      #expect(row["differs"] == .boolean(refusers.count % 7 != 0), "\(name)")
      #expect(refused.allSatisfy { !$0.text("says").isEmpty || $0["because"]?.items?.isEmpty == false }, "\(name)")
    }
  }

  @Test("the table names the clients with their versions, and each message is below it")
  func table() throws {
    let result = try usual("L4-01")
    // The names and the cases do not fit the eighty columns of a pipe: two letters abbreviate each name.
    let lines = result.output.split(separator: "\n")
    #expect(lines.first?.contains("rf  we  ap  op  cu  gn  py") == true, "\(result.output)")
    #expect(lines.contains { $0.hasSuffix("L4-01/the certificate names both hosts") }, "a row is one line")
    #expect(result.output.contains("rf: rfc5280, we: webpki, ap: apple, op: openssl, cu: curl, gn: gnutls-cli,"))
    #expect(result.output.contains("curl: (60) SSL: no alternative certificate subject name"))
    #expect(result.output.contains("0 of 5"))
    #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  /// RFC 5280 section 6.1: without a trust anchor there is no path. A client with an empty file reports the file, which
  /// is no verdict.
  @Test("a client without roots reports an unknown issuer, not an empty file")
  func noRoots() throws {
    let result = try usual("L3-01", "--format", "json")
    let rows = try JSONValue(reading: Array(result.output.utf8))["cases"]?.items ?? []
    let row = try #require(rows.first { $0.text("case") == "L3-01/the client does not have the root" })
    let says = Dictionary(
      uniqueKeysWithValues: (row["clients"]?.items ?? []).map { ($0.text("name"), $0.text("says")) })
    #expect(says["openssl"]?.contains("unable to get local issuer certificate") == true, "\(says)")
    #expect(says["curl"]?.contains("unable to get local issuer certificate") == true, "\(says)")
    #expect(says["gnutls-cli"]?.contains("The certificate issuer is unknown") == true, "\(says)")
    #expect(says["python3"]?.contains("unable to get local issuer certificate") == true, "\(says)")
  }

  /// RFC 8446 section 4.4.4: a wrong Finished ends the handshake, although the certificate is trusted.
  @Test("the message of a refusal in TLS 1.3 is not that the certificate is trusted")
  func finished() throws {
    let text =
      "server: { versions: [TLSv1.3], misbehaves: finished }\nclient: { os: iOS 18 }\n"
      + "expect: { because: [handshake.finished-mismatch] }\n"
    let file = try Program.folder(["one.yaml": Data(text.utf8)]).appendingPathComponent("one.yaml")
    let result = try usual(file.path, "--format", "json")
    let row = try #require(try JSONValue(reading: Array(result.output.utf8))["cases"]?.items?.first, "\(result.errors)")
    let clients = row["clients"]?.items ?? []
    #expect(clients.count == 4 && clients.allSatisfy { $0.text("verdict") == "refused" }, "\(row)")
    #expect(clients.allSatisfy { !$0.text("says").contains("is trusted") }, "\(row)")
  }

  @Test("a server that requires a client certificate is still examined for its own")
  func demanding() throws {
    let text =
      "server: { clientAuthentication: required, clientAuthorities: [Root A] }\nexpect: { verdict: refused }\n"
    let files = try Program.folder(["one.yaml": Data(text.utf8)])
    let result = try usual(files.appendingPathComponent("one.yaml").path, "--format", "json")
    let row = try #require(try JSONValue(reading: Array(result.output.utf8))["cases"]?.items?.first, "\(result.errors)")
    #expect((row["clients"]?.items ?? []).allSatisfy { $0.text("verdict") == "accepted" }, "\(row)")
    #expect(row["differs"] == .boolean(false))
  }
}

@Suite("Real clients that cannot run, or do not respond")
struct UnusableClientsTests {
  /// The output of the command if these programs, by their names and texts, are the only ones on the path.
  private func run(_ programs: [String: String], _ words: String...) throws -> Program.Result {
    let folder = try Program.folder(programs.mapValues { Data("#!/bin/sh\n\($0)\n".utf8) })
    for name in programs.keys {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: folder.appendingPathComponent(name).path)
    }
    return try Program.run(["clients"] + words, environment: ["PATH": folder.path])
  }

  @Test("a client that does not run, compile or show its version is reported")
  func unusable() throws {
    let programs = [
      "curl": "exit 0", "openssl": "echo 'OpenSSL 3.0.13 30 Jan 2024'", "python3": "echo broken >&2; exit 3",
      "java": "echo 'openjdk version 21'",
      "go":
        "[ $1 = version ] && echo 'go version go1.22.2 linux/amd64' && exit; echo 'build cache is required' >&2; exit 1",
    ]
    let result = try run(programs, "L4-01", "--format", "json")
    #expect(result.status == 0, "\(result.errors)")
    let document = try JSONValue(reading: Array(result.output.utf8))
    var schema = try Schema("clients")
    try schema.check(document)
    #expect(schema.violations == [])
    #expect((document["clients"]?.items ?? []).map { $0.text("name") } == ["openssl"])
    #expect(
      (document["unusable"]?.items ?? []).map { [$0.text("name"), $0.text("why")] } == [
        ["curl", "its output contains no version"], ["python3", "'python3 --version' exited with status 3: broken"],
        ["java", "the runtime has no compiler: install a JDK"],
        ["go", "'go build' exited with status 1: build cache is required"],
      ])
    #expect(document["absent"] == ["gnutls-cli (gnutls-bin)"])
    let text = try run(programs, "L4-01").output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains("go: 'go build'"), "\(text)")
    #expect(text.contains("not installed: gnutls-cli (gnutls-bin)"))
    let none = try run(["python3": "echo broken >&2; exit 3"], "L4-01")
    #expect(none.status == 2)
    #expect(none.errors.contains("'python3 --version'"), "\(none.errors)")
  }

  @Test("a case without a TLS server is named; without any case, the command fails")
  func nothing() throws {
    let client = ["openssl": "[ $1 = version ] && echo 'OpenSSL 3.0.13'; exit 0"]
    let some = try run(client, "L0-01", "L2-01", "L1-16", "--format", "json")
    #expect(some.status == 0)
    for id in ["L0-01", "L2-01"] { #expect(some.output.contains("\"\(id): ")) }
    let result = try run(client, "L2-01")
    #expect(result.status == 2)
    #expect(result.errors.contains("hint: "), "\(result.errors)")
  }

  @Test("a client that never finishes is killed with its children, and counts as no refusal")
  func silent() throws {
    // It ignores SIGTERM, and a child keeps its output open.
    let curl = "[ $1 = --version ] && echo 'curl 8.5.0' && exit; trap '' TERM; /bin/sleep 300; /bin/sleep 300"
    let openssl = "[ $1 = version ] && echo 'OpenSSL 3.0.13'; exit 0"
    let files = try Program.folder(["one.yaml": Data("expect: { verdict: accepted }\n".utf8)])
    let file = files.appendingPathComponent("one.yaml")
    let start = ContinuousClock.now
    let result = try run(
      ["curl": curl, "openssl": openssl], file.path, "--timeout", "1", "--format", "json")
    #expect(start.duration(to: .now) < .seconds(100), "the command waited for a child of the client")
    #expect(result.status == 0, "\(result.errors)")
    let row = try #require(try JSONValue(reading: Array(result.output.utf8))["cases"]?.items?.first)
    let answers = (row["clients"]?.items ?? []).map {
      [$0.text("name"), $0.text("verdict"), String($0.text("says").matches(of: /1 s/).map(\.0).joined())]
    }
    #expect(answers == [["openssl", "accepted", ""], ["curl", "hangs", "1 s"]])
    #expect(row["differs"] == .boolean(false))
    let text = try run(["curl": curl, "openssl": openssl], file.path, "--timeout", "1").output
    #expect(text.contains("1 s"), "\(text)")
  }

  @Test("the children of a finished client are not awaited, and its result counts")
  func leftBehind() throws {
    let openssl = "[ $1 = version ] && echo 'OpenSSL 3.0.13' && exit; /bin/sleep 300 & exit 0"
    let files = try Program.folder(["one.yaml": Data("expect: { verdict: accepted }\n".utf8)])
    let start = ContinuousClock.now
    let result = try run(
      ["openssl": openssl], files.appendingPathComponent("one.yaml").path, "--timeout", "200", "--format", "json")
    #expect(start.duration(to: .now) < .seconds(100), "the command waited for a child of the client")
    #expect(result.status == 0, "\(result.errors)")
    let row = try #require(try JSONValue(reading: Array(result.output.utf8))["cases"]?.items?.first)
    #expect((row["clients"]?.items ?? []).map { [$0.text("name"), $0.text("verdict")] } == [["openssl", "accepted"]])
  }

  @Test("the time-out has limits")
  func timeout() throws {
    for seconds in ["0", "601"] {
      let result = try Program.run("clients", "L4-01", "--timeout", seconds)
      #expect(result.status == 2 && result.errors.shows("--timeout … 1 … 600"), "\(result.errors)")
    }
  }
}
