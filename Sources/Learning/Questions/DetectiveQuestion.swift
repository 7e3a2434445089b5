import Cryptography
import Explanation
import Scenarios
import Simulator

/// A question about which of six networks has an attacker, although all of them accept the same load.
///
/// The question shows the facts that each client sees. Most facts also differ between honest networks, but one does
/// not.
package struct DetectiveQuestion {
  let subject: Subject
  let student: Student
  let player: ScenarioPlayer

  /// The number of honest networks.
  private static let honest = 5

  /// Returns whether an attacker in the case impersonates the server and the client accepts it.
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
        "Six clients, each in its own network, have loaded \(subject.outcome.url) without an error. In one network "
        + "an attacker between client and server reads the content. Which network is it? (System, day, server address, "
        + "cipher suite, beginning of the SHA-256 of Certificate.)",
      given: [], options: options, format: Choice.format(options.count),
      hints: [
        "Look at each column: which values differ, and may they differ?",
        "Compare the values that depend on the client, the day or the network with the values that the server keeps.",
        Choice.narrowing(options, solution, student, label),
      ], solution: solution,
      reason: .sentence(
        "Systems, days, addresses and suites also differ between honest networks: a host has many addresses, and the "
          + "suite depends on the preferences of both sides. The certificate belongs to the server: a client that "
          + "receives another certificate is not connected to the same server. (A renewed certificate looks "
          + "the same: check whether the key changed, and which CA signed it.)"))
  }

  /// Returns observations in honest networks, all different and all with the server's own certificate.
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

  /// The permitted differences between honest networks: the system, the suite, and the day.
  ///
  /// The first honest network has no differences. Neither has the network with the attacker, so the differences do not
  /// reveal the answer.
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

  /// The facts that a client sees in one network.
  private struct Sight: Hashable {
    let system: String
    let day: String
    let suite: String
    /// The first bytes of the SHA-256 of the server's Certificate message.
    let certificate: String

    /// Collects the facts that the client of a run saw; nil if it did not accept, or received no certificate.
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

    /// Returns the facts on one line, with an address from the range for documentation (RFC 5737).
    func words(at address: Int) -> String {
      "\(system), \(day), 203.0.113.\(address), \(suite), \(certificate)"
    }
  }
}
