import Cryptography
import Explanation
import Scenarios
import Simulator

/// How much of a step is shown.
public enum Depth: String, CaseIterable, Sendable {
  /// Who, what and why, and who knows what now.
  case story
  /// Also the messages as trees of fields with their bytes.
  case fields
  /// Also the arithmetic, and the commands that reproduce it.
  case numbers
}

/// A case that was played, as text and as JSON.
public struct RunView: Sendable {
  /// How many columns a diagram takes at least.
  public static let diagramColumns = SequenceDiagram.Lanes.narrowest
  let result: CaseResult
  var scenario: Scenario { result.scenario }
  var simulation: Simulation { result.simulation }
  var outcome: Outcome { result.outcome }

  /// A view of `result`.
  public init(_ result: CaseResult) { self.result = result }

  /// The diagram of who sent what to whom, at most 80 columns wide.
  public func diagram() -> Document { SequenceDiagram(simulation).document }

  /// The diagram on at most so many columns; without the verdict of a single connection where that is said beside it.
  public func diagram(width: Int, hasVerdict: Bool) -> Document {
    SequenceDiagram(simulation, width: width).document(hasVerdicts: hasVerdict)
  }

  var systems: String {
    var names: [String] = []
    for plan in simulation.plans {
      let name = plan.client.decision.load.os.description
      if !names.contains(name) { names.append(name) }
    }
    return names.joined(separator: ", ")
  }

  var seed: JSONValue {
    switch scenario.seed {
    case .number(let number): Int(exactly: number).map { .integer($0) } ?? .string(String(number))
    case .counting: "counting"
    }
  }
}
