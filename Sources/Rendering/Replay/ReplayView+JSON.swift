import Explanation
import Scenarios
import Simulator

extension ReplayView {
  /// The sessions as JSON, version 1: each has the shape of a run.
  public func json() -> JSONValue {
    [
      "trustlab": 1, "recording": .string(path), "sessions": .array(sessions.map(Self.json)),
    ]
  }

  private static func json(_ session: ReplayedSession) -> JSONValue {
    let outcome = Outcome(session)
    let start = session.trace.steps.first?.at ?? ReplayedSession.unknownTime
    var members: [JSONValue.Member] = [
      .init("trustlab", 1), .init("scenario", .string(session.recording.id)), .init("case", .string(Scenario.mainCase)),
      .init("os", "unknown"), .init("clock", .string(start.description)), .init("seed", "recorded"),
    ]
    members += RunView.facts(of: outcome)
    let knowledge = session.parties.map { party in
      JSONValue.Member(party.name, .strings(session.knowledge(of: party).values))
    }
    members += [
      .init("findings", .array(outcome.findings.map(\.json))),
      .init("steps", .array(session.trace.steps.map { StepView(step: $0, simulation: session, learnt: []).json() })),
      .init("knowledge", .object(knowledge)), .init("test", test(session)),
      .init("about", ["title": .string(session.recording.id), "sources": [], "disputed": nil]), .init("loads", []),
    ]
    return .object(members)
  }

  /// A replay passes when every record was opened and every check held.
  private static func test(_ session: ReplayedSession) -> JSONValue {
    let verdict = session.verdict
    let words = [verdict.word.rawValue] + verdict.because.map(\.id)
    let mismatches: [JSONValue] =
      verdict.word == .accepted
      ? [] : [["path": "verdict", "expected": "accepted", "found": .string(words.joined(separator: " "))]]
    return ["result": verdict.word == .accepted ? "passed" : "failed", "mismatches": .array(mismatches)]
  }
}
