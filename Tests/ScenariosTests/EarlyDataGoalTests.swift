import Scenarios
import Simulator
import Testing

@Suite("Goals of early data")
struct EarlyDataGoalTests {
  /// Whether eavesdropping has this state in the second of two loads, which sends early data.
  private func second(_ server: String, _ network: String, expecting state: String) throws -> Bool {
    let lines = [
      "clock: 2026-06-01T00:00:00Z",
      "server: { versions: [TLSv1.3], sessions: tickets, earlyData: {}\(server) }",
      "client: { os: iOS 18, sessions: tickets, earlyData: safe }",
      "network: [eavesdrop\(network)]",
      "requests: [https://api.example/, https://api.example/]",
      "expect: { verdict: accepted, connections: { second: { goals: { eavesdropping: \(state) } } } }",
    ]
    return try Lab.play(lines.joined(separator: "\n")).judgement.result == .passed
  }

  @Test(
    "a party that gets a secret of the early data later reads it, accepted or rejected (RFC 8446 section 2.3)",
    arguments: ["", ", groups: [secp256r1]", ", cookie: true"])
  func leaks(_ server: String) throws {
    #expect(try second(server, "", expecting: "prevented"))
    for secret in ["first.psk.1", "first.resumption_master_secret", "session_ticket_key"] {
      #expect(try second(server, ", { leak: \(secret), after: 1 hour }", expecting: "later"), "\(secret)")
    }
  }

  @Test("a server without the key of early data starts from zeros (RFC 8446 section 7.1)")
  func rejectedKey() throws {
    let lines = [
      "clock: 2026-06-01T00:00:00Z",
      "certificates: { api: { issuer: Issuing, names: [api.example, b.example] } }",
      "server: { versions: [TLSv1.3], sessions: tickets, earlyData: {} }",
      "servers: { api.example: {}, b.example: {} }",
      "client: { os: iOS 18, sessions: tickets, earlyData: safe }",
      "network: [eavesdrop, { reroute: b.example, in: second }]",
      "requests: [https://api.example/, https://api.example/]",
      "expect:",
      "  connections: { second: { goals: { eavesdropping: prevented, tampering: prevented } } }",
      "  knowledge:",
      "    eavesdropper: { knows: [second.early_secret.2], lacks: [second.early_secret, second.application_data.client.1] }",
      "    b.example: { knows: [second.application_data.client.2], lacks: [second.early_secret] }",
    ]
    let run = try Lab.play(lines.joined(separator: "\n"))
    #expect(run.judgement.mismatches.isEmpty, "\(run.judgement.mismatches)")
  }

  @Test("the secret of the handshake opens the request that follows rejected early data")
  func handshakeSecret() throws {
    let leak = ", { leak: second.handshake_secret, after: 1 hour }"
    #expect(try second(", groups: [secp256r1]", leak, expecting: "later"))
  }

  @Test("single-use tickets do not stop a client that repeats its request (RFC 8446 section 8)")
  func clientRetry() throws {
    let request = "request: { url: https://api.example/pay, method: POST, body: a }"
    let lines = [
      "clock: 2026-06-01T00:00:00Z",
      "server: { versions: [TLSv1.3], sessions: resumable, earlyData: {}, content: { POST /pay: done } }",
      "connections: [{ name: first, \(request) }, { name: second, \(request) }]",
    ]
    for (policy, isNamed) in [("all", true), ("safe", false)] {
      let client = "client: { os: iOS 18, sessions: resumable, earlyData: \(policy) }"
      let run = try Lab.play((lines + [client]).joined(separator: "\n"))
      let kinds = run.connections.last?.notTried.map(\.kind)
      #expect(kinds?.contains(.clientRetry) == isNamed, "\(policy)")
    }
  }
}
