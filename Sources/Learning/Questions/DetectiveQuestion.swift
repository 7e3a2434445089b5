import Cryptography
import Explanation
import Scenarios
import Simulator

/// Six networks in which the same load is accepted, and in one of them somebody stands between: which? What each client
/// sees is told; much of it differs between honest networks too, and one thing does not.
package struct DetectiveQuestion {
  let subject: Subject
  let student: Student
  let player: ScenarioPlayer

  /// How many networks are honest.
  private static let honest = 5

  /// Whether somebody stands between in a case, and its client takes it for the server.
  package static func isPossible(_ scenario: Scenario) -> Bool {
    scenario.connections.count == 1 && scenario.later.isEmpty && scenario.expectedWord == .accepted
      && scenario.network.contains { if case .intercept = $0 { true } else { false } }
  }

  func question() -> Question? {
    guard subject.now.trace.steps.isEmpty, subject.isCertain, Self.isPossible(subject.scenario),
      let odd = Sight(subject.scenario, subject.end, subject.outcome),
      let genuine = laid("network = [eavesdrop]", over: subject.scenario)
    else { return nil }
    let honest = sights(of: genuine, besides: odd)
    guard honest.count == Self.honest else { return nil }
    let label = "detective/\(subject.scenario.name)"
    let addresses = student.shuffled(Array(2...250), for: "\(label)/addresses")
    let lines = zip([odd] + honest, addresses).map { Question.Option($0.words(at: $1)) }
    let choice = Choice(right: lines[0], wrong: Array(lines.dropFirst()))
    let (options, solution) = choice.arranged(for: student, label)
    return Question(
      kind: .detective, scenario: subject.scenario.name,
      text:
        "Six clients, each in a network of its own, have loaded \(subject.outcome.url); all were content. Between one of "
        + "them and the server somebody stands, who reads along. Which? (System, day, address of the server, suite, beginning "
        + "of the SHA-256 of Certificate.)",
      given: [], options: options, format: Choice.format(options.count),
      hints: [
        "Look at what each client sees, column by column: what differs, and may it?",
        "Compare what depends on the client, the day and the way with what a server was given once.",
        Choice.narrowing(options, solution, student, label),
      ], solution: solution,
      reason: .sentence(
        "Systems, days, addresses and suites differ among honest networks too: one host has many addresses, and a suite is "
          + "what both ends like best. The certificate is the server's own: whoever shows another one is not the server "
          + "that all the others meet. (A server that renews its certificate looks the same: ask whether the key changed, "
          + "and who signed it.)"))
  }

  /// What clients see in honest networks, no two the same, all with the certificate of the server itself.
  private func sights(of genuine: Scenario, besides odd: Sight) -> [Sight] {
    var sights: [Sight] = []
    for change in changes where sights.count < Self.honest {
      guard let scenario = change.isEmpty ? genuine : laid(change, over: genuine),
        let result = try? player.play(scenario), let seen = Sight(scenario, result.simulation, result.outcome),
        seen.certificate != odd.certificate,
        sights.allSatisfy({ $0.certificate == seen.certificate && $0 != seen })
      else { continue }
      sights.append(seen)
    }
    return sights
  }

  /// What may differ between honest networks: the system, the suite, and the day. The first is as in the one that is not
  /// honest, so that none of them gives it away.
  private var changes: [String] {
    let label = "detective/\(subject.scenario.name)"
    let days = student.shuffled(Array(1...9), for: "\(label)/days").map { day in
      "clock = \(subject.scenario.clock.adding(days: day).day)"
    }
    let others = [
      "client.os = iOS 9", "client.os = iOS 8", "client.os = iOS 12",
      "server.cipherSuites = [TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384]",
    ]
    return [""] + days.prefix(2) + student.shuffled(others, for: "\(label)/changes") + days.dropFirst(2)
  }

  private func laid(_ line: String, over scenario: Scenario) -> Scenario? {
    guard let change = try? Assignment(reading: line) else { return nil }
    return try? change.applied(to: scenario, beside: subject.file.cases)
  }

  /// What a client in one network sees.
  private struct Sight: Hashable {
    let system: String
    let day: String
    let suite: String
    /// The first bytes of the SHA-256 of what the server sends as Certificate.
    let certificate: String

    /// What the client of a run saw; nil where it did not accept, or had no certificate.
    init?(_ scenario: Scenario, _ run: Simulation, _ outcome: Outcome) {
      guard outcome.verdict.word == .accepted, let suite = outcome.cipherSuite,
        let client = scenario.connections.first?.client,
        let step = run.trace.steps.first(where: { $0.handshakeType == .certificate && $0.to == .client })
      else { return nil }
      system = client.os.description
      day = scenario.clock.day
      self.suite = suite.replacing("TLS_", with: "").replacing("_WITH", with: "")
      certificate = Hex.string(Hash.sha256.digest(step.bytes).prefix(4))
    }

    /// On one line, at an address that RFC 5737 keeps for documentation.
    func words(at address: Int) -> String {
      "\(system), \(day), 203.0.113.\(address), \(suite), \(certificate)"
    }
  }
}
