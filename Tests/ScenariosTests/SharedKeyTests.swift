import Testing

@testable import Scenarios
@testable import Simulator

// RFC 8446 section E.1, RFC 9257 section 4.1, N. Drucker and S. Gueron, 2019: an external key that more than one client
// and one server have authenticates no single party.
@Suite("External keys that several parties have")
struct SharedKeyTests {
  private static let key = "{ identity: group, key: 000102030405060708090a0b0c0d0e0f, mode: MODE }"

  private func outcome(
    _ rest: String, hub: String = SharedKeyTests.key, mode: String = "psk_dhe_ke"
  ) throws -> Outcome {
    let lines = [
      "clock: 2025-03-01",
      "servers:",
      "  api.example: { versions: [TLSv1.3], psk: \(Self.key) }",
      "  hub.example: { versions: [TLSv1.3], psk: \(hub) }",
      "client: { os: iOS 18, psk: \(Self.key) }",
      rest,
    ]
    return try Lab.play(lines.joined(separator: "\n").replacing("MODE", with: mode)).outcome
  }

  @Test("an attacker without a key routes the client to another server with the same key")
  func rerouted() throws {
    let shared = try outcome("")
    #expect(shared.goals[.impersonation] == .possible)
    #expect(shared.reasons[.impersonation] == .tried(.rerouted(host: "hub.example")))
    #expect(shared.goals[.eavesdropping] == .prevented && shared.notTried.isEmpty)
  }

  @Test("the run that shows the attack does not call it prevented")
  func attempt() throws {
    let attempt = try #require(try outcome("").attempts.last { $0.means == .rerouted(host: "hub.example") })
    var simulation = Simulation(try #require(attempt.world))
    simulation.run()
    #expect(Outcome(simulation).goals[.impersonation] == .possible)
  }

  @Test("a network that routes the client there needs no attacker on the path")
  func happened() throws {
    let rerouted = "network: [eavesdrop, { reroute: hub.example }]\nattackers: { capability: passive }"
    #expect(try outcome(rerouted).goals[.impersonation] == .possible)
    #expect(try outcome("attackers: { capability: passive }").goals[.impersonation] == .prevented)
  }

  @Test(
    "another key, another name or no key is no attack",
    arguments: [
      key.replacing("00010203", with: "ff010203"), key.replacing("group", with: "pair"), "null",
    ])
  func separate(hub: String) throws {
    let outcome = try outcome("", hub: hub)
    #expect(outcome.goals[.impersonation] == .prevented && outcome.notTried.isEmpty)
  }

  @Test(
    "another client with the key is named, because a dishonest holder could act as the server",
    arguments: [("psk_dhe_ke", [Goal.impersonation]), ("psk_ke", Goal.allCases)])
  func otherClient(mode: String, goals: [Goal]) throws {
    let lock = "{ name: lock, client: { os: iOS 17 }, request: \"https://api.example/\" }"
    let lamp = "connections:\n  - { name: lamp, request: \"https://api.example/\" }\n  - "
    func untried(_ lock: String) throws -> Set<Goal> {
      Set(try outcome(lamp + lock, hub: "null", mode: mode).notTried.filter { $0.kind == .keyHolder }.map(\.goal))
    }
    #expect(try untried(lock) == Set(goals))
    #expect(try untried(lock.replacing("client: { os: iOS 17 }, ", with: "")).isEmpty)
    #expect(try untried(lock.replacing("os: iOS 17", with: "psk: { identity: lock }")).isEmpty)
  }

  @Test("without (EC)DHE, another server with the key could read the recording", arguments: ["psk_ke", "psk_dhe_ke"])
  func reader(mode: String) throws {
    let outcome = try outcome("attackers: { capability: passive }", mode: mode)
    let untried = outcome.notTried.filter { $0.kind == .keyHolder }.map(\.goal)
    #expect(untried.contains(.eavesdropping) == (mode == "psk_ke"))
    #expect(!untried.contains(.tampering))
  }
}
