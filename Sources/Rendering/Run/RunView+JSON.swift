import Explanation
import Scenarios
import Simulator
import URLLoading

extension RunView {
  /// The maximum width of a JSON value that stays on one line.
  public static let jsonColumns = 120

  /// Returns the run as JSON, version 1, with the content of the text at every depth, in a fixed order.
  ///
  /// - Parameter depth: at the depth `numbers`, long searches are carried out too.
  public func json(_ depth: Depth = .story) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("trustlab", 1), .init("scenario", .string(scenario.id)), .init("case", .string(scenario.caseName)),
      .init("os", .string(systems)),
      .init("clock", .string(scenario.clock.description)), .init("seed", seed),
    ]
    if simulation.calculation != nil { members.append(.init("toy", true)) }
    if let mutant = result.mutant { members.append(.init("mutant", .string(mutant.name))) }
    members += Self.facts(of: outcome)
    if result.connections.count > 1 {
      let connections = result.connections.map { connection -> JSONValue in
        let head: [JSONValue.Member] = [
          .init("name", .optional(connection.name)), .init("url", .string(connection.url)),
        ]
        return .object(head + Self.facts(of: connection) + [Self.sources(of: connection)])
      }
      members.append(.init("connections", .array(connections)))
    }
    let paths = PathView(simulation)
    let steps = simulation.trace.steps
    let table = FindingTable(
      verdict: outcome.findings,
      others: steps.flatMap(\.findings) + paths.candidates.flatMap(\.candidate.findings.settled))
    members += table.members + Self.steps(of: simulation, table)
    members += [
      .init("diagram", Diagram(simulation).json(steps)), .init("chain", paths.json(table)),
      .init("cost", CostView(simulation).json()),
    ]
    members += KnowledgeView.json(of: simulation)
    members += [
      .init("test", Self.test(result.judgement)),
      .init("about", about), .init("loads", .array(simulation.plans.map(Self.load))),
      .init("proofs", .array(proofs(depth))), Self.sources(of: outcome),
      .init("issuing", IssuingView(simulation).json), .init("cases", .strings(cases)),
    ]
    return .object(members)
  }

  static func facts(of outcome: Outcome) -> [JSONValue.Member] {
    let response = outcome.response.map { JSONValue.Member("response", $0.json) }
    let goals = Goal.allCases.map { goal in
      JSONValue.Member(goal.rawValue, .string((outcome.goals[goal] ?? .notApplicable).rawValue))
    }
    return [
      .init("verdict", .string(outcome.verdict.word.rawValue)),
      .init("layer", .optional(outcome.verdict.layer?.rawValue)),
      .init("because", .strings(outcome.verdict.because.map(\.id))), .init("path", .strings(outcome.path)),
      .init("errors", .array(outcome.errors.map(\.json))),
      .init("trustResult", .optional(outcome.trustResult)), .init("cipherSuite", .optional(outcome.cipherSuite)),
      .init("awaited", .strings(outcome.awaited)),
      .init("content", .optional(outcome.content.map { String(decoding: $0, as: UTF8.self) })),
    ] + [response].compactMap(\.self) + [
      .init(
        "server",
        [
          "verdict": .string(outcome.server.word.rawValue), "because": .strings(outcome.server.because.map(\.id)),
        ]),
      .init("executed", .strings(outcome.executed)),
      .init("goals", .object(goals)), .init("goalReasons", GoalView(outcome).json),
      .init("attempts", AttemptView(outcome).json), .init("notTried", GoalView(outcome).notTried),
      .init("challenges", ChallengeView(outcome.challenges).json),
    ]
  }

  /// Returns the steps of a run, and the values that they name.
  static func steps(of run: any TracedRun, _ table: FindingTable, hasSecrets: Bool = true) -> [JSONValue.Member] {
    let timeline = KnowledgeTimeline(run)
    let steps = run.trace.steps.map { StepView(step: $0, simulation: run, timeline: timeline).json(table) }
    return [.init("steps", .array(steps)), .init("values", ValueTable(run, hasSecrets: hasSecrets).json)]
  }

  /// Returns the source of each issuer on the path.
  private static func sources(of outcome: Outcome) -> JSONValue.Member {
    .init("issuerSources", .strings(outcome.issuerSources.map(\.rawValue)))
  }

  private func proofs(_ depth: Depth) -> [JSONValue] {
    result.connections.flatMap { GoalProofs($0, simulation, depth).json }
  }

  private var about: JSONValue {
    let head: [JSONValue.Member] = [
      .init("title", .string(scenario.about.title)), .init("sources", .strings(scenario.about.sources)),
    ]
    return .object(head + WordsView(scenario).members)
  }

  private static func load(_ plan: World.Plan) -> JSONValue {
    let decision = plan.client.decision
    return [
      "name": .optional(plan.name), "url": .string(decision.load.url.description),
      "os": .string(decision.load.os.description), "loader": .string(decision.load.loader.rawValue),
      "ats": .string(standing(decision)), "decidedBy": .string(decision.decidedBy),
      "clock": .string(plan.clock.description), "replays": .optional(plan.replayed), "changes": .strings(plan.changes),
    ]
  }

  static func test(_ judgement: Judgement) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("result", .string(judgement.result.rawValue)),
      .init("mismatches", .array(judgement.mismatches.map(\.json))),
    ]
    if let reason = judgement.reason { members.append(.init("reason", .string(reason))) }
    return .object(members)
  }
}

extension ReceivedResponse {
  fileprivate var json: JSONValue {
    [
      "protocol": .string(version), "status": code.map(JSONValue.integer) ?? .null, "statusLine": .string(statusLine),
      "fields": .strings(fields),
    ]
  }
}

extension Outcome {
  /// The words after a verdict on a connection whose response is an error; empty for any other.
  var errorNote: String {
    guard verdict.word == .accepted, let response, response.isError else { return "" }
    return ", but the response is an error: \(response.status)"
  }
}
