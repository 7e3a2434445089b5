import Explanation
import Simulator
import Testing

@testable import Scenarios

/// How far attackers search, worked out by hand before the program was run.
@Suite("Attackers search as far as they can")
struct GoalSearchTests {
  private func outcome(_ text: String) throws -> Outcome {
    let scenario = try #require(try Lab.read(text).scenario(named: Scenario.mainCase))
    return try Lab.player.play(scenario).outcome
  }

  private func states(_ outcome: Outcome) -> [Goal.State?] { Goal.allCases.map { outcome.goals[$0] } }

  private static let rsa = "server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }\n"

  @Test("a search above the limit is only counted; below, it is carried out")
  func counted() throws {
    func eavesdropping(_ bits: Int) throws -> GoalReason? {
      try outcome(Self.rsa + "client: { os: iOS 8, random: { premaster_secret: \(bits) bits } }").reasons[
        .eavesdropping]
    }
    #expect(try eavesdropping(6) == .has(.eavesdropper, "application_data.client.1"))
    #expect(
      try eavesdropping(30)
        == .counted(.eavesdropper, "application_data.client.1", .tooLarge(bits: 30, limit: Execution.quickSearchLimit)))
    #expect(try eavesdropping(80) == .nobody)
  }

  @Test("attackers search as far as their budget goes, and no further")
  func budget() throws {
    func goals(_ bits: Int, _ budget: Int) throws -> [Goal.State?] {
      try states(
        outcome(
          Self.rsa + "client: { os: iOS 8, random: { premaster_secret: \(bits) bits } }\n"
            + "attackers: { budget: 2^\(budget) }"))
    }
    #expect(try goals(30, 20) == [.prevented, .prevented, .prevented])
    #expect(try goals(30, 30) == [.possible, .possible, .possible])
    #expect(try goals(60, 64) == [.possible, .possible, .possible])
    #expect(try goals(100, 128) == [.possible, .possible, .possible])
    #expect(try goals(60, 40) == [.prevented, .prevented, .prevented])
    let key = "certificates: { api: { issuer: Issuing, names: [api.example], entropy: 15 } }\nclient: { os: iOS 9 }\n"
    #expect(try outcome(key).goals[.impersonation] == .possible)
    #expect(try outcome(key + "attackers: { budget: 2^10 }").goals[.impersonation] == .prevented)
  }

  @Test("an impersonation that was partly counted is not reported as carried out")
  func countedImpersonation() throws {
    let guessed = try outcome(Self.rsa + "client: { os: iOS 8, random: { premaster_secret: 30 bits } }")
    let limit = Execution.quickSearchLimit
    #expect(
      guessed.reasons[.impersonation]
        == .tried(.knownPremaster("premaster_secret"), counted: .tooLarge(bits: 30, limit: limit)))
    let found = try outcome(Self.rsa + "client: { os: iOS 8, random: { premaster_secret: 6 bits } }")
    #expect(found.reasons[.impersonation] == .tried(.knownPremaster("premaster_secret")))
  }

  @Test(
    "the words that describe attackers are checked",
    arguments: [
      ("attackers: { capability: pasive }", "'passive'"), ("attackers: { budget: 40 }", "2^40"),
      ("attackers: { budget: 2^999 }", "2^40"), ("attackers: { certificates: [evul] }", "known here"),
      ("attackers: { certificates: [api] }", "leak: api.key"),
    ])
  func words(_ text: String, _ hint: String) throws {
    #expect(try Lab.diagnostics(text).contains { $0.description.contains(hint) }, "\(text)")
  }
}
