import Endpoint
import Explanation
import Oracles
import Simulator
import TLS
import Testing

@testable import Scenarios

/// Connections of 2016 under certificates that are valid in 2017 and have expired in 2035. The outcomes were worked out
/// before the program was run.
@Suite("Quantum computers in scenarios")
struct QuantumScenarioTests {
  private static let (rsa, ecdhe) = ("TLS_RSA_WITH_AES_128_CBC_SHA", "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA")
  private static let dhe = "TLS_DHE_RSA_WITH_AES_128_CBC_SHA"

  private func text(_ suite: String, _ day: String?) -> String {
    """
    server: { cipherSuites: [\(suite)] }
    client: { os: iOS 8 }
    network: [eavesdrop\(day.map { ", { leak: { quantum: \($0) } }" } ?? "")]
    """
  }

  private func played(_ suite: String, _ day: String?) throws -> CaseResult {
    let result = try Lab.play(text(suite, day))
    #expect(result.outcome.verdict.word == .accepted)
    return result
  }

  private static func estimate(_ method: Method) throws -> Obstacle {
    .quantum(method, try #require(LogicalQubits(for: method)))
  }

  /// The computation that opens a recording with this suite, between the usual client and server.
  private static func opening(_ suite: String) throws -> Obstacle {
    switch suite {
    case rsa: try estimate(.quantumFactoring(bits: 2048))
    case dhe: try estimate(.quantumLogarithm(bits: 2048))
    default: try estimate(.quantumCurveLogarithm(curve: "secp256r1", bits: 256))
    }
  }

  @Test("without a quantum computer, every goal is prevented", arguments: [rsa, ecdhe, dhe])
  func none(_ suite: String) throws {
    let outcome = try played(suite, nil).outcome
    #expect(Goal.allCases.allSatisfy { outcome.goals[$0] == .prevented })
  }

  @Test(
    "a later quantum computer reads the recording, and signs only while certificates are valid",
    arguments: [rsa, ecdhe, dhe])
  func later(_ suite: String) throws {
    for (day, impersonation) in [("2035-01-01", Goal.State.prevented), ("2017-06-01", .later)] {
      let outcome = try played(suite, day).outcome
      #expect(
        outcome.goals == [.eavesdropping: .later, .tampering: .prevented, .impersonation: impersonation], "\(day)")
      let leak = Leak(.quantumComputer, at: try #require(Instant(day)))
      #expect(outcome.openings[.eavesdropping] == leak)
      #expect(try outcome.reasons[.eavesdropping] == .leak(leak, counted: Self.opening(suite)))
      let signing = GoalReason.leak(leak, counted: try Self.estimate(.quantumFactoring(bits: 2048)))
      #expect((outcome.reasons[.impersonation] == signing) == (impersonation == .later))
    }
  }

  @Test("a quantum computer of the day or earlier reads and signs at once", arguments: [rsa, ecdhe, dhe])
  func possible(_ suite: String) throws {
    for day in ["2016-11-01", "2010-01-01"] {
      let outcome = try played(suite, day).outcome
      #expect(Goal.allCases.allSatisfy { outcome.goals[$0] == .possible }, "\(day)")
      #expect(
        try outcome.reasons[.eavesdropping]
          == .counted(.eavesdropper, "application_data.client.1", Self.opening(suite)))
      let signing = Attempt.Means.forged(under: "Root A", key: "Root A.key")
      #expect(
        try outcome.reasons[.impersonation] == .tried(signing, counted: Self.estimate(.quantumFactoring(bits: 2048))))
    }
    // One second later, the connection is over.
    #expect(try played(suite, "2016-11-01T00:00:01Z").outcome.goals[.eavesdropping] == .later)
  }

  @Test("the proof counts the quantum step, and carries out the others")
  func proof() throws {
    let simulation = try played(Self.rsa, "2035-01-01").simulation
    let value: Value.ID = "application_data.client.1"
    let proof = try #require(Execution(of: value, as: .eavesdropper, in: simulation))
    #expect(proof.holds && !proof.isComplete && proof.playback?.isEqual == true)
    #expect(try proof.quantumObstacle == Self.opening(Self.rsa))
    let postponed = proof.steps.filter { if case .postponed = $0.outcome { true } else { false } }
    #expect(postponed.map(\.value) == ["api.key"])
    #expect(postponed.first?.inputs.map(\.name) == ["api.certificate"])
    let obstacle = try #require(proof.quantumObstacle)
    #expect(obstacle.description.contains("6189") && obstacle.description.contains("1905.09749"))
  }

  @Test("every key becomes known on the day, and to no endpoint")
  func knowers() throws {
    let simulation = try played(Self.ecdhe, "2035-01-01").simulation
    let keys: [Value.ID] = ["api.key", "Issuing.key", "Root A.key", "client_ecdh_private", "server_ecdh_private"]
    let before = Knowledge(of: .eavesdropper, in: simulation.trace)
    let after = simulation.knowledge(of: .eavesdropper)
    #expect(!keys.contains(where: before.knows) && keys.allSatisfy(after.knows))
    #expect(!simulation.knowledge(of: .client).knows("api.key"))
    #expect(simulation.trace.leaks.map(\.content) == [.quantumComputer])
  }

  // RFC 7748 section 4.1: Curve25519 is a curve over a field of 255 bits.
  @Test("the method follows from the key's algorithm")
  func curves() throws {
    let simulation = try Lab.play(
      """
      certificates: { api: { issuer: Issuing, names: [api.example], key: ec-p256 } }
      server: { cipherSuites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256], groups: [x25519] }
      client: { os: iOS 12, infoPlist: { NSAllowsArbitraryLoads: true } }
      network: [eavesdrop, { leak: { quantum: 2035-01-01 } }]
      """
    ).simulation
    let knowledge = simulation.knowledge(of: .eavesdropper)
    #expect(
      knowledge.way(to: "api.key")
        == .computed(.quantumCurveLogarithm(curve: "P-256", bits: 256), from: ["api.certificate"]))
    #expect(
      knowledge.way(to: "client_ecdh_private")
        == .computed(.quantumCurveLogarithm(curve: "x25519", bits: 255), from: ["client_ecdh_public"]))
    #expect(knowledge.knows("application_data.client.1"))
  }

  @Test("of two connections, only the one after the day is read at once")
  func timeline() throws {
    let result = try Lab.play(
      """
      server: { cipherSuites: [\(Self.ecdhe)] }
      client: { os: iOS 8 }
      network: [eavesdrop, { leak: { quantum: 2017-01-01 } }]
      timeline: [{ date: 2017-02-01, changes: { server.content: { GET /: later } } }]
      """)
    #expect(result.connections.map { $0.goals[.eavesdropping] } == [.later, .possible])
    #expect(result.connections.map { $0.goals[.impersonation] } == [.later, .possible])
  }

  @Test("passive attackers with a quantum computer read, and cannot impersonate the server")
  func passive() throws {
    let outcome = try Lab.play(text(Self.ecdhe, "2010-01-01") + "\nattackers: { capability: passive }").outcome
    #expect(outcome.goals == [.eavesdropping: .possible, .tampering: .prevented, .impersonation: .prevented])
  }

  @Test(
    "the map of a leak has exactly one key, a date",
    arguments: [
      ("{ leak: { quantum: tomorrow } }", "tomorrow", 1), ("{ leak: { quantum: 2035-02-30 } }", "2035-02-30", 1),
      ("{ leak: {} }", "network[0].leak", 1), ("{ leak: { computer: 2035-01-01 } }", "computer", 1),
      ("{ leak: { quantum: 2035-01-01 }, after: 3 days }", "after", 1), ("{ leak: quantum }", "quantum", 1),
      ("{ leak: { quantum: 2035-01-01 } }", "", 0), ("{ leak: { quantum: 1999-01-01 } }", "", 0),
    ])
  func errors(_ verb: String, _ shown: String, _ count: Int) throws {
    let faults = try Lab.diagnostics("network: [\(verb)]")
    #expect(faults.count == count && faults.allSatisfy { $0.message.contains(shown) }, "\(faults)")
  }

  @Test("the full form of a scenario keeps the date, and formatting changes nothing")
  func forms() throws {
    let text = text(Self.rsa, "2035-01-01") + "\n"
    #expect(try ScenarioFormat.text(of: Array(text.utf8), path: "test.yaml").contains("{ quantum: 2035-01-01 }"))
    let file = try Lab.read(text)
    let day = try #require(Instant("2035-01-01"))
    #expect(try #require(file.cases.first).network.contains(.quantumComputer(from: day)))
    let full = try Lab.library().reader.fullText(of: file)
    #expect(full.contains("{ leak: { quantum: 2035-01-01 } }") && !full.contains("0 seconds"))
  }
}
