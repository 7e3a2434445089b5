import Foundation
import Oracles
import Rendering
import Testing

/// Servers that choose a version or suite that was not offered, or does not exist.
///
/// RFC 5246 sections 7.4.1.3 and E.1, RFC 8446 section 4.1.3, RFC 8701 section 3.1.
@Suite("Real servers with an impossible version or suite in their ServerHello")
struct ImpossibleHelloTests {
  /// A version and a suite, with the rule and the alert with which a client rejects them.
  struct Choice: Sendable {
    let version: String
    let suite: String
    let rule: String
    let alert: String
  }

  static let choices = [
    // TLS 1.3 in the legacy field, a future version, and SSL 2.0.
    Choice(version: "0304", suite: "c02f", rule: "handshake.no-common-version", alert: "protocol_version"),
    Choice(version: "0305", suite: "c02f", rule: "handshake.no-common-version", alert: "protocol_version"),
    Choice(version: "0200", suite: "c02f", rule: "handshake.no-common-version", alert: "protocol_version"),
    // An SCSV, a GREASE value, an unassigned number, and RC4, which is a suite but was not offered.
    Choice(version: "0303", suite: "00ff", rule: "handshake.suite-not-offered", alert: "illegal_parameter"),
    Choice(version: "0303", suite: "0a0a", rule: "handshake.suite-not-offered", alert: "illegal_parameter"),
    Choice(version: "0303", suite: "abcd", rule: "handshake.suite-not-offered", alert: "illegal_parameter"),
    Choice(version: "0303", suite: "0005", rule: "handshake.suite-not-offered", alert: "illegal_parameter"),
    // A possible choice continues: the certificate fails.
    Choice(version: "0303", suite: "c02f", rule: "chain.malformed", alert: "bad_certificate"),
  ]

  /// A few of them, of both kinds.
  static let few = choices.filter { ["0304", "0200"].contains($0.version) || $0.suite == "0a0a" }

  @Test("the app refuses them, by the rule that they break", .needs(.python), arguments: choices)
  func refused(choice: Choice) throws {
    let server = try PeerServer(choosing: choice.version, choice.suite, presenting: ["b'hello'"])
    let words = ["connect", "127.0.0.1:\(server.port)", "--server-name", "api.example"]
    let result = try Program.run(words)
    #expect(result.status == 1 && result.output.contains(choice.alert), "\(result.output)\(result.errors)")
    let run = try JSONValue(reading: Array(Program.run(words + ["--format", "json"]).output.utf8))
    #expect(run.text("verdict") == "refused" && run["because"] == [.string(choice.rule)], "\(run)")
    withExtendedLifetime(server) {}
  }

  @Test(
    "they fail every test of diagnostics, and have no chain to verify", .needs(.python),
    arguments: few)
  func agreeingToNothing(choice: Choice) throws {
    let server = try PeerServer(choosing: choice.version, choice.suite, presenting: ["b'hello'"])
    let place = "127.0.0.1:\(server.port)"
    let said = "\(choice.rule) … \(choice.alert)"
    let result = try Program.run("ats", "diagnostics", "https://api.example/", "--connect-to", place)
    #expect(result.status == 1 && result.output.contains(choice.rule), "\(result.output)\(result.errors)")
    #expect(result.output.split(separator: "\n").count { $0 == "Result : FAIL" } == 16, "\(result.output)")
    #expect(result.errors.shows(said), "\(result.errors)")
    let verdict = try Program.run("verify", "--connect", place, "--host", "api.example")
    #expect(verdict.status == 2, "\(verdict.output)")
    #expect(verdict.errors.shows("\(place) … \(said)"), "\(verdict.errors)")
    withExtendedLifetime(server) {}
  }
}
