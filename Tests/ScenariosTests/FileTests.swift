import Explanation
import Foundation
import Oracles
import PKIX
import Scenarios
import Testing

/// Certificates that another implementation made, used in a scenario.
@Suite("Scenarios with files")
struct FileTests {
  /// A root, another root of the same name, and a chain below the first, made by openssl.
  private func hierarchy() throws -> OpenSSL {
    let openssl = try OpenSSL()
    for root in ["root", "wrong"] {
      try #require(
        try openssl.run([
          "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "\(root).key", "-out", "\(root).pem", "-subj",
          "/CN=Files \(root)", "-days", "3650", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
        ]).status == 0)
    }
    try openssl.write(
      "leaf.ext", "subjectAltName=DNS:api.example\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\n")
    try openssl.run(
      "req", "-newkey", "rsa:2048", "-nodes", "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", "/CN=api.example")
    let signed = try openssl.run(
      "x509", "-req", "-in", "leaf.csr", "-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial", "-out",
      "leaf.pem", "-days", "90", "-extfile", "leaf.ext")
    try #require(signed.status == 0, "\(signed.output)")
    return openssl
  }

  /// The day after openssl made the leaf.
  private func clock(_ openssl: OpenSSL) throws -> Instant {
    let leaf = try #require(try Certificate.certificates(inPEMOrDER: try openssl.read("leaf.pem")).first)
    return leaf.notBefore.adding(days: 1)
  }

  private func text(on clock: Instant, root: String = "root.pem", leaf: String = "leaf.pem", more: String = "")
    -> String
  {
    """
    clock: \(clock)
    authorities: { R: { pem: \(root), trust: system } }
    certificates: { leaf: { pem: \(leaf)\(more) } }
    server: { presents: [leaf] }
    expect: { verdict: accepted, path: [leaf, R], content: hello }
    """
  }

  @Test("a chain that openssl made is accepted under its root, and refused under another")
  func roots() throws {
    let openssl = try hierarchy()
    let path = openssl.path("test.yaml")
    let day = try clock(openssl)
    let accepted = try Lab.play(text(on: day), path: path)
    #expect(accepted.judgement.mismatches == [])
    #expect(try Lab.play(text(on: day, more: ", privateKey: leaf.key"), path: path).judgement.mismatches == [])
    try openssl.run("x509", "-in", "leaf.pem", "-outform", "DER", "-out", "leaf.der")
    #expect(try Lab.play(text(on: day, leaf: "leaf.der"), path: path).judgement.mismatches == [])
    try openssl.write("chain.pem", try openssl.read("leaf.pem") + openssl.read("root.pem"))
    #expect(try Lab.play(text(on: day, leaf: "chain.pem"), path: path).outcome.verdict.word == .accepted)
    let refused = try Lab.play(text(on: day, root: "wrong.pem", leaf: "chain.pem"), path: path)
    #expect(refused.outcome.verdict.because.map(\.id) == ["chain.no-anchor"])
    #expect(refused.outcome.verdict.layer == .chain)
    let alone = try Lab.play(text(on: day, root: "wrong.pem"), path: path)
    #expect(alone.outcome.verdict.because.map(\.id) == ["chain.no-issuer"])
    #expect(Set(refused.judgement.mismatches.map(\.path)) == ["verdict", "path", "content"])
  }

  @Test("additional words for a complete certificate file are errors, also in rows")
  func besideFile() throws {
    let world = "certificates: { api: { pem: leaf.pem, trust: system"
    for more in [", issuer: Issuing", ", names: [api.example]", ", days: 3, key: rsa-2048"] {
      let faults = try Lab.diagnostics("\(world)\(more) } }")
      #expect(faults.contains { $0.severity == .error && $0.hint.contains("null") }, "\(more)")
    }
    #expect(try !Lab.diagnostics("\(world) } }").contains { $0.hint.contains("null") })
    let row = try Lab.diagnostics("cases: [{ name: file, with: { certificates.api: { pem: leaf.pem } } }]")
    #expect(row.contains { $0.message.contains("'api'") && $0.severity == .error })
  }

  @Test("a file that cannot be used is an error with its place")
  func damage() throws {
    let openssl = try hierarchy()
    let day = try clock(openssl)
    let pem = String(decoding: try openssl.read("leaf.pem"), as: UTF8.self)
    var lines = pem.split(separator: "\n").map(String.init)
    lines[3] = "!" + lines[3].dropFirst()
    try openssl.write("broken.pem", lines.joined(separator: "\n"))
    try openssl.run("x509", "-in", "leaf.pem", "-outform", "DER", "-out", "leaf.der")
    try openssl.write("short.der", Array(try openssl.read("leaf.der").dropLast(10)))
    try openssl.write("empty.pem", "")
    func error(_ leaf: String, _ more: String = "") throws -> Diagnostic {
      let scenario = try #require(
        try Lab.read(text(on: day, leaf: leaf, more: more), path: openssl.path("t.yaml")).cases.first)
      do throws(Diagnostics) {
        _ = try Lab.player.play(scenario)
      } catch {
        return try #require(error.all.first)
      }
      throw Diagnostics("\(leaf) was played")
    }
    let broken = try error("broken.pem")
    #expect(broken.mark == SourceMark(file: openssl.path("broken.pem"), line: 4, column: 1))
    let short = try error("short.der")
    #expect(short.mark?.file == openssl.path("short.der"), "\(short)")
    #expect(short.message.contains(/byte \d+/))
    let empty = try error("empty.pem")
    #expect(!empty.hint.isEmpty, "\(empty)")
    #expect(try "\(error("absent.pem"))".contains("absent.pem"))
    #expect(try error("leaf.pem", ", privateKey: root.key").message.contains("'leaf'"))
    #expect(try "\(error("leaf.pem", ", privateKey: leaf.pem"))".contains("leaf.pem"))
  }

  private func load(_ host: String, _ plist: String) -> String {
    """
    request: http://\(host)/
    server: { host: \(host) }
    client: { infoPlist: \(plist) }
    """
  }

  @Test(
    "a real Info.plist decides", .needsData("plists"),
    arguments: [("rocket.chat", "accepted"), ("open.rocket.chat", "accepted"), ("other.example", "refused")])
  func realPropertyList(host: String, verdict: String) throws {
    let path = SharedData.path("plists/06_RocketChat__Rocket.Chat.iOS__Rocket.Chat_Info.plist")
    #expect(try Lab.play(load(host, path)).outcome.verdict.word.rawValue == verdict)
  }

  @Test("a binary property list works as well, and half of one is an error")
  func binaryPropertyList() throws {
    let openssl = try OpenSSL()
    let content = ["NSAppTransportSecurity": ["NSAllowsArbitraryLoads": true]]
    let data = Array(try PropertyListSerialization.data(fromPropertyList: content, format: .binary, options: 0))
    try openssl.write("Info.plist", data)
    #expect(try Lab.play(load("api.example", openssl.path("Info.plist"))).outcome.verdict.word == .accepted)
    for count in 0..<data.count {
      try openssl.write("Half.plist", Array(data.prefix(count)))
      #expect(try !Lab.playing(load("api.example", openssl.path("Half.plist"))).isEmpty, "\(count) bytes")
    }
  }
}
