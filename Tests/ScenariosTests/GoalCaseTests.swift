import Simulator
import Testing

@testable import Scenarios

/// A scenario, and the outcomes of its goals by the standards.
struct GoalCase: Sendable, CustomTestStringConvertible {
  /// Eavesdropping, tampering and impersonation: prevented (P), later (L), possible (S), detected (D), not applicable
  /// (N).
  let outcomes: String
  /// The reason, with the clause of the standard.
  let reason: String
  /// The scenario.
  let text: String

  init(_ outcomes: String, _ reason: String, _ text: String) {
    (self.outcomes, self.reason, self.text) = (outcomes, reason, text)
  }

  var testDescription: String { "\(outcomes): \(reason)" }
}

@Suite("Goals worked out by hand")
struct GoalCaseTests {
  private func letter(_ state: Goal.State?) -> String {
    switch state {
    case .prevented: "P"
    case .later: "L"
    case .possible: "S"
    case .detected: "D"
    case .notApplicable, nil: "N"
    }
  }

  @Test(
    "a goal has the outcome that the standards give it",
    arguments: [
      GoalCase.secretsCases, GoalCase.keysCases, GoalCase.certificatesCases, GoalCase.statusCases, GoalCase.appsCases,
    ].flatMap(\.self))
  func outcomes(_ goalCase: GoalCase) throws {
    let goals = try Lab.play(goalCase.text).outcome.goals
    #expect(Goal.allCases.map { letter(goals[$0]) }.joined() == goalCase.outcomes, "\(goalCase.reason)")
  }
}
