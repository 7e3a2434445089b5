import Explanation
import Rendering
import Scenarios
import Simulator

/// The commands about the attacks that were tried on the open run.
extension Session {
  /// Lists the attempts, or opens one as a run. The user can step through this run, show it and export it.
  mutating func attempt(_ argument: String) throws -> Output {
    let opened = try requireOpened()
    let outcome = opened.finished.outcome
    let attempts = outcome.attempts
    guard !attempts.isEmpty else {
      throw Diagnostics(
        "this run has no attempted attacks",
        hint: "attacks require a run with protected messages: open another scenario")
    }
    guard !argument.isEmpty else { return show(AttemptView(outcome).document()) }
    guard let number = Int(argument), attempts.indices.contains(number - 1) else {
      throw Diagnostics(
        "no such attempt: '\(argument)'", hint: "use a number from 1 to \(attempts.count); 'attempt' lists them")
    }
    guard let world = attempts[number - 1].world else {
      throw Diagnostics(
        "attempt \(number) is already part of this run", hint: "go to its steps with 'goto'; 'attempt' lists the others"
      )
    }
    var tried = Opened(
      file: opened.file, written: opened.written, scenario: opened.scenario, beginning: Simulation(world))
    tried.changes = opened.changes + ["attempt \(number)"]
    earlier.append(opened)
    self.opened = tried
    return say("\(AttemptView.title(attempts[number - 1])). 'step' plays it, 'undo' goes back.")
  }
}
