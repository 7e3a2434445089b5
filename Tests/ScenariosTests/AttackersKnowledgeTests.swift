import Endpoint
import Explanation
import Simulator
import TLS
import Testing

@testable import Scenarios

/// Regression tests for the knowledge of third parties and the reports about attacks.
@Suite("Attackers have only the knowledge that they obtained")
struct AttackersKnowledgeTests {
  private func played(_ text: String) throws -> CaseResult { try Lab.play(text) }

  private static let rsa = "server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }\n"

  @Test("a server's response is known to the requester, and to no eavesdropper")
  func oracle() throws {
    let run = try played(
      """
      certificates: { api: { issuer: Issuing, names: [api.example], key: rsa-512 } }
      server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA], mutant: robot }
      client: { os: iOS 8 }
      # With the usual budget 512 bits are factored, and who only listens has the key: RSA-155.
      attackers: { budget: 2^30 }
      network: [eavesdrop, { query: padding-oracle }]
      """
    ).simulation
    #expect(run.knowledge(of: .interceptor).knows("premaster_secret"))
    #expect(!run.knowledge(of: .eavesdropper).knows("premaster_secret"))
  }

  @Test("weak random numbers never reveal a key agreement's premaster secret (RFC 8422 section 5.10)")
  func agreement() throws {
    let random = "client: { os: iOS 8, random: { premaster_secret: 6 bits } }\n"
    func searches(_ text: String) throws -> Bool {
      let value = try #require(try played(random + text).simulation.trace.values["premaster_secret"])
      return value.derivations.contains { if case .computed(.premasterSearch, _) = $0 { true } else { false } }
    }
    #expect(try !searches("server: { cipherSuites: [TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA] }"))
    #expect(try searches(Self.rsa))
  }

  @Test(
    "a response that is complete, or never arrived, is no tampering: RFC 9112 section 9.8",
    arguments: [
      ("{ drop: Alert, from: server }", Verdict.Word.accepted),
      ("{ drop: ApplicationData, from: server }, { drop: Alert, from: server }", .hangs),
      // Without the dropped record the next has the wrong sequence number, so its MAC fails: RFC 5246 section 6.2.3.
      ("{ drop: ApplicationData, from: server }", .refused),
    ])
  func swallowed(_ verb: String, _ word: Verdict.Word) throws {
    let outcome = try played("network: [eavesdrop, \(verb)]").outcome
    #expect(outcome.verdict.word == word && outcome.goals[.tampering] != .possible)
  }

  @Test(
    "by default an injected close_notify is a warning: RFC 5246 section 7.2.1",
    arguments: [("", 1), (", level: fatal", 2)] as [(String, UInt8)])
  func level(_ more: String, _ level: UInt8) throws {
    let run = try played("network: [{ inject: Alert, after: ServerHello, text: close_notify\(more) }]").simulation
    let step = try #require(run.trace.steps.first { $0.interference?.kind == .injected })
    #expect(Array(step.bytes.suffix(2)) == [level, 0])
  }

  @Test("the author of a calculation declares its goals, because there is no traffic to judge")
  func calculation() throws {
    let outcome = try Lab.player.play(try Lab.scenario(named: "L8-04")).outcome
    #expect(outcome.goals[.eavesdropping] == .notApplicable && outcome.reasons[.eavesdropping] == nil)
    let blocked = try Lab.player.play(try Lab.scenario(named: "L0-06")).outcome
    #expect(blocked.reasons[.eavesdropping] == .nothingExchanged)
  }

  @Test("an eavesdropper neither changes plain HTTP nor responds instead of the server")
  func passive() throws {
    let text = "client: { os: iOS 8 }\nrequest: http://api.example/\nattackers: { capability: "
    let passive = try played(text + "passive }").outcome
    #expect(Goal.allCases.map { passive.goals[$0] } == [.possible, .prevented, .prevented])
    #expect(passive.reasons[.tampering] == .beyond(.onPath))
    let onPath = try played(text + "on-path }").outcome
    #expect(Goal.allCases.map { onPath.goals[$0] } == [.possible, .possible, .possible])
  }

  @Test("a leak opens a recording made before it, and the first sufficient leak is named")
  func firstLeak() throws {
    let leaks = "network: [eavesdrop, { leak: Issuing.key, after: 1 day }, { leak: api.key, after: 2 days }, "
    let rsa = try played("client: { os: iOS 8 }\n" + Self.rsa + leaks + "{ leak: premaster_secret, after: 3 days }]")
      .outcome
    #expect(rsa.openings[.eavesdropping]?.secret == "api.key" && rsa.openings[.impersonation]?.secret == "Issuing.key")
    let ecdhe = try played(leaks + "{ leak: client_ecdh_private, after: 3 days }]").outcome
    #expect(ecdhe.openings[.eavesdropping]?.secret == "client_ecdh_private")
  }
}
