import Explanation
import Rendering
import Scenarios
import Simulator

/// The attacks that were tried on the open run.
extension Session {
  /// `attempt` lists them, `attempt 3` opens one: it is stepped, shown and exported like any run.
  mutating func attempt(_ argument: String) throws -> Output {
    let opened = try requireOpened()
    let outcome = opened.finished.outcome
    let attempts = outcome.attempts
    guard !attempts.isEmpty else {
      throw Diagnostics("nothing was tried here", hint: "nothing was exchanged, or nobody protects anything")
    }
    guard !argument.isEmpty else { return show(AttemptView(outcome).document()) }
    guard let number = Int(argument), attempts.indices.contains(number - 1) else {
      throw Diagnostics(
        "there is no attempt '\(argument)'", hint: "they are 1 to \(attempts.count); 'attempt' lists them")
    }
    guard let world = attempts[number - 1].world else {
      throw Diagnostics(
        "attempt \(number) is one of this run's own", hint: "'goto' leads to its steps; 'attempt' lists the others")
    }
    var tried = Opened(
      file: opened.file, written: opened.written, scenario: opened.scenario, beginning: Simulation(world))
    tried.changes = opened.changes + ["attempt \(number)"]
    earlier.append(opened)
    self.opened = tried
    return say("\(AttemptView.title(attempts[number - 1])). 'step' plays it, 'undo' goes back.")
  }
}
