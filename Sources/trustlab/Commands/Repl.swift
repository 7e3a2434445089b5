import ArgumentParser
import Foundation
import Rendering

/// `trustlab repl`
struct Repl: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Step through a scenario, back and forth.",
    discussion: """
      Examples:
        trustlab repl L1-01
        trustlab repl L1-15 --script lesson.txt
        printf 'step\\nwhy\\nquit\\n' | trustlab repl L1-15

      Inside, 'help' prints the commands; an empty line steps on.
      """)

  @Argument(help: "The scenario to open: a file, or an id of the curriculum.")
  var scenario: String?

  @Option(help: "Read commands from this file instead of the terminal.")
  var script: String?

  @OptionGroup var styling: StyleOptions

  func run() throws {
    var session = Session(workbench: Workbench(), style: styling.style)
    if let scenario {
      let opened = session.evaluate("open \(scenario)")
      Console.out(opened.text)
      if opened.isError { throw UnreadableInput() }
    } else if isatty(STDIN_FILENO) == 1, script == nil {
      Console.out("'open L1-01' opens a scenario, 'list' prints what there is, 'help' all commands.")
    }
    if let script { try play(script, in: &session) } else { converse(with: &session) }
  }

  private func play(_ script: String, in session: inout Session) throws {
    guard let data = FileManager.default.contents(atPath: script) else {
      throw Complaint(message: "cannot read the script '\(script)'", hint: "a script has one command on each line")
    }
    var lines = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    for line in lines {
      guard !line.hasPrefix("#") else { continue }
      Console.out("> \(line)")
      guard answer(String(line), in: &session) else { return }
    }
  }

  /// One command after the other until `quit` or the end of input; prompts only where someone sees them.
  private func converse(with session: inout Session) {
    let isTerminal = isatty(STDIN_FILENO) == 1
    while true {
      if isTerminal {
        try? FileHandle.standardOutput.write(contentsOf: Data(session.prompt.utf8))
      }
      guard let line = readLine() else {
        if isTerminal { Console.out("") }
        return
      }
      guard answer(line, in: &session) else { return }
    }
  }

  private func answer(_ line: String, in session: inout Session) -> Bool {
    let output = session.evaluate(line)
    if !output.text.isEmpty { Console.out(output.text) }
    return !output.quits
  }
}
