import Scenarios
import Simulator

/// The scenario that is open, and every state of its run so far: going back is taking an earlier one.
struct Opened: Sendable {
  let file: ScenarioFile
  /// The case as the file has it.
  let written: Scenario
  /// The case with everything that was changed since.
  let scenario: Scenario
  /// What was changed, as it was typed.
  var changes: [String] = []
  /// The run after 0, 1, 2, … steps; never empty.
  private(set) var states: [Simulation]
  var position = 0

  /// A run that has not begun.
  init(file: ScenarioFile, written: Scenario, scenario: Scenario, beginning: Simulation) {
    self.file = file
    self.written = written
    self.scenario = scenario
    states = [beginning]
  }

  var now: Simulation { states[min(position, states.count - 1)] }

  /// The run at its end, wherever it stands now.
  var finished: Simulation {
    var end = states[states.count - 1]
    end.run()
    return end
  }

  /// Whether there is no further step.
  var isAtEnd: Bool {
    var ahead = self
    return !ahead.step()
  }

  /// Whether the run has been played to its end, wherever it stands now.
  var hasBeenPlayed: Bool {
    var last = states[states.count - 1]
    return !last.step()
  }

  /// What tells this run from others: the case, and what was changed.
  var key: String { ([scenario.name] + changes).joined(separator: "\n") }

  /// One step on; false at the end.
  mutating func step() -> Bool {
    if position + 1 < states.count {
      position += 1
      return true
    }
    var next = now
    guard next.step() else { return false }
    states.append(next)
    position += 1
    return true
  }

  /// To this step, or to the last one where there are fewer.
  mutating func go(to target: Int) {
    position = min(target, states.count - 1)
    while position < target, step() {}
  }
}
