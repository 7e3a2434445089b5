import Explanation
import Rendering
import Scenarios
import Simulator

/// A conversation about scenarios: a value that takes one line and gives one answer. No I/O but reading scenarios.
struct Session {
  /// The answer to one line.
  struct Output {
    var text: String
    var isError = false
    var quits = false
  }

  /// The scenario that is open, and every state of its run so far: going back is taking an earlier one.
  struct Opened {
    let file: ScenarioFile
    let scenario: Scenario
    /// The run after 0, 1, 2, … steps; never empty.
    var states: [Simulation]
    var position = 0

    var now: Simulation { states[min(position, states.count - 1)] }

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
  }

  let workbench: Workbench
  let style: TextStyle
  var opened: Opened?
  var depth = Depth.story

  init(workbench: Workbench, style: TextStyle) {
    self.workbench = workbench
    self.style = style
  }

  /// What stands before the cursor: `L1-01 3> `.
  var prompt: String {
    opened.map { "\($0.scenario.id)\($0.now.calculation == nil ? "" : " toy") \($0.position)> " } ?? "trustlab> "
  }

  /// Answers one line; whatever is wrong with it, the session goes on.
  mutating func evaluate(_ line: String) -> Output {
    let words = line.prefix(Self.longestLine).split(whereSeparator: \.isWhitespace).map(String.init)
    guard line.utf8.count <= Self.longestLine else {
      return complaint("that line has \(line.utf8.count) characters", "a command is one short line; try 'help'")
    }
    guard let first = words.first else { return opened == nil ? Output(text: "") : evaluate("step") }
    let argument = words.dropFirst().joined(separator: " ")
    do {
      return try ShellCommand.named(first).run(&self, argument)
    } catch let complaint as Complaint {
      return self.complaint(complaint.message, complaint.hint)
    } catch let diagnostics as Diagnostics {
      return Output(text: diagnostics.description, isError: true)
    } catch {
      return Output(text: "error: \(error)", isError: true)
    }
  }

  /// The open scenario.
  func requireOpened() throws -> Opened {
    guard let opened else {
      throw Complaint(message: "no scenario is open", hint: "'open L1-01' opens one, 'list' prints what there is")
    }
    return opened
  }

  func show(_ document: Document) -> Output { Output(text: document.text(style)) }

  private func complaint(_ message: String, _ hint: String) -> Output {
    Output(text: "error: \(message)\nhint: \(hint)", isError: true)
  }

  private static let longestLine = 10_000
}
