import Endpoint
import Scenarios
import Simulator
import Testing

/// One attack on a good connection, and its result.
struct AttackRow: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let verb: String
  let kind: Interference.Kind
  let verdict: Verdict.Word
  let because: [String]
  let tampering: Goal.State

  init(
    _ name: String, _ verb: String, _ kind: Interference.Kind, _ verdict: Verdict.Word, _ because: [String],
    tampering: Goal.State
  ) {
    testDescription = name
    self.verb = verb
    self.kind = kind
    self.verdict = verdict
    self.because = because
    self.tampering = tampering
  }
}

@Suite("Attacks on messages")
struct AttackTests {
  static let rows = [
    AttackRow("read", "{ observe: ClientHello }", .read, .accepted, [], tampering: .prevented),
    AttackRow(
      "dropped", "{ drop: ServerHello }", .dropped, .refused, ["handshake.unexpected-message"], tampering: .detected),
    AttackRow("every message is dropped", "{ drop: ClientHello }", .dropped, .hangs, [], tampering: .notApplicable),
    AttackRow(
      "twice", "{ replay: ApplicationData, from: client }", .replayed, .refused, ["record.bad-mac"],
      tampering: .detected),
    // The client has the complete response by then (RFC 5246 section 7.2.1).
    AttackRow(
      "the alert after the response", "{ alter: Alert, from: client, flip: 200 }", .altered, .accepted, [],
      tampering: .prevented),
    AttackRow(
      "one bit", "{ alter: ApplicationData, from: server, flip: 200 }", .altered, .refused, ["record.bad-mac"],
      tampering: .detected),
    AttackRow(
      "a field", "{ alter: ServerHello, field: random, to: \"00\" }", .altered, .refused, ["handshake.bad-signature"],
      tampering: .detected),
    AttackRow(
      "fewer suites", "{ alter: ClientHello, without: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256] }", .altered, .refused,
      ["handshake.finished-mismatch"], tampering: .detected),
    AttackRow(
      "nothing to alter", "{ alter: ClientHello, field: ticket, to: \"00\" }", .unaltered, .accepted, [],
      tampering: .prevented),
    AttackRow(
      "made-up data", "{ inject: ApplicationData, after: Finished, from: server, text: hello }", .injected, .refused,
      ["record.bad-mac"], tampering: .detected),
    AttackRow(
      "a made-up alert", "{ inject: Alert, after: ServerHello, text: internal_error }", .injected, .refused,
      ["handshake.fatal-alert"], tampering: .detected),
  ]

  @Test("an attack on a message is recorded, and the right party detects it", arguments: rows)
  func attack(row: AttackRow) throws {
    let result = try Lab.play("network: [\(row.verb)]")
    let step = try #require(result.simulation.trace.steps.first { $0.interference != nil })
    #expect(step.interference?.kind == row.kind)
    #expect(step.from == .interceptor)
    #expect(result.outcome.verdict.word == row.verdict)
    #expect(result.outcome.verdict.because.map(\.id) == row.because)
    #expect(result.outcome.goals[.tampering] == row.tampering)
    #expect(try Lab.play("network: [eavesdrop]").outcome.verdict.word == .accepted)
  }

  @Test("changed text in plain HTTP arrives unnoticed")
  func replacing() throws {
    let text = "client: { os: iOS 8 }\nrequest: http://api.example/\n"
    let result = try Lab.play(text + "network: [{ alter: HTTP response, replace: { hello: bye } }]")
    #expect(result.outcome.content == Array("bye".utf8))
    #expect(result.outcome.reasons[.tampering] == .plain)
    let step = try #require(result.simulation.trace.steps.first { $0.interference != nil })
    #expect(step.interference?.kind == .altered && step.interference?.bytes != step.bytes)
    #expect(try Lab.play(text).outcome.content == Array("hello".utf8))
  }

  @Test("goals name the party that was accepted and the party that detected the attack")
  func reasons() throws {
    func outcome(trust: String) throws -> Outcome {
      try Lab.play(
        """
        authorities:
          Root A: { trust: system }
          Issuing: { issuer: Root A }
          Rogue: { trust: \(trust) }
        certificates:
          api: { issuer: Issuing, names: [api.example] }
          evil: { issuer: Rogue, names: [api.example] }
        network: [{ intercept: { presents: [evil] } }]
        """
      ).outcome
    }
    #expect(try outcome(trust: "user").reasons[.impersonation] == .accepted(path: ["evil", "Rogue"]))
    guard case .noticed(let rules)? = try outcome(trust: "none").reasons[.impersonation] else {
      Issue.record("the impostor was not detected")
      return
    }
    #expect(rules.map(\.id) == ["chain.no-issuer"])
  }

  @Test("the curriculum shows every goal as prevented, detected, possible and later, if that is possible")
  func goals() throws {
    var shown: Set<String> = []
    for scenario in try Lab.library().cases {
      let expectations =
        scenario.dates.map(\.expectation) + scenario.dates.flatMap { $0.connections.map(\.expectation) }
      for (goal, state) in expectations.compactMap({ $0?.goals }).joined() { shown.insert("\(goal) \(state)") }
    }
    for goal in Goal.allCases {
      for state in [Goal.State.prevented, .detected, .possible, .later] {
        // The records of a closed connection cannot be forged later.
        if goal == .tampering, state == .later { continue }
        #expect(shown.contains("\(goal) \(state)"), "\(goal) \(state)")
      }
    }
  }
}
